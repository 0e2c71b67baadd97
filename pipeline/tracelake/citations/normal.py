"""How texts are compared: white space folded, Read's line numbers taken out (C-1, C-2)."""

from __future__ import annotations

import re

from tracelake.decode.split import GO_SPACE

_RUNS = re.compile(f"[{re.escape(GO_SPACE)}]+")
_NOT_SPACE = "\x1c\x1d\x1e\x1f"
"""What str.split() takes for white space although GO_SPACE does not hold it."""
_NUMBERED = re.compile(r"^[ \t]*[0-9]+\t", re.MULTILINE)


def fold_spaces(text: str) -> str:
    """Return `text` with every run of white space replaced by one blank, none at the ends (C-1)."""
    if any(character in text for character in _NOT_SPACE):
        return _RUNS.sub(" ", text).strip(" ")
    return " ".join(text.split())


def unnumber(text: str) -> str:
    """Return `text` without the line numbers that Read puts before each line (C-2); itself if there are none."""
    return _NUMBERED.sub("", text) if "\t" in text else text


def contains(text: str, quote: str, numbered: bool = False) -> bool:
    """Return whether `text` contains `quote` (C-1); `numbered` also tries it without line numbers (C-2)."""
    wanted = fold_spaces(quote)
    if not wanted:
        return False
    return wanted in fold_spaces(text) or (numbered and wanted in fold_spaces(unnumber(text)))
