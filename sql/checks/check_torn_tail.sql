-- check_torn_tail: one row per file whose last line was being written.
-- source: parser.md 8.8
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT session_id, path, lines AS line_no, 'the last line is incomplete' AS detail
FROM files
WHERE torn_tail
