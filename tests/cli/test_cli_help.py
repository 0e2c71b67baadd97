"""The program as a whole: help, version, wrong usage, and what it imports."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tracelake import __version__
from tracelake.cli.main import app

ROOT = Path(__file__).parents[2]
COMMANDS = {command.callback.__name__ for command in app.registered_commands if command.callback}


def test_help_lists_every_command(program):
    done = program("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    listed = set(re.findall(r"^  ([a-z]+)  ", done.stdout.split("Commands:")[1], re.MULTILINE))
    assert listed == COMMANDS
    assert {"extract", "query", "report", "session", "schema", "status"} <= listed


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_takes_the_shared_options(program, command: str):
    done = program(command, "--help")
    assert done.returncode == 0
    for option in ("--lake", "--format", "--json", "--output", "--quiet", "--verbose"):
        assert option in done.stdout


def test_version(program):
    done = program("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"tracelake {__version__}\n", "")


def test_without_arguments_the_help_goes_to_stderr(program):
    done = program()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Commands:" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["repot"], "'repot'"),
        (["extract", "--no-such"], "--no-such"),
        (["extract", "--workers", "0"], "--workers"),
        (["extract", "--engine", "ray"], "--engine"),
        (["report", "cost", "--limit", "0"], "--limit"),
        (["report", "cost", "--limit", "many"], "--limit"),
        (["query", "SELECT 1", "--format", "xml"], "--format"),
        (["query", "SELECT 1", "--json", "--format", "csv"], "contradict"),
        (["query"], "one SQL text"),
        (["query", "SELECT 1", "--file", "x.sql"], "one SQL text"),
        (["query", "  "], "empty"),
        (["query", "--file", "/no/such.sql"], "/no/such.sql"),
        (["session"], "ID"),
        (["report", "costs"], "there are "),
        (["report", "cost", "--by", "moon"], "model, day, session, project, agent_type"),
        (["report", "sessions", "--by", "day"], "--by"),
        (["report", "tools", "--model", "x"], "--model"),
        (["report", "cost", "--since", "soon"], "YYYY-MM-DD"),
        (["report", "cost", "--since", "2026-02-30"], "YYYY-MM-DD"),
        (["report", "cost", "--since", "2026-09-02", "--until", "2026-09-01"], "after"),
        (["report", "cost", "--agent", "clod"], "claude, codex, pi"),
        (["schema", "filez"], "files"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(program, arguments: list[str], words: str):
    done = program(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"tracelake: error: [^\n]+\n", done.stderr)
    assert words in done.stderr


def test_help_loads_no_heavy_library():
    code = (
        "import sys; sys.argv = ['tracelake', '--help']\n"
        "from tracelake.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print(sorted({'duckdb', 'polars', 'pyarrow', 'genai_prices', 'rich.progress'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_completion_script_is_offered(program):
    done = program(env={"_TRACELAKE_COMPLETE": "complete_bash", "COMP_WORDS": "tracelake re", "COMP_CWORD": "1"})
    assert done.stdout.split() == ["report", "restore"]
