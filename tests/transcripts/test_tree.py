"""Session trees: what belongs to one, and every check (parser.md 8.7)."""

import io
import re
from posixpath import basename

import pytest
from tracelake.errors import NoSourceError
from tracelake.lake.model_files import load_models
from tracelake.sources.sidecars import Meta
from tracelake.transcripts import (
    CHECKS,
    File,
    Label,
    Reading,
    Readings,
    decode_subagent,
    read_transcript,
    read_tree,
    single_file_tree,
)

from tests.transcripts.texts import SESSION, agent, lines, user, write

MAIN = f"{SESSION}.jsonl"
AGENTS = f"{SESSION}/subagents"
META = {"agentType": "Explore", "description": "look", "toolUseId": "toolu_1", "spawnDepth": 1, "model": "opus"}


@pytest.fixture
def tree_dir(tmp_path):
    """A session with one sub-agent, nothing wrong with it."""
    write(tmp_path, MAIN, user("u1"), user("u2", parentUuid="u1"))
    write(tmp_path, f"{AGENTS}/agent-a1.jsonl", agent("s1", "a1"))
    write(tmp_path, f"{AGENTS}/agent-a1.meta.json", META)
    return tmp_path


def found(tree):
    return [(one.id, basename(one.path), one.line) for one in tree.issues]


def test_a_sound_tree(tree_dir):
    tree = read_tree(tree_dir / MAIN)
    assert tree.issues == []
    assert (tree.session_id, tree.main.path) == (SESSION, str(tree_dir / MAIN))
    (sub,) = tree.subagents
    assert (sub.agent_id, sub.session_id, sub.label.kind) == ("a1", SESSION, "subagent")
    assert sub.meta == Meta("Explore", "look", "toolu_1", 1, None, "opus")
    assert sub.lines[0].user_kind == "subagent_prompt"
    assert tree.subagent_for_tool_use("toolu_1") is sub
    assert tree.subagent_for_tool_use("toolu_2") is tree.subagent_for_tool_use("") is None


def test_agents_of_workflows_belong_to_it(tree_dir):
    write(tree_dir, f"{AGENTS}/workflows/wf_0a1b2c3d-abc/agent-w1.jsonl", agent("w1", "w1"))
    write(tree_dir, f"{AGENTS}/workflows/wf_0a1b2c3d-abc/agent-w1.meta.json", {"agentType": "workflow-subagent"})
    tree = read_tree(str(tree_dir / MAIN))
    assert ([file.agent_id for file in tree.subagents], tree.issues) == (["a1", "w1"], [])


def test_an_explicit_list_is_all_that_is_read(tree_dir):
    write(tree_dir, f"{AGENTS}/agent-a2.jsonl", agent("s2", "a2"))
    listed = [tree_dir / AGENTS / "agent-a1.jsonl", tree_dir / MAIN, tree_dir / MAIN]
    tree = read_tree(listed)
    assert (tree.main.agent_id, [file.agent_id for file in tree.subagents]) == (None, ["a1"])
    assert tree.subagents[0].meta.agent_type == "Explore"
    assert tree.issues == []


def test_a_reader_of_ones_own(tree_dir):
    asked = []

    def reader(path, agent_id):
        asked.append((basename(path), agent_id))
        return read_transcript(path, agent_id)

    tree = read_tree(tree_dir / MAIN, reader=reader)
    assert asked == [(MAIN, None), ("agent-a1.jsonl", "a1")]
    assert tree.subagents[0].meta.tool_use_id == "toolu_1"


def test_a_reader_that_reads_on(tree_dir):
    readings = Readings()
    first = read_tree(tree_dir / MAIN, reader=readings)
    with (tree_dir / MAIN).open("ab") as stream:
        stream.write(lines(user("u3", parentUuid="nowhere")))
    second = read_tree(tree_dir / MAIN, reader=readings)
    assert second.main.lines[0] is first.main.lines[0]
    assert (found(first), found(second)) == ([], [("dangling_parent", MAIN, 3)])


