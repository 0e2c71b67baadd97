"""A line over 16 MiB, decoded in bounded memory: strings shortened, then ijson, then a size budget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ijson
import orjson

from tracelake.decode.cuts import StringCutter
from tracelake.decode.parse import Decoded, Form, decode_record

BUDGET_BYTES = 32 * 1024 * 1024
"""How much of the reduced line is kept in memory; members beyond it are dropped, and the row says so."""
MAX_DEPTH = 200
_NODE_BYTES = 64


class _Builder:
    """Builds the top-level values from parser events, within the budget."""

    def __init__(self) -> None:
        self.roots: list[Any] = []
        self.dropped = 0
        self._stack: list[Any] = []
        self._keys: list[str] = []
        self._left = BUDGET_BYTES

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
    fault: str | None = None
    for piece in pieces:
        fault = fault or _push(parser, events, builder, cutter.feed(piece))
    fault = fault or _push(parser, events, builder, cutter.finish()) or _close(parser, events, builder)
    reasons = ["line over 16 MiB"] + [f"{len(cutter.cuts)} long values shortened"] * bool(cutter.cuts)
    if builder.dropped:
        reasons.append(f"{builder.dropped} values beyond the size budget dropped")
    if fault:
        reasons.append(fault)
    values = [orjson.dumps(root) for root in builder.roots if isinstance(root, dict)]
    records = [decode_record(value, reasons, form) for value in values]
    return Decoded("oversize", "; ".join(reasons), records, values, len(builder.roots), cutter.cuts)


def _push(parser: Any, events: Any, builder: _Builder, data: bytes) -> str | None:
    """Feed the parser; return the fault it found, with all that came before it taken."""
    try:
        if data:
            parser.send(data)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        return _explain(error)
    finally:
        _drain(events, builder)
    return None


def _close(parser: Any, events: Any, builder: _Builder) -> str | None:
    try:
        parser.close()
    except (ijson.JSONError, UnicodeDecodeError) as error:
        return _explain(error)
    finally:
        _drain(events, builder)
    return None


def _explain(error: Exception) -> str:
    detail = error.args[0] if error.args else ""
    text = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
    return "invalid JSON: " + text.split("\n", 1)[0].strip()


def _drain(events: Any, builder: _Builder) -> None:
    for event, value in events:
        builder.take(event, value)
    del events[:]
