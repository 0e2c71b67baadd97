"""Ids become harmless, distinct path components."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tracelake.lake.layout import LakePaths, escape_session_id, manifest_number

any_text = st.text(st.characters(), max_size=400)


@given(any_text)
@example("../../x")
@example("a\0b")
@example("\udcff")
@example("x" * 300)
@example("é" * 300)
def test_an_escaped_id_is_one_component_of_plain_characters(session_id):
    escaped = escape_session_id(session_id)
    assert re.fullmatch(r"[A-Za-z0-9%-][A-Za-z0-9_%-]*", escaped) or escaped == "%empty"
    assert len(f"session_id={escaped}".encode()) <= 200


@given(any_text, any_text)
@example("", "%empty")
@example("a/b", "a%2Fb")
@example("x" * 300, "x" * 301)
@example("x" * 300, "x" * 299 + "y")
@example("x" * 300, escape_session_id("x" * 300))
@example("_", "%5F")
def test_different_ids_stay_different(one, other):
    assert (escape_session_id(one) == escape_session_id(other)) == (one == other)


@pytest.mark.parametrize(
    ("session_id", "escaped"),
    [
        ("0b7e6f0a-5c1d-4a43-9f0e-3f1f5f0f9a11", "0b7e6f0a-5c1d-4a43-9f0e-3f1f5f0f9a11"),
        ("", "%empty"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("../../x", "%2E%2E%2F%2E%2E%2Fx"),
        ("C:\\a", "C%3A%5Ca"),
        ("a\0b", "a%00b"),
        ("a b_c", "a%20b_c"),
        ("é", "%C3%A9"),
        ("__HIVE_DEFAULT_PARTITION__", "%5F_HIVE_DEFAULT_PARTITION__"),
    ],
)
def test_escaping_by_hand(session_id, escaped):
    assert escape_session_id(session_id) == escaped


def test_paths_of_a_lake():
    paths = LakePaths(Path("/lake"))
    assert paths.segment("entries", "00000001-x") == Path("/lake/segments/entries/00000001-x.parquet")
    assert paths.partition_file("entries", "a/b") == Path("/lake/tables/entries/session_id=a%2Fb/data.parquet")
    assert paths.manifest(12) == Path("/lake/manifest-00000012")
    assert paths.manifest_copy(12) == Path("/lake/segments/_manifests/manifest-00000012")
    assert paths.database == Path("/lake/tracelake.duckdb")


@pytest.mark.parametrize("number", [1, 12, 99_999_999, 100_000_000])
def test_a_manifest_is_known_by_its_name(number):
    assert manifest_number(LakePaths(Path("/lake")).manifest(number).name) == number


@pytest.mark.parametrize("name", ["manifest.json", "manifest-1", "manifest-00000001.new", "manifest-0000000x", ""])
def test_other_names_are_no_manifests(name):
    assert manifest_number(name) is None
