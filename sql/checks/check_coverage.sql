-- check_coverage: one row per file whose rows do not account for all of its lines.
-- source: E-1
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat(difference, ' lines without a row, ', missing_bytes, ' bytes in no row') AS detail
FROM coverage
WHERE difference <> 0 OR missing_bytes <> 0
