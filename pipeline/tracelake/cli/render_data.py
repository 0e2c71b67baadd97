"""Answers for programs: json, jsonl, csv, parquet and arrow."""

from __future__ import annotations

import csv
import io
from typing import Any, BinaryIO

from tracelake.cli.cells import text, to_json
from tracelake.cli.grid import Answer, Grid
from tracelake.errors import UsageError


def write_json(answer: Answer, out: BinaryIO) -> None:
    """Write one JSON document: the answer's own, else an array with an object per row."""
    if answer.document is not None:
        out.write(to_json(answer.document) + b"\n")
        return
    out.write(b"[")
    separator = b"\n"
    for row in answer.grid.rows:
        out.write(separator + _object(answer.grid, row))
        separator = b",\n"
    out.write(b"\n]\n")


def write_jsonl(answer: Answer, out: BinaryIO) -> None:
    """Write one JSON object per row and line."""
    for row in answer.grid.rows:
        out.write(_object(answer.grid, row) + b"\n")


def write_csv(answer: Answer, out: BinaryIO) -> None:
    """Write RFC 4180 rows with a header; lines end in LF, missing values are empty."""
    lines = io.TextIOWrapper(out, encoding="utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(answer.grid.names)
    for row in answer.grid.rows:
        writer.writerow([text(value) for value in row])
    lines.flush()
    lines.detach()


def write_parquet(answer: Answer, out: BinaryIO) -> None:
    """Write one Parquet file, compressed with zstd.

    Raises UsageError for a column type that Parquet cannot hold.
    """
    import polars

    whole = io.BytesIO()  # written by us: of a full disk or a closed pipe Polars makes an error of its own
    try:
        _frame(answer.grid).write_parquet(whole, compression="zstd")
    except (polars.exceptions.PolarsError, TypeError, ValueError) as error:
        raise UsageError(f"this answer cannot be written as parquet: {error}") from error
    out.write(whole.getbuffer())


def write_arrow(answer: Answer, out: BinaryIO) -> None:
    """Write one Arrow IPC stream, of the types that the database gave.

    Raises UsageError for values that Arrow cannot hold.
    """
    from tracelake.lake.ipc import table_of, write_stream

    grid = answer.grid
    write_stream(table_of(grid.names, grid.rows) if grid.arrow is None else grid.arrow, out)


def _frame(grid: Grid) -> Any:
    import polars

    if grid.arrow is not None:
        return polars.from_arrow(grid.arrow)
    return polars.DataFrame(list(grid.rows), schema=list(grid.names), orient="row", infer_schema_length=None)


def _object(grid: Grid, row: Any) -> bytes:
    return to_json(dict(zip(grid.names, row, strict=True)))
