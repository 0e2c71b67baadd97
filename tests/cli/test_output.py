"""Where an answer goes: files, pipes, terminals."""

import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import clean_environment

IPC_STREAM = b"\xff\xff\xff\xff"
"""How each message of an Arrow IPC stream begins: the continuation mark of the format."""


def test_a_file_appears_whole_and_private(program, sample_lake: Path, tmp_path: Path):
    target = tmp_path / "out.json"
    done = program("query", "SELECT 1 AS x", "--lake", sample_lake, "--output", target)
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(target.read_text()) == [{"x": 1}]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["out.json"]


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("x.csv", b"x\n"),
        ("x.jsonl", b'{"x":1}'),
        ("x.md", b"| x |"),
        ("x.parquet", b"PAR1"),
        ("x.arrow", IPC_STREAM),
        ("x.arrows", IPC_STREAM),
        ("x.txt", b"x\n-\n"),
    ],
)
def test_the_suffix_names_the_format(program, sample_lake: Path, tmp_path: Path, name: str, beginning: bytes):
    program("query", "SELECT 1 AS x", "--lake", sample_lake, "-o", tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(beginning)


def test_a_failed_query_leaves_the_old_file(program, sample_lake: Path, tmp_path: Path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    assert program("query", "SELECT * FROM nothing", "--lake", sample_lake, "-o", target).returncode == 2
    assert target.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


def test_a_link_keeps_pointing_and_its_target_is_replaced(program, sample_lake: Path, tmp_path: Path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    program("query", "SELECT 1 AS x", "--lake", sample_lake, "-o", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "x\n1\n"


@pytest.mark.parametrize("name", ["missing/out.csv", "."])
def test_a_place_that_cannot_be_written_is_one_line(program, sample_lake: Path, tmp_path: Path, name: str):
    done = program("query", "SELECT 1", "--lake", sample_lake, "-o", tmp_path / name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tracelake: error: cannot write ")
    assert done.stderr.count("\n") == 1


def test_a_device_is_written_not_replaced(program, sample_lake: Path):
    assert program("query", "SELECT 1", "--lake", sample_lake, "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(sample_lake: Path, tmp_path: Path):
    command = [sys.executable, "-m", "tracelake", "query", "SELECT * FROM entries", "--lake", str(sample_lake)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", env=clean_environment(tmp_path)
        )
    assert done.returncode == 2
    assert done.stderr == "tracelake: error: cannot write the answer: No space left on device\n"


def test_a_closed_pipe_ends_quietly(sample_lake: Path, tmp_path: Path):
    sql = "SELECT repeat('x', 1000) AS x FROM range(5000)"
    command = [sys.executable, "-m", "tracelake", "query", sql, "--lake", str(sample_lake), "--format", "csv"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(tmp_path)
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def on_a_terminal(lake: Path, home: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """Run with stdout and stderr on a terminal of 60 columns; returns exit code and what it showed."""
    ours, theirs = pty.openpty()
    env = {**clean_environment(home), "COLUMNS": "60", "TERM": "xterm", **variables}
    command = [sys.executable, "-m", "tracelake", *arguments, "--lake", str(lake)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    return process.returncode, shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_binary_to_a_terminal_is_refused(sample_lake: Path, tmp_path: Path, name: str):
    code, shown = on_a_terminal(sample_lake, tmp_path, "query", "SELECT 1", "--format", name)
    assert code == 2
    assert f"{name} is binary" in shown
    assert "PAR1" not in shown


def test_a_table_fits_the_terminal(sample_lake: Path, tmp_path: Path):
    sql = "SELECT line_no, text, path FROM entries WHERE text IS NOT NULL ORDER BY path, line_no"
    code, shown = on_a_terminal(sample_lake, tmp_path, "query", sql, NO_COLOR="1")
    assert code == 0, shown
    assert 58 <= max(map(len, shown.splitlines())) <= 60
    assert "…" in shown
    assert "\x1b" not in shown


def test_colour_only_where_it_is_wanted(sample_lake: Path, tmp_path: Path):
    assert "\x1b[1m" in on_a_terminal(sample_lake, tmp_path, "query", "SELECT 1 AS x")[1]
    assert "\x1b" not in on_a_terminal(sample_lake, tmp_path, "query", "SELECT 1 AS x", NO_COLOR="1")[1]


def test_many_columns_are_shown_one_per_line(sample_lake: Path, tmp_path: Path):
    _, shown = on_a_terminal(sample_lake, tmp_path, "query", "SELECT * FROM entries LIMIT 2", NO_COLOR="1")
    assert shown.startswith("-- row 1\n")
    assert max(map(len, shown.splitlines())) <= 60


def test_progress_is_for_a_person(tmp_path: Path):
    from tests.conftest import SAMPLE

    code, shown = on_a_terminal(tmp_path / "a", tmp_path, "extract", str(SAMPLE))
    assert code == 0, shown
    assert "7/7 sessions" in shown
    code, shown = on_a_terminal(tmp_path / "b", tmp_path, "extract", str(SAMPLE), "--quiet")
    assert code == 0, shown
    assert "/7 sessions" not in shown
