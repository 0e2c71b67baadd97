-- belongs_to_session: whether a guessed file may be the session's: an empty id, a record that names it, none that names any, or a file
--    that cannot be read to a decision.
-- source: transcript.md I-7
(file_path, id) AS coalesce(
    id = ''
    OR (
        -- Names of its own, so that a column given as an argument is never taken for one of these.
        SELECT known_break IS NOT NULL OR list_contains(known_ids, id) OR len(known_ids) = 0
        FROM (
            SELECT
                path AS known_path,
                record_session_ids AS known_ids,
                coalesce(read_error, first_oversize_line::VARCHAR) AS known_break
            FROM files
        ) AS known_files
        WHERE known_path = file_path
    ),
    true
)
