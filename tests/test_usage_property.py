"""Forks, resumes, backups, asides and replays in any order and number: totals stay, and originals own their calls.

The story below writes the files and knows, of every call, what it cost and where it was made.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.build import extract
from tracelake.lake.connect import open_lake

Json = dict[str, Any]
START = datetime(2031, 6, 1, 8, tzinfo=UTC)


@dataclass
class Call:
    """What a call cost, the session it was made in, and whether each of its copies says that it is one."""

    session: str
    input_tokens: int
    output_tokens: int
    is_proved: bool = True


@dataclass
class File:
    """One file: its lines, and for each line the call it belongs to, None for lines without usage."""

    session: str
    name: str
    lines: list[Json] = field(default_factory=list)
    calls: list[Call | None] = field(default_factory=list)


class Story:
    """Writes sessions and copies of them."""

    def __init__(self, names: list[int]) -> None:
        self.files: list[File] = []
        self.calls: list[Call] = []
        self._names = names
        self._clock = 0
        self._ids = 0

    def _next_id(self, kind: str) -> str:
        self._ids += 1
        return f"{kind}{self._ids}"

    def _session(self) -> str:
        """A new id; in which order the ids sort is drawn."""
        number = self._names[len(self.files) % len(self._names)]
        return f"{number:08x}-0000-4000-8000-{len(self.files):012x}"

    def _line(self, file: File, kind: str, call: Call | None = None, **more: Any) -> Json:
        self._clock += 1
        at = (START + timedelta(seconds=self._clock)).isoformat()
        made = {"type": kind, "uuid": self._next_id("u"), "sessionId": file.session, "timestamp": at, **more}
        file.lines.append(made)
        file.calls.append(call)
        return made

    def open(self) -> File:
        session = self._session()
        self.files.append(File(session, f"{session}.jsonl"))
        return self.files[-1]

    def say(self, file: File, has_request: bool, outputs: list[int], **more: Any) -> None:
        """A prompt and its answer, in as many lines as outputs; without a request id under the id of all others."""
        prompt_id = self._next_id("p")
        self._line(file, "user", promptId=prompt_id, message={"role": "user", "content": "go"}, **more)
        number = len(self.calls) + 1
        call = Call(file.session, number, max(outputs))
        self.calls.append(call)
        message_id, request = (f"m{number}", {"requestId": f"r{number}"}) if has_request else ("same", {})
        for output in outputs:
            usage = {"input_tokens": number, "output_tokens": output}
            message = {"id": message_id, "role": "assistant", "model": "claude-opus-5", "content": [], "usage": usage}
            self._line(file, "assistant", call, message=message, **request, **more)

    def copy(self, parent: File, length: int, is_marked: bool, is_continued: bool) -> File:
        """A fork or resume: session and prompt ids are new, all else is kept."""
        child = self.open()
        prompt_id = self._next_id("p")
        mark = {"forkedFrom": {"sessionId": parent.session}} if is_marked else {}
        pairs = list(zip(parent.lines, parent.calls, strict=True))[:length]
        for line, call in pairs:
            rewritten = {"promptId": prompt_id} if "promptId" in line else {}
            child.lines.append({**line, "sessionId": child.session, **rewritten, **mark})
            child.calls.append(call)
            says_so = is_marked or is_continued or "forkedFrom" in line
            if call is not None and not says_so:
                call.is_proved = False
        if is_continued:
            parent.lines.append({"type": "continued-in", "continuedInSessionId": child.session})
            parent.calls.append(None)
        return child

    def back_up(self, file: File, length: int) -> None:
        """An older state of a file, kept elsewhere; which is the older cannot be told."""
        self.files.append(File(file.session, f"../kept{len(self.files)}/{file.name}", file.lines[:length]))
        for call in file.calls[:length]:
            if call is not None:
                call.is_proved = False

    def aside(self, file: File, length: int) -> None:
        """A sub-agent that begins with a copy of the conversation and answers itself, as a progress line tells."""
        agent = File(file.session, f"{file.session}/subagents/agent-x{len(self.files)}.jsonl")
        self.files.append(agent)
        agent.lines = [{**line, "isSidechain": True} for line in file.lines[:length] if line["type"] != "continued-in"]
        agent.calls = [None] * len(agent.lines)
        self.say(agent, True, [3, 8], isSidechain=True)
        self._line(file, "progress", data={"type": "agent_progress", "message": agent.lines[-2]})

    def replay(self, file: File, length: int) -> None:
        """A compaction appends old lines again."""
        file.lines += file.lines[:length]
        file.calls += file.calls[:length]

    def write(self, root: Path) -> None:
        for file in self.files:
            path = root / "projects" / "-w" / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(line) + "\n" for line in file.lines))


def mains(story: Story) -> list[File]:
    return [file for file in story.files if file.name == f"{file.session}.jsonl"]


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story(draw(st.permutations(range(8))))
    outputs = st.lists(st.integers(1, 50), min_size=1, max_size=3)
    story.say(story.open(), draw(st.booleans()), draw(outputs))
    for _ in range(draw(st.integers(1, 7))):
        file = draw(st.sampled_from(mains(story)))
        length = draw(st.integers(1, len(file.lines)))
        act = draw(st.sampled_from(("say", "new", "fork", "continue", "resume", "back up", "aside", "replay")))
        if act == "new":
            file = story.open()
        if act in ("fork", "continue", "resume"):
            file = story.copy(file, length, act == "fork", act == "continue")
        if act in ("say", "new") or (act in ("fork", "continue", "resume") and draw(st.booleans())):
            story.say(file, draw(st.booleans()), draw(outputs))
        if act == "back up":
            story.back_up(file, length)
        if act == "aside":
            story.aside(file, length)
        if act == "replay":
            story.replay(file, length)
    return story


CALLS = """
    SELECT usage.input_tokens, usage.output_tokens, usage.session_id,
        coalesce(bool_or(ends_with(audit.reason, '; owner guessed')), false) AS is_guess
    FROM usage INNER JOIN usage_audit AS audit ON audit.call_id = usage.call_id
    GROUP BY usage.call_id, usage.input_tokens, usage.output_tokens, usage.session_id
    ORDER BY usage.input_tokens
"""


@settings(max_examples=25)
@given(stories())
def test_every_call_counts_once_and_for_the_session_that_made_it(story: Story) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story.write(Path(folder))
        extract(
            [Path(folder) / "projects", *Path(folder).glob("projects/kept*")], Path(folder) / "lake", engine="serial"
        )
        with open_lake(Path(folder) / "lake") as con:
            found = con.execute(CALLS).fetchall()
    assert [row[:2] for row in found] == [(call.input_tokens, call.output_tokens) for call in story.calls]
    for call, (_, _, owner, is_guess) in zip(story.calls, found, strict=True):
        assert owner == call.session or (is_guess and not call.is_proved)
        assert not (is_guess and call.is_proved)
