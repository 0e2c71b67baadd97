"""lift_file and restore_file on any file: damaged lines, CRLF, torn tails, unusual spellings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.bodies import extract_bodies, lift_file, replace, restore_file, store

from tests.bodies.texts import LINES, transcripts


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (replace, store):
            patch.setattr(module, "flush_all", lambda *_: None)
        yield


@pytest.mark.parametrize("agent", LINES)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_lifting_and_restoring_gives_back_any_file(agent: str, data: st.DataObject):
    source = data.draw(transcripts(agent))
    with tempfile.TemporaryDirectory() as name:
        path, folder = Path(name) / "t.jsonl", Path(name) / "folder"
        path.write_bytes(source)
        done = lift_file(path, folder, agent)
        rewritten, _ = extract_bodies(agent, source)
        assert path.read_bytes() == rewritten
        assert done.bodies == rewritten.count(b"__akari_cas__") - source.count(b"__akari_cas__")
        assert lift_file(path, folder, agent)[2:4] == (0, 0)
        if done.bodies:
            assert restore_file(path, folder).bodies == done.bodies
        assert path.read_bytes() == source


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_file_that_grew_between_lifts_comes_back_whole(data: st.DataObject):
    source = data.draw(transcripts("claude")) + data.draw(transcripts("claude"))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=3)))
    with tempfile.TemporaryDirectory() as name:
        path, folder = Path(name) / "t.jsonl", Path(name) / "folder"
        path.write_bytes(b"")
        for start, end in zip([0, *cuts], [*cuts, len(source)], strict=True):
            with path.open("ab") as stream:
                stream.write(source[start:end])
            lift_file(path, folder, "claude")
        assert path.read_bytes() == extract_bodies("claude", source)[0]
        if path.read_bytes() != source:
            restore_file(path, folder)
        assert path.read_bytes() == source
