-- usage_audit: one row per usage record, saying whether it counts and, if not, which record counts instead.
-- source: accounting.md 1
-- session_id: Session the record lies in.
-- agent: Program that wrote the file.
-- path: File of the record.
-- line_no [1-based]: Line of the record.
-- record_no [0-based]: Which JSON object of a glued line.
-- source_index [0-based]: Position among several usage records of one line.
-- call_id: The call the record belongs to, as in usage.
-- message_id: API message id of the record.
-- request_id: API request id of the record.
-- model: Model of the record.
-- is_sidechain: The record lies in a sub-agent's own conversation.
-- output_tokens [tokens]: Output tokens of the record.
-- won: The record's tokens are the call's tokens.
-- lost_to_path: File of the record that counts; NULL for winners.
-- lost_to_line [1-based]: Line of the record that counts; NULL for winners.
-- reason: Why the record does not count; NULL for winners.
SELECT
    session_id,
    agent,
    path,
    line_no,
    record_no,
    source_index,
    call_id,
    message_id,
    request_id,
    model,
    is_sidechain,
    output_tokens,
    rank = 1 AS won,
    CASE WHEN rank > 1 THEN winner.path END AS lost_to_path,
    CASE WHEN rank > 1 THEN winner.line_no END AS lost_to_line,
    CASE
        WHEN rank = 1 THEN NULL
        WHEN is_progress AND NOT winner.is_progress THEN 'copy on a progress line'
        WHEN is_progress THEN 'copy on a progress line'
        WHEN is_sidechain AND NOT winner.is_sidechain THEN 'sidechain copy'
        WHEN path = winner.path AND line_no <= winner.line_no THEN 'earlier line of the same message'
        WHEN path = winner.path THEN 'later line of the same message with less output'
        WHEN session_id <> winner.session_id THEN 'fork or resume copy'
        WHEN parse_filename(path) = parse_filename(winner.path) THEN 'same file exported twice'
        ELSE 'copy in another file of the session'
    END AS reason
FROM usage_ranked
