-- cite_requests: one row per request: how many entries its quote names, and which.
-- source: transcript.md C-16
-- request_id: The request.
-- outcome: one, none, several, refused (the user's words asked of a sub-agent without a root) or invalid.
-- reason: Why a request is refused or invalid; NULL otherwise.
-- path: File of the entry, where it is one.
-- line_no [1-based]: Line of the entry, where it is one.
-- source_types: Pools the quote was found in, where it is one entry.
-- uuid: Id of the entry, where all found have the same.
-- matches: Every entry found: path, line_no, uuid, in the order of the files and lines.
-- same_entry: Several were found and all have the same id: a fork repeats one entry.
(requests) AS TABLE
WITH
given AS (
    SELECT
        request.request_id AS request_id,
        request.quote AS asked_quote,
        request.pools AS asked_pools,
        request.from_path AS start_path,
        coalesce(request.as_subagent, false) AS as_subagent
    FROM (SELECT unnest(requests) AS request)
),

judged AS (
    SELECT
        given.request_id,
        CASE
            WHEN coalesce(given.asked_quote, '') = '' THEN 'the quote is empty'
            WHEN len(coalesce(given.asked_pools, [])) = 0 THEN 'no pool is named'
            WHEN len(list_filter(given.asked_pools, lambda pool: pool NOT IN ('user', 'tool_result'))) > 0
                THEN 'a pool is neither user nor tool_result'
            WHEN given.start_path IS NOT NULL AND files.path IS NULL THEN 'the file is not in the lake'
        END AS invalid,
        CASE
            WHEN
                list_contains(given.asked_pools, 'user')
                AND given.start_path IS NOT NULL
                AND (files.root_path IS NULL OR (given.as_subagent AND files.root_path = given.start_path))
                THEN 'no session root holds the user''s words'
        END AS refused
    FROM given
    LEFT JOIN files
        ON files.path = given.start_path
        AND files.kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')
),

found AS (
    SELECT
        request_id,
        count(*) AS entries,
        any_value(path) AS path,
        any_value(line_no) AS line_no,
        any_value(source_types) AS source_types,
        CASE WHEN count(DISTINCT uuid) = 1 AND count(uuid) = count(*) THEN any_value(uuid) END AS uuid,
        list({'path': path, 'line_no': line_no, 'uuid': uuid} ORDER BY position, path, line_no) AS matches
    FROM cite_matches(requests)
    GROUP BY request_id
)

SELECT
    judged.request_id,
    CASE
        WHEN judged.invalid IS NOT NULL THEN 'invalid'
        WHEN judged.refused IS NOT NULL THEN 'refused'
        WHEN found.entries IS NULL THEN 'none'
        WHEN found.entries = 1 THEN 'one'
        ELSE 'several'
    END AS outcome,
    coalesce(judged.invalid, judged.refused) AS reason,
    CASE WHEN outcome = 'one' THEN found.path END AS path,
    CASE WHEN outcome = 'one' THEN found.line_no END AS line_no,
    CASE WHEN outcome = 'one' THEN found.source_types END AS source_types,
    found.uuid,
    CASE WHEN outcome IN ('one', 'several') THEN found.matches ELSE [] END AS matches,
    outcome = 'several' AND found.uuid IS NOT NULL AS same_entry
FROM judged
LEFT JOIN found ON found.request_id = judged.request_id
