"""Files judged by their first lines."""

import json

import pytest
from tracelake.sources.sniff import HEAD_BYTES, sniff

from .trees import SESSION, user, write


def verdict(tmp_path, content, name="f.jsonl"):
    return sniff(str(write(tmp_path / name, content)))


def is_transcript(found):
    return (found.agent, found.kind_hint, found.reason) == ("claude", "transcript", None)


@pytest.mark.parametrize(
    "content",
    [
        user(),
        user().rstrip("\n"),
        "// copied from somewhere\n// by hand\n" + user(),
        "\n\n  \n" + user(),
        b"\xef\xbb\xbf" + user().encode(),
        b"\0" * 3000 + user().encode(),
        b"\0\0\n" + user().encode(),
        user().rstrip("\n") + user(),
        user()[:-12],
        '{"torn":"\n' + user(),
        b'{"x":"\xff"}\n' + user().encode(),
        "\r\n" + user().replace("\n", "\r\n"),
        "[]\n" + user(),
        "{\n" + user(),
    ],
)
def test_claude_lines_are_recognised_behind_any_junk(tmp_path, content):
    found = verdict(tmp_path, content)
    assert is_transcript(found)
    assert found.session_id == SESSION


def test_the_session_id_is_that_of_the_first_record_that_has_one(tmp_path):
    head = '{"type":"summary","summary":"x","leafUuid":"u"}\n'
    assert verdict(tmp_path, head + user("first") + user("second")).session_id == "first"
    assert verdict(tmp_path, '{"type":"system","subtype":"init","session_id":"snake"}\n').session_id == "snake"
    assert verdict(tmp_path, head).session_id is None


def test_a_first_line_larger_than_the_whole_head(tmp_path):
    found = verdict(tmp_path, user("big", extra="x" * (2 * HEAD_BYTES)))
    assert is_transcript(found)
    assert found.session_id == "big"


def test_only_the_head_is_looked_at(tmp_path):
    late_line = "# note\n" * 500 + user()
    late_byte = "# " + "x" * HEAD_BYTES + "\n" + user()
    assert verdict(tmp_path, late_line).agent == ""
    assert verdict(tmp_path, late_byte).agent == ""
    assert verdict(tmp_path, "# note\n" * 499 + user()).agent == "claude"
    assert verdict(tmp_path, "# " + "x" * 100_000 + "\n" + user("mid")).session_id == "mid"


def test_the_head_is_all_that_is_read(tmp_path, monkeypatch):
    from tracelake.sources import sniff as module

    taken = []
    whole = module.read_up_to
    monkeypatch.setattr(module, "read_up_to", lambda s, n: taken.append(n) or whole(s, n))
    verdict(tmp_path, "# note\n" * 1_000_000)
    assert sum(taken) == HEAD_BYTES


@pytest.mark.parametrize(
    ("line", "agent", "session_id"),
    [
        ('{"timestamp":"t","type":"session_meta","payload":{"id":"c1"}}', "codex", "c1"),
        ('{"id":"c2","timestamp":"t","instructions":null}', "codex", "c2"),
        ('{"type":"session","version":3,"id":"p1","cwd":"/w"}', "pi", "p1"),
        ('{"type":"message","id":"m","message":{"role":"user"}}', "pi", None),
    ],
)
def test_other_programs(tmp_path, line, agent, session_id):
    found = verdict(tmp_path, line + "\n")
    assert (found.agent, found.kind_hint, found.session_id) == (agent, "transcript", session_id)


def test_a_workflow_journal_is_no_transcript(tmp_path):
    found = verdict(tmp_path, '{"type":"started","key":"v2:h","agentId":"a1"}\n')
    assert (found.agent, found.kind_hint) == ("claude", "journal")
    assert found.reason == "workflow journal, not a transcript"


DOCUMENT = "JSON document, not JSON lines"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "empty file"),
        ("\n \n\0\0\n", "nothing but blank lines or NUL bytes"),
        ("MIT License\n\nCopyright\n", "not JSON lines: first line is 'MIT License'"),
        ("\n  a\tb\n", "not JSON lines: first line is 'a\\tb'"),
        ("y" * 70, "not JSON lines: first line is '" + "y" * 60 + "…'"),
        (json.dumps(json.loads(user()), indent=2), DOCUMENT),
        (json.dumps([json.loads(user())] * 2, indent=1), DOCUMENT),
        (json.dumps([json.loads(user())]), DOCUMENT),
        ('\ufeff{"a":\n1}', DOCUMENT),
        ("[\n" + '{"a":1},\n' * 200_000, DOCUMENT),
        (
            '{"name":"x","version":1}\n',
            "JSON lines of no known agent: keys of the first object are name, version",
        ),
        ("{}\n", "JSON lines of no known agent: keys of the first object are none"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary file"),
        (b"\x1f\x8b\x08\0\0\0", "gzip archive"),
        ("h\0i\0\n\0", "binary file"),
        ('"just text"\n', "not JSON lines: first line is '\"just text\"'"),
        ("caf\xe9\n".encode("latin-1"), "not JSON lines: first line is 'caf�'"),
    ],
)
def test_what_is_no_transcript_says_why(tmp_path, content, reason):
    found = verdict(tmp_path, content)
    assert (found.agent, found.kind_hint, found.reason) == ("", "", reason)


def test_a_text_that_quotes_a_record_is_a_transcript_only_under_the_right_name(tmp_path):
    text = "# How it looks\n\nEvery line is an object:\n" + user() + "That is all.\n"
    found = verdict(tmp_path, text, "README.md")
    assert found.agent == ""
    assert found.reason == "text that quotes records: 1 of 4 lines are JSON objects"
    assert is_transcript(verdict(tmp_path, text, "readme.jsonl"))


def test_a_transcript_needs_no_particular_name(tmp_path):
    assert is_transcript(verdict(tmp_path, user() * 3, "export.txt"))
    assert is_transcript(verdict(tmp_path, "// from a gist\n" + user() * 3, "export.log"))


def test_links_and_folders_are_not_opened(tmp_path):
    write(tmp_path / "f.jsonl", user())
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "f.jsonl")
    for name in ("link.jsonl", ""):
        with pytest.raises(OSError):
            sniff(str(tmp_path / name))
