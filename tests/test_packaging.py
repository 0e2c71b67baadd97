"""A wheel of the tree works when it is installed elsewhere, SQL files and prices included."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from tracelake import __version__

from tests.conftest import ROOT, SAMPLE, clean_environment


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without the network from the installed build backend."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content in a folder of its own, as an installer would lay it out."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(installed: Path, home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    env = {**clean_environment(home), "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "tracelake", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env, cwd=home)


def test_the_version_is_written_once(wheel: Path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
    assert wheel.name == f"tracelake-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_sql_and_prices(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    models = {f"tracelake/_sql/{file.relative_to(ROOT / 'sql')}" for file in (ROOT / "sql").rglob("*.sql")}
    assert models
    assert models <= names
    data = {str(file.relative_to(ROOT / "pipeline")) for file in (ROOT / "pipeline").rglob("*.csv")}
    assert data <= names
    assert not {name for name in names if name.startswith(("tests/", "data/"))}


def test_the_installed_program_is_not_the_checkout(installed: Path, tmp_path: Path):
    code = "import tracelake; print(tracelake.__file__)"
    env = {**clean_environment(tmp_path), "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=env, cwd=tmp_path)
    assert done.stdout.strip() == str(installed / "tracelake" / "__init__.py")


def test_it_extracts_and_answers(installed: Path, tmp_path: Path):
    lake = tmp_path / "lake"
    assert run(installed, tmp_path, "extract", SAMPLE, "--lake", lake).returncode == 0
    done = run(installed, tmp_path, "report", "cost", "--lake", lake)
    assert done.returncode == 0, done.stderr
    assert "0.548965" in done.stdout  # data/sample/README.md


README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line.strip() for line in README.splitlines() if re.match(r"(    )?tracelake [a-z]", line)]


@pytest.fixture(scope="module")
def project(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `pipeline/` package of its own, in a home with transcripts and the console script."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(SAMPLE, home / ".claude")
    script = home / "bin" / "tracelake"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nfrom tracelake.__main__ import main\nmain()\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("pipeline/__init__.py", "pipeline/__main__.py", "pipeline.py", "sql/__init__.py", "tests/__init__.py"):
        file = home / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("raise SystemExit('a module of the user')", encoding="utf-8")
    assert typed("tracelake extract", installed, home / "project").returncode == 0
    return home / "project"


def typed(command: str, installed: Path, project: Path) -> subprocess.CompletedProcess[str]:
    """What a command does that is typed in the folder of the user's own packages, which is on the path as well."""
    env = clean_environment(project.parent) | {
        "PATH": f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([".", str(installed)]),
    }
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, encoding="utf-8", env=env, cwd=project, check=False
    )


def test_the_commands_of_the_readme_are_found():
    assert len(COMMANDS) > 10
    assert COMMANDS[:2] == ["tracelake extract", "tracelake report cost"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_readme_run_beside_a_package_named_pipeline(installed: Path, project: Path, command: str):
    done = typed(command, installed, project)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1


def test_the_module_runs_beside_a_package_named_pipeline(installed: Path, project: Path):
    env = clean_environment(project.parent) | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "tracelake", "--version"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=env, cwd=project, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert __version__ in done.stdout


def test_nothing_named_pipeline_is_installed(wheel: Path):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"tracelake", f"tracelake-{__version__}.dist-info"}


def test_the_wheel_says_that_it_is_typed(wheel: Path):
    assert "tracelake/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_the_console_script_is_the_same_program(wheel: Path):
    archive = zipfile.ZipFile(wheel)
    (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert "tracelake = tracelake.__main__:main" in archive.read(entry_points).decode()


def test_nothing_of_this_machine_is_in_the_wheel(wheel: Path):
    archive = zipfile.ZipFile(wheel)
    here = [str(ROOT).encode(), f"{Path.home()}/".encode()]
    found = [name for name in archive.namelist() if any(place in archive.read(name) for place in here)]
    assert found == []
