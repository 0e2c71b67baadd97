"""Trees as they are on disk: which files are found, as what, and in which session."""

import hashlib

import pytest
from tracelake.errors import NoSourceError

from .trees import OTHER, SESSION, by_name, kinds, search, user, write

JOURNAL = '{"type":"started","key":"v2:h","agentId":"w1"}\n'
CODEX = '{"timestamp":"t","type":"session_meta","payload":{"id":"c"}}\n'
PI = '{"type":"session","id":"p","cwd":"/w"}\n'


def sha(text):
    return "sha-" + hashlib.sha256(text.encode()).hexdigest()[:32]


@pytest.fixture
def home(tmp_path):
    """An agent home with every layout of S-1."""
    project = tmp_path / "home/projects/-w-app"
    agents = project / SESSION / "subagents"
    write(project / f"{SESSION}.jsonl", user())
    write(agents / "agent-a1.jsonl", user())
    write(agents / "agent-a1.meta.json", "{}")
    write(agents / "agent-a1/subagents/agent-a2.jsonl", user())
    write(agents / "workflows/wf_1/agent-w1.jsonl", user())
    write(agents / "workflows/wf_1/journal.jsonl", JOURNAL)
    write(agents / "workflows/wf_1/stream.jsonl", user())
    write(project / SESSION / "tool-results/toolu_1.txt", "out")
    write(project / SESSION / "workflows/wf_1.json", "{}")
    write(project / "agent-old.jsonl", user(OTHER))
    write(project / "sessions-index.json", '{"version":1}\n')
    write(tmp_path / "home/history.jsonl", user())
    return tmp_path / "home"


def test_every_layout(home):
    project = home / "projects/-w-app"
    found = search(home)
    assert kinds(found, project) == {
        f"{SESSION}.jsonl": "main",
        f"{SESSION}/subagents/agent-a1.jsonl": "subagent",
        f"{SESSION}/subagents/agent-a1.meta.json": "sidecar",
        f"{SESSION}/subagents/agent-a1/subagents/agent-a2.jsonl": "subagent",
        f"{SESSION}/subagents/workflows/wf_1/agent-w1.jsonl": "workflow_subagent",
        f"{SESSION}/subagents/workflows/wf_1/journal.jsonl": "journal",
        f"{SESSION}/subagents/workflows/wf_1/stream.jsonl": "sidecar",
        f"{SESSION}/tool-results/toolu_1.txt": "sidecar",
        f"{SESSION}/workflows/wf_1.json": "sidecar",
        "agent-old.jsonl": "legacy_subagent",
        "sessions-index.json": "unrecognised",
    }
    assert found.roots == [str(home / "projects")]
    assert (found.problems, found.unlisted) == ([], [])


def test_sessions_agents_and_reasons(home):
    files = by_name(search(home), home / "projects/-w-app")
    sessions = {name: file.session_id for name, file in files.items()}
    assert sessions.pop("agent-old.jsonl") == OTHER
    assert sessions.pop("sessions-index.json") == "unassigned"
    assert set(sessions.values()) == {SESSION}
    assert {f.agent for n, f in files.items() if n != "sessions-index.json"} == {"claude"}
    assert files["sessions-index.json"].agent == ""
    assert all((f.reason is None) == f.is_transcript for f in files.values())
    ids = {name.rpartition("/")[2]: f.agent_id for name, f in files.items() if f.agent_id}
    assert ids == {
        "agent-a1.jsonl": "a1",
        "agent-a1.meta.json": "a1",
        "agent-a2.jsonl": "a2",
        "agent-w1.jsonl": "w1",
        "agent-old.jsonl": "old",
    }
    assert {f.project for f in files.values()} == {"-w-app"}
    assert {f.source for f in files.values()} == {str(home)}


def test_each_way_to_name_a_source_gives_the_same_answers(home):
    project = home / "projects/-w-app"
    whole = {f.path: (f.kind, f.session_id, f.project) for f in search(home).files}
    for source in (home / "projects", project, project / SESSION, project / f"{SESSION}.jsonl"):
        found = search(source)
        assert found.roots == [str(source)]
        for file in found.files:
            assert (file.kind, file.session_id, file.project) == whole[file.path]
    assert len(search(project / SESSION).files) == 8
    assert len(search(project / f"{SESSION}.jsonl").files) == 1


