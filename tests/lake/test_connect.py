from __future__ import annotations

import time
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from tracelake.errors import LakeBusyError, LakeError, LakeVersionError, QueryError
from tracelake.lake import locks
from tracelake.lake.connect import open_lake, run_select, scan
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import renaming
from tracelake.lake.manifest import Manifest, SessionState, save_manifest
from tracelake.tables import TABLES

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
        "COPY (SELECT 1) TO '{tables}/evil.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{tables}/evil.csv'",
        "WITH x AS (COPY (SELECT 1) TO '{tables}/evil.csv') SELECT 1",
        "WITH x AS (COPY (SELECT 1) TO '{database}' (USE_TMP_FILE false)) SELECT 1",
        "SELECT * FROM query('WITH x AS (COPY (SELECT 1) TO ''{tables}/evil.csv'') SELECT 1')",
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "SELECT (FROM json_execute_serialized_sql('x')) AS a",
        "FROM system.main.json_execute_serialized_sql('x')",
        "WITH x AS (INSERT INTO model_aliases VALUES ('a', 'b', 'c') RETURNING *) FROM x",
        "WITH x AS (DELETE FROM model_aliases RETURNING *) FROM x",
        "ATTACH '{tables}/evil.duckdb'",
        "EXPORT DATABASE '{tables}/evil'",
        "FROM checkpoint()",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{tables}/../manifest.json')",
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
        "SELECT 1; COPY (SELECT 1) TO '{tables}/evil.csv'",
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
    assert refused(lake, sql.format(tables=lake.paths.tables_dir, database=lake.paths.database))


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
    (lake.paths.tables_dir / "link.txt").symlink_to(secret)
    assert "Permission" in refused(lake, f"SELECT * FROM read_text('{lake.paths.tables_dir}/link.txt')")


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


def test_no_database_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match=r"no tracelake\.duckdb.*tracelake extract"), open_lake(tmp_path):
        pass


def test_a_damaged_database_is_one_clear_line(lake: Lake) -> None:
    lake.paths.database.write_bytes(b"not a database, and long enough to have a header" * 1000)
    with pytest.raises(LakeError, match="cannot open") as caught, open_lake(lake.paths.root):
        pass
    assert "\n" not in str(caught.value)


def test_a_newer_lake_is_refused(lake: Lake) -> None:
    lake.paths.manifest.write_text('{"lake_version": 999}')
    with pytest.raises(LakeVersionError), open_lake(lake.paths.root):
        pass


def test_commits_wait_while_a_lake_is_open(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_lake(lake.paths.root), pytest.raises(LakeBusyError), renaming(lake.paths, wait_seconds=0.05):
        pass
    monkeypatch.setattr(locks, "READ_WAIT_SECONDS", 0.05)
    with renaming(lake.paths), pytest.raises(LakeBusyError), open_lake(lake.paths.root):
        pass


def test_an_error_inside_the_block_passes_through_and_frees_the_lake(lake: Lake) -> None:
    with pytest.raises(ZeroDivisionError), open_lake(lake.paths.root):
        _ = 1 / 0
    with renaming(lake.paths, wait_seconds=0.05):
        pass


def with_manifest(lake: Lake) -> LakePaths:
    states = {name: SessionState({"files": 1, "events": 0}, {}, [], 0, 1, True, 0, 0) for name in ("s1", "s2")}
    save_manifest(lake.paths, Manifest(sessions=states))
    return lake.paths


def test_scan_reads_the_live_partitions(lake: Lake) -> None:
    frame = scan(with_manifest(lake).root, "files")
    assert isinstance(frame, pl.LazyFrame)
    assert frame.select("session_id", "bytes").sort("bytes").collect().rows() == [("s1", 3), ("s2", 4)]


def test_scan_of_a_table_without_rows_is_typed(lake: Lake) -> None:
    frame = scan(with_manifest(lake).root, "events").collect()
    assert frame.height == 0
    assert frame.columns == [column.name for column in TABLES["events"].columns]
    assert frame.schema["line_no"] == pl.Int64


def test_scan_of_no_table_names_the_tables(lake: Lake) -> None:
    with pytest.raises(LakeError, match=r"no table 'usage'.*token_usage"):
        scan(lake.paths.root, "usage")
