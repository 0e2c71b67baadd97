-- check_outdated: one row per transcript whose rows were made by an older extraction and cannot be made again.
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: NULL: it is about the whole file.
-- detail: Version of the extraction that made its rows.
SELECT
    files.session_id,
    files.path,
    NULL::BIGINT AS line_no,
    concat('extraction version ', files.extractor_version) AS detail
FROM files
INNER JOIN lake_snapshot ON lake_snapshot.extractor_version <> files.extractor_version
WHERE files.kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')
