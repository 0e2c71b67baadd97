from __future__ import annotations

import time
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from tracelake.errors import LakeError, QueryError
from tracelake.lake.connect import open_lake, run_select

from tests.sql.lakes import Lake, at, write_lake


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    rows = [{"bytes": 3, "mtime": at("2026-05-01 10:00:00")}, {"session_id": "s2", "bytes": 4}]
    return write_lake(tmp_path / "lake", {"files": rows})


def times(lake: Lake) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in lake.paths.root.rglob("*")}


def refused(lake: Lake, sql: str) -> str:
    """Return why the sandbox refuses a text, having checked that the lake is unchanged."""
    with open_lake(lake.paths.root, sandbox=True) as connection:
        before = times(lake)
        with pytest.raises(QueryError) as caught:
            run_select(connection, sql)
    assert times(lake) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_select(lake: Lake) -> None:
    with open_lake(lake.paths.root) as connection:
        table = run_select(connection, "SELECT bytes FROM files WHERE session_id = ?", ["s2"])
        assert isinstance(table, pa.Table)
        assert table.to_pylist() == [{"bytes": 4}]
        assert run_select(connection, "SELECT $x AS x", {"x": 5}).to_pylist() == [{"x": 5}]


def test_an_empty_result_keeps_its_columns(lake: Lake) -> None:
    with open_lake(lake.paths.root) as connection:
        table = run_select(connection, "SELECT bytes, path FROM files WHERE false")
    assert (table.num_rows, table.column_names) == (0, ["bytes", "path"])


@pytest.mark.parametrize("sandbox", [False, True])
@pytest.mark.parametrize(
    "sql",
    [
        "FROM files",
        "-- a note\nSELECT 1 AS a -- another\n;",
        "VALUES (1)",
        "WITH a AS (SELECT 1 AS x) SELECT * FROM a",
        "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 3) FROM r",
        "DESCRIBE files",
        "SHOW TABLES",
        "SUMMARIZE files",
        "SELECT * FROM range(3), unnest([1, 2])",
        "SELECT * FROM duckdb_columns()",
        "SELECT list_transform([1], lambda x: x + 1) AS a",
        "SELECT json_extract('{\"a\": 1}', '$.a') AS a",
    ],
)
def test_whatever_only_reads_can_run(lake: Lake, sql: str, sandbox: bool) -> None:
    with open_lake(lake.paths.root, sandbox=sandbox) as connection:
        assert run_select(connection, sql).num_columns > 0


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '{segments}/evil.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{segments}/evil.csv'",
        "WITH x AS (COPY (SELECT 1) TO '{segments}/evil.csv') SELECT 1",
        "WITH x AS (COPY (SELECT 1) TO '{database}' (USE_TMP_FILE false)) SELECT 1",
        "SELECT * FROM query('WITH x AS (COPY (SELECT 1) TO ''{segments}/evil.csv'') SELECT 1')",
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "SELECT (FROM json_execute_serialized_sql('x')) AS a",
        "FROM system.main.json_execute_serialized_sql('x')",
        "WITH x AS (INSERT INTO model_aliases VALUES ('a', 'b', 'c') RETURNING *) FROM x",
        "WITH x AS (DELETE FROM model_aliases RETURNING *) FROM x",
        "ATTACH '{segments}/evil.duckdb'",
        "EXPORT DATABASE '{segments}/evil'",
        "FROM checkpoint()",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{segments}/../manifest-00000001')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "SET threads = 1",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA version",
        "CALL pragma_version()",
        "SELECT 1; SELECT 2",
        "SELECT 1; COPY (SELECT 1) TO '{segments}/evil.csv'",
        "",
        "-- nothing",
        "INSERT INTO model_aliases VALUES ('a', 'b', 'c')",
        "DELETE FROM model_aliases",
        "DROP VIEW files",
        "CREATE TABLE evil AS SELECT 1",
        "CREATE OR REPLACE MACRO evil() AS 1",
        "PREPARE p AS SELECT 1",
        "BEGIN",
        "USE memory",
        "DETACH lake",
    ],
)
def test_the_sandbox_refuses(lake: Lake, sql: str) -> None:
    assert refused(lake, sql.format(segments=lake.paths.segments, database=lake.paths.database))


def test_the_sandbox_holds_against_a_connection_used_directly(lake: Lake, tmp_path: Path) -> None:
    with open_lake(lake.paths.root, sandbox=True) as connection:
        for sql in (
            "SET threads = 1",
            "INSTALL httpfs",
            f"COPY (SELECT 1) TO '{tmp_path}/evil.csv'",
            f"ATTACH '{tmp_path}/x.db'",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(sql)
    assert not list(tmp_path.glob("evil*"))


def test_without_the_sandbox_a_write_is_refused_too(lake: Lake) -> None:
    with open_lake(lake.paths.root) as connection, pytest.raises(duckdb.Error, match="read-only"):
        connection.execute("DELETE FROM model_aliases")


def test_a_link_in_the_lake_does_not_lead_out(lake: Lake, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (lake.paths.segments / "link.txt").symlink_to(secret)
    assert "Permission" in refused(lake, f"SELECT * FROM read_text('{lake.paths.segments}/link.txt')")


def test_python_variables_are_no_tables(lake: Lake) -> None:
    secret = pl.DataFrame({"a": [1]})
    assert "secret" in refused(lake, "FROM secret"), secret


def test_wrong_sql_is_one_line_with_a_hint(lake: Lake) -> None:
    assert "Candidate bindings" in refused(lake, "SELECT\n  byts\nFROM files")
    assert refused(lake, "SELEC 1") == 'Parser Error: syntax error at or near "SELEC"'
    assert "nope" in refused(lake, "FROM nope")


def test_a_failing_row_is_a_query_error(lake: Lake) -> None:
    assert "Conversion Error" in refused(lake, "SELECT path::INT AS a FROM files")


def test_a_query_can_be_stopped(lake: Lake) -> None:
    endless = "SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 11"
    begun = time.monotonic()
    with open_lake(lake.paths.root) as connection:
        with pytest.raises(QueryError, match=r"stopped after 0\.2 seconds"):
            run_select(connection, endless, timeout_s=0.2)
        assert time.monotonic() - begun < 60
        assert run_select(connection, "SELECT 1 AS a", timeout_s=60).to_pylist() == [{"a": 1}]


def test_times_are_utc(lake: Lake) -> None:
    assert lake.one("SELECT mtime::VARCHAR AS t FROM files WHERE mtime IS NOT NULL") == {"t": "2026-05-01 10:00:00+00"}


def test_two_connections_do_not_share_settings(lake: Lake) -> None:
    with open_lake(lake.paths.root, sandbox=True), open_lake(lake.paths.root) as free:
        free.execute("SET threads = 1")


def test_no_lake_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match=r"no lake at .*tracelake extract"), open_lake(tmp_path / "absent"):
        pass


def test_another_folder_is_no_lake(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(LakeError, match=r"is not a lake; make one with: tracelake extract"), open_lake(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_error_inside_the_block_passes_through(lake: Lake) -> None:
    with pytest.raises(ZeroDivisionError), open_lake(lake.paths.root):
        _ = 1 / 0
