"""`tracelake where`: where one file belongs, and paths that lead nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import SAMPLE
from tests.sql.lakes import write_lake

AVIARY = SAMPLE / "projects" / "-home-ada-aviary"
ORIGIN = AVIARY / "a1000000-0000-4000-8000-000000000001.jsonl"
AGENT = AVIARY / "a3000000-0000-4000-8000-000000000003" / "subagents" / "agent-a11c0de5.jsonl"
PARENT = AVIARY / "a3000000-0000-4000-8000-000000000003.jsonl"

HOSTILE = ["../../x", "..\\..\\x", "C:\\Users\\x.jsonl", "x" * 300, "/etc/passwd", "' OR true --", "", "a\nb", "%"]


def where(program, lake, *arguments, **options):
    done = program("where", *arguments, "--lake", lake, "--json", **options)
    return json.loads(done.stdout) if done.stdout else done


def test_a_main_file(program, sample_lake: Path):
    facts = where(program, sample_lake, ORIGIN)
    assert (facts["kind"], facts["session_id"]) == ("main", ORIGIN.stem)
    assert (facts["root_path"], facts["parent_path"], facts["project_dir"]) == (str(ORIGIN), None, str(AVIARY))
    assert facts["stable_id"] == facts["root_uuid"] == facts["root_stable_id"]
    assert (facts["degraded"], facts["identity_error"], facts["unreadable_siblings"]) == (None, None, [])
    assert facts["is_subagent_record"] is False
    assert facts["belongs_to_session"] is facts["belongs_to_tree"] is None


def test_a_sub_agent(program, sample_lake: Path):
    facts = where(program, sample_lake, AGENT)
    assert (facts["kind"], facts["agent_id"], facts["session_id"]) == ("subagent", "a11c0de5", PARENT.stem)
    assert (facts["root_path"], facts["parent_path"], facts["parent_source"]) == (str(PARENT), str(PARENT), "call")
    assert facts["project_dir"] == str(AVIARY)
    assert facts["stable_id"] != facts["root_stable_id"] == where(program, sample_lake, PARENT)["stable_id"]


def test_a_relative_path_and_a_symlink(program, sample_lake: Path, tmp_path: Path):
    assert where(program, sample_lake, ORIGIN.name, cwd=AVIARY)["path"] == str(ORIGIN)
    (tmp_path / "link.jsonl").symlink_to(ORIGIN)
    assert where(program, sample_lake, tmp_path / "link.jsonl")["path"] == str(ORIGIN)


def test_people_see_what_is_known(program, sample_lake: Path):
    done = program("where", ORIGIN, "--lake", sample_lake)
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.split()[0] for line in done.stdout.splitlines()[2:]]
    assert {"path", "kind", "session_id", "stable_id", "start_cwd", "start_time"} <= set(names)
    assert "parent_path" not in names


def test_belonging(program, sample_lake: Path):
    asked = ("where", ORIGIN, "--lake", sample_lake, "--json")
    yes = program(*asked, "--belongs-to-session", ORIGIN.stem, "--belongs-to-tree", "/home/ada")
    assert (yes.returncode, yes.stderr) == (0, "")
    assert [json.loads(yes.stdout)[name] for name in ("belongs_to_session", "belongs_to_tree")] == [True, True]
    no = program(*asked, "--belongs-to-session", "../../x", "--belongs-to-tree", "/home/ada/avi")
    assert no.returncode == 1
    assert [json.loads(no.stdout)[name] for name in ("belongs_to_session", "belongs_to_tree")] == [False, False]
    assert no.stderr.splitlines() == [
        f"tracelake: the file belongs to another session: {ORIGIN.stem}",
        "tracelake: the file's work was elsewhere: /home/ada/aviary",
    ]


@pytest.mark.parametrize("given", HOSTILE)
def test_a_path_that_is_not_in_the_lake_is_one_line(program, sample_lake: Path, tmp_path: Path, given: str):
    done = program("where", "--lake", sample_lake, "--", given, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tracelake: error: ")
    assert ("is not in the lake" if given else "it is empty") in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_lake_and_none(program, tmp_path: Path):
    empty = write_lake(tmp_path / "empty", {}).paths.root
    for lake in (empty, tmp_path / "none"):
        done = program("where", ORIGIN, "--lake", lake)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
