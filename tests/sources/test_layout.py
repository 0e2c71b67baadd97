"""Rules about places; the paths and answers are those of the specification's examples where it gives one."""

import pytest
from tracelake.sources import layout

U = "0a1b2c3d-0000-4000-8000-00000000000a"
P = f"/h/.claude/projects/-w-app/{U}"


def no(_: str) -> bool:
    return False


def among(*paths: str):
    return set(paths).__contains__


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/p/s1/subagents/workflows/wf_3/agent-q.jsonl", "/p/s1"),
        ("/p/s1/subagents/agent-a/subagents/agent-b.jsonl", "/p/s1/subagents/agent-a"),
        ("/p/s1/subagents/x/y/z", "/p/s1"),
        ("/p/s1/Subagents/agent-a.jsonl", None),
        ("/p/s1/subagents", None),
        ("/p/agent-a.jsonl", None),
        ("/subagents/agent-a.jsonl", "/"),
        ("subagents/agent-a.jsonl", "."),
    ],
)
def test_session_dir_is_the_parent_of_the_nearest_subagents_folder(path, expected):
    assert layout.session_dir_of(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/p/s1/subagents/agent-x.jsonl", True),
        ("/p/s1/subagents/deep/er/agent-x.jsonl", True),
        ("/p/s1/subagents/journal.jsonl", False),
        ("/p/s1/subagents/agent-x.meta.json", False),
        ("/p/agent-x.jsonl", False),
        ("/p/my-subagents/agent-x.jsonl", False),
    ],
)
def test_location_says_subagent(path, expected):
    assert layout.location_says_subagent(path) is expected


@pytest.mark.parametrize(
    ("path", "agent_id", "meta"),
    [
        ("/p/subagents/agent-a36.jsonl", "a36", "/p/subagents/agent-a36.meta.json"),
        ("/p/agent-acompact-ff.jsonl", "acompact-ff", "/p/agent-acompact-ff.meta.json"),
        ("/p/subagents/agent-a36.meta.json", "a36", None),
        ("/p/agent-.jsonl", None, "/p/agent-.meta.json"),
        ("/p/s1.jsonl", None, "/p/s1.meta.json"),
        ("/p/agent-a.json", None, None),
    ],
)
def test_agent_id_and_meta_path_come_from_the_name(path, agent_id, meta):
    assert layout.agent_id_of(path) == agent_id
    assert layout.meta_path_of(path) == meta


def test_root_is_reached_through_the_nesting_agent():
    start = "/p/s1/subagents/agent-a/subagents/agent-b.jsonl"
    present = among("/p/s1/subagents/agent-a.jsonl", "/p/s1.jsonl")
    assert layout.dispatcher_of(start) == "/p/s1/subagents/agent-a.jsonl"
    assert layout.root_path_of(start, present, layout.location_says_subagent) == "/p/s1.jsonl"


def test_a_root_answers_itself_and_a_missing_dispatcher_makes_an_orphan():
    says = layout.location_says_subagent
    assert layout.root_path_of("/p/s1.jsonl", no, says) == "/p/s1.jsonl"
    assert layout.root_path_of("/p/s1/subagents/agent-a.jsonl", no, says) is None
    # Nesting folder without the `agent-` prefix: its file is not there.
    nested = "/p/s1/subagents/a/subagents/agent-b.jsonl"
    assert layout.root_path_of(nested, among("/p/s1.jsonl", "/p/s1/subagents/agent-a.jsonl"), says) is None


def test_a_sub_agent_by_content_without_a_dispatcher_is_an_orphan():
    assert layout.root_path_of("/p/agent-a.jsonl", lambda _: True, lambda _: True) is None


def test_a_chain_without_a_main_file_ends_as_an_orphan():
    # Every step up is again called a sub-agent, until no dispatcher is left.
    path = "/p/subagents/q/subagents/agent-b.jsonl"
    assert layout.root_path_of(path, lambda _: True, lambda _: True) is None


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        (".jsonl", "other"),
        ("/subagents/agent-a.jsonl", "subagent"),
        ("/subagents/agent-a/subagents/agent-b.jsonl", "subagent"),
        ("/subagents/workflows/wf_1/agent-a.jsonl", "workflow_subagent"),
        ("/subagents/workflows/wf_1/agent-a/subagents/agent-b.jsonl", "subagent"),
        ("/subagents/workflows/wf_1/journal.jsonl", "journal"),
        ("/subagents/journal.jsonl", "sidecar"),
        ("/subagents/agent-a.meta.json", "sidecar"),
        ("/subagents/workflows/wf_1/agent-a.meta.json", "sidecar"),
        ("/subagents/workflows/wf_1/stream.log", "sidecar"),
        ("/subagents/workflows/wf_1/raw.jsonl", "sidecar"),
        ("/tool-results/toolu_1.txt", "sidecar"),
        ("/workflows/wf_1.json", "sidecar"),
        ("/anything/else.bin", "sidecar"),
        ("/agent-a.jsonl", "legacy_subagent"),
    ],
)
def test_kinds_by_place_in_and_beside_a_session_folder(inside, kind):
    place = layout.place_of(P + inside, no, among(P))
    assert place.kind == kind
    assert (place.reason is not None) == (kind in ("sidecar", "journal"))


