"""Tool bodies and images of transcripts: finding them in a stream, lifting them out, putting them back.

Names are loaded when they are first asked for: folding needs `tracelake.bodies.sentinel` alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracelake.bodies.canonical import canonical_body as canonical_body
    from tracelake.bodies.canonical import canonical_body_reader as canonical_body_reader
    from tracelake.bodies.encode import CONTENT_RAW as CONTENT_RAW
    from tracelake.bodies.encode import CONTENT_ZSTD as CONTENT_ZSTD
    from tracelake.bodies.encode import Body as Body
    from tracelake.bodies.encode import BodyEncoder as BodyEncoder
    from tracelake.bodies.encode import DefaultEncoder as DefaultEncoder
    from tracelake.bodies.find import body_locations as body_locations
    from tracelake.bodies.kinds import BodyKind as BodyKind
    from tracelake.bodies.kinds import BodyLocation as BodyLocation
    from tracelake.bodies.kinds import classify_result_body as classify_result_body
    from tracelake.bodies.lift import Lifted as Lifted
    from tracelake.bodies.lift import lift_file as lift_file
    from tracelake.bodies.locate import Element as Element
    from tracelake.bodies.locate import locate_value as locate_value
    from tracelake.bodies.locate import locate_values as locate_values
    from tracelake.bodies.locate import walk_array as walk_array
    from tracelake.bodies.restore import Restored as Restored
    from tracelake.bodies.restore import restore_file as restore_file
    from tracelake.bodies.rewrite import extract_bodies as extract_bodies
    from tracelake.bodies.rewrite import rewrite_line as rewrite_line
    from tracelake.bodies.sentinel import Sentinel as Sentinel
    from tracelake.bodies.sentinel import read_sentinel as read_sentinel
    from tracelake.bodies.sentinel import write_sentinel as write_sentinel
    from tracelake.bodies.spans import Idx as Idx
    from tracelake.bodies.spans import Key as Key
    from tracelake.bodies.spans import LocatedSpan as LocatedSpan
    from tracelake.bodies.spans import Step as Step
    from tracelake.bodies.spans import ValueSpan as ValueSpan
    from tracelake.bodies.survey import FoundBody as FoundBody
    from tracelake.bodies.survey import bodies_in as bodies_in

_NAMES = {
    "canonical": "canonical_body canonical_body_reader",
    "encode": "CONTENT_RAW CONTENT_ZSTD Body BodyEncoder DefaultEncoder",
    "find": "body_locations",
    "kinds": "BodyKind BodyLocation classify_result_body",
    "lift": "Lifted lift_file",
    "locate": "Element locate_value locate_values walk_array",
    "restore": "Restored restore_file",
    "rewrite": "extract_bodies rewrite_line",
    "sentinel": "Sentinel read_sentinel write_sentinel",
    "spans": "Idx Key LocatedSpan Step ValueSpan",
    "survey": "FoundBody bodies_in",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """Load a name from its module."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
