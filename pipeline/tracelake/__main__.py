"""The program: `tracelake`, or `python -m tracelake`."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it; an interrupt while it is still being loaded ends like any other."""
    try:
        from tracelake.cli.main import run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
