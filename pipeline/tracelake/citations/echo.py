"""Whether a shell command prints text the agent may have written itself: history, commit messages (C-13).

What cannot be parsed, and what runs no program that is named literally, is an echo: the safe side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from tree_sitter import Language, Node, Parser

from tracelake.citations.shell_words import literal
from tracelake.citations.shell_wrappers import command_string, program_of, wrapped
from tracelake.decode.split import GO_SPACE

MAX_DEPTH = 4
"""How deep command strings within command strings are followed; deeper ones are echoes."""
CACHED_COMMANDS = 4096
MOST_HEREDOCS = 500
"""How many `<<` a line of a command may hold; each is searched to the end of the text, so more are not parsed."""

HISTORY_COMMANDS = frozenset(
    {
        "log", "show", "reflog", "cat-file", "shortlog", "format-patch", "whatchanged", "notes", "rev-list",
        "for-each-ref", "tag", "stash", "blame", "describe", "var", "show-branch",
    }
)  # fmt: skip
"""What git prints subjects and messages with."""
GIT_VALUE_OPTIONS = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--exec-path"}
)
"""Options of git itself that take the next word."""
_READS = ("<", "<>")


@lru_cache(maxsize=CACHED_COMMANDS)
def is_echo(command: str) -> bool:
    """Return whether the output of a Bash command may be text the agent wrote (C-13)."""
    try:
        return _echoes(command, 0)
    except RecursionError:
        return True


@cache
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


def _echoes(command: str, depth: int) -> bool:
    if not command.strip(GO_SPACE):
        return False
    if _is_unreasonable(command):
        return True
    root = _parser().parse(command.encode(errors="replace")).root_node
    if root.has_error:
        return True
    line = _Line()
    line.read(root)
    if not line.invocations or any(names_git_dir(target) for target in line.read_targets):
        return True
    return any(_invocation_echoes(words, depth) for words in line.invocations)


def _is_unreasonable(command: str) -> bool:
    """Return whether a line, also one continued by a backslash, opens more here-documents than anyone writes."""
    if command.count("<<") <= MOST_HEREDOCS:
        return False
    return any(line.count("<<") > MOST_HEREDOCS for line in command.replace("\\\n", "").split("\n"))


class _Line:
    """What one parsed command line runs and reads; variables are those assigned literally so far."""

    def __init__(self) -> None:
        self.invocations: list[Sequence[str | None]] = []
        self.read_targets: list[str] = []
        self._variables: dict[str, str] = {}

    def read(self, node: Node) -> None:
        """Walk the tree in the order of the text."""
        kind = node.type
        if kind == "command":
            self._command(node)
        elif kind == "test_command":
            self._test(node)
        elif kind == "file_redirect":
            self._redirect(node)
        for child in node.named_children:
            if child.named_child_count or child.type in ("file_redirect", "test_command"):
                self.read(child)
        if kind == "variable_assignment" and (node.parent is None or node.parent.type != "command"):
            self._assign(node)

    def _command(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        program = literal(name) if name is not None else None
        if not program:
            return
        words: list[str | None] = [program]
        for child in node.children_by_field_name("argument"):
            words.append(literal(child, self._variables))
        self.invocations.append(words)

    def _test(self, node: Node) -> None:
        """Take `[ ... ]`, which is a program; `[[ ... ]]` is the shell's own."""
        if node.children[0].type == "[":
            self.invocations.append(["[", *(literal(leaf, self._variables) for leaf in _leaves(node))])

    def _redirect(self, node: Node) -> None:
        if any(child.type in _READS for child in node.children):
            target = node.child_by_field_name("destination")
            text = literal(target, self._variables) if target is not None else None
            if text:
                self.read_targets.append(text)

    def _assign(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.text is None:
            return
        text = literal(value, self._variables) if value is not None else ""
        if text is None:
            self._variables.pop(name.text.decode(errors="replace"), None)
        else:
            self._variables[name.text.decode(errors="replace")] = text


def _leaves(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type.endswith("_expression"):
            yield from _leaves(child)
        else:
            yield child


def _invocation_echoes(literals: Sequence[str | None], depth: int) -> bool:
    """Judge an invocation with its unknown words dropped, and also with each in its place: `git -C "$DIR" log`."""
    words = [word for word in literals if word is not None]
    text = _command_text(literals)
    if text is not None and (depth >= MAX_DEPTH or _echoes(text, depth + 1)):
        return True
    if _words_echo(words, depth):
        return True
    return len(words) < len(literals) and _words_echo([word or "" for word in literals], depth)


def _words_echo(words: Sequence[str], depth: int) -> bool:
    if _prints_history(words) or any(names_git_dir(word) for word in words):
        return True
    return any(_invocation_echoes(inner, depth) for inner in wrapped(words))


def _command_text(literals: Sequence[str | None]) -> str | None:
    if literals[0] == "eval":
        words = [word for word in literals[1:] if word is not None]
        return " ".join(words) if len(words) == len(literals) - 1 else None
    return command_string(literals)


def _prints_history(words: Sequence[str]) -> bool:
    program = program_of(words[0])
    if program == "sr" or program.startswith("sr-"):
        return True
    return program == "git" and _first_operand(words) in HISTORY_COMMANDS


def _first_operand(words: Sequence[str]) -> str | None:
    position = 1
    while position < len(words) and words[position].startswith("-"):
        position += 2 if words[position] in GIT_VALUE_OPTIONS else 1
    return words[position] if position < len(words) else None


def names_git_dir(word: str) -> bool:
    """Return whether a word names something in a `.git` directory; of `-option=value` the value counts."""
    if word.startswith("-") and "=" in word:
        word = word.partition("=")[2]
    path = word.replace("\\", "/")
    return path == ".git" or path.startswith(".git/") or "/.git/" in path or path.endswith("/.git")
