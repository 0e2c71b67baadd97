"""The words of a shell command as text, as far as they are literal: quotes and escapes undone, variables looked up."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPE_IN_QUOTES = re.compile(r'\\([\n"\\$`])')
_ANSI_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|[0-7]{1,3}|.)", re.DOTALL)
_ANSI_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_NAME = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")

NO_VARIABLES: Mapping[str, str] = {}


def literal(node: Node, variables: Mapping[str, str] = NO_VARIABLES) -> str | None:
    """Return the text a word stands for; None when it depends on anything but `variables`."""
    kind = node.type
    if kind in ("word", "number", "variable_name", "special_variable_name"):
        return None if node.named_child_count else _ESCAPE.sub(_unescape, _source(node))
    if kind == "raw_string":
        return _source(node)[1:-1]
    if kind == "ansi_c_string":
        return _ANSI_ESCAPE.sub(_ansi, _source(node)[2:-1])
    if kind in ("string", "translated_string"):
        return _quoted(node, variables)
    if kind in ("concatenation", "command_name"):
        return _joined(node, variables)
    if kind in ("simple_expansion", "expansion"):
        match = _NAME.fullmatch(_source(node))
        return variables.get(match[1]) if match else None
    return None


def _source(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _unescape(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def _ansi(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ANSI_NAMED.get(code, code)


def _quoted(node: Node, variables: Mapping[str, str]) -> str | None:
    """Return a double-quoted string; the parser leaves blanks between its parts out, the source has them."""
    source = node.text or b""
    if node.type == "translated_string":
        return literal(node.named_children[0], variables) if node.named_children else None
    pieces: list[str] = []
    position = 1
    for child in node.named_children:
        if child.type == "string_content":
            continue
        value = literal(child, variables)
        if value is None:
            return None
        start = child.start_byte - node.start_byte
        pieces += [_unquote(source[position:start]), value]
        position = child.end_byte - node.start_byte
    return "".join([*pieces, _unquote(source[position:-1])])


def _unquote(piece: bytes) -> str:
    return _ESCAPE_IN_QUOTES.sub(_unescape, piece.decode(errors="replace"))


def _joined(node: Node, variables: Mapping[str, str]) -> str | None:
    """Return a word made of parts; parts that do not touch are separate words, which only a name could be."""
    pieces: list[str] = []
    for child in node.children:
        value = literal(child, variables) if child.is_named else _source(child)
        if value is None:
            return None
        pieces.append(value)
    return "".join(pieces)
