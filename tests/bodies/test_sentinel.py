"""Sentinels, written and read back (parser.md 4.1)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracelake import bodies
from tracelake.bodies import Sentinel, read_sentinel, write_sentinel

ROOT = Path(__file__).parents[2]
SHA = "0123456789abcdef" * 4


def test_all_fields_in_their_order():
    text = write_sentinel(Sentinel(SHA, 7, "text/plain", "a/b.md", "ls"))
    assert text == (
        b'{"__akari_cas__":1,"sha256":"' + SHA.encode() + b'","bytes":7,"media_type":"text/plain",'
        b'"file_path":"a/b.md","detail":"ls"}'
    )


@pytest.mark.parametrize(("path", "detail"), [(None, None), ("", "")])
def test_empty_fields_are_left_out(path: str | None, detail: str | None):
    text = write_sentinel(Sentinel(SHA, 0, "image/png", path, detail))
    assert text == b'{"__akari_cas__":1,"sha256":"' + SHA.encode() + b'","bytes":0,"media_type":"image/png"}'


def test_strings_are_escaped_as_go_does():
    detail = 'a<b>&c"\\/\n\r\t\x08\x0c\x01\x7f é日\u2028\u2029'
    text = write_sentinel(Sentinel(SHA, 1, "t", None, detail))
    escaped = 'a\\u003cb\\u003e\\u0026c\\"\\\\/\\n\\r\\t\\b\\f\\u0001\x7f é日\\u2028\\u2029'
    assert f'"detail":"{escaped}"}}'.encode() in text
    assert json.loads(text)["detail"] == detail


def test_a_lone_surrogate_cannot_be_written_and_is_replaced():
    assert json.loads(write_sentinel(Sentinel(SHA, 1, "t", "a\ud800b")))["file_path"] == "a\ufffdb"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(st.integers(0, 2**63 - 1), TEXT, st.none() | TEXT, st.none() | TEXT)
def test_reading_back(size: int, media_type: str, path: str | None, detail: str | None):
    sentinel = Sentinel(SHA, size, media_type, path, detail)
    assert read_sentinel(write_sentinel(sentinel)) == sentinel


def test_the_key_may_stand_anywhere_and_have_any_value():
    assert read_sentinel(b'{"bytes":3,"sha256":"ab","__akari_cas__":null,"media_type":"x"}') == Sentinel("ab", 3, "x")


@pytest.mark.parametrize("bytes_text", [b'"3"', b"-1", b"1.5", b"true", b"99999999999999999999"])
def test_a_broken_sentinel_is_still_one(bytes_text: bytes):
    assert read_sentinel(b'{"__akari_cas__":1,"sha256":5,"bytes":' + bytes_text + b"}") == Sentinel("", 0, "")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b'"__akari_cas__"',
        b'["__akari_cas__"]',
        b'{"a":"__akari_cas__"}',
        b'{"a":{"__akari_cas__":1}}',
        b'{"__akari_cas__":1',
        b'{"__akari_cas__x":1}',
    ],
)
def test_other_values_are_none(text: bytes):
    assert read_sentinel(text) is None


def test_reading_sentinels_loads_nothing_but_what_it_needs():
    code = (
        "import sys, tracelake.bodies.sentinel\n"
        "print(*sorted(name for name in sys.modules if name.startswith('tracelake.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["tracelake.bodies", "tracelake.bodies.sentinel"]


def test_every_name_of_the_package_can_be_loaded():
    assert len(bodies.__all__) > 25
    assert all(getattr(bodies, name) is not None for name in bodies.__all__)
    with pytest.raises(AttributeError, match="owl"):
        bodies.owl  # noqa: B018
