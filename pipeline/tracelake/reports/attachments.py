"""What `export attachments` writes: every occurrence of a blob, with where its bytes stand."""

from __future__ import annotations

from tracelake.reports.conditions import where
from tracelake.reports.model import Options, Query


def occurrences(options: Options) -> Query:
    """Return a row per occurrence, the earliest first."""
    condition = where(
        options,
        {
            "day": "CAST(timezone('UTC', attachments.occurred_at) AS DATE)",
            "project": "files.project",
            "session": "attachments.session_id",
        },
    )
    sql = f"""
        SELECT attachments.sha256, attachments.bytes, attachments.media_type, attachments.session_id, attachments.path,
            attachments.line_no, entries.byte_offset AS line_offset, entries.byte_len AS line_len,
            attachments.byte_offset, attachments.byte_len
        FROM attachments
        JOIN files ON files.session_id = attachments.session_id AND files.path = attachments.path
        JOIN entries ON entries.session_id = attachments.session_id AND entries.path = attachments.path
            AND entries.line_no = attachments.line_no
        {condition.sql}
        ORDER BY attachments.occurred_at NULLS LAST, attachments.path, attachments.line_no, attachments.block_index,
            attachments.byte_offset
    """
    return Query(sql, condition.params)
