-- check_degraded_identity: one row per root file whose conversation cannot be followed to its origin.
-- source: I-2
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat(degraded, ': continues ', coalesce(continues_uuid, 'nothing')) AS detail
FROM conversation_files
WHERE degraded IS NOT NULL
