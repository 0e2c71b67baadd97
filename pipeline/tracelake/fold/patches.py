"""Which files a patch in a tool call's input touches."""

from __future__ import annotations

import re

_BEGIN = "*** Begin Patch"
_HEADER = r"\*\*\* (?:(?:Add|Update|Delete) File|Move to): "
_PLAIN = re.compile(rf"^{_HEADER}(.+?)[ \t\r]*$", re.MULTILINE)
_ESCAPED = re.compile(rf"(?:\\n|\n|^){_HEADER}(.+?)(?=\\[nr]|[\n\"'`]|$)")


def patch_paths(text: str) -> list[str] | None:
    """Return the paths named by the file headers of an apply_patch body, in order, each once; None without a patch.

    The patch may stand in JSON or in program text, where its line ends are written as escapes.
    """
    begin = text.find(_BEGIN)
    if begin < 0:
        return None
    plain = text[begin + len(_BEGIN) :].lstrip(" \t\r").startswith("\n")
    found = (_PLAIN if plain else _ESCAPED).findall(text, begin)
    paths = list(dict.fromkeys(path if plain else path.replace("\\\\", "\\") for path in found))
    return paths or None
