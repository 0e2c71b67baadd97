"""Generated trees have the shape that was asked for, the same bytes each time, and nothing in them is unknown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake

from tests.generate import SHAPES, write_tree
from tests.generate.__main__ import main


def digest(folder: Path) -> str:
    """Of all paths and bytes."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_seed_writes_the_same_bytes_and_another_does_not(shape: str, tmp_path: Path):
    sessions = 1 if shape == "large" else 5
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        write_tree(shape, sessions, tmp_path / name, seed)
    assert digest(tmp_path / "a") == digest(tmp_path / "b") != digest(tmp_path / "c")


def test_bytes_do_not_depend_on_the_version_of_python(tmp_path: Path):
    """Change the digest only with the generators: figures measured on these trees are then of other trees."""
    write_tree("mixed", 10, tmp_path, seed=1)
    assert digest(tmp_path) == "5b30492ff91db313"


def test_a_small_session_has_19_lines_and_18600_bytes(tmp_path: Path):
    written = write_tree("small", 200, tmp_path)
    files = list(tmp_path.rglob("*.jsonl"))
    assert written.files == len(files) == 200
    assert {len(file.read_bytes().splitlines()) for file in files} == {19}
    assert written.bytes == sum(file.stat().st_size for file in files)
    assert written.bytes / 200 == pytest.approx(18_600, rel=0.03)


def test_agents_are_spread_over_sessions(tmp_path: Path):
    """41 sessions are an eighth of 328, so they have an eighth of 1,120 sub-agents."""
    written = write_tree("agents", 41, tmp_path)
    assert len(list(tmp_path.rglob("agent-*.jsonl"))) == 140
    assert len(list(tmp_path.rglob("*.jsonl"))) == 181
    assert written.bytes * 8 == pytest.approx(300e6, rel=0.05)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A connection to the lake of ten sessions, two of each shape."""
    folder = tmp_path_factory.mktemp("mixed")
    write_tree("mixed", 10, folder / "tree")
    extract([folder / "tree"], folder / "lake", engine="serial")
    with open_lake(folder / "lake") as connection:
        yield connection


def test_every_line_is_known(lake: Any):
    odd = "FROM entries WHERE status <> 'ok' OR class IS NULL OR class = 'unknown'"
    assert lake.sql(f"SELECT agent, type, subtype, error {odd}").fetchall() == []
    assert lake.sql("SELECT count(*) FROM integrity_issues").fetchall() == [(0,)]


def test_sessions_by_agent(lake: Any):
    """Two small, two with sub-agents, two of four forked files; two Codex sessions, no fifth among them; two of pi.

    The sessions with sub-agents are the second and the seventh: of 1120 / 328 agents each, rounded down as they add up,
    they have 6 - 3 and 23 - 20.
    """
    found = lake.sql("SELECT agent, count(*) FROM sessions GROUP BY agent ORDER BY agent").fetchall()
    assert found == [("claude", 12), ("codex", 2), ("pi", 2)]
    assert lake.sql("SELECT count(*) FROM subagents WHERE depth = 1").fetchall() == [(6,)]


def test_copies_of_forks_are_calls_once(lake: Any):
    """Each conversation has 3 x 5 calls of its first file and 4 of each of its three branches."""
    calls = "SELECT count(*) FROM usage WHERE path IN (SELECT path FROM files WHERE project IN ('-srv-owl-0'))"
    of_forks = f"{calls} AND session_id IN (SELECT session_id FROM sessions WHERE agent = 'claude' AND subagents = 0)"
    small = 2 * 4
    assert lake.sql(of_forks).fetchall() == [(small + 2 * (15 + 3 * 4),)]


def test_every_call_has_a_price(lake: Any):
    assert lake.sql("SELECT count(*) > 100, bool_and(priced) FROM costs").fetchall() == [(True, True)]


def test_the_program_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["pi", "2", str(tmp_path / "tree"), "--seed", "5"]) == 0
    assert capsys.readouterr().out.startswith("2 files, 0.1 MB, ")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["cubic", "2", "new"], "invalid choice: 'cubic'"),
        (["small", "2", "."], ". is not an empty folder"),
    ],
)
def test_wrong_usage_is_refused(given: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
