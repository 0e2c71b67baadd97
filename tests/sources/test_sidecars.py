"""Meta sidecars (S-5)."""

import errno
import os

import pytest
from tracelake.sources.sidecars import MAX_META_BYTES, Meta, read_meta


def meta(tmp_path, content):
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "agent-a.meta.json").write_bytes(data)
    return read_meta(str(tmp_path / "agent-a.jsonl"))


def test_missing_or_impossible_is_none(tmp_path):
    assert read_meta(str(tmp_path / "agent-a.jsonl")) is None
    (tmp_path / "notes.meta.json").write_text("{}")
    assert read_meta(str(tmp_path / "notes.txt")) is None


def test_all_members(tmp_path):
    text = (
        '{"agentType":"Explore","description":"look","toolUseId":"toolu_7","spawnDepth":2,'
        '"parentAgentId":"a9","model":"opus","worktreePath":"/w"}'
    )
    assert meta(tmp_path, text) == Meta("Explore", "look", "toolu_7", 2, "a9", "opus", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"agentType":"Explore","toolUseId":"toolu_7"}', Meta(agent_type="Explore", tool_use_id="toolu_7")),
        ("{}", Meta()),
        ("null", Meta()),
        ('{"agentType":null,"spawnDepth":null}', Meta()),
        ('{"agentType":""}', Meta(agent_type="")),
        ('{"agentType":"a","agentType":"b"}', Meta(agent_type="b")),
        ('{"AGENTTYPE":"a"}', Meta()),
        ('{"model":5,"parentAgentId":["x"],"agentType":"a"}', Meta(agent_type="a")),
        ('{"description":"\\ud800x"}', Meta(description="�x")),
        (b'{"description":"\xffx"}', Meta(description="�x")),
    ],
)
def test_absent_null_and_odd_members(tmp_path, text, expected):
    assert meta(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"spawnDepth":"1"}', "spawnDepth"),
        ('{"spawnDepth":1.5}', "spawnDepth"),
        ('{"spawnDepth":true}', "spawnDepth"),
        ('{"spawnDepth":99999999999999999999}', "64 bits"),
        ('{"agentType":7,"toolUseId":"toolu_7"}', "agentType"),
        ("[]", "object"),
        ('{"agentType":', "Expecting value"),
        ("", "Expecting value"),
        ('{"spawnDepth":NaN}', "NaN"),
        ("{} {}", "Extra data"),
        ("[" * 100_000, "deep"),
        ("{" + " " * MAX_META_BYTES + "}", "larger than 1,048,576 bytes"),
    ],
)
def test_undecodable_or_mistyped_is_an_error_and_nothing_else(tmp_path, text, part):
    found = meta(tmp_path, text)
    assert part in found.error
    assert found == Meta(error=found.error)
    assert "\n" not in found.error


def test_things_that_are_not_files(tmp_path):
    path = tmp_path / "agent-a.meta.json"
    transcript = str(tmp_path / "agent-a.jsonl")
    os.mkfifo(path)
    assert read_meta(transcript) == Meta(error="not a regular file")
    path.unlink()
    (tmp_path / "elsewhere.json").write_text('{"agentType":"a"}')
    path.symlink_to(tmp_path / "elsewhere.json")
    assert read_meta(transcript) == Meta(error="symbolic link, not followed")


def test_a_sidecar_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert read_meta(str(tmp_path / "agent-a.jsonl")) == Meta(error="Permission denied")
