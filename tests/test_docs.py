"""What the documents say is true: commands run, links lead somewhere, names exist, generated text is fresh."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tracelake.cli.catalog import entities
from tracelake.cli.main import app

from tests.conftest import ROOT

DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {".venv", "node_modules", "dist", "build"} & set(path.relative_to(ROOT).parts)
)
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.search(r"```sh\n(.*?)```", README, re.DOTALL)[1].splitlines()


@pytest.mark.parametrize("line", COMMANDS)
def test_the_questions_of_the_readme_have_answers(program, sample_lake: Path, line: str):
    name, *arguments = shlex.split(line)
    assert name == "tracelake"
    done = program(*arguments, env={"TRACELAKE_HOME": str(sample_lake)})
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1


def test_the_readme_lists_every_command():
    listed = set(re.findall(r"^\| `([a-z]+)[ `]", README.split("## Commands")[1].split("## ")[0], re.MULTILINE))
    assert listed == {command.callback.__name__ for command in app.registered_commands if command.callback}


def test_tables_and_views_of_the_readme_exist():
    part = README.split("## Tables and views")[1].split("## Limits")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert len(named) > 20
    assert named <= {item.name for item in entities()}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path):
    targets = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (path.parent / target).exists()]
    assert missing == []


def test_make_targets_that_are_named_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        named = set(re.findall(r"(?:`|^    )make ([a-z]+)", document.read_text(encoding="utf-8"), re.MULTILINE))
        assert named <= targets, document


def test_the_data_dictionary_is_fresh(tmp_path: Path):
    subprocess.run(
        [sys.executable, ROOT / "docs" / "make_dictionary.py", tmp_path / "new.md"],
        check=True,
        cwd=ROOT,
        env=with_package(),
    )
    assert (ROOT / "docs" / "data-dictionary.md").read_text("utf-8") == (tmp_path / "new.md").read_text("utf-8"), (
        "run make docs"
    )


def with_package() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "pipeline"), str(ROOT)])}


def test_the_dictionary_names_everything():
    text = (ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### (\w+)$", text, re.MULTILINE)) == {item.name for item in entities()}


def test_ci_runs_what_the_readme_says():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^make run\b", script, re.MULTILINE)
    assert script.rstrip().endswith("make test")
    assert "    make run" in README
    assert "    make test" in README
