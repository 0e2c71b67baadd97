"""`emit`: one answer, in the format and to the place that was asked for."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tracelake import config
from tracelake.cli import render_data
from tracelake.cli.grid import Answer
from tracelake.cli.options import BINARY, Format, Settings
from tracelake.cli.streams import drop_stdout
from tracelake.errors import UsageError

WRITERS = {
    Format.JSON: render_data.write_json,
    Format.JSONL: render_data.write_jsonl,
    Format.CSV: render_data.write_csv,
    Format.PARQUET: render_data.write_parquet,
    Format.ARROW: render_data.write_arrow,
}


def emit(answer: Answer, settings: Settings) -> None:
    """Write the answer to stdout or to `--output`, which is replaced only once it is complete.

    Raises UsageError when the place cannot be written, or for binary output to a terminal.
    """
    terminal = settings.output is None and sys.stdout.isatty()
    if terminal and settings.format in BINARY:
        raise UsageError(f"{settings.format.value} is binary: name a file with --output FILE, or pipe it")
    with destination(settings.output) as out:
        writer = WRITERS.get(settings.format)
        if writer:
            writer(answer, out)
        else:
            for line in _lines(answer, settings.format is Format.MARKDOWN, terminal):
                out.write(line.encode("utf-8", "backslashreplace") + b"\n")


def _lines(answer: Answer, markdown: bool, terminal: bool) -> Iterator[str]:
    from tracelake.cli import render_text

    width = shutil.get_terminal_size().columns if terminal else None
    bold = terminal and not config.color_disabled()
    for number, section in enumerate(answer.shown):
        if number:
            yield ""
        if markdown:
            yield from render_text.markdown(section)
        else:
            yield from render_text.table(section, width, bold)


@contextlib.contextmanager
def destination(path: Path | None) -> Iterator[BinaryIO]:
    """Yield the stream to write an answer to; a regular file appears whole or not at all, private to the user."""
    try:
        if path is None:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif path.exists() and not path.is_file():
            with path.open("wb") as stream:  # a device or a pipe: nothing to rename over
                yield stream
        else:
            with _aside(path.resolve()) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        if path is None:
            drop_stdout()
        raise UsageError(f"cannot write {path or 'the answer'}: {error.strerror or error}") from error


@contextlib.contextmanager
def _aside(path: Path) -> Iterator[BinaryIO]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
