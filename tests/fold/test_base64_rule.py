"""One rule for base64, whoever reads it: a short line, a line over 16 MiB, `bodies` (parser.md 4.8)."""

import base64
import hashlib
import io
import json

import pytest
from tracelake.bodies.canonical import canonical_body_reader
from tracelake.bodies.kinds import BodyKind
from tracelake.decode.cuts import StringCutter
from tracelake.errors import BodyError

from tests.fold.folding import fold

PNG = b"\x89PNG\r\n\x1a\n" + b"reed" * 100
TEXT = base64.b64encode(PNG).decode()
SOUND = (len(PNG), hashlib.sha256(PNG).hexdigest())
CASES = {
    "plain": (TEXT, SOUND),
    "data URI": ("data:image/png;base64," + TEXT, SOUND),
    "broken into lines": (TEXT[:76] + "\r\n" + TEXT[76:], SOUND),
    "padding in the middle": ("iVBORw==" + TEXT, None),
    "a data URI head longer than 256 bytes": ("data:image/png;" + "x" * 320 + ";base64," + TEXT, None),
    "cut off": (TEXT[:-1], None),
    "not base64": ("iVBOR " + TEXT, None),
}


def by_fold(text):
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": text}}
    line = json.dumps({"type": "user", "message": {"role": "user", "content": [block]}}).encode()
    return [(row["bytes"], row["sha256"]) for row in fold(line + b"\n")["attachments"]]


def by_long_line(text):
    cutter = StringCutter(cap=16)
    cutter.feed(json.dumps(text).encode())
    (cut,) = cutter.cuts.values()
    return [(cut.blob_bytes, cut.blob_sha256)] if cut.blob_sha256 else []


def by_bodies(text):
    source = io.BytesIO(json.dumps(text).encode())
    try:
        data = b"".join(canonical_body_reader(BodyKind.BASE64, iter(lambda: source.read(7), b"")))
    except BodyError:
        return []
    return [(len(data), hashlib.sha256(data).hexdigest())]


@pytest.mark.parametrize("read", [by_fold, by_long_line, by_bodies])
@pytest.mark.parametrize("case", CASES)
def test_all_readers_judge_alike(case, read):
    text, right = CASES[case]
    assert read(text) == ([right] if right else [])
