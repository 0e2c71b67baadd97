-- check_read_error: one row per file that could not be read, or not to its end.
-- source: E-11
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT session_id, path, NULL::BIGINT AS line_no, read_error AS detail
FROM files
WHERE read_error IS NOT NULL
