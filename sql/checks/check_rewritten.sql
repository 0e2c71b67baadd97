-- check_rewritten: one row per transcript that was rewritten with less in it.
-- source: accounting.md 1
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: NULL: it is about the whole file.
-- detail: How many lines are gone.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat(lines_gone, ' lines gone') AS detail
FROM files
WHERE lines_gone > 0
