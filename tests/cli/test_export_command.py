"""`tracelake export attachments`: each distinct blob once, from the transcript or from the lake."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path

import pytest

PNG = b"\x89PNG\r\n\x1a\n" + b"owl" * 5
JPEG = b"\xff\xd8\xff\xe0" + b"fox" * 50
PDF = b"%PDF-1.4\n" + b"heron " * 20
PNG_NAME = hashlib.sha256(PNG).hexdigest() + ".png"
EVIL = b"any bytes at all"


def source(data: bytes, media_type: str = "image/png") -> dict:
    return {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}


def image(data: bytes, media_type: str = "image/png") -> dict:
    return {"type": "image", "source": source(data, media_type)}


def line(number: int, *blocks: dict, session: str = "s1") -> str:
    entry = {
        "type": "user",
        "uuid": f"{session}-{number}",
        "sessionId": session,
        "timestamp": f"2031-05-0{number}T08:00:00Z",
        "cwd": "/owl",
        "message": {"role": "user", "content": list(blocks)},
    }
    return json.dumps(entry) + "\n"


def transcript(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


@pytest.fixture
def lake_of(program, tmp_path: Path):
    """Make a lake of transcripts below `tmp_path / home`."""

    def make(*options: str) -> Path:
        done = program("extract", tmp_path / "home", "--lake", tmp_path / "lake", "--engine", "serial", *options)
        assert done.returncode == 0, done.stderr
        return tmp_path / "lake"

    return make


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home" / "projects"


@pytest.fixture
def export(program, tmp_path: Path):
    """Run the export into `tmp_path / out`; returns the exit code and the rows."""

    def run(lake: Path, *options: object) -> tuple[int, list[dict]]:
        done = program("export", "attachments", "--to", tmp_path / "out", "--lake", lake, "--json", *options)
        return done.returncode, json.loads(done.stdout or "[]")

    return run


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def named(data: bytes, ending: str) -> dict[str, bytes]:
    return {f"{hashlib.sha256(data).hexdigest()}.{ending}": data}


def test_each_distinct_blob_once(home: Path, lake_of, export, tmp_path: Path):
    document = {"type": "document", "title": "../../heron.pdf", "source": source(PDF, "application/pdf")}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [image(JPEG, "image/jpeg")]}
    first = transcript(home / "p" / "s1.jsonl", line(1, image(PNG), document), line(2, image(PNG), result))
    transcript(home / "q" / "s2.jsonl", line(3, image(PNG), session="s2"))
    code, rows = export(lake_of())
    assert code == 0
    assert contents(tmp_path / "out") == named(PNG, "png") | named(JPEG, "jpg") | named(PDF, "pdf")
    (png,) = [row for row in rows if row["media_type"] == "image/png"]
    expected = {"file": PNG_NAME, "bytes": len(PNG), "occurrences": 3, "first": f"{first}:1", "outcome": "written"}
    assert {name: png[name] for name in expected} == expected
    assert len(rows) == 3


def test_files_are_private_and_equal_ones_stay(home: Path, lake_of, export, tmp_path: Path):
    transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    lake = lake_of()
    export(lake)
    target = tmp_path / "out" / PNG_NAME
    assert (target.stat().st_mode & 0o777, target.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    os.utime(target, (1, 1))
    assert [row["outcome"] for row in export(lake)[1]] == ["unchanged"]
    assert target.stat().st_mtime == 1
    target.write_bytes(b"cut off")
    assert [row["outcome"] for row in export(lake)[1]] == ["written"]
    assert target.read_bytes() == PNG


def test_a_link_in_the_way_is_replaced_not_followed(home: Path, lake_of, export, tmp_path: Path):
    transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / PNG_NAME).symlink_to(tmp_path / "mine")
    assert export(lake_of())[0] == 0
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert not (tmp_path / "out" / PNG_NAME).is_symlink()


@pytest.mark.parametrize("change", ["gone", "other bytes", "shorter"])
def test_the_lake_has_what_the_transcript_has_no_longer(home: Path, lake_of, export, tmp_path: Path, change: str):
    path = transcript(home / "p" / "s1.jsonl", line(1, {"type": "text", "text": "look"}), line(2, image(PNG)))
    lake = lake_of()
    if change == "gone":
        path.unlink()
    else:
        path.write_text(line(1, image(JPEG)) * 9 if change == "other bytes" else "{}\n")
    assert export(lake)[0] == 0
    assert contents(tmp_path / "out") == named(PNG, "png")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "transcript: No such file or directory; lake: the line was not kept (--no-raw)"),
        (line(1, image(JPEG)) * 2, "transcript: other bytes stand there now; lake: the line was not kept (--no-raw)"),
    ],
)
def test_what_is_nowhere_is_listed(home: Path, lake_of, export, tmp_path: Path, text: str | None, reason: str):
    path = transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    kept = transcript(home / "p" / "s2.jsonl", line(2, image(PDF, "application/pdf"), session="s2"))
    lake = lake_of("--no-raw")
    path.unlink() if text is None else path.write_text(text)
    code, rows = export(lake)
    assert code == 4
    assert [(row["file"], row["outcome"], row["reason"]) for row in rows] == [
        (None, "lost", reason),
        (*named(PDF, "pdf"), "written", None),
    ]
    assert contents(tmp_path / "out") == named(PDF, "pdf")
    assert kept.exists()


def test_another_copy_is_enough(home: Path, lake_of, export):
    path = transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    transcript(home / "p" / "s2.jsonl", line(2, image(PNG), session="s2"))
    lake = lake_of("--no-raw")
    path.unlink()
    assert [(row["outcome"], row["occurrences"]) for row in export(lake)[1]] == [("written", 2)]


def test_a_value_that_is_spelled_with_escapes(home: Path, lake_of, export, tmp_path: Path):
    text = line(1, image(JPEG, "image/jpeg"))
    assert "/9j/" in text
    transcript(home / "p" / "s1.jsonl", text.replace("/9j/", "\\/9j\\u002f"))
    assert export(lake_of())[0] == 0
    assert contents(tmp_path / "out") == named(JPEG, "jpg")


def test_a_data_uri_and_a_compressed_transcript(home: Path, lake_of, export, tmp_path: Path):
    import pyarrow as pa

    block = image(PNG)
    block["source"]["data"] = "data:image/png;base64," + block["source"]["data"]
    content = line(1, {"type": "text", "text": "first"}) + line(2, block)
    path = home / "p" / "s1.jsonl.zst"
    path.parent.mkdir(parents=True)
    path.write_bytes(pa.Codec("zstd").compress(content.encode(), asbytes=True))
    _, rows = export(lake_of("--no-raw"))
    assert [row["outcome"] for row in rows] == ["written"]
    assert contents(tmp_path / "out") == named(PNG, "png")


def test_a_line_over_the_limit(home: Path, lake_of, export, tmp_path: Path):
    large = PNG + bytes(17 * 1024 * 1024)
    path = transcript(home / "p" / "s1.jsonl", line(1, {"type": "text", "text": "first"}), line(2, image(large)))
    lake = lake_of()
    path.unlink()
    assert export(lake)[0] == 0
    assert contents(tmp_path / "out") == named(large, "png")


def test_what_a_transcript_says_is_no_path(home: Path, lake_of, export, tmp_path: Path):
    hostile = {"type": "document", "title": "../../x", "source": source(EVIL, "image/../../../evil")}
    lifted = image(PNG)
    lifted["source"]["data"] = {"__akari_cas__": 1, "sha256": "../../evil", "bytes": 3, "media_type": "image/png"}
    transcript(home / "p" / "s1.jsonl", line(1, hostile, lifted))
    before = {path for path in tmp_path.rglob("*") if tmp_path / "lake" not in path.parents}
    code, rows = export(lake_of())
    assert code == 4
    assert [(row["outcome"], row["reason"]) for row in rows] == [
        ("written", None),
        ("lost", "its SHA-256 is not known"),
    ]
    assert contents(tmp_path / "out") == named(EVIL, "bin")
    after = {path for path in tmp_path.rglob("*") if tmp_path / "lake" not in path.parents}
    assert after - before == {tmp_path / "lake", tmp_path / "out", *(tmp_path / "out").iterdir()}


def test_a_lifted_picture_says_how_to_get_it_back(program, home: Path, lake_of, export, tmp_path: Path):
    transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    assert program("bodies", "lift", home, "--folder", tmp_path / "bodies").returncode == 0
    lake = lake_of()
    code, (row,) = export(lake)
    assert (code, row["outcome"]) == (4, "lost")
    assert "tracelake bodies restore" in row["reason"]
    assert program("bodies", "restore", home, "--folder", tmp_path / "bodies").returncode == 0
    assert program("extract", tmp_path / "home", "--lake", lake).returncode == 0
    assert export(lake)[0] == 0
    assert contents(tmp_path / "out") == named(PNG, "png")


FILTERS = (
    (["--session", "s1"], named(PNG, "png")),
    (["--project", "q*"], named(JPEG, "jpg")),
    (["--since", "2031-05-02"], named(JPEG, "jpg")),
    (["--until", "2031-05-01"], named(PNG, "png")),
    (["--session", "nothing"], {}),
)


def test_filters(program, home: Path, lake_of, tmp_path: Path):
    transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    transcript(home / "q" / "s2.jsonl", line(2, image(JPEG, "image/jpeg"), session="s2"))
    lake = lake_of()
    for number, (options, expected) in enumerate(FILTERS):
        folder = tmp_path / f"out{number}"
        done = program("export", "attachments", "--to", folder, "--lake", lake, "--json", *options)
        assert (done.returncode, len(json.loads(done.stdout))) == (0, len(expected)), done.stderr
        assert contents(folder) == expected, options


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name what to export: tracelake export attachments --to DIR"),
        (["attachments"], "name the folder of the files: tracelake export attachments --to DIR"),
        (["owls", "--to", "x"], "'owls' is not"),
        (["attachments", "--to", "x", "--since", "2031-05-02", "--until", "2031-05-01"], "is after"),
        (["attachments", "--to", "x", "--since", "owl"], "owl"),
    ],
)
def test_a_wrong_request_is_one_line(program, sample_lake: Path, tmp_path: Path, arguments, words: str):
    done = program("export", *arguments, "--lake", sample_lake, cwd=tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line(program, home: Path, lake_of, tmp_path: Path):
    transcript(home / "p" / "s1.jsonl", line(1, image(PNG)))
    (tmp_path / "file").write_text("")
    done = program("export", "attachments", "--to", tmp_path / "file" / "out", "--lake", lake_of())
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "cannot write" in done.stderr