META_2 = {"agentType": "Explore", "toolUseId": "toolu_2"}
BAD_TREES = {
    "strict_error": (MAIN, 2, {MAIN: [user("u1"), {"type": 5}, user("u2")]}),
    "bad_value": (MAIN, 2, {MAIN: [user("u1"), {**user("u2"), "prNumber": 10**20}]}),
    "main_session_id": (MAIN, None, {MAIN: [user("u1", session_id="other")]}),
    "subagent_session_id": ("agent-a1.jsonl", None, {"agent-a1.jsonl": [agent("s1", "a1", session_id="other")]}),
    "agent_id": ("agent-a1.jsonl", 2, {"agent-a1.jsonl": [agent("s1", "a1"), agent("s2", "a9")]}),
    "not_sidechain": ("agent-a1.jsonl", 2, {"agent-a1.jsonl": [agent("s1", "a1"), user("s2")]}),
    "agent_twice": (
        "agent-a1.jsonl", None,
        {"workflows/w/agent-a1.jsonl": [agent("s2", "a1")], "workflows/w/agent-a1.meta.json": META_2},
    ),
    "dispatch_twice": ("agent-b1.jsonl", None, {"agent-b1.jsonl": [agent("s2", "b1")], "agent-b1.meta.json": META}),
    "meta_error": ("agent-a1.jsonl", None, {"agent-a1.meta.json": {"spawnDepth": "deep"}}),
    "meta_without_transcript": ("agent-b1.meta.json", None, {"agent-b1.meta.json": META}),
    "transcript_without_meta": ("agent-b1.jsonl", None, {"agent-b1.jsonl": [agent("s2", "b1")]}),
    "parent_agent": ("agent-a1.jsonl", None, {"agent-a1.meta.json": {**META, "parentAgentId": "gone"}}),
    "duplicate_uuid": (MAIN, 1, {MAIN: [user("u1"), user("u2"), user("u1")]}),
    "dangling_parent": (MAIN, 1, {MAIN: [user("u1", parentUuid="u9"), user("u2", parentUuid="s1")]}),
}  # fmt: skip
"""Check -> the file and line it names, and the files that make it trip, the rest of the tree being sound."""


@pytest.mark.parametrize("check", BAD_TREES)
def test_each_check_trips_alone(check, tree_dir):
    name, line, files = BAD_TREES[check]
    for one, content in files.items():
        where = one if one == MAIN else f"{AGENTS}/{one}"
        write(tree_dir, where, *(content if isinstance(content, list) else [content]))
    tree = read_tree(tree_dir / MAIN)
    assert found(tree) == [(check, name, line)]
    (issue,) = tree.issues
    assert (issue.severity, issue.sentence) == CHECKS[check]
    assert issue.detail


def test_the_own_session_id_may_come_late(tree_dir):
    write(tree_dir, MAIN, user("u0", session_id="older"), user("u1"))
    assert found(read_tree(tree_dir / MAIN)) == []


def test_parents_may_be_in_other_files_and_parent_agents_beside(tree_dir):
    write(tree_dir, f"{AGENTS}/agent-b1.jsonl", agent("s2", "b1", parentUuid="u1"))
    write(tree_dir, f"{AGENTS}/agent-b1.meta.json", {**META_2, "parentAgentId": "a1", "spawnDepth": 2})
    assert found(read_tree(tree_dir / MAIN)) == []


def test_a_torn_tail(tree_dir):
    with (tree_dir / MAIN).open("ab") as stream:
        stream.write(b'{"type":"us')
    tree = read_tree(tree_dir / MAIN)
    assert found(tree) == [("torn_tail", MAIN, 3)]
    assert (tree.main.torn_final_line, len(tree.main.lines)) == (True, 2)


def test_orphans_and_second_main_files(tree_dir):
    sub = str(tree_dir / AGENTS / "agent-a1.jsonl")
    tree = read_tree([sub])
    assert (tree.main, tree.session_id, found(tree)) == (None, SESSION, [("orphan_subagent", "agent-a1.jsonl", None)])
    other = write(tree_dir, "5e550000-0000-4000-8000-000000000002.jsonl", user("x1", session_id=SESSION[:-1] + "2"))
    tree = read_tree([str(tree_dir / MAIN), other, sub])
    assert found(tree) == [("main_twice", basename(other), None)]
    assert [file.path for file in tree.others] == [other]


def test_what_cannot_be_read_is_an_issue(tree_dir):
    (tree_dir / AGENTS / "agent-l1.jsonl").symlink_to(tree_dir / MAIN)
    tree = read_tree([tree_dir / "gone.jsonl", tree_dir / AGENTS / "agent-l1.jsonl"])
    read_errors = [one for one in tree.issues if one.id == "read_error"]
    assert [(basename(one.path), one.severity) for one in read_errors] == [
        ("gone.jsonl", "error"), ("agent-l1.jsonl", "error"),
    ]  # fmt: skip
    assert read_errors[0].detail.startswith("No such file")
    assert [file.lines for file in tree.files] == [[], []]


