"""What tests of several folders share: the program in a process of its own, and a lake made of the sample tree."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Speed is measured by the benchmarks; on a busy machine neither slow drawing nor a slow example is a fault.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "data" / "sample" / "claude"
Program = Callable[..., subprocess.CompletedProcess[str]]

FOREIGN = (
    "TRACELAKE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "NO_COLOR", "FORCE_COLOR", "COLUMNS",
    "LINES", "XDG_DATA_HOME", "XDG_CACHE_HOME",
)  # fmt: skip
"""Variables of whoever runs the tests that would change what the program does."""


def clean_environment(home: Path) -> dict[str, str]:
    """The environment without anything of the user's own."""
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT / "pipeline")}


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Run `tracelake ARGUMENTS` and return what it wrote and its exit code; `env` adds variables."""
    home = tmp_path_factory.mktemp("home")

    def run(
        *arguments: object,
        env: dict[str, str] | None = None,
        stdin: str = "",
        text: bool = True,
        cwd: Path | None = None,
    ):
        command = [sys.executable, "-m", "tracelake", *map(str, arguments)]
        variables = {**clean_environment(home), **(env or {})}
        given = stdin if text else stdin.encode()
        encoding = "utf-8" if text else None
        return subprocess.run(
            command, input=given, capture_output=True, encoding=encoding, env=variables, cwd=cwd, timeout=120
        )

    return run


@pytest.fixture(scope="session")
def sample_lake(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake made of `data/sample`."""
    lake = tmp_path_factory.mktemp("sample") / "lake"
    done = program("extract", SAMPLE, "--lake", lake, "--engine", "serial", "--json")
    assert done.returncode == 0, done.stderr
    return lake


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests on real transcripts in one process: they share a lake that takes a while to make."""
    for item in items:
        if "real" in item.path.relative_to(ROOT).parts:
            item.add_marker(pytest.mark.xdist_group("real"))
