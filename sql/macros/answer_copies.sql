-- answer_copies: one row per key of Claude Code's records (a relation like usage_keys) that stands for the same call as another key.
-- source: accounting.md 1
-- own_key: The key, as in usage_keys.
-- call_id: The key that stands for the call: one with a request id before one without, the main conversation's before
--    a sub-agent's, then the earliest.
-- rule: uuid (an entry of the one is an entry of the other), time (a sidechain copy: session, message id and time are
--    those of the other) or message (no ids of its own, and the session has one call of that message id).
(keys) AS TABLE
WITH
-- Only a message id with several keys can hold copies that their ids do not tell.
doubtful_messages AS (
    SELECT message_id
    FROM query_table(keys)
    WHERE agent = 'claude' AND message_id IS NOT NULL
    GROUP BY message_id
    HAVING min(own_key) <> max(own_key)
),

doubtful AS MATERIALIZED (
    SELECT
        own_key, message_id, request_id, session_id, path, uuid, answer, occurred_at,
        is_sidechain OR is_progress AS is_aside,
        request_id IS NULL AND (uuid IS NULL OR is_progress) AS is_nameless
    FROM query_table(keys)
    SEMI JOIN doubtful_messages USING (message_id)
    WHERE agent = 'claude'
),

nodes AS MATERIALIZED (
    SELECT
        own_key,
        bool_and(is_nameless) AS is_nameless,
        bool_or(request_id IS NULL OR is_aside) AS may_be_copy,
        row_number() OVER (
            ORDER BY bool_or(request_id IS NOT NULL) DESC, bool_and(is_aside), min(occurred_at) NULLS LAST, own_key
        ) AS label
    FROM doubtful
    GROUP BY own_key
),

-- What records of several keys have in common: an entry, an answer, or session, message and time of a sidechain copy.
marks AS (
    SELECT own_key, concat_ws(' ', message_id, uuid) AS mark, 'uuid' AS rule
    FROM doubtful
    WHERE uuid IS NOT NULL
    UNION
    SELECT own_key, concat_ws(' ', message_id, answer), 'uuid'
    FROM doubtful
    WHERE answer IS NOT NULL
    UNION
    SELECT own_key, concat_ws(' ', session_id, message_id, epoch_us(occurred_at)), 'time'
    FROM doubtful
    WHERE occurred_at IS NOT NULL
    WINDOW same_moment AS (PARTITION BY session_id, message_id, occurred_at)
    QUALIFY bool_or(is_aside) OVER same_moment AND bool_or(request_id IS NOT NULL) OVER same_moment
),

links AS MATERIALIZED (
    SELECT marks.own_key, marks.mark, marks.rule, nodes.label
    FROM marks
    INNER JOIN nodes ON nodes.own_key = marks.own_key
    WINDOW same_mark AS (PARTITION BY marks.rule, marks.mark)
    QUALIFY
        min(nodes.label) OVER same_mark <> max(nodes.label) OVER same_mark
        AND bool_or(nodes.may_be_copy) OVER same_mark
),

-- The least label goes from mark to mark, twice: copies of a beginning, a middle and an end meet in the whole.
near AS (
    SELECT own_key, mark, rule, min(label) OVER (PARTITION BY rule, mark) AS label
    FROM links
),

nearer AS (
    SELECT own_key, mark, rule, min(label) OVER (PARTITION BY own_key) AS label
    FROM near
),

far AS (
    SELECT own_key, rule, min(label) OVER (PARTITION BY rule, mark) AS label
    FROM nearer
),

joined AS (
    SELECT own_key, min(label) AS label, max(rule) AS rule
    FROM far
    GROUP BY own_key
),

labelled AS MATERIALIZED (
    SELECT
        nodes.own_key,
        nodes.is_nameless AND joined.own_key IS NULL AS is_nameless,
        coalesce(joined.label, nodes.label) AS label,
        joined.rule
    FROM nodes
    LEFT JOIN joined ON joined.own_key = nodes.own_key
),

-- In a session, a message id that names one call tells the records without ids of their own; one of several does not.
held AS (
    SELECT DISTINCT
        doubtful.session_id, doubtful.message_id, doubtful.path, labelled.own_key, labelled.label, labelled.is_nameless
    FROM doubtful
    INNER JOIN labelled ON labelled.own_key = doubtful.own_key
),

per_file AS (
    SELECT session_id, message_id, path, count(DISTINCT label) FILTER (WHERE is_nameless) AS nameless
    FROM held
    GROUP BY session_id, message_id, path
),

named AS (
    SELECT
        session_id,
        message_id,
        count(DISTINCT label) FILTER (WHERE NOT is_nameless) AS calls,
        min(label) FILTER (WHERE NOT is_nameless) AS label,
        min(label) AS least_label
    FROM held
    GROUP BY session_id, message_id
),

told AS (
    SELECT
        held.own_key,
        min(CASE WHEN named.calls = 1 THEN named.label ELSE named.least_label END) AS label
    FROM held
    INNER JOIN named ON named.session_id = held.session_id AND named.message_id = held.message_id
    INNER JOIN (
        SELECT session_id, message_id, max(nameless) AS nameless FROM per_file GROUP BY session_id, message_id
    ) AS most ON most.session_id = held.session_id AND most.message_id = held.message_id
    WHERE held.is_nameless AND (named.calls = 1 OR (named.calls = 0 AND most.nameless = 1))
    GROUP BY held.own_key
)

SELECT
    labelled.own_key,
    lead.own_key AS call_id,
    CASE WHEN told.label IS NULL THEN labelled.rule ELSE 'message' END AS rule
FROM labelled
LEFT JOIN told ON told.own_key = labelled.own_key
INNER JOIN nodes AS lead ON lead.label = coalesce(told.label, labelled.label)
WHERE lead.own_key <> labelled.own_key
