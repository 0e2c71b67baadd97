-- integrity_issues: one row per problem that a check found; a check never stops anything.
-- source: parser.md 8.7
-- check_id: The check; the view check_<check_id> is its SQL.
-- severity: error (rows are missing or a file could not be read), warning (the data contradicts itself) or info (common and
--    harmless).
-- expectation: What the check expects.
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    'coverage' AS check_id,
    'error' AS severity,
    'Every physical line of a transcript has one row in entries.' AS expectation,
    *
FROM check_coverage
UNION ALL
SELECT
    'read_error' AS check_id,
    'error' AS severity,
    'Every file can be read to its end.' AS expectation,
    *
FROM check_read_error
UNION ALL
SELECT
    'strict_error' AS check_id,
    'warning' AS severity,
    'Every line is JSON of the expected types.' AS expectation,
    *
FROM check_strict_error
UNION ALL
SELECT
    'bad_value' AS check_id,
    'warning' AS severity,
    'Every value of a line fits the column it goes to.' AS expectation,
    *
FROM check_bad_value
UNION ALL
SELECT
    'torn_tail' AS check_id,
    'info' AS severity,
    'The last line is complete, unless the session is still running.' AS expectation,
    *
FROM check_torn_tail
UNION ALL
SELECT
    'main_session_id' AS check_id,
    'warning' AS severity,
    'Some line of a main file names the session that the file is named after.' AS expectation,
    *
FROM check_main_session_id
UNION ALL
SELECT
    'subagent_session_id' AS check_id,
    'warning' AS severity,
    'Lines of a sub-agent name the session of its tree.' AS expectation,
    *
FROM check_subagent_session_id
UNION ALL
SELECT
    'agent_id' AS check_id,
    'warning' AS severity,
    'Lines of a sub-agent name the agent that the file is named after.' AS expectation,
    *
FROM check_agent_id
UNION ALL
SELECT
    'not_sidechain' AS check_id,
    'warning' AS severity,
    'Entries of a sub-agent are marked as sidechain.' AS expectation,
    *
FROM check_not_sidechain
UNION ALL
SELECT
    'agent_twice' AS check_id,
    'warning' AS severity,
    'An agent of a session has one file.' AS expectation,
    *
FROM check_agent_twice
UNION ALL
SELECT
    'dispatch_twice' AS check_id,
    'warning' AS severity,
    'A call dispatches one sub-agent.' AS expectation,
    *
FROM check_dispatch_twice
UNION ALL
SELECT
    'meta_error' AS check_id,
    'warning' AS severity,
    'Meta sidecars are JSON of the expected types.' AS expectation,
    *
FROM check_meta_error
UNION ALL
SELECT
    'meta_without_transcript' AS check_id,
    'warning' AS severity,
    'A meta sidecar lies beside a transcript.' AS expectation,
    *
FROM check_meta_without_transcript
UNION ALL
SELECT
    'transcript_without_meta' AS check_id,
    'info' AS severity,
    'A sub-agent has a meta sidecar; older clients wrote none.' AS expectation,
    *
FROM check_transcript_without_meta
UNION ALL
SELECT
    'parent_agent' AS check_id,
    'warning' AS severity,
    'The parent agent that a meta names is in the session.' AS expectation,
    *
FROM check_parent_agent
UNION ALL
SELECT
    'orphan_subagent' AS check_id,
    'warning' AS severity,
    'The main file of a sub-agent is in the lake.' AS expectation,
    *
FROM check_orphan_subagent
UNION ALL
SELECT
    'duplicate_uuid' AS check_id,
    'info' AS severity,
    'A uuid occurs once in a file; replays after a resume repeat some.' AS expectation,
    *
FROM check_duplicate_uuid
UNION ALL
SELECT
    'dangling_parent' AS check_id,
    'info' AS severity,
    'The parent of an entry is in its session; resumed files name entries of others.' AS expectation,
    *
FROM check_dangling_parent
UNION ALL
SELECT
    'repeated_call_id' AS check_id,
    'info' AS severity,
    'A tool-use id belongs to one call; replayed turns repeat some.' AS expectation,
    *
FROM check_repeated_call_id
UNION ALL
SELECT
    'result_without_call' AS check_id,
    'info' AS severity,
    'The call of a tool result is in the same file.' AS expectation,
    *
FROM check_result_without_call
UNION ALL
SELECT
    'degraded_identity' AS check_id,
    'info' AS severity,
    'A continued conversation leads back to its origin; deleted files break the chain.' AS expectation,
    *
FROM check_degraded_identity
UNION ALL
SELECT
    'token_count' AS check_id,
    'warning' AS severity,
    'Token counts are between 0 and a million million.' AS expectation,
    *
FROM check_token_count
UNION ALL
SELECT
    'outdated' AS check_id,
    'warning' AS severity,
    'Rows are made by the present extraction; without file and raw lines older ones stay.' AS expectation,
    *
FROM check_outdated
UNION ALL
SELECT
    'unread_usage' AS check_id,
    'warning' AS severity,
    'Lines that carry token counts are of a known type.' AS expectation,
    *
FROM check_unread_usage
UNION ALL
SELECT
    'rewritten' AS check_id,
    'info' AS severity,
    'Lines that were read once stay in their file; what the calls of lines that went cost still counts.' AS expectation,
    *
FROM check_rewritten
