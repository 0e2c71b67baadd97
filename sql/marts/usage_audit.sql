-- usage_audit: one row per usage record, saying whether it counts and, if not, which record counts instead.
-- source: accounting.md 1
-- session_id: Session the record lies in.
-- agent: Program that wrote the file.
-- path: File of the record.
-- line_no [1-based]: Line of the record; NULL where the file was rewritten without it.
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
-- lost_to_line [1-based]: Line of the record that counts, of a superseded one the line it stood on; NULL for winners.
-- rule: What tells the call: request (message and request id), answer (lines that continue each other, without a
--    request id), uuid, time or message (a copy, known by the entry's id, by session, message id and time, or as the
--    only call of that message id in its session), count or response (Codex), entry (pi), replay, unnamed_replay or
--    absent_parent (Codex: counts of another thread that the file begins with; of one that is not in the lake), line
--    (nothing but its own place).
-- owner_rule: What decided which file owns the call; see usage_owners. NULL where only one file holds it.
-- owner_session_id: Session that owns the call.
-- owner_path: File that owns the call.
-- reason: Why the record does not count; NULL for winners. It ends in "; owner guessed" where nothing proves which file
--    is the original.
WITH
keyed AS MATERIALIZED (
    SELECT * FROM usage_keyed
),

calls AS (
    SELECT * FROM owned_calls('keyed')
),

judged AS (
    SELECT
        records.*,
        calls.owner_rule,
        calls.is_guess,
        calls.winner_id = records.record_id AS won,
        owner.session_id AS owner_session_id,
        owner.path AS owner_path,
        winner.session_id AS winner_session_id,
        winner.path AS winner_path,
        winner.place_no AS winner_place_no,
        winner.is_sidechain AS is_winner_sidechain
    FROM keyed AS records
    INNER JOIN calls ON calls.call_id = records.call_id
    INNER JOIN keyed AS owner ON owner.record_id = calls.owner_id
    INNER JOIN keyed AS winner ON winner.record_id = calls.winner_id
)

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
    won,
    CASE WHEN NOT won THEN winner_path END AS lost_to_path,
    CASE WHEN NOT won THEN winner_place_no END AS lost_to_line,
    rule,
    owner_rule,
    owner_session_id,
    owner_path,
    CASE
        WHEN won THEN NULL
        WHEN is_progress THEN 'copy on a progress line'
        WHEN rule IN ('replay', 'unnamed_replay', 'absent_parent') THEN 'replay of another thread'
        WHEN path = winner_path AND place_no <= winner_place_no THEN 'earlier line of the same message'
        WHEN path = winner_path THEN 'later line of the same message with less output'
        WHEN is_sidechain AND NOT is_winner_sidechain THEN 'sidechain copy'
        WHEN session_id <> winner_session_id THEN 'fork or resume copy'
        WHEN parse_filename(path) = parse_filename(winner_path) THEN 'same file exported twice'
        ELSE 'copy in another file of the session'
    END || CASE WHEN is_guess THEN '; owner guessed' ELSE '' END AS reason
FROM judged
