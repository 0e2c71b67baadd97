-- check_unread_usage: one row per file and type of line that this program does not know but that carries token counts.
-- source: accounting.md 1
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The first such line.
-- detail: What was found.
SELECT
    session_id,
    path,
    min(line_no) AS line_no,
    concat(
        count(*),
        ' lines of unknown type "',
        concat_ws(' ', coalesce(type, 'none'), subtype),
        '" carry token counts; calls that stand only there are missing from costs'
    ) AS detail
FROM entries
WHERE carries_usage
GROUP BY session_id, path, type, subtype
