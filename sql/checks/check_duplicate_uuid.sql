-- check_duplicate_uuid: one row per file in which the same uuid occurs on several lines.
-- source: E-5
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    min(line_no) AS line_no,
    concat(count(*), ' uuids occur more than once') AS detail
FROM (
    SELECT session_id, path, uuid, min(line_no) AS line_no
    FROM entries
    WHERE uuid IS NOT NULL
    GROUP BY session_id, path, uuid
    HAVING count(*) > 1
)
GROUP BY session_id, path
