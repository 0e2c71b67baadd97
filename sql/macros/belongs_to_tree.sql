-- belongs_to_tree: whether a file's work was in or below a folder (resolved, as files.cwds_resolved), names no folder, or
--    cannot be read to a decision.
-- source: transcript.md I-8
(file_path, cwd) AS coalesce(
    cwd = ''
    OR (
        SELECT
            first_oversize_line IS NOT NULL
            OR read_error IS NOT NULL
            OR len(cwds_resolved) = 0
            OR len(list_filter(cwds_resolved, lambda one: one = cwd OR starts_with(one, concat(cwd, '/')))) > 0
        FROM files
        WHERE files.path = file_path
    ),
    true
)
