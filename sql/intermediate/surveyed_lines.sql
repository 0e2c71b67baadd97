-- surveyed_lines: one row per line that was decoded, with the client version it was written by.
-- session_id: Session the row belongs to; also the partition key.
-- agent: Program that wrote the file: claude, codex or pi.
-- path: Absolute path of the file as read.
-- line_no [1-based]: Physical line the row comes from (the first where several).
-- class: message, system, attachment, control, other or unknown.
-- type: The line's type as written.
-- subtype: Subtype of a system or progress line, type of an attachment; for Codex the type of the payload.
-- version: Client version on the line, else that of the nearest line before it, else of the file; NULL where no line has one.
SELECT
    entries.session_id,
    entries.agent,
    entries.path,
    entries.line_no,
    entries.class,
    entries.type,
    coalesce(entries.subtype, entries.attachment_type) AS subtype,
    coalesce(
        last_value(nullif(entries.version, '') IGNORE NULLS) OVER (
            PARTITION BY entries.session_id, entries.path
            ORDER BY entries.line_no
        ),
        files.version
    ) AS version
FROM entries
LEFT JOIN files ON files.session_id = entries.session_id AND files.path = entries.path
WHERE entries.class IS NOT NULL
