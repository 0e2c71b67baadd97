"""Whatever happens to a run at any of its file operations, the lake is as before or as after a commit, whole sessions
at a time; the next run completes it, with the rows of a run that nothing happened to, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crash.conftest import Zygote
from tests.crash.faults import KILL, SHORT
from tests.crash.state import strangers

SHARE = int(os.environ.get("TRACELAKE_CRASH_SHARE", "40"))
"""One in so many operations is tried; `make crash` tries all."""
FAULTS = (KILL, "ENOSPC", "EIO", SHORT)


@dataclass
class Scenario:
    """A lake before a run, the run, and what it leads to; a digest by session of all rows before and after."""

    before: Path | None
    do: str
    options: dict[str, Any]
    old: dict[str, str]
    new: dict[str, str]
    operations: int


class Story:
    """The scenarios one after the other: each changes the sources that the next begins with."""

    def __init__(self, zygote: Zygote, source: Path, folder: Path) -> None:
        self._zygote = zygote
        self._source = source
        self._folder = folder
        self._after: dict[str, Path] = {}
        self._made: dict[str, Scenario] = {}

    def scenario(self, name: str) -> Scenario:
        for step in NAMES[: NAMES.index(name) + 1]:
            if step not in self._made:
                getattr(self, f"_{step}")()
        return self._made[name]

    def _first(self) -> None:
        self._add("first", None, "extract", grace_seconds=0)

    def _incremental(self) -> None:
        files = sorted(self._source.rglob("*.jsonl"))
        for file in files[::2]:
            with file.open("ab") as stream:
                stream.write(file.read_bytes().splitlines(keepends=True)[-1])
        files[1].unlink()
        self._add("incremental", "first", "extract")

    def _merging(self) -> None:
        with sorted(self._source.rglob("*.jsonl"))[0].open("ab") as stream:
            stream.write(b'{"type":"user","message":{"role":"user","content":"once more"}}\n')
        self._add("merging", "incremental", "extract", small_at_most=2)

    def _compact(self) -> None:
        self._add("compact", "incremental", "compact")

    def _add(self, name: str, earlier: str | None, do: str, **options: Any) -> None:
        before = None if earlier is None else self._after[earlier]
        after = self._after[name] = self._folder / name
        if before is not None:
            shutil.copytree(before, after)
        options = {"source": str(self._source), **options}
        done = self._zygote.run(do, after, plan=("none", 0), **options)
        assert done["error"] is None, done
        if do == "compact":
            assert self._zygote.run("extract", after, **options)["error"] is None
        old = self._zygote.run("look", before)["sessions"] if before else {}
        new = self._zygote.run("look", after)["sessions"]
        self._made[name] = Scenario(before, do, options, old, new, done["count"])


@pytest.fixture(scope="module")
def story(zygote: Zygote, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(zygote, source, tmp_path_factory.mktemp("lakes"))


NAMES = ("first", "incremental", "merging", "compact")


@pytest.mark.crash
@pytest.mark.xdist_group("crash")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", NAMES)
def test_the_lake_is_old_or_new_and_the_next_run_completes_it(
    zygote: Zygote, story: Story, name: str, fault: str, tmp_path: Path
) -> None:
    scenario = story.scenario(name)
    assert scenario.operations > 20
    begin = 1 + (NAMES.index(name) * 5 + FAULTS.index(fault)) % SHARE
    for at in range(begin, scenario.operations + 1, SHARE):
        lake = tmp_path / "lake"
        if scenario.before is not None:
            shutil.copytree(scenario.before, lake)
        done = zygote.run(scenario.do, lake, plan=(fault, at), **scenario.options)
        said = f"{name}, {fault} at operation {at} of {scenario.operations}: {done}"
        assert done["signal"] == (9 if fault == KILL else 0), said
        assert fault != SHORT or done["error"] is None, said
        check_between(zygote, scenario, lake, said)
        again = zygote.run("extract", lake, **scenario.options)
        assert again["error"] is None, f"{said}; then {again}"
        assert zygote.run("look", lake)["sessions"] == scenario.new, said
        assert strangers(lake) == [], said
        shutil.rmtree(lake)


def check_between(zygote: Zygote, scenario: Scenario, lake: Path, said: str) -> None:
    """Each session is as it was or as it is to be, in all tables at once; a first run may have committed nothing."""
    if not (lake / "tracelake.duckdb").exists():
        assert scenario.before is None, said
        return
    found = zygote.run("look", lake)["sessions"]
    for session_id, mark in found.items():
        assert mark in (scenario.old.get(session_id), scenario.new.get(session_id)), f"{said}: {session_id}"
    assert scenario.old.keys() <= found.keys(), said
