-- belongs_to_session: whether a guessed file may be the session's: an empty id, a record that names it, none that names any, or a file
--    that cannot be read to a decision.
-- source: transcript.md I-7
(file_path, id) AS coalesce(
    id = ''
    OR (
        SELECT
            first_oversize_line IS NOT NULL
            OR read_error IS NOT NULL
            OR list_contains(record_session_ids, id)
            OR len(record_session_ids) = 0
        FROM files
        WHERE files.path = file_path
    ),
    true
)