def test_files_are_sorted_and_come_once_from_overlapping_sources(home):
    project = home / "projects/-w-app"
    once = [file.path for file in search(home).files]
    assert once == sorted(once)
    for sources in (
        (home, project, project / SESSION, project / f"{SESSION}.jsonl"),
        (project / f"{SESSION}.jsonl", project / SESSION, project, home),
        (home, home),
    ):
        assert [file.path for file in search(*sources).files] == once
    assert search(home, home).roots == [str(home / "projects")]


def test_any_folder_is_searched_and_the_rest_listed_with_a_reason(tmp_path):
    write(tmp_path / "deep/er/export.txt", user("s1") * 2)
    write(tmp_path / "fixtures/agent-x.jsonl", user("s2"))
    write(tmp_path / "codex.jsonl", CODEX)
    write(tmp_path / "pi.jsonl", PI)
    write(tmp_path / "LICENSE", "MIT License\n")
    write(tmp_path / "empty.jsonl")
    write(tmp_path / "journal-copy.jsonl", JOURNAL)
    write(tmp_path / ".hidden/h.jsonl", user("s3"))
    found = search(tmp_path)
    rows = {name: (f.kind, f.agent, f.session_id, f.reason) for name, f in by_name(found, tmp_path).items()}
    assert rows == {
        "deep/er/export.txt": ("main", "claude", "s1", None),
        "fixtures/agent-x.jsonl": ("legacy_subagent", "claude", "s2", None),
        "codex.jsonl": ("main", "codex", "c", None),
        "pi.jsonl": ("main", "pi", "p", None),
        "LICENSE": ("unrecognised", "", "unassigned", "not JSON lines: first line is 'MIT License'"),
        "empty.jsonl": ("unrecognised", "", "unassigned", "empty file"),
        "journal-copy.jsonl": ("journal", "claude", "unassigned", "workflow journal, not a transcript"),
        ".hidden/h.jsonl": ("main", "claude", "s3", None),
    }
    assert by_name(found, tmp_path)["deep/er/export.txt"].project == "er"


def test_an_empty_or_damaged_file_in_a_project_is_still_its_session(tmp_path):
    project = tmp_path / "projects/-w"
    write(project / "fresh.jsonl")
    write(project / f"{SESSION}.jsonl", b"\0" * 500)
    write(project / f"{OTHER}.jsonl", CODEX)
    write(project / SESSION / "subagents/agent-a.jsonl")
    write(project / "notes.jsonl", "just notes\n")
    found = search(tmp_path)
    assert kinds(found, project) == {
        "fresh.jsonl": "main",
        f"{SESSION}.jsonl": "main",
        f"{OTHER}.jsonl": "main",
        f"{SESSION}/subagents/agent-a.jsonl": "subagent",
        "notes.jsonl": "unrecognised",
    }
    files = by_name(found, project)
    assert files["fresh.jsonl"].session_id == sha(f"{project}/fresh.jsonl")
    assert (files[f"{OTHER}.jsonl"].agent, files[f"{OTHER}.jsonl"].session_id) == ("codex", "c")
    assert files[f"{SESSION}/subagents/agent-a.jsonl"].session_id == SESSION
    assert files[f"{SESSION}.jsonl"].agent == "claude"


@pytest.mark.parametrize(
    ("name", "sniffed", "expected"),
    [
        (SESSION.upper(), "other", SESSION.upper()),
        ("named", "s-1", "s-1"),
        ("named", "../../x", "../../x"),
        ("named", "x" * 300, "x" * 300),
        ("named", "a\nb", "a\nb"),
        ("named", None, None),
        ("named", "", None),
        ("named", "unassigned", None),
        ("unassigned", "s-2", "s-2"),
        (SESSION + "x", "s-3", "s-3"),
    ],
)
def test_session_id_of_a_main_file(tmp_path, name, sniffed, expected):
    path = write(tmp_path / "projects/-w" / f"{name}.jsonl", user(sniffed))
    assert search(tmp_path).files[0].session_id == (expected or sha(str(path)))


