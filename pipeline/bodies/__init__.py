"""Tool bodies and images of transcripts: finding them in a stream, lifting them out, putting them back."""

from pipeline.bodies.canonical import canonical_body, canonical_body_reader
from pipeline.bodies.encode import CONTENT_RAW, CONTENT_ZSTD, Body, BodyEncoder, DefaultEncoder
from pipeline.bodies.find import body_locations
from pipeline.bodies.kinds import BodyKind, BodyLocation, classify_result_body
from pipeline.bodies.lift import Lifted, lift_file
from pipeline.bodies.locate import Element, locate_value, locate_values, walk_array
from pipeline.bodies.restore import Restored, restore_file
from pipeline.bodies.rewrite import extract_bodies, rewrite_line
from pipeline.bodies.sentinel import Sentinel, read_sentinel, write_sentinel
from pipeline.bodies.spans import Idx, Key, LocatedSpan, Step, ValueSpan
from pipeline.bodies.survey import FoundBody, bodies_in

__all__ = [
    "CONTENT_RAW",
    "CONTENT_ZSTD",
    "Body",
    "BodyEncoder",
    "BodyKind",
    "BodyLocation",
    "DefaultEncoder",
    "Element",
    "FoundBody",
    "Idx",
    "Key",
    "Lifted",
    "LocatedSpan",
    "Restored",
    "Sentinel",
    "Step",
    "ValueSpan",
    "bodies_in",
    "body_locations",
    "canonical_body",
    "canonical_body_reader",
    "classify_result_body",
    "extract_bodies",
    "lift_file",
    "locate_value",
    "locate_values",
    "read_sentinel",
    "restore_file",
    "rewrite_line",
    "walk_array",
    "write_sentinel",
]
