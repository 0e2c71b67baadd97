"""`tracelake query`: every format, every way in, and the fence."""

import csv
import io
import json
from pathlib import Path

import polars
import pyarrow
import pytest

SQL = "SELECT session_id, models FROM sessions ORDER BY 1 LIMIT 2"
FIRST = "a1000000-0000-4000-8000-000000000001"


def test_formats(program, sample_lake: Path):
    def ask(name: str) -> str:
        return program("query", SQL, "--lake", sample_lake, "--format", name).stdout

    assert ask("table").splitlines()[2].split("  ") == [FIRST, '["claude-sonnet-5"]']
    assert json.loads(ask("json"))[0] == {"session_id": FIRST, "models": ["claude-sonnet-5"]}
    assert json.loads(ask("jsonl").splitlines()[0])["session_id"] == FIRST
    assert list(csv.reader(io.StringIO(ask("csv"))))[:2] == [["session_id", "models"], [FIRST, '["claude-sonnet-5"]']]
    assert ask("markdown").splitlines()[2] == f'| {FIRST} | \\["claude-sonnet-5"\\] |'


def test_an_arrow_stream_to_a_pipe_keeps_types_that_parquet_lacks(program, sample_lake: Path):
    sql = "SELECT INTERVAL 2 DAY AS lasted, 1.50::DECIMAL(9, 2) AS usd"
    done = program("query", sql, "--lake", sample_lake, "--format", "arrow", text=False)
    found = pyarrow.ipc.open_stream(done.stdout).read_all()
    assert [str(field.type) for field in found.schema] == ["month_day_nano_interval", "decimal128(9, 2)"]
    assert str(found.to_pylist()[0]["usd"]) == "1.50"


def test_parquet_to_a_pipe_keeps_types(program, sample_lake: Path):
    sql = "SELECT started_at, cost_usd, models, messages FROM sessions"
    done = program("query", sql, "--lake", sample_lake, "--format", "parquet", text=False)
    frame = polars.read_parquet(io.BytesIO(done.stdout))
    assert [kind.base_type() for kind in frame.dtypes] == [polars.Datetime, polars.Decimal, polars.List, polars.Int64]
    assert frame.height == 7


def test_a_piped_table_is_never_cut(program, sample_lake: Path):
    done = program("query", "SELECT repeat('x', 3000) AS long, * FROM entries", "--lake", sample_lake)
    assert "x" * 3000 in done.stdout
    assert len({line.count("\n") for line in done.stdout.splitlines()}) == 1
    assert len(done.stdout.splitlines()) == 2 + 88


def test_text_from_transcripts_cannot_steer_the_terminal(program, sample_lake: Path):
    sql = "SELECT text FROM entries WHERE text LIKE 'Quickly%'"
    for name in ("table", "markdown"):
        shown = program("query", sql, "--lake", sample_lake, "--format", name).stdout
        assert "\x1b" not in shown
        assert "\\x1b" in shown
        assert "bold" in shown
    (row,) = json.loads(program("query", sql, "--lake", sample_lake, "--json").stdout)
    assert row["text"] == "Quickly: what moves the tides? \x1b[31m[bold]red[/bold]\x1b[0m"


def test_sql_from_a_file_and_from_stdin(program, sample_lake: Path, tmp_path: Path):
    file = tmp_path / "q.sql"
    file.write_text("-- a comment\nSELECT 'é' AS x;\n", encoding="utf-8")
    assert json.loads(program("query", "--file", file, "--lake", sample_lake, "--json").stdout) == [{"x": "é"}]
    done = program("query", "-", "--lake", sample_lake, "--json", stdin="SELECT 2 AS x")
    assert json.loads(done.stdout) == [{"x": 2}]


def test_an_empty_result_is_no_failure(program, sample_lake: Path):
    done = program("query", "SELECT * FROM sessions WHERE false", "--lake", sample_lake, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


@pytest.mark.parametrize(
    "sql",
    [
        "SELEC 1",
        "SELECT * FROM nothing",
        "SELECT 1; SELECT 2",
        "COPY (SELECT 1) TO 'x.parquet'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'x.parquet'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '/etc/passwd'",
        "ATTACH 'x.duckdb'",
        "INSTALL httpfs",
        "SET threads = 1",
        "DROP VIEW sessions",
        "CREATE TABLE t AS SELECT 1",
        "SELECT 1/0::VARCHAR::INT, error('no')",
    ],
)
def test_what_may_not_run_is_one_line(program, sample_lake: Path, tmp_path: Path, sql: str):
    done = program("query", sql, "--lake", sample_lake, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tracelake: error: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_timeout_stops_a_long_query(program, sample_lake: Path):
    sql = "SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c WHERE a.range + b.range = c.range"
    done = program("query", sql, "--lake", sample_lake, "--timeout", "0.3")
    assert done.returncode == 2
    assert "0.3 seconds" in done.stderr


def test_without_a_lake_it_says_how_to_make_one(program, tmp_path: Path):
    for command in (["query", "SELECT 1"], ["report", "cost"], ["session", "x"]):
        done = program(*command, "--lake", tmp_path / "none")
        assert (done.returncode, done.stdout) == (2, "")
        assert "tracelake extract" in done.stderr
        assert done.stderr.count("\n") == 1