def test_sub_agents_carry_the_id_of_a_root_that_is_not_named_by_it(tmp_path):
    project = tmp_path / "projects/-w"
    write(project / "s1.jsonl", user("root-id"))
    write(project / "s1/subagents/agent-a.jsonl", user("own-id"))
    write(project / "s1/subagents/agent-a/subagents/agent-b.jsonl", user("own-id"))
    write(project / "s1/subagents/agent-a.meta.json", "{}")
    write(project / "s1/tool-results/x.txt", "x")
    assert {file.session_id for file in search(tmp_path).files} == {"root-id"}
    # Also when the root lies outside the source.
    assert {file.session_id for file in search(project / "s1").files} == {"root-id"}


def test_sub_agents_of_a_root_without_any_id_share_its_hash(tmp_path):
    root = write(tmp_path / "projects/-w/s1.jsonl", user(None))
    write(tmp_path / "projects/-w/s1/subagents/agent-a.jsonl", user(None))
    assert {file.session_id for file in search(tmp_path).files} == {sha(str(root))}


def test_orphans_without_a_root(tmp_path):
    project = tmp_path / "projects/-w"
    write(project / "s1/subagents/agent-a.jsonl", user("own-id"))
    write(project / "s1/subagents/agent-a.meta.json", "{}")
    write(project / "s2/subagents/agent-b.jsonl", user(None))
    write(project / "s2/tool-results/x.txt", "x")
    write(project / SESSION / "subagents/agent-c.jsonl", user("own-id"))
    sessions = {name: file.session_id for name, file in by_name(search(tmp_path), project).items()}
    assert sessions == {
        "s1/subagents/agent-a.jsonl": "own-id",
        "s1/subagents/agent-a.meta.json": "own-id",
        "s2/subagents/agent-b.jsonl": sha(f"{project}/s2"),
        "s2/tool-results/x.txt": sha(f"{project}/s2"),
        f"{SESSION}/subagents/agent-c.jsonl": SESSION,
    }


def test_meta_beside_a_legacy_agent_file_belongs_to_its_session(tmp_path):
    write(tmp_path / "agent-a.jsonl", user("legacy"))
    write(tmp_path / "agent-a.meta.json", "{}")
    write(tmp_path / "agent-gone.meta.json", "{}")
    files = by_name(search(tmp_path), tmp_path)
    assert files["agent-a.meta.json"].session_id == "legacy"
    assert files["agent-gone.meta.json"].session_id == "unassigned"
    assert files["agent-a.meta.json"].reason == "meta sidecar of agent-a.jsonl"


def test_size_time_inode_and_fingerprint(tmp_path):
    path = write(tmp_path / "s.jsonl", user())
    (file,) = search(path).files
    stat = path.stat()
    assert (file.size, file.mtime_ns, file.inode) == (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    content = path.read_bytes()
    assert file.fingerprint == hashlib.sha256(content + content).hexdigest()


def test_missing_sources(tmp_path):
    write(tmp_path / "s.jsonl", user())
    found = search(tmp_path / "gone", tmp_path / "s.jsonl")
    assert len(found.files) == 1
    assert found.problems == [f"{tmp_path}/gone: No such file or directory"]
    assert found.roots == [f"{tmp_path}/s.jsonl"]
    with pytest.raises(NoSourceError, match=r"gone: No such file or directory; .*s\.jsonl/x: Not a directory"):
        search(tmp_path / "gone", tmp_path / "s.jsonl/x")
    with pytest.raises(NoSourceError, match="none was named"):
        search()
    with pytest.raises(NoSourceError, match="null"):
        search(tmp_path / "a\0b")


def test_an_empty_folder_is_a_source_without_files(tmp_path):
    (tmp_path / "projects").mkdir()
    assert search(tmp_path).files == []
