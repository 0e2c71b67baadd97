"""Write a tree of made-up transcripts; the same arguments write the same bytes."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.generate.shapes import SHAPES, write_tree


def main(given: list[str]) -> int:
    """Write the tree and say on stdout what it came to; wrong usage ends with 2."""
    described = "\n".join(f"  {name:8} {make.__doc__}" for name, make in SHAPES.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.generate",
        description=__doc__,
        epilog=f"shapes:\n{described}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shape", choices=SHAPES, metavar="SHAPE")
    parser.add_argument("sessions", type=int, metavar="SESSIONS")
    parser.add_argument("folder", type=Path, metavar="DIR", help="must be empty or not exist")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args(given)
    if options.folder.exists() and (not options.folder.is_dir() or any(options.folder.iterdir())):
        parser.error(f"{options.folder} is not an empty folder")
    started = time.perf_counter()
    written = write_tree(options.shape, options.sessions, options.folder, options.seed)
    print(f"{written.files} files, {written.bytes / 1e6:.1f} MB, {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
