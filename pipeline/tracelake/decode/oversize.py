"""A line over 16 MiB, decoded in bounded memory: strings shortened, then ijson, then a size budget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ijson
import orjson

from tracelake.decode.cuts import StringCutter
from tracelake.decode.faults import Cause, Fault, error_text
from tracelake.decode.parse import Decoded, Form, decode_record

BUDGET_BYTES = 32 * 1024 * 1024
"""How much of the reduced line is kept in memory; members beyond it are dropped, and the row says so."""
MAX_DEPTH = 200
"""Nesting that is kept; deeper values are dropped, and the row says so."""
DEEPEST = 10_000
"""Nesting at which the line is given up: what is open costs memory, however little each of it holds."""
_NODE_BYTES = 64
_STEP_BYTES = 64 * 1024
"""How much is given to the parser at once; a byte may become an event of a hundred."""


class _Builder:
    """Builds the top-level values from parser events, within the budget."""

    def __init__(self) -> None:
        self.roots: list[Any] = []
        self.dropped = 0
        self._stack: list[Any] = []
        self._keys: list[str] = []
        self._left = BUDGET_BYTES

    @property
    def depth(self) -> int:
        """How many objects and arrays are open."""
        return len(self._stack)

    def take(self, event: str, value: Any) -> None:
        if event == "map_key":
            self._keys[-1] = value
        elif event in ("start_map", "start_array"):
            made: Any = {} if event == "start_map" else []
            self._stack.append(made if self._add(made, _NODE_BYTES) else None)
            self._keys.append("")
        elif event in ("end_map", "end_array"):
            self._stack.pop()
            self._keys.pop()
        else:
            self._add(_scalar(value), _NODE_BYTES + (len(value) if isinstance(value, str) else 0))

    def _add(self, value: Any, cost: int) -> bool:
        if not self._stack:
            self.roots.append(value)
            return True
        parent = self._stack[-1]
        self._left -= cost
        over = (self._left < 0 and len(self._stack) > 2) or len(self._stack) > MAX_DEPTH
        if parent is None or over:
            self.dropped += parent is not None
            return False
        if isinstance(parent, dict):
            parent[self._keys[-1]] = value
        else:
            parent.append(value)
        return True


def _scalar(value: Any) -> Any:
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value


def decode_oversize(pieces: Iterable[bytes], form: Form) -> Decoded:
    """Decode the pieces of one long line; never raises. Strings cut on the way are in `cuts`."""
    cutter, builder = StringCutter(), _Builder()
    events = ijson.sendable_list()
    parser = ijson.basic_parse_coro(events, multiple_values=True, use_float=True)
    fault: Fault | None = None
    for piece in pieces:
        fault = fault or _push(parser, events, builder, cutter.feed(piece))
    fault = fault or _push(parser, events, builder, cutter.finish()) or _close(parser, events, builder)
    faults = [Fault(Cause.OVERSIZE)]
    if cutter.cuts:
        faults.append(Fault(Cause.SHORTENED, len(cutter.cuts)))
    if builder.dropped:
        faults.append(Fault(Cause.DROPPED, builder.dropped))
    if fault:
        faults.append(fault)
    values = [orjson.dumps(root) for root in builder.roots if isinstance(root, dict)]
    records = [decode_record(value, faults, form) for value in values]
    return Decoded("oversize", error_text(faults), records, values, len(builder.roots), cutter.cuts)


def _push(parser: Any, events: Any, builder: _Builder, data: bytes) -> Fault | None:
    """Feed the parser; return the fault it found, with all that came before it taken."""
    for start in range(0, len(data), _STEP_BYTES):
        try:
            parser.send(data[start : start + _STEP_BYTES])
        except (ijson.JSONError, UnicodeDecodeError) as error:
            return _explain(error)
        finally:
            _drain(events, builder)
        if builder.depth > DEEPEST:
            return Fault(Cause.TOO_DEEP)
    return None


def _close(parser: Any, events: Any, builder: _Builder) -> Fault | None:
    try:
        parser.close()
    except (ijson.JSONError, UnicodeDecodeError) as error:
        return _explain(error)
    finally:
        _drain(events, builder)
    return None


def _explain(error: Exception) -> Fault:
    detail = error.args[0] if error.args else ""
    text = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
    return Fault(Cause.INVALID_JSON, ": " + text.split("\n", 1)[0].strip())


def _drain(events: Any, builder: _Builder) -> None:
    for event, value in events:
        builder.take(event, value)
    del events[:]
