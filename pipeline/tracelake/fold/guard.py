"""One line never costs more than itself: what goes wrong while it is folded becomes its status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import orjson

from tracelake.decode.odd import odd_values
from tracelake.decode.parse import Decoded
from tracelake.tables.rows import EntryRow

P = ParamSpec("P")
T = TypeVar("T")

Faults = list[str]
"""What could not be folded of one record, in words that name the key where it is known."""


UNFORESEEN = "could not be folded: "
"""How the sentence of an error begins that nobody thought of."""


def attempt(faults: Faults, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return what `step` returns; None, and a sentence in `faults`, when the line makes it fail.

    A full disk and exhausted memory are no faults of the line and are raised.
    """
    try:
        return step(*args, **kwargs)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever a line does to a fold is the line's own status)
        faults.append(f"{UNFORESEEN}{type(error).__name__}: {error}")
        return None


def explained(faults: Faults, record: bytes) -> Faults:
    """Return the odd values of a record, which tell more than what failed over them; else the faults themselves."""
    return odd_values(record) or list(dict.fromkeys(faults))


def spoil(row: EntryRow, decoded: Decoded, faults: Faults) -> None:
    """Write the faults into a line's row of `entries`; a graver status stays."""
    if decoded.is_strict:
        row.status = "bad_value"
    row.error = "; ".join([*filter(None, [decoded.error]), *faults])


def json_object(attrs: Mapping[str, Any], faults: Faults) -> str:
    """Return attributes as JSON text with sorted keys; those that are None or cannot be held are left out."""
    kept = {key: value for key, value in attrs.items() if value is not None}
    try:
        return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        sound = {key: value for key, value in kept.items() if _is_sound(value)}
        faults.extend(f"{key} cannot be held" for key in kept if key not in sound)
        return orjson.dumps(sound, option=orjson.OPT_SORT_KEYS).decode()


def _is_sound(value: Any) -> bool:
    try:
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        return False
    return True