def test_legacy_agent_files_lie_beside_the_sessions():
    assert layout.place_of("/h/projects/-w/agent-1.jsonl", no, no).kind == "legacy_subagent"
    assert layout.place_of("/any/where/agent-1.jsonl", no, no).kind == "legacy_subagent"


def test_meta_outside_a_session_needs_its_name_or_its_transcript():
    assert layout.place_of("/x/agent-1.meta.json", no, no).kind == "sidecar"
    assert layout.place_of("/x/run.meta.json", among("/x/run.jsonl"), no).kind == "sidecar"
    assert layout.place_of("/x/run.meta.json", no, no).kind == "other"


def test_subagents_folder_of_something_else_makes_no_sidecars():
    assert layout.place_of("/repo/docs/subagents/README.md", no, no).kind == "other"


@pytest.mark.parametrize(
    ("folder", "files", "folders", "expected"),
    [
        (f"/h/projects/-w/{U}", (), (), True),
        (f"/x/{U}", (f"/x/{U}.jsonl",), (), True),
        (f"/x/{U}", (), (f"/x/{U}/subagents",), True),
        ("/h/projects/-w/s1", ("/h/projects/-w/s1.jsonl",), (), True),
        ("/h/projects/-w/s1", (), ("/h/projects/-w/s1/tool-results",), True),
        ("/x/s1", ("/x/s1.jsonl",), ("/x/s1/subagents",), True),
        ("/h/projects/-w/memory", (), (), False),
        (f"/x/{U}", (), (), False),
        ("/x/codex", ("/x/codex.jsonl",), (), False),
        ("/x/s1", (), ("/x/s1/subagents",), False),
    ],
)
def test_a_session_folder_shows_two_signs(folder, files, folders, expected):
    assert layout.is_session_dir(folder, among(*files), among(*folders)) is expected


@pytest.mark.parametrize(
    ("path", "top"),
    [
        (f"{P}/subagents/agent-a.jsonl", P),
        (f"{P}/subagents/agent-a/subagents/agent-b.jsonl", P),
        (f"{P}/subagents/workflows/wf_1/agent-a/subagents/agent-b.jsonl", P),
        (f"{P}/subagents/agent-a/subagents/agent-b/subagents/agent-c.jsonl", P),
        ("/home/subagents/me/projects/-w/s1/subagents/agent-a.jsonl", "/home/subagents/me/projects/-w/s1"),
        (f"{P}.jsonl", None),
    ],
)
def test_the_topmost_session_folder(path, top):
    assert layout.top_session_dir(path) == top


@pytest.mark.parametrize(
    ("path", "session_dir", "project"),
    [
        (f"{P}.jsonl", None, "-w-app"),
        (f"{P}/subagents/agent-a.jsonl", P, "-w-app"),
        ("/h/projects/-w/memory/notes.md", None, "-w"),
        ("/h/projects/stray.txt", None, "projects"),
        ("/old/projects/x/home/projects/-w/s.jsonl", None, "-w"),
        ("/fixtures/basic/s.jsonl", None, "basic"),
        (f"/fixtures/basic/{U}/subagents/agent-a.jsonl", f"/fixtures/basic/{U}", "basic"),
        ("/s.jsonl", None, ""),
    ],
)
def test_project_is_the_folder_below_projects_else_the_parent(path, session_dir, project):
    assert layout.project_of(path, session_dir) == project


@pytest.mark.parametrize(
    ("path", "empty", "trusted"),
    [
        (f"{P}.jsonl", True, True),
        (f"{P}.jsonl", False, True),
        ("/h/projects/-w/notes.jsonl", True, True),
        ("/h/projects/-w/notes.jsonl", False, False),
        ("/h/projects/-w/agent-1.jsonl", False, True),
        (f"/x/{U}.jsonl", True, True),
        (f"/x/{U}.jsonl", False, False),
        ("/x/notes.jsonl", True, False),
        (f"/h/projects/-w/{U}.json", True, False),
        ("/x/subagents/agent-a.jsonl", False, True),
    ],
)
def test_where_the_location_alone_makes_a_transcript(path, empty, trusted):
    assert layout.trusts_location(path, empty) is trusted
