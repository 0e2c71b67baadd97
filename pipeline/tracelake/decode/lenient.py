"""Decoding a JSON object into a Struct when strict typed decoding refuses it: each value by the J rules.

The Struct's own field types say how each value is read, so strict and lenient decoding share one
declaration. Unknown keys are ignored, of duplicate keys the last wins.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, get_args

import msgspec

from tracelake.decode.json_rules import bool_of, int_of, str_of

_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_array = msgspec.json.Decoder(list[msgspec.Raw]).decode

Reader = Callable[[bytes], Any]


def members(raw: bytes) -> dict[str, bytes]:
    """Return the members of a JSON object as source bytes; empty for any other value."""
    if raw[:1] != b"{":
        return {}
    return {key: bytes(value).strip() for key, value in _decode_object(raw).items()}


def elements(raw: bytes) -> list[bytes]:
    """Return an array's elements as source bytes; null is empty, any other value is its only element (J8)."""
    if raw[:1] == b"[":
        return [bytes(value).strip() for value in _decode_array(raw)]
    return [] if raw == b"null" else [raw]


def lenient_decode(raw: bytes, cls: Any) -> Any:
    """Decode a JSON object into the Struct `cls`, every field as far as it can be read."""
    found = members(raw)
    values = {name: read(found[key]) for name, key, read in _readers(cls) if key in found}
    made = cls(**values)
    repair = getattr(made, "after_lenient", None)
    if repair is not None:
        repair(found)
    return made


@lru_cache(maxsize=64)
def _readers(cls: Hashable) -> tuple[tuple[str, str, Reader], ...]:
    fields = msgspec.structs.fields(cls)  # type: ignore[arg-type]
    return tuple((field.name, field.encode_name, _reader(field.type)) for field in fields)


def _reader(annotation: Any) -> Reader:
    """Return the function that reads a value for a field annotated so."""
    options = [option for option in get_args(annotation) or (annotation,) if option is not type(None)]
    for option in options:
        base = _base(option)
        if base is msgspec.Raw:
            return msgspec.Raw
        if isinstance(base, type) and issubclass(base, msgspec.Struct):
            return lambda raw: lenient_decode(raw, base) if raw[:1] == b"{" else None
        if base is list:
            read = _reader(get_args(option)[0])
            rest = [other for other in options if _base(other) is str]
            return lambda raw: str_of(raw) if rest and raw[:1] == b'"' else _list_of(raw, read)
    return {int: int_of, bool: bool_of}.get(_base(options[0]), str_of)


def _base(option: Any) -> Any:
    origin = getattr(option, "__origin__", None)
    return option if origin is None else origin


def _list_of(raw: bytes, read: Reader) -> list[Any] | None:
    return None if raw == b"null" else [read(element) for element in elements(raw)]
