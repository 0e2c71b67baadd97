from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLE, clean_environment


class Zygote:
    """Runs jobs in children of a process that has everything imported."""

    def __init__(self, home: Path) -> None:
        env = clean_environment(home)
        env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(ROOT)])
        command = [sys.executable, "-m", "tests.crash.zygote"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True, cwd=ROOT
        )

    def run(self, do: str, lake: Path, **more: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"do": do, "lake": str(lake), **more}), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "crash" not in answer, answer["crash"]
        return answer

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


@pytest.fixture(scope="module")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    made = Zygote(tmp_path_factory.mktemp("home"))
    yield made
    made.end()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample that can be added to."""
    folder = tmp_path_factory.mktemp("source") / "claude"
    shutil.copytree(SAMPLE, folder)
    return folder
