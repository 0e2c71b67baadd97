"""The bench refuses a busy machine, holds figures against the right bases and leaves sources as they were."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.bench import __main__ as bench
from tests.bench.bases import load_with_duckdb
from tests.bench.process import Run, fastest, run, run_with_peak
from tests.bench.subject import grown
from tests.bench.table import Figure, markdown
from tests.bench.unit import busy
from tests.conftest import ROOT
from tests.generate import write_tree

QUIET = [Run(0.20, 0.21, 0), Run(0.21, 0.22, 0), Run(0.20, 0.22, 0)]


def test_a_quiet_machine_is_judged():
    assert busy(QUIET) is None
    assert busy(QUIET, before=QUIET) is None


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([Run(0.2, 0.4, 0)] * 3, "the unit waits: its wall clock is 2.00 of its CPU time"),
        ([Run(0.2, 0.2, 0), Run(0.3, 0.3, 0), Run(0.3, 0.3, 0)], "the unit varies: its median is 1.50"),
        ([Run(0.25, 0.26, 0)] * 3, "the unit took 1.25 times as long after as before"),
        ([Run(0.16, 0.17, 0)] * 3, "the unit took 0.80 times as long after as before"),
    ],
)
def test_a_busy_machine_is_not(runs: list[Run], said: str):
    assert (busy(runs, before=QUIET) or "").startswith(said)


def test_a_busy_machine_ends_the_bench_before_it_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(bench, "measure_unit", lambda home: [Run(0.2, 0.4, 0)] * 3)
    assert bench.main([]) == bench.BUSY
    assert capsys.readouterr().err.startswith("the machine is busy: the unit waits")


def test_the_table():
    figures = [
        Figure("owls", "first load", (3.0, 6.0), "s CPU", 1.5, "orjson.loads"),
        Figure("owls", "report new", (0.5, None), "s wall", 0.25, "unit"),
        Figure("owls", "source", (1234.0,), "MB"),
    ]
    assert markdown(figures, ["old"]).splitlines()[2:] == [
        "| owls | first load | 2 | orjson.loads | 3 | s CPU | 6 | 0.50 |",
        "| owls | report new | 2 | unit | 0.5 | s wall | - |  |",
        "| owls | source |  |  | 1234 | MB |  |  |",
    ]


def test_the_least_figure_counts_and_no_failure_is_lost():
    assert fastest([Run(2, 5, 0, 10), Run(3, 4, 1, 20)]) == Run(2, 4, 1, 20)


def test_a_process_tells_its_cpu_its_code_and_its_own_peak(tmp_path: Path):
    done = run(["-c", "sum(range(3_000_000)); raise SystemExit(7)"], tmp_path, tmp_path / "home")
    assert done.code == 7
    assert 0 < done.cpu_s < done.wall_s * 2
    ballast = bytearray(300_000_000)  # must not be counted: it is the parent's
    (tmp_path / "light.py").write_text("import sys; assert sys.argv[1:] == ['a b'], sys.argv", encoding="utf-8")
    light = run_with_peak("light", ["a b"], tmp_path, tmp_path / "home")
    assert light.code == 0
    assert 1e6 < light.peak_bytes < len(ballast) / 2


def test_a_transcript_grows_for_a_while(tmp_path: Path):
    write_tree("small", 2, tmp_path)
    path = min(tmp_path.rglob("*.jsonl"))
    before = path.read_bytes()
    with grown(tmp_path):
        lines = path.read_bytes().splitlines()
        assert len(lines) == 20
        assert lines[18] == lines[19]
    assert path.read_bytes() == before


def test_duckdb_makes_its_tables(tmp_path: Path):
    """Two sessions of 19 lines. In each, 3 calls of 3 lines and an answer have usage and a block, 3 results a block."""
    write_tree("small", 2, tmp_path / "tree")
    load_with_duckdb(tmp_path / "tree", tmp_path / "out")
    counts = [
        duckdb.sql(f"SELECT count(*) FROM read_parquet('{tmp_path}/out/{name}.parquet')").fetchall()[0][0]
        for name in ("entries", "token_usage", "blocks")
    ]
    assert counts == [38, 20, 26]


def test_the_program_of_wrong_arguments(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        bench.main(["--tree", "cubic:3"])
    assert ended.value.code == 2
    assert "cubic:3 is not SHAPE:SESSIONS" in capsys.readouterr().err


@pytest.mark.slow
def test_the_whole_table_of_a_tiny_tree(capsys: pytest.CaptureFixture[str]):
    code = bench.main(["--tree", "mixed:5", "--rounds", "1", "--busy-too", "--old", str(ROOT)])
    out = capsys.readouterr().out
    assert code in (0, bench.BUSY)
    for row in ("first load", "lake", "memory of a first load", "run with one file changed", "report cost", "session"):
        assert f"| mixed:5 | {row} |" in out
    assert "FAILED" not in out
