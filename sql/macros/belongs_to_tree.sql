-- belongs_to_tree: whether a file's work was in or below a folder (resolved, as files.cwds_resolved), names no folder, or
--    cannot be read to a decision.
-- source: transcript.md I-8
(file_path, cwd) AS coalesce(
    cwd = ''
    OR (
        -- Names of its own, so that a column given as an argument is never taken for one of these.
        SELECT
            known_break IS NOT NULL
            OR len(known_cwds) = 0
            OR len(list_filter(known_cwds, lambda one: one = cwd OR starts_with(one, concat(cwd, '/')))) > 0
        FROM (
            SELECT
                path AS known_path,
                cwds_resolved AS known_cwds,
                coalesce(read_error, first_oversize_line::VARCHAR) AS known_break
            FROM files
        ) AS known_files
        WHERE known_path = file_path
    ),
    true
)
