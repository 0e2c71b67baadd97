-- check_meta_without_transcript: one row per meta sidecar without its transcript.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    sidecars.session_id,
    sidecars.path,
    NULL::BIGINT AS line_no,
    'there is no transcript beside it' AS detail
FROM files AS sidecars
LEFT JOIN files AS transcripts ON transcripts.path = regexp_replace(sidecars.path, '[.]meta[.]json$', '.jsonl')
WHERE sidecars.kind = 'sidecar' AND ends_with(sidecars.path, '.meta.json') AND transcripts.path IS NULL
