"""The meta sidecar of a sub-agent's transcript."""

from __future__ import annotations

import errno
import json
from typing import Any, NoReturn

import msgspec

from tracelake.sources.layout import meta_path_of
from tracelake.sources.opening import open_regular, read_up_to
from tracelake.sources.paths import reason_of

MAX_META_BYTES = 1 << 20
"""A larger sidecar is not read: real ones have a few hundred bytes."""


class Meta(msgspec.Struct, frozen=True):
    """What a `.meta.json` says (S-5); members that it lacks are None, and with `error` set all others."""

    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None
    spawn_depth: int | None = None
    parent_agent_id: str | None = None
    model: str | None = None
    error: str | None = None


class _MetaJson(msgspec.Struct, rename="camel"):
    """The four members whose types S-5 fixes, and two newer ones of which any type is accepted."""

    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None
    spawn_depth: int | None = None
    parent_agent_id: Any = None
    model: Any = None


def read_meta(transcript_os_path: str) -> Meta | None:
    """Return the meta beside a transcript; None when there is none or the path does not end `.jsonl` (S-5).

    Raises nothing: a sidecar that cannot be read or decoded gives a Meta whose `error` says why.
    """
    meta_path = meta_path_of(transcript_os_path)
    if meta_path is None:
        return None
    try:
        with open_regular(meta_path) as stream:
            data = read_up_to(stream, MAX_META_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        link = error.errno == errno.ELOOP
        return Meta(error="symbolic link, not followed" if link else reason_of(error))
    if len(data) > MAX_META_BYTES:
        return Meta(error=f"larger than {MAX_META_BYTES:,} bytes")
    return decode_meta(data)


def decode_meta(data: bytes) -> Meta:
    """Return the meta in the given bytes, or one whose `error` says what is wrong with them (S-5)."""
    try:
        value = json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse_constant)
        found = _MetaJson() if value is None else msgspec.convert(value, _MetaJson)
        if found.spawn_depth is not None and not -(2**63) <= found.spawn_depth < 2**63:
            return Meta(error="spawnDepth does not fit in 64 bits")
    except RecursionError:
        return Meta(error="nested too deeply")
    except ValueError as error:
        return Meta(error=reason_of(error))
    return Meta(
        agent_type=_clean(found.agent_type),
        description=_clean(found.description),
        tool_use_id=_clean(found.tool_use_id),
        spawn_depth=found.spawn_depth,
        parent_agent_id=_clean(found.parent_agent_id),
        model=_clean(found.model),
    )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _clean(value: Any) -> str | None:
    """Return a text with lone surrogates replaced by U+FFFD; None for anything but a text."""
    if not isinstance(value, str):
        return None
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
