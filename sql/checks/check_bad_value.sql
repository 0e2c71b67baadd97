-- check_bad_value: one row per line with a value that could not be folded; the rest of the line was.
-- source: E-3
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line.
-- detail: What was found, the key named.
SELECT session_id, path, line_no, error AS detail
FROM entries
WHERE status = 'bad_value'
