"""line_survey and type_survey: what lines there are, and what is in them (parser.md 8.8)."""

import json

from tests.sql.lakes import MakeLake


def survey_lake(make_lake: MakeLake, *given, files=(), agent="claude"):
    """A lake of lines given as (path, entry columns, the line's bytes or its JSON)."""
    entries, raw, count = [], [], {}
    for path, columns, content in given:
        line_no = count[path] = count.get(path, 0) + 1
        place = {"path": path, "line_no": line_no, "agent": agent}
        entries.append({"class": "message", "type": "user", **place, **columns})
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        raw.append({**place, "chunk_no": 0, "raw": data})
    return make_lake({"entries": entries, "raw_lines": raw, "files": list(files)})


def keys(lake, columns="key_path, json_type, count"):
    return [tuple(row.values()) for row in lake.ask(f"SELECT {columns} FROM line_survey ORDER BY ALL")]


def test_key_paths_and_their_types(make_lake: MakeLake):
    line = {
        "a": "x", "b": 1, "c": 1.5, "d": True, "e": None, "f": {}, "g": [], "h": [1, 2],
        "i": [{"k": 1, "l": "x"}, {"k": 2, "m": [[0]]}], "j": {"k": {"l": -1}},
    }  # fmt: skip
    assert keys(survey_lake(make_lake, ("/a", {}, line))) == [
        ("a", "string", 1), ("b", "number", 1), ("c", "number", 1), ("d", "boolean", 1), ("e", "null", 1),
        ("f", "any", 1), ("g", "array", 1), ("h", "array", 1), ("h[]", "number", 1),
        ("i", "array", 1), ("i[]", "object", 1), ("i[].k", "number", 1), ("i[].l", "string", 1),
        ("i[].m", "array", 1), ("i[].m[]", "array", 1), ("i[].m[][]", "number", 1),
        ("j", "object", 1), ("j.k", "object", 1), ("j.k.l", "number", 1),
    ]  # fmt: skip


def test_a_count_is_of_lines_and_types_are_kept_apart(make_lake: MakeLake):
    lake = survey_lake(
        make_lake, ("/a", {}, {"k": [1, 2, 3]}), ("/a", {}, {"k": "x"}), ("/a", {}, {"k": "y"}), ("/a", {}, {"k": None})
    )
    assert keys(lake) == [("k", "array", 1), ("k", "null", 1), ("k", "string", 2), ("k[]", "number", 1)]


def test_keys_that_are_data_become_one(make_lake: MakeLake):
    tracked = {"src/a.py": {"v": 1}, "src/b[0].py": {"v": 1}, 'say "x".txt': {"v": 1}, "": {"v": 1}}
    ids = {"toolu_013h31aqkf54fQ7GHjFtstfc": {"v": 1}, "a36efb2a1231c41e2a": {"v": 1}, "ephemeral_5m_input_tokens": 1}
    assert keys(survey_lake(make_lake, ("/a", {}, {"t": tracked, "i": ids}))) == [
        ("i", "object", 1), ("i.*", "object", 1), ("i.*.v", "number", 1), ("i.ephemeral_5m_input_tokens", "number", 1),
        ("t", "object", 1), ("t.*", "object", 1), ("t.*.v", "number", 1),
    ]  # fmt: skip


def test_paths_end_after_ten_steps(make_lake: MakeLake):
    deep: dict = {}
    for number in range(12, 0, -1):
        deep = {f"k{number}": deep}
    found = keys(survey_lake(make_lake, ("/a", {}, deep)), "key_path")
    assert sorted(path.count(".") + 1 for (path,) in found) == [*range(1, 11)]


def test_lines_without_a_shape_are_left_out(make_lake: MakeLake):
    contents = (b"{broken", b"\xff", b"{}{}", {"k": 1})
    lake = survey_lake(make_lake, *(("/a", {}, content) for content in contents))
    assert keys(lake) == [("k", "number", 1)]
    assert lake.one("SELECT count FROM type_survey")["count"] == 4


def test_kinds_versions_and_the_first_example(make_lake: MakeLake):
    lake = survey_lake(
        make_lake,
        ("/b", {"version": "2.1.9"}, {"k": 1}),
        ("/a", {"class": "control", "type": "mode"}, {"m": 1}),
        ("/a", {"version": "2.1.10"}, {"k": 2}),
        ("/a", {}, {"k": 3}),
        ("/a", {"class": "system", "type": "system", "subtype": "x"}, {"k": 3}),
        ("/a", {"class": "attachment", "type": "attachment", "attachment_type": "y"}, {"k": 3}),
        ("/c", {}, {"k": 4}),
        files=[{"path": "/a", "version": "2.1.11"}, {"path": "/b"}],
    )
    found = lake.ask("SELECT * FROM type_survey ORDER BY class, type")
    assert [tuple(row.values()) for row in found] == [
        ("claude", "attachment", "attachment", "y", 1, ["2.1.10"], "/a", 5),
        ("claude", "control", "mode", None, 1, ["2.1.11"], "/a", 1),
        ("claude", "message", "user", None, 4, ["2.1.9", "2.1.10"], "/a", 2),
        ("claude", "system", "system", "x", 1, ["2.1.10"], "/a", 4),
    ]
    found = lake.ask("SELECT * EXCLUDE (agent, class) FROM line_survey ORDER BY type, key_path")
    assert [tuple(row.values()) for row in found] == [
        ("attachment", "y", "k", "number", 1, ["2.1.10"], "/a", 5),
        ("mode", None, "m", "number", 1, ["2.1.11"], "/a", 1),
        ("system", "x", "k", "number", 1, ["2.1.10"], "/a", 4),
        ("user", None, "k", "number", 4, ["2.1.9", "2.1.10"], "/a", 2),
    ]


def test_a_lake_without_raw_lines_still_has_its_types(make_lake: MakeLake):
    entries = [{"line_no": 1, "class": "unknown", "type": "new"}, {"line_no": 2, "status": "blank"}]
    lake = make_lake({"entries": entries})
    assert lake.one("SELECT type, count, versions FROM type_survey") == {"type": "new", "count": 1, "versions": None}
    assert lake.ask("FROM line_survey") == []
