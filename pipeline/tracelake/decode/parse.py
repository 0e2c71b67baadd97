"""One line of bytes -> its records, its status and the reason (E-1 to E-4), whatever agent wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from tracelake.decode.cuts import Cut
from tracelake.decode.faults import Cause, Fault, error_text, status_of
from tracelake.decode.lenient import elements, lenient_decode, members
from tracelake.decode.odd import odd_values
from tracelake.decode.split import is_blank, split_line
from tracelake.tables.entries import STRICT_STATUSES

REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What strict decoding raises for a line it does not accept."""

NO_CUTS: Mapping[str, Cut] = {}


class Form:
    """How one agent's records are spelled: the Struct they decode into, and the types strict reading insists on.

    `kept_types` maps keys to `string`, `boolean` or `list of strings`; null is always accepted (E-3).
    """

    __slots__ = ("decode_strict", "kept_types", "record_type")

    def __init__(self, record_type: type[Any], kept_types: Mapping[str, str]) -> None:
        """Prepare the strict decoder of `record_type`."""
        self.record_type = record_type
        self.kept_types = kept_types
        self.decode_strict = msgspec.json.Decoder(record_type).decode


class Decoded(NamedTuple):
    """The records of one line; `values` holds the source bytes of each, in the same order.

    `cuts` maps the shortened strings of an oversize line to what they were.
    """

    status: str
    error: str | None
    records: list[Any]
    values: list[bytes]
    record_count: int
    cuts: Mapping[str, Cut] = NO_CUTS

    @property
    def is_strict(self) -> bool:
        """Whether a strict reader takes the line as a record (E-3)."""
        return self.status in STRICT_STATUSES


def decode_line(data: bytes, has_lf: bool, form: Form) -> Decoded:
    """Decode a physical line of at most 16 MiB; never raises."""
    try:
        if not data.isascii():
            data.decode()
        return Decoded("ok", None, [form.decode_strict(data)], [data], 1)
    except REFUSALS:
        return _decode_damaged(data, has_lf, form)


def _decode_damaged(data: bytes, has_lf: bool, form: Form) -> Decoded:
    """Decode a line that strict decoding refused, as far as it can be read."""
    if is_blank(data):
        return Decoded("blank", None, [], [], 0)
    split = split_line(data)
    bad_json = list(split.bad_json)
    objects = [value for value in split.values if value[:1] == b"{"]
    records = [decode_record(value, bad_json, form) for value in objects]
    glued = [Fault(Cause.GLUED, len(split.values))] if len(split.values) > 1 and not bad_json else []
    odd = [Fault(Cause.ODD_VALUE, text) for value in objects for text in odd_values(value)]
    faults = glued + bad_json + _type_faults(split.values, form.kept_types) + odd + split.bad_utf8
    return Decoded(status_of(faults, has_lf), error_text(faults), records, objects, len(split.values))


def decode_record(value: bytes, notes: list[Fault], form: Form) -> Any:
    """Decode one JSON object strictly, else leniently; a fault that leaves it empty is added to `notes`."""
    try:
        return form.decode_strict(value)
    except REFUSALS:
        pass
    try:
        return lenient_decode(value, form.record_type)
    except REFUSALS:
        notes.append(Fault(Cause.TOO_DEEP))
        return form.record_type()


def _type_faults(values: list[bytes], kept_types: Mapping[str, str]) -> list[Fault]:
    """Name each value that is no object and each kept field of another type than E-3 allows."""
    faults: list[Fault] = []
    for value in values:
        if value[:1] == b"{":
            faults += _field_faults(value, kept_types)
        elif value != b"null":
            faults.append(Fault(Cause.NOT_AN_OBJECT, _kind(value)))
    return faults


def _field_faults(value: bytes, kept_types: Mapping[str, str]) -> list[Fault]:
    try:
        found = members(value)
    except REFUSALS:
        return []
    return [
        Fault(Cause.WRONG_TYPE, (key, _kind(found[key]), wanted))
        for key, wanted in kept_types.items()
        if key in found and not _accepts(found[key], wanted)
    ]


def _accepts(value: bytes, wanted: str) -> bool:
    kind = _kind(value)
    if wanted == "list of strings":
        items = [_kind(element) for element in elements(value)]
        return kind == "null" or (kind == "array" and set(items) <= {"string", "null"})
    return kind in (wanted, "null")


def _kind(value: bytes) -> str:
    names = {b'"': "string", b"{": "object", b"[": "array", b"t": "boolean", b"f": "boolean", b"n": "null"}
    return names.get(value[:1], "number")
