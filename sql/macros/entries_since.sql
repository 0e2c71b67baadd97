-- entries_since: one row per entry of a file after the first one with the uuid `mark`; all of them when there is none.
-- source: transcript.md Q-4
-- line_no [1-based]: Line of the entry.
-- type: Type of the entry.
-- uuid: Id of the entry; that of the last row is the next mark.
-- timestamp [UTC]: Time of the entry.
-- is_sidechain: The entry belongs to a sub-agent's conversation.
-- text: Prose or typed text.
(file_path, mark) AS TABLE
SELECT line_no, type, uuid, timestamp, is_sidechain, text
FROM entries
WHERE path = file_path
    AND is_strict(status)
    AND uuid IS NOT NULL
    AND line_no > coalesce(
        (
            SELECT min(marked.line_no)
            FROM entries AS marked
            WHERE marked.path = file_path AND is_strict(marked.status) AND marked.uuid = mark AND mark <> ''
        ),
        0
    )
ORDER BY line_no
