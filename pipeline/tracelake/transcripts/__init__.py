"""Single transcripts and session trees of Claude Code as typed lines, without a lake (parser.md 8).

    tree = read_tree("/home/ada/.claude/projects/p/session.jsonl")
    for line in tree.main.lines: ...
    tree.subagent_for_tool_use("toolu_1")

Nothing that is wrong with the data raises: it is a line with a status, or one of the tree's `issues`.
"""

from tracelake.transcripts.checks import CHECKS, Issue
from tracelake.transcripts.evidence import PatchHunk, ResultEvidence, decode_result_evidence
from tracelake.transcripts.file import File, Label
from tracelake.transcripts.model import Attachment, Block, Control, Line, Message, Usage
from tracelake.transcripts.read import Readings, decode_subagent, read_transcript, reread
from tracelake.transcripts.reading import Reading
from tracelake.transcripts.tree import Tree, read_tree, single_file_tree

__all__ = [
    "CHECKS",
    "Attachment",
    "Block",
    "Control",
    "File",
    "Issue",
    "Label",
    "Line",
    "Message",
    "PatchHunk",
    "Reading",
    "Readings",
    "ResultEvidence",
    "Tree",
    "Usage",
    "decode_result_evidence",
    "decode_subagent",
    "read_transcript",
    "read_tree",
    "reread",
    "single_file_tree",
]
