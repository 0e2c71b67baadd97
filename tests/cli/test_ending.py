"""How a command ends: exit codes and the one line on stderr."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from tracelake.cli.command import guard
from tracelake.cli.interrupt import Terminated
from tracelake.errors import LakeError, TracelakeError, UsageError

from tests.conftest import clean_environment


def raising(error: BaseException):
    def call() -> int:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("no such thing"), 2, "tracelake: error: no such thing\n"),
        (LakeError("no lake"), 2, "tracelake: error: no lake\n"),
        (TracelakeError("line one\nline two \x1b[31m"), 2, "tracelake: error: line one\\nline two \\x1b[31m\n"),
        (KeyboardInterrupt(), 130, "tracelake: interrupted\n"),
        (Terminated(), 143, "tracelake: interrupted\n"),
        (
            ZeroDivisionError("by\nzero"),
            1,
            "tracelake: error: unexpected ZeroDivisionError: by zero (--verbose shows where)\n",
        ),
        (MemoryError(), 1, "tracelake: error: unexpected MemoryError (--verbose shows where)\n"),
    ],
)
def test_failures_are_one_line_and_an_exit_code(capsys, error: BaseException, code: int, line: str):
    assert guard(raising(error), verbose=False) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line)


def test_verbose_shows_where(capsys):
    assert guard(raising(ZeroDivisionError("x")), verbose=True) == 1
    assert "in call" in capsys.readouterr().err


def test_an_exit_code_passes():
    assert guard(lambda: 4, verbose=False) == 4
    with pytest.raises(typer.Exit):
        guard(raising(typer.Exit(3)), verbose=False)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_a_long_query(sample_lake: Path, tmp_path: Path, number: int, code: int):
    sql = "SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c WHERE a.range + b.range = c.range"
    command = [sys.executable, "-m", "tracelake", "query", sql, "--lake", str(sample_lake)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(tmp_path)
    ) as process:
        try:
            time.sleep(4)  # long enough to be computing, also where starting takes its time
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (code, b"", b"tracelake: interrupted\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_an_extraction_with_a_clean_lake(tmp_path: Path, number: int, code: int):
    source = tmp_path / "source" / "a.jsonl"
    source.parent.mkdir()
    line = '{"type":"user","uuid":"u%d","sessionId":"s%d","message":{"role":"user","content":"hello"}}\n'
    for session in range(2):
        text = "".join(line % (number, session) for number in range(150_000))
        source.with_name(f"{session}.jsonl").write_text(text)
    lake = tmp_path / "lake"
    command = [sys.executable, "-m", "tracelake", "extract", str(source.parent), "--lake", str(lake), "--workers", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(tmp_path)
    ) as process:
        try:
            while process.poll() is None and not (lake / ".writer.lock").exists():
                time.sleep(0.02)
            time.sleep(0.5)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    words = b"tracelake: interrupted; what was complete is in the lake\n"
    assert (process.returncode, out, err) == (code, b"", words)
    assert (lake / "tracelake.duckdb").is_file()
    assert not list(lake.glob("*.new"))
