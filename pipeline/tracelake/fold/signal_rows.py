"""SignalRows: what was found in the records of one file -> rows of `agent_signals`."""

from __future__ import annotations

from typing import NamedTuple

from tracelake.decode.claude import Record
from tracelake.fold.answers import Found
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows
from tracelake.fold.strict_signals import Placed, StrictSignals
from tracelake.tables.rows import AgentSignalRow


class About(NamedTuple):
    """What goes into a row beside the signal itself; `block` is -1 where the record has no blocks."""

    block: int = -1
    key: str = ""
    tool_use_id: str | None = None
    tool_name: str | None = None
    notice_key: str | None = None
    description: str | None = None


class SignalRows:
    """Makes the rows of one file; memory holds the tasks launched and the calls the exact rule waits for."""

    _rows: Rows
    _place: Place
    _record: Record

    def __init__(self) -> None:
        """Start with no tasks."""
        self._strict = StrictSignals()
        self._due: list[Placed] = []
        self._kinds: dict[str, str | None] = {}
        self._seq = 0

    def begin(self, rows: Rows, place: Place, record: Record) -> None:
        """Take the record that the next signals are found in."""
        self._rows, self._place, self._record, self._due = rows, place, record, []
        if place.decoded.is_strict and (due := self._strict.record(record)):
            self._due = list(due)

    def end(self) -> None:
        """Emit the signals of the exact rule that nothing else has brought up."""
        while self._due:
            block, signal = self._due[0]
            carrier = "queued_command"
            if self._record.type == "user":
                carrier = "user_text" if block < 0 else "user_block"
            found = Found(signal.kind, None, signal.agent_id, signal.status, carrier)
            if signal.kind == "launched":
                found = found._replace(target_kind="agent", carrier="call_result")
            self.emit(found, About(block, signal.key))

    def teammate(self, name: str) -> str:
        """Return the id of the teammate that was launched with a name, else the name."""
        return next((known for known in self._kinds if known.split("@")[0] == name), name)

    def emit(self, found: Found, about: About) -> None:
        """Add the row of one signal, unless it counts only for tasks launched before and this one was not."""
        agent_id = found.agent_id
        if found.only_known and agent_id not in self._kinds:
            return
        kind = self._kinds.get(agent_id) or found.target_kind
        if found.signal != "ended":
            self._kinds[agent_id] = kind
        place, record = self._place, self._record
        strict_key = self._take_due(found, about.block)
        self._rows.agent_signals.append(
            AgentSignalRow(
                line_no=place.line.line_no,
                record_no=place.record_no,
                seq=self._seq,
                signal=found.signal,
                target_kind=kind,
                agent_id=agent_id,
                status=found.status,
                key=strict_key or about.key or f"{record.uuid or ''}:{agent_id}",
                notice_key=about.notice_key,
                tool_use_id=about.tool_use_id,
                tool_name=about.tool_name,
                carrier=found.carrier,
                run_id=found.run_id,
                description=about.description,
                strict=strict_key is not None,
                is_sidechain=bool(record.is_sidechain),
                occurred_at=place.at,
            )
        )
        self._seq += 1

    def _take_due(self, found: Found, block: int) -> str | None:
        """Return the key of the same signal by the exact rule, which is then done with; None when it has none."""
        for placed in self._due:
            if placed.block_index == block and placed.signal[:3] == (found.signal, found.agent_id, found.status):
                self._due.remove(placed)
                return placed.signal.key
        return None
