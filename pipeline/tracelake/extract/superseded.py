"""What a file held before it was rewritten: calls that stand in it no longer, but whose tokens were spent.

An agent may rewrite a session file with less in it. The texts of lines that went are gone with them, because people
redact; usage and fallbacks stay, without a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_BARE_LINE = frozenset("0123456789")

Identity = tuple[Any, ...]


def superseded(table: str, earlier: pa.Table, now: pa.Table, at_us: int) -> pa.Table:
    """Return the earlier rows of one file that have no counterpart among the rows read now.

    `table` is `token_usage` or `fallbacks`; both tables hold rows of the same file in its schema, `earlier` those
    that were superseded before too, which come back unless the line is there again. Counterparts are found as a
    multiset: by key, else by uuid, else by time and figures. The rows come back in their order with `line_no` NULL,
    `superseded_line_no` and `superseded_at` set (`at_us`, microseconds since 1970, for those that went now), and with
    nothing that would join them to a line or message.
    """
    names = _FACTS[table]
    before, after = earlier.select(names).to_pylist(), now.select(names).to_pylist()
    gone = sorted(_without_counterpart(before, after))
    if not gone:
        return earlier.slice(0, 0)
    rows = earlier.take(pa.array(gone, pa.int64()))
    new_keys = _new_answer_keys(before, after)
    keys = [_answer_key(before[index], new_keys, at_us) for index in gone]
    return _detached(rows, at_us, keys)


_FIGURES = {
    "token_usage": (
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "model",
    ),
    "fallbacks": (
        "declined_input_tokens", "declined_output_tokens", "declined_cache_read_tokens", "declined_cache_write_tokens",
        "from_model", "to_model",
    ),
}  # fmt: skip
_IDENTITY = {
    "token_usage": ("agent", "carrier", "message_id", "request_id", "dedup_key", "uuid", "occurred_at", "answer_key"),
    "fallbacks": ("agent", "side", "hop_index", "dedup_key", "uuid", "occurred_at"),
}
_FACTS = {name: [*_IDENTITY[name], *_FIGURES[name], "superseded_at"] for name in _FIGURES}


def _without_counterpart(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[int]:
    """Yield the positions of rows that none of the later ones stands for; of one key's, those with more output."""
    present: dict[Identity, list[Identity]] = defaultdict(list)
    for row in after:
        present[_identity(row)].append(_figures(row))
    left: dict[Identity, list[tuple[int, int]]] = defaultdict(list)
    for index, row in enumerate(before):
        identity, figures = _identity(row), _figures(row)
        if figures in present[identity]:
            present[identity].remove(figures)
        else:
            left[identity].append((_by_output(row), index))
    for identity, rows in left.items():
        yield from (index for _, index in sorted(rows)[len(present[identity]) :])


def _identity(row: dict[str, Any]) -> Identity:
    """Return what names a row: its key where that names one call, else its uuid, else its time and figures."""
    kind = (row.get("carrier"), row.get("side"), row.get("hop_index"))
    is_key = row["agent"] != "claude" or "request_id" not in row or bool(row["request_id"])
    if is_key and row["dedup_key"]:
        return (*kind, "key", row["dedup_key"])
    if row["uuid"]:
        return (*kind, "uuid", row["uuid"])
    return (*kind, "figures", row["occurred_at"], *_figures(row))


def _figures(row: dict[str, Any]) -> Identity:
    names: Iterable[str] = _FIGURES["token_usage" if "input_tokens" in row else "fallbacks"]
    return tuple(row[name] for name in names)


def _by_output(row: dict[str, Any]) -> int:
    return row.get("output_tokens") or row.get("declined_output_tokens") or 0


def _new_answer_keys(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> dict[str, str]:
    """Return how the answers are called now of which a line is left."""
    now = {row["uuid"]: row.get("answer_key") or row["uuid"] for row in after if row["uuid"]}
    return {row["answer_key"]: now[row["uuid"]] for row in before if row.get("answer_key") and row["uuid"] in now}


def _answer_key(row: dict[str, Any], new_keys: dict[str, str], at_us: int) -> str | None:
    """Return the answer of a superseded row; a line's number is made unlike the numbers of the lines of now."""
    key: str | None = row.get("answer_key")
    if key is None or row["superseded_at"] is not None:
        return key
    if set(key) <= _BARE_LINE:
        return f"{key}@{at_us}"
    return new_keys.get(key, key)


def _detached(rows: pa.Table, at_us: int, answer_keys: list[str | None]) -> pa.Table:
    """Return the rows without a place in the file as it is."""
    schema = rows.schema
    at_type = schema.field("superseded_at").type
    made = {
        "superseded_line_no": pc.coalesce(rows["superseded_line_no"], rows["line_no"]),
        "superseded_at": pc.coalesce(rows["superseded_at"], pa.scalar(at_us, pa.int64()).cast(at_type)),
        "answer_key": pa.array(answer_keys, pa.string()),
        **{name: pa.nulls(len(rows), schema.field(name).type) for name in ("line_no", "message_ordinal")},
    }
    if "byte_offset" in schema.names:
        made["byte_offset"] = pa.nulls(len(rows), schema.field("byte_offset").type)
    for name, values in made.items():
        index = schema.get_field_index(name)
        if index >= 0:
            rows = rows.set_column(index, schema.field(name), values)
    return rows
