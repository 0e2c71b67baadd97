"""A wheel of the tree works when it is installed elsewhere, SQL files and prices included."""

from __future__ import annotations

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


def test_the_console_script_is_the_same_program(wheel: Path):
    archive = zipfile.ZipFile(wheel)
    (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert "tracelake = tracelake.__main__:main" in archive.read(entry_points).decode()


def test_nothing_of_this_machine_is_in_the_wheel(wheel: Path):
    archive = zipfile.ZipFile(wheel)
    here = [str(ROOT).encode(), f"{Path.home()}/".encode()]
    found = [name for name in archive.namelist() if any(place in archive.read(name) for place in here)]
    assert found == []
