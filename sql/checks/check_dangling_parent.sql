-- check_dangling_parent: one row per file with entries whose parent is nowhere in its session.
-- source: E-9
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    entries.session_id,
    entries.path,
    min(entries.line_no) AS line_no,
    concat(count(*), ' parents are not in the session') AS detail
FROM entries
LEFT JOIN (SELECT DISTINCT session_id, uuid FROM entries WHERE uuid IS NOT NULL) AS known
    ON known.session_id = entries.session_id AND known.uuid = entries.parent_uuid
WHERE entries.parent_uuid <> '' AND known.uuid IS NULL
GROUP BY entries.session_id, entries.path
