"""A checkout of the project, whatever its layout, and the lake that it makes of some sources."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parents[2]


def program(checkout: Path) -> tuple[str, Path]:
    """Return the name of the package in a checkout and the folder that it is imported from."""
    for name, root in (("tracelake", checkout / "pipeline"), ("pipeline", checkout)):
        if (root / name / "__main__.py").is_file():
            return name, root
    raise SystemExit(f"{checkout} holds neither pipeline/tracelake nor pipeline/__main__.py")


def extract(checkout: Path, sources: Sequence[Path], lake: Path, home: Path) -> None:
    """Make a lake with the code of `checkout`; some unreadable input is no reason to stop."""
    name, root = program(checkout.absolute())
    found = [str(source.absolute()) for source in sources]
    home.mkdir(parents=True, exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", name, "extract", *found, "--lake", str(lake), "--quiet"]
    done = subprocess.run(command, env=environment, cwd=home, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"extract in {checkout} ended with {done.returncode}")
