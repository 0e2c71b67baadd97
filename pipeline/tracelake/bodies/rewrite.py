"""rewrite_line and extract_bodies: sentinels in the place of bodies, in memory (parser.md 4.4)."""

from __future__ import annotations

from tracelake.bodies.canonical import canonical_body
from tracelake.bodies.encode import Body, BodyEncoder, DefaultEncoder
from tracelake.bodies.find import body_locations, shape_of
from tracelake.bodies.kinds import BodyLocation
from tracelake.bodies.sentinel import Sentinel, write_sentinel

_DEFAULT = DefaultEncoder()


def extract_bodies(agent: str, region: bytes, encoder: BodyEncoder = _DEFAULT) -> tuple[bytes, list[Body]]:
    """Return the lines of `region` with their bodies replaced by sentinels, and each different body once.

    The number of lines and their LFs stay; a last line without LF passes through as it is. A second pass
    changes nothing. Raises UsageError for an unknown agent.
    """
    shape_of(agent)
    out: list[bytes] = []
    bodies: dict[str, Body] = {}
    lines = region.split(b"\n")
    for line in lines[:-1]:
        rewritten, found = rewrite_line(agent, line, encoder)
        out.append(rewritten)
        for body in found:
            bodies.setdefault(body.sha256, body)
    return b"\n".join([*out, lines[-1]]), list(bodies.values())


def rewrite_line(agent: str, line: bytes, encoder: BodyEncoder = _DEFAULT) -> tuple[bytes, list[Body]]:
    """Return one line with its bodies replaced by sentinels, and the bodies in source order.

    Everything but the values replaced stays byte for byte. A damaged line, or one with nothing to lift, comes
    back as it is. Raises UsageError for an unknown agent.
    """
    if not may_hold_bodies(agent, line):
        return line, []
    parts: list[bytes] = []
    bodies: list[Body] = []
    done = 0
    for place in body_locations(agent, line):
        raw = canonical_body(place.kind, line[place.span.start : place.span.end])
        key, stored, content_type = encoder.encode_body(raw)
        bodies.append(Body(key, len(raw), place.media_type, stored, content_type, place.role))
        parts += [line[done : place.span.start], sentinel_for(place, key, len(raw))]
        done = place.span.end
    return b"".join([*parts, line[done:]]), bodies


def may_hold_bodies(agent: str, line: bytes) -> bool:
    """Return False only if the line surely has nothing to lift; looks for words, reads nothing."""
    return b"\\u" in line or any(mark in line for mark in shape_of(agent).marks)


def sentinel_for(place: BodyLocation, key: str, size: int) -> bytes:
    """Return the text that replaces a body."""
    return write_sentinel(Sentinel(key, size, place.media_type, place.file_path, place.detail))
