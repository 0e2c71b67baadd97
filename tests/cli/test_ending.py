"""How a command ends: exit codes and the one line on stderr."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from pipeline.cli.command import guard
from pipeline.errors import LakeError, TracelakeError, UsageError
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
        (KeyboardInterrupt(), 130, ""),
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


def test_ctrl_c_stops_a_long_query(sample_lake: Path, tmp_path: Path):
    sql = "SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c WHERE a.range + b.range = c.range"
    command = [sys.executable, "-m", "pipeline", "query", sql, "--lake", str(sample_lake)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(tmp_path)
    ) as process:
        try:
            time.sleep(2)  # long enough to be computing; the signal is right at any earlier moment, too
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"")
