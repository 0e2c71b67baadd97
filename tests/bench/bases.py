"""What the first load is held against, each as a process of its own over the same bytes.

python -m tests.bench.bases orjson TREE            # decode every line, keep nothing
python -m tests.bench.bases duckdb TREE FOLDER     # three Parquet tables made by DuckDB's own JSON reader
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

COLUMNS = "type JSON, uuid JSON, timestamp JSON, sessionId JSON, requestId JSON, message JSON, toolUseResult JSON"
TABLES = {
    "entries": "SELECT filename, type, uuid, timestamp, sessionId FROM lines",
    "token_usage": (
        "SELECT filename, requestId, message->>'id' AS message_id, message->>'model' AS model, "
        "TRY_CAST(message->'usage'->>'input_tokens' AS BIGINT) AS input_tokens, "
        "TRY_CAST(message->'usage'->>'output_tokens' AS BIGINT) AS output_tokens, "
        "TRY_CAST(message->'usage'->>'cache_read_input_tokens' AS BIGINT) AS cache_read_tokens "
        "FROM lines WHERE json_exists(message, '$.usage')"
    ),
    "blocks": (
        "SELECT filename, uuid, block->>'type' AS type, block->>'text' AS text, block->>'name' AS name, "
        "block->'input' AS input, block->'content' AS content "
        "FROM (SELECT filename, uuid, unnest(TRY_CAST(message->'content' AS JSON[])) AS block FROM lines)"
    ),
}


def transcripts(tree: Path) -> list[Path]:
    """Return the files below a tree."""
    return sorted(tree.rglob("*.jsonl"))


def decode(tree: Path) -> None:
    import orjson

    for file in transcripts(tree):
        with file.open("rb") as stream:
            for line in stream:
                with suppress(orjson.JSONDecodeError):
                    orjson.loads(line)


def load_with_duckdb(tree: Path, target: Path) -> None:
    import duckdb

    target.mkdir(parents=True)
    columns = ", ".join("{}: '{}'".format(*column.split()) for column in COLUMNS.split(", "))
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE lines AS FROM read_json($files, format = 'newline_delimited', filename = true, "
            f"ignore_errors = true, maximum_object_size = 268435456, columns = {{{columns}}})",
            {"files": [str(file) for file in transcripts(tree)]},
        )
        for name, select in TABLES.items():
            connection.execute(f"COPY ({select}) TO '{target / name}.parquet' (COMPRESSION zstd)")


if __name__ == "__main__":
    tree = Path(sys.argv[2])
    if sys.argv[1] == "orjson":
        decode(tree)
    else:
        load_with_duckdb(tree, Path(sys.argv[3]))
