"""The progress bar of an extraction, on stderr and only where a person sees it."""

from __future__ import annotations

import sys
from typing import Any

from tracelake import config


class Bar:
    """Bytes done, speed and time left; fits the Progress protocol of `tracelake.build`."""

    def __init__(self) -> None:
        """Prepare the bar; `start` shows it."""
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.progress import TransferSpeedColumn as Speed

        self._progress = Progress(
            TextColumn("{task.fields[done]}/{task.fields[sessions]} sessions", markup=False),
            BarColumn(),
            DownloadColumn(),
            Speed(),
            TimeRemainingColumn(),
            console=Console(stderr=True, no_color=config.color_disabled()),
            transient=True,
        )
        self._done = 0
        self._task: Any = None

    def start(self, total_bytes: int, total_sessions: int) -> None:
        """Show an empty bar for so many bytes."""
        self._progress.start()
        self._task = self._progress.add_task("", total=total_bytes, done=0, sessions=total_sessions)

    def advance(self, bytes: int, sessions: int, label: str) -> None:  # noqa: A002 - the unit is the name
        """Move the bar on."""
        self._done += sessions
        self._progress.update(self._task, advance=bytes, done=self._done)

    def finish(self) -> None:
        """Take the bar away; also right when it was never shown."""
        self._progress.stop()


def bar(quiet: bool) -> Bar | None:
    """Return a bar, or None where stderr is no terminal or the user wants silence."""
    return None if quiet or not sys.stderr.isatty() else Bar()