def test_any_failure_of_a_reader_that_is_expected_is_an_issue(tree_dir):
    def reader(path, agent_id):
        raise NoSourceError("the store is closed") if agent_id else OSError(5, "Input/output error")

    tree = read_tree(tree_dir / MAIN, reader=reader)
    assert [(one.id, one.detail) for one in tree.issues if one.id == "read_error"] == [
        ("read_error", "Input/output error"), ("read_error", "the store is closed"),
    ]  # fmt: skip


def test_a_read_that_fails_on_the_way_keeps_the_lines():
    class Failing(io.RawIOBase):
        """Delivers one line, then fails."""

        given = False

        def readable(self):
            return True

        def readinto(self, buffer):
            if self.given:
                raise OSError(5, "Input/output error")
            self.given = True
            data = lines(agent("s1", "a1"))
            buffer[: len(data)] = data
            return len(data)

    file = decode_subagent(Failing(), "a1")
    assert ([line.uuid for line in file.lines], file.read_error) == (["s1"], "Input/output error")
    assert "read_error" in [one.id for one in single_file_tree(file).issues]


def test_a_decoded_file_alone(tree_dir):
    file = read_transcript(tree_dir / MAIN)
    tree = single_file_tree(file)
    assert (tree.main, tree.files, tree.issues, tree.session_id) == (file, [file], [], SESSION)


def test_a_subagent_from_outside(tree_dir):
    tree = single_file_tree(read_transcript(tree_dir / MAIN))
    file = decode_subagent(lines(agent("s1", "a1")), "a1", Meta(tool_use_id="toolu_7"))
    assert (file.lines[0].user_kind, file.path) == ("subagent_prompt", "agent-a1.jsonl")
    assert tree.add_subagent(file) == []
    assert tree.subagent_for_tool_use("toolu_7") is file


def test_a_subagent_from_outside_gets_the_same_checks(tree_dir):
    bad = lines(agent("s1", "a9", session_id="other"), user("s1", parentUuid="gone"))
    tree = single_file_tree(read_transcript(tree_dir / MAIN))
    issues = tree.add_subagent(decode_subagent(bad, "a1", name="from the store"))
    (tree_dir / AGENTS / "agent-a1.jsonl").write_bytes(bad)
    (tree_dir / AGENTS / "agent-a1.meta.json").unlink()
    listed = read_tree(tree_dir / MAIN)
    assert [(one.id, one.line, one.detail) for one in issues] == [
        (one.id, one.line, one.detail) for one in listed.issues
    ]
    assert {one.path for one in issues} == {"from the store"}
    assert [one.id for one in issues] == [
        "subagent_session_id", "agent_id", "not_sidechain", "transcript_without_meta", "duplicate_uuid",
        "dangling_parent",
    ]  # fmt: skip


def test_two_agents_of_one_id_and_call_from_outside():
    tree = single_file_tree(File(Label(MAIN)))
    for agent_id, name in (("a1", "x"), ("a1", "y"), ("b1", "z")):
        tree.add_subagent(decode_subagent(b"", agent_id, Meta(tool_use_id="t"), name))
    assert [(one.id, one.path) for one in tree.issues] == [("agent_twice", "y"), ("dispatch_twice", "z")]


def test_the_checks_are_those_of_the_lake():
    sql = next(model.sql for model in load_models() if model.name == "integrity_issues")
    known = re.findall(r"'([^']*)' AS check_id,\s*'([^']*)' AS severity,\s*'((?:[^']|'')*)' AS expectation", sql)
    lake = {check_id: (severity, sentence) for check_id, severity, sentence in known}
    assert {name: lake.get(name) for name in CHECKS if name != "main_twice"} == {
        name: value for name, value in CHECKS.items() if name != "main_twice"
    }
    tried = {*BAD_TREES, "read_error", "torn_tail", "main_twice", "orphan_subagent"}
    assert tried == set(CHECKS)


def test_a_sidecar_that_the_reader_of_another_store_gives_counts():
    """Nothing of that tree is on this disk."""
    store = {f"mem/{MAIN}": lines(user("u1")), f"mem/{AGENTS}/agent-a1.jsonl": lines(agent("s1", "a1"))}
    meta = Meta("Explore", "look", "toolu_1", 1, None, "opus")

    def reader(path, agent_id):
        if agent_id:
            return decode_subagent(store[path], agent_id, meta, name=path)
        reading = Reading(Label.of(path))
        return reading.file(reading.continue_(store[path]))

    tree = read_tree(list(store), reader)
    assert tree.subagents[0].meta == meta
    assert tree.subagent_for_tool_use("toolu_1") is tree.subagents[0]
