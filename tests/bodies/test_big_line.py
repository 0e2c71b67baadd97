"""A line of 200 MB is lifted and restored in under 64 MB of extra memory (parser.md 4.7)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMIT_MB = 64


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("shape", ["string", "array", "input", "image"])
def test_memory_does_not_grow_with_the_line(shape: str, tmp_path: Path):
    command = [sys.executable, "-m", "tests.bodies.big_line", shape, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "pipeline"), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < LIMIT_MB
