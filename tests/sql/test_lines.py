"""`coverage` and `entries_json`: the views over physical lines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql.lakes import MakeLake

STATUSES = ("ok", "bad_type", "glued", "oversize", "bad_utf8", "torn", "bad_json", "blank")


def line(line_no: int, status: str = "ok", **more: Any) -> dict[str, Any]:
    return {"line_no": line_no, "status": status, "byte_len": 10, **more}


def test_coverage_counts_rows_by_status(make_lake: MakeLake) -> None:
    entries = [line(n, status) for n, status in enumerate(STATUSES, 1)] + [line(9)]
    files = [{"kind": "main", "bytes": 90, "lf_count": 9, "ends_with_lf": True}]
    row = make_lake({"files": files, "entries": entries}).one("SELECT * FROM coverage")
    assert {status: row[status] for status in STATUSES} == {**dict.fromkeys(STATUSES, 1), "ok": 2}
    assert (row["physical_lines"], row["entries"], row["difference"], row["missing_bytes"]) == (9, 9, 0, 0)


@pytest.mark.parametrize(
    ("file", "entries", "physical", "difference"),
    [
        ({"bytes": 20, "lf_count": 2, "ends_with_lf": True}, 2, 2, 0),
        ({"bytes": 19, "lf_count": 1, "ends_with_lf": False}, 2, 2, 0),
        ({"bytes": 20, "lf_count": 2, "ends_with_lf": True}, 1, 2, 1),
        ({"bytes": 10, "lf_count": 1, "ends_with_lf": True}, 2, 1, -1),
        ({"bytes": 0, "lf_count": 0, "ends_with_lf": None}, 0, 0, 0),
        ({"bytes": 5, "lf_count": None, "ends_with_lf": None, "read_error": "permission denied"}, 0, 1, 1),
    ],
)
def test_lines_without_rows_are_a_difference(
    make_lake: MakeLake, file: dict[str, Any], entries: int, physical: int, difference: int
) -> None:
    lake = make_lake({"files": [{"kind": "subagent", **file}], "entries": [line(n) for n in range(entries)]})
    assert lake.one("SELECT physical_lines, difference FROM coverage") == {
        "physical_lines": physical,
        "difference": difference,
    }


def test_a_row_of_no_known_status_is_a_difference(make_lake: MakeLake) -> None:
    files = [{"kind": "main", "bytes": 10, "lf_count": 1, "ends_with_lf": True}]
    lake = make_lake({"files": files, "entries": [line(1, "odd")]})
    assert lake.one("SELECT difference FROM coverage") == {"difference": 1}


def test_only_transcripts_are_covered(make_lake: MakeLake) -> None:
    files = [{"path": f"/{kind}", "kind": kind, "bytes": 5} for kind in ("journal", "sidecar", "unrecognised", "main")]
    assert make_lake({"files": files}).ask("SELECT path FROM coverage") == [{"path": "/main"}]


def test_equal_lines_of_two_files_are_kept_apart(make_lake: MakeLake) -> None:
    files = [{"path": path, "kind": "main", "bytes": 10, "lf_count": 1, "ends_with_lf": True} for path in ("/a", "/b")]
    lake = make_lake({"files": files, "entries": [line(1, path="/a"), line(1, path="/b")]})
    assert lake.ask("SELECT difference FROM coverage") == [{"difference": 0}, {"difference": 0}]


def raw(line_no: int, *chunks: bytes) -> list[dict[str, Any]]:
    return [{"line_no": line_no, "chunk_no": n, "raw": chunk} for n, chunk in enumerate(chunks)]


@pytest.mark.parametrize(
    ("chunks", "json", "message"),
    [
        ([b'{"message":{"a":1}}'], '{"message":{"a":1}}', '{"a":1}'),
        # The second chunk begins within a character.
        ([b'{"message":"\xc3', b"\xa4", b'b"}'], '{"message":"äb"}', '"äb"'),
        ([b'\xef\xbb\xbf{"message":2}'], '{"message":2}', "2"),
        ([b'{"message":3}\r'], '{"message":3}', "3"),
        ([b'{"a":"\xff"}'], None, None),
        ([b'{"a":1}{"b":2}'], None, None),
        ([b'{"a'], None, None),
        ([b""], None, None),
        ([], None, None),
    ],
)
def test_a_line_as_json(make_lake: MakeLake, chunks: list[bytes], json: str | None, message: str | None) -> None:
    lake = make_lake({"entries": [line(1)], "raw_lines": raw(1, *chunks)})
    row = lake.one("SELECT json, message, tool_use_result FROM entries_json")
    assert (row["json"] and row["json"].strip(), row["message"]) == (json, message)
    assert row["tool_use_result"] is None


def test_every_line_is_there_once_with_its_columns(make_lake: MakeLake) -> None:
    entries = [line(1, path="/a"), line(1, path="/b"), line(2, path="/b")]
    raws = [{**row, "path": "/b"} for row in raw(1, b'{"toolUseResult":', b"7}")]
    lake = make_lake({"entries": entries, "raw_lines": raws})
    assert lake.ask("SELECT path, line_no, status, tool_use_result FROM entries_json ORDER BY path, line_no") == [
        {"path": "/a", "line_no": 1, "status": "ok", "tool_use_result": None},
        {"path": "/b", "line_no": 1, "status": "ok", "tool_use_result": "7"},
        {"path": "/b", "line_no": 2, "status": "ok", "tool_use_result": None},
    ]
