-- bodies: one row per different body: the input or the result of a tool call, or an attachment; equal bodies once.
-- source: parser.md 4
-- sha256: Hash of the body, hexadecimal.
-- bytes [bytes]: Its size.
-- media_type: Its media type; the first by name where places disagree.
-- is_input: It is the input of some call.
-- is_result: It is the result of some call.
-- is_attachment: It is a picture or document.
-- occurrences [places]: How often it occurs, copies in forks included.
-- occurrences_bytes [bytes]: What all occurrences take together.
-- session_id: Session of its first place, by path and line.
-- path: File of its first place.
-- line_no [1-based]: Line of its first place.
WITH
places AS (
    SELECT 'input' AS role, input_sha256 AS sha256, input_bytes AS bytes, input_media_type AS media_type, session_id, path, line_no
    FROM tool_calls
    WHERE input_sha256 IS NOT NULL
    UNION ALL
    SELECT 'result', body_sha256, body_bytes, media_type, session_id, path, line_no
    FROM tool_results
    WHERE body_sha256 IS NOT NULL
    UNION ALL
    SELECT 'attachment', sha256, bytes, media_type, session_id, path, line_no
    FROM attachments
)

SELECT
    sha256,
    max(bytes) AS bytes,
    min(media_type) AS media_type,
    bool_or(role = 'input') AS is_input,
    bool_or(role = 'result') AS is_result,
    bool_or(role = 'attachment') AS is_attachment,
    count(*) AS occurrences,
    TRY_CAST(sum(bytes) AS BIGINT) AS occurrences_bytes,
    arg_min(session_id, ROW(path, line_no)) AS session_id,
    min(path) AS path,
    arg_min(line_no, ROW(path, line_no)) AS line_no
FROM places
GROUP BY sha256
