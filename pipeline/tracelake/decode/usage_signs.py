"""Signs of token counts on lines that nothing reads, so that a call that is not counted is at least named."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelake.decode.parse import REFUSALS

DEEPEST = 6
"""Levels of nesting that are looked into; the members of the record itself are the first."""


def carries_usage(value: bytes) -> bool:
    """Return whether a record holds token counts, by its source text.

    A sign is a key that ends in `tokens` or `Tokens` with a positive integer, or an object named `usage`.
    """
    if b'okens"' not in value and b'"usage"' not in value:
        return False
    try:
        return _has_sign(msgspec.json.decode(value), DEEPEST)
    except REFUSALS:
        return False


def _has_sign(value: Any, levels: int) -> bool:
    if isinstance(value, list):
        return levels > 1 and any(_has_sign(one, levels - 1) for one in value)
    if not isinstance(value, dict):
        return False
    if any(_is_sign(key, one) for key, one in value.items()):
        return True
    return levels > 1 and any(_has_sign(one, levels - 1) for one in value.values())


def _is_sign(key: str, value: Any) -> bool:
    if key == "usage":
        return isinstance(value, dict)
    return key.endswith(("tokens", "Tokens")) and isinstance(value, int) and not isinstance(value, bool) and value > 0
