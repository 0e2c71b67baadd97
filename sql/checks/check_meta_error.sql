-- check_meta_error: one row per sub-agent whose meta sidecar cannot be read.
-- source: S-5
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT session_id, path, NULL::BIGINT AS line_no, meta_error AS detail
FROM files
WHERE meta_error IS NOT NULL
