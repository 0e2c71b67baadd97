"""What a tool call's input says about its result: whose text it is (C-10, C-11, C-13)."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from tracelake.citations.echo import is_echo
from tracelake.citations.reads import TranscriptReads, command_paths, is_task_output
from tracelake.decode.raws import NO_RAW, string_of

DELEGATION_TOOLS = frozenset({"Agent", "Task"})
OUTPUT_TOOL = "TaskOutput"
SHELL_TOOL = "Bash"


class CallVerdict(NamedTuple):
    """One call: its name, whether it prints the agent's own text, and whether it reads a transcript.

    `reads_transcript` decides about its result: the disk says so, or a path lies in a folder of transcripts, which
    may be gone or on another machine. The name of a background task's output alone decides nothing: those of shells
    look the same, and the text of a transcript is recognised anyway (C-12).
    """

    name: str | None
    echo: bool = False
    reads_transcript_live: bool = False
    reads_transcript_static: bool = False
    reads_transcript: bool = False


class _Input(msgspec.Struct, gc=False):
    file_path: msgspec.Raw = NO_RAW
    path: msgspec.Raw = NO_RAW
    notebook_path: msgspec.Raw = NO_RAW
    command: msgspec.Raw = NO_RAW


_decode_input = msgspec.json.Decoder(_Input).decode


class CallJudge:
    """Judges the calls of one file."""

    def __init__(self, reads: TranscriptReads | None = None) -> None:
        """Ask `reads` about paths, by default with the configured agent homes."""
        self._reads = reads or TranscriptReads()

    def judge(self, name: str | None, raw_input: bytes, cwd: str | None) -> CallVerdict:
        """Return the verdict on a call; `raw_input` is the input's JSON text, `cwd` that of its line."""
        try:
            found = _decode_input(raw_input) if raw_input[:1] == b"{" else _Input()
        except (msgspec.MsgspecError, RecursionError):
            return CallVerdict(name, echo=name == SHELL_TOOL)
        command = string_of(found.command) or ""
        paths = [text for raw in (found.file_path, found.path, found.notebook_path) if (text := string_of(raw))]
        paths += command_paths(command)
        live = in_projects = static = False
        for path in paths:
            live = live or self._reads.live(path, cwd)
            in_projects = in_projects or self._reads.in_projects(path, cwd)
            static = static or is_task_output(path)
        echo = name == SHELL_TOOL and is_echo(command)
        return CallVerdict(name, echo, live, in_projects or static, live or in_projects)
