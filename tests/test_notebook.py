"""The notebook runs from top to bottom, with a lake and without one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, clean_environment

pytest.importorskip("marimo")
NOTEBOOK = ROOT / "notebooks" / "first_look.py"


def run(lake: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    env = {**clean_environment(tmp_path), "TRACELAKE_HOME": str(lake)}
    return subprocess.run([sys.executable, NOTEBOOK], capture_output=True, encoding="utf-8", env=env, cwd=tmp_path)


def test_over_the_sample(sample_lake: Path, tmp_path: Path):
    done = run(sample_lake, tmp_path)
    assert done.returncode == 0, done.stderr


def test_without_a_lake(tmp_path: Path):
    done = run(tmp_path / "none", tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_failing_cell_would_be_noticed(sample_lake: Path, tmp_path: Path):
    broken = tmp_path / "broken.py"
    broken.write_text(NOTEBOOK.read_text(encoding="utf-8").replace("FROM cost_daily", "FROM no_such_view"))
    env = {**clean_environment(tmp_path), "TRACELAKE_HOME": str(sample_lake)}
    done = subprocess.run([sys.executable, broken], capture_output=True, encoding="utf-8", env=env, cwd=tmp_path)
    assert done.returncode == 1
    assert "no_such_view" in done.stderr


def test_every_section_shows_something(sample_lake: Path, tmp_path: Path):
    code = (
        "import runpy, json\n"
        f"module = runpy.run_path({str(NOTEBOOK)!r})\n"
        "outputs, names = module['app'].run()\n"
        "print(json.dumps({'rows': names['daily'].height, 'usd': names['total'].row(0)[2], 'outputs': len(outputs)}))"
    )
    env = {**clean_environment(tmp_path), "TRACELAKE_HOME": str(sample_lake)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=env, cwd=tmp_path)
    # Models by day in data/sample/README.md: 1 + 3 (sonnet, opus, haiku) + 3 (opus, haiku, fable) + 2 + 2 + 1.
    assert '"rows": 12' in done.stdout, done.stderr
    assert '"usd": 0.548965' in done.stdout
