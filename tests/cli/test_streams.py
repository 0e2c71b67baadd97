"""Standard streams that are closed or full."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import clean_environment

COMMANDS = [
    "--help",
    "--version",
    "extract -h",
    "schema",
    "status",
    "query 'SELECT 1' --format parquet",
    "query 'SELECT 1' --format arrow",
    "report cost",
]


def shell(line: str, lake: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run `tracelake ...` as a shell line."""
    env = {**clean_environment(home), "TRACELAKE_HOME": str(lake)}
    start = f"{shlex.quote(sys.executable)} -m tracelake {line}"
    return subprocess.run(["bash", "-c", start], capture_output=True, encoding="utf-8", env=env, timeout=60)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_one_line_for_every_command(sample_lake: Path, tmp_path: Path, command: str):
    done = shell(f"{command} --quiet >/dev/full" if " " in command else f"{command} >/dev/full", sample_lake, tmp_path)
    assert done.stderr == "tracelake: error: cannot write the answer: No space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize("command", ["--help", "report cost"])
def test_a_closed_stdout_is_one_line(sample_lake: Path, tmp_path: Path, command: str):
    done = shell(f"{command} >&-", sample_lake, tmp_path)
    assert done.stderr == "tracelake: error: cannot write the answer: Bad file descriptor\n"
    assert done.returncode == 2


def test_an_answer_to_a_file_needs_no_stdout(sample_lake: Path, tmp_path: Path):
    done = shell(f"query 'SELECT 1 AS x' -o {tmp_path}/x.csv >&-", sample_lake, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "x.csv").read_text() == "x\n1\n"


def test_a_message_never_ends_up_in_the_answer(sample_lake: Path, tmp_path: Path):
    done = shell("repot 2>&-", sample_lake, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_closed_stdin_is_empty(sample_lake: Path, tmp_path: Path):
    done = shell("query - <&-", sample_lake, tmp_path)
    assert (done.returncode, done.stderr) == (2, "tracelake: error: the SQL text is empty\n")


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "query 'SELECT range AS x FROM range(1000000)' --format parquet",
        "query 'SELECT range AS x FROM range(1000000)' --format arrow",
        "schema",
    ],
)
def test_a_reader_who_leaves_ends_it_quietly(sample_lake: Path, tmp_path: Path, command: str):
    done = shell(f"{command} | true; exit ${{PIPESTATUS[0]}}", sample_lake, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
