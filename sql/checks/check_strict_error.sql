-- check_strict_error: one row per file that strict reading refuses as a whole.
-- source: E-4, E-2
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT session_id, path, NULL::BIGINT AS line_no, strict_error AS detail
FROM files
WHERE strict_error IS NOT NULL
