"""Homes of Codex and pi: what is searched, and what their files are (parser.md 7.8)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tracelake import config
from tracelake.sources.homes import session_folders

from tests.sources.trees import by_name, search, user, write


def header(thread: str = "t1", **more: object) -> str:
    return json.dumps({"timestamp": "t", "type": "session_meta", "payload": {"id": thread, **more}}) + "\n"


def session(session_id: str = "s1", cwd: str = "/w/owl") -> str:
    return json.dumps({"type": "session", "id": session_id, "cwd": cwd}) + "\n"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))


def test_only_the_session_folders_of_a_codex_home_are_searched(tmp_path: Path) -> None:
    home = tmp_path / ".codex"
    write(home / "sessions/2031/06/01/rollout-a.jsonl", header("a", cwd="/w/fox den"))
    write(home / "archived_sessions/rollout-b.jsonl", header("b"))
    write(home / "history.jsonl", '{"session_id":"a","ts":1,"text":"hi"}\n')
    found = search(home)
    files = by_name(found, home)
    assert {name: (file.agent, file.kind, file.session_id) for name, file in files.items()} == {
        "sessions/2031/06/01/rollout-a.jsonl": ("codex", "main", "a"),
        "archived_sessions/rollout-b.jsonl": ("codex", "main", "b"),
    }
    assert found.roots == [str(home / "sessions"), str(home / "archived_sessions")]
    assert {file.source for file in found.files} == {str(home)}
    assert files["sessions/2031/06/01/rollout-a.jsonl"].project == "-w-fox-den"
    assert files["archived_sessions/rollout-b.jsonl"].project == "archived_sessions"


def test_a_pi_home(tmp_path: Path) -> None:
    home = tmp_path / ".pi" / "agent"
    write(home / "sessions/--w-owl--/2031-06-01_0a1b2c3d-0000-4000-8000-00000000000a.jsonl", session("s9"))
    write(home / "auth.json", "{}")
    (file,) = search(home).files
    assert (file.agent, file.kind, file.session_id, file.project) == ("pi", "main", "s9", "-w-owl")


@pytest.mark.parametrize("sign", ["config.toml", "auth.json", "history.jsonl", "settings.json"])
def test_a_home_by_another_name_is_known_by_a_sign(tmp_path: Path, sign: str) -> None:
    write(tmp_path / "h/sessions/a.jsonl", header())
    write(tmp_path / "h" / sign)
    assert session_folders(str(tmp_path / "h")) == [str(tmp_path / "h/sessions")]


def test_a_home_is_known_by_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "h/sessions/a.jsonl", header())
    assert session_folders(str(tmp_path / "h")) == []
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "h"))
    assert session_folders(str(tmp_path / "h")) == [str(tmp_path / "h/sessions")]


def test_any_other_folder_with_sessions_is_searched_whole(tmp_path: Path) -> None:
    write(tmp_path / "tree/sessions/a.jsonl", header("a"))
    write(tmp_path / "tree/more/b.jsonl", header("b"))
    assert {file.session_id for file in search(tmp_path / "tree").files} == {"a", "b"}


def test_a_projects_folder_comes_first(tmp_path: Path) -> None:
    write(tmp_path / ".claude/projects/-w/s.jsonl", user())
    write(tmp_path / ".claude/sessions/1.json", "{}")
    write(tmp_path / ".claude/settings.json", "{}")
    assert session_folders(str(tmp_path / ".claude")) == [str(tmp_path / ".claude/projects")]


def test_default_homes_are_those_that_hold_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    me = tmp_path / "me"
    assert config.agent_homes() == []
    write(me / ".codex/sessions/a.jsonl", header())
    write(me / ".codex/archived_sessions/b.jsonl", header())
    write(me / ".pi/agent/sessions/c.jsonl", session())
    write(me / ".claude/projects/-w/s.jsonl", user())
    assert config.agent_homes() == [me / ".claude", me / ".codex", me / ".pi/agent"]
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(me / ".pi/agent"))
    assert config.agent_homes() == [me / ".claude", me / ".pi/agent"]


def test_a_sub_agents_rollout_has_a_session_of_its_own(tmp_path: Path) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}
    write(tmp_path / "a.jsonl", header("a", source=spawn))
    write(tmp_path / "b.jsonl", header("b", thread_source="subagent"))
    write(tmp_path / "c.jsonl", header("c", source="cli", thread_source="user"))
    write(tmp_path / "d.jsonl", header("d", forked_from_id="c") + header("a", source=spawn))
    kinds = {file.session_id: file.kind for file in search(tmp_path).files}
    assert kinds == {"a": "subagent", "b": "subagent", "c": "main", "d": "main"}


def test_the_header_says_the_id_not_the_file_name(tmp_path: Path) -> None:
    name = "0a1b2c3d-0000-4000-8000-00000000000a.jsonl"
    write(tmp_path / "c" / name, header("thread-7"))
    write(tmp_path / "p" / name, session("session-7"))
    write(tmp_path / "q" / name, '{"type":"message","message":{"role":"user"}}\n')
    ids = {path.split("/")[0]: file.session_id for path, file in by_name(search(tmp_path), tmp_path).items()}
    assert (ids["c"], ids["p"]) == ("thread-7", "session-7")
    assert ids["q"].startswith("sha-")
