-- check_main_session_id: one row per main file in which session ids occur, but never its own.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat('its lines name ', array_to_string(record_session_ids, ', ')) AS detail
FROM files
WHERE kind = 'main' AND len(record_session_ids) > 0 AND NOT list_contains(record_session_ids, session_id)
