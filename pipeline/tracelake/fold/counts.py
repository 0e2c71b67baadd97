"""Rows of `token_usage` as they are kept: without counts that are negative or beyond anything a response can hold."""

from __future__ import annotations

from tracelake.fold.facts import Facts
from tracelake.fold.rows import Rows
from tracelake.tables.rows import TokenUsageRow

LARGEST_TOKENS = 10**12
"""A million times the largest context there is; sums of such counts still fit 64 bits."""

USAGE_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "thinking_tokens",
    "web_search_requests",
    "web_fetch_requests",
)
ITERATION_COUNTS = USAGE_COUNTS[:6]


def add_usage(rows: Rows, facts: Facts, row: TokenUsageRow) -> None:
    """Add a TokenUsageRow, fill in where it was made, and note its models, those of its iterations too."""
    drop_impossible(row)
    row.cwd, row.git_branch = facts.cwd, facts.git_branch
    row.prompt_id = row.prompt_id or facts.prompt_id
    rows.token_usage.append(row)
    for model in (row.model, *(one["model"] for one in row.iterations or ())):
        if model and model not in facts.models:
            facts.models[model] = None


def drop_impossible(row: TokenUsageRow) -> None:
    """Make the impossible counts of a TokenUsageRow NULL, those of its iterations too; check_token_count names them."""
    for name in USAGE_COUNTS:
        count = getattr(row, name)
        if count is not None and not 0 <= count <= LARGEST_TOKENS:
            setattr(row, name, None)
    for one in row.iterations or ():
        for name in ITERATION_COUNTS:
            count = one[name]
            if count is not None and not 0 <= count <= LARGEST_TOKENS:
                one[name] = None
