-- The structured result is a stretch of its raw line; only where it is none (a repaired line) is it stored by itself.
SELECT
    stored.*,
    coalesce(
        stored.raw_own,
        decode(lines.raw[stored.raw_offset + 1 : stored.raw_offset + stored.raw_bytes])
    ) AS raw
FROM stored_tool_results AS stored
LEFT JOIN stored_raw_lines AS lines
    ON lines.session_id = stored.session_id
    AND lines.part_id = stored.part_id
    AND lines.line_no = stored.line_no
    AND lines.chunk_no = 0
    AND stored.raw_offset IS NOT NULL
