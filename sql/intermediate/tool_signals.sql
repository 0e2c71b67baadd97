-- tool_signals: one row per transcript with tool calls: how they went, repeated turns of the file left out.
-- source: parser.md 7.1
-- session_id: Session of the file.
-- path: File.
-- tool_calls [calls]: Calls; rows that share id (else message and place), tool, input and status are one.
-- failures [calls]: Calls that failed, as in tool_calls.
-- retries [calls]: Calls that repeat tool and input of the call just before.
-- edit_churn [calls]: Edits beyond the first of each file.
-- longest_failure_streak [calls]: Longest run of failures.
-- trailing_failures [calls]: Failures after the last call that did not fail; a pending call breaks the run.
-- pending [calls]: Calls without a result.
WITH
calls AS (
    SELECT
        session_id,
        path,
        message_ordinal,
        call_index,
        tool_name,
        category,
        file_path,
        input_sha256,
        status,
        coalesce(failed, status = 'error', false) AS failed
    FROM tool_calls
    QUALIFY
        row_number() OVER (
            PARTITION BY
                session_id,
                path,
                coalesce(nullif(tool_use_id, ''), concat_ws(':', message_ordinal, call_index)),
                tool_name,
                input_sha256,
                status
            ORDER BY message_ordinal, call_index
        ) = 1
),

-- Between two calls that did not fail lies one run of failures; runs are numbered by the calls before them.
runs AS (
    SELECT
        *,
        coalesce(
            input_sha256 = lag(input_sha256) OVER in_order
            AND tool_name IS NOT DISTINCT FROM lag(tool_name) OVER in_order,
            false
        ) AS is_retry,
        count(*) FILTER (WHERE NOT failed) OVER (
            PARTITION BY session_id, path
            ORDER BY message_ordinal, call_index
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS run
    FROM calls
    WINDOW in_order AS (PARTITION BY session_id, path ORDER BY message_ordinal, call_index)
),

lengths AS (
    SELECT
        session_id,
        path,
        run,
        count(*) AS calls,
        count(*) FILTER (WHERE failed) AS failures,
        count(*) FILTER (WHERE is_retry) AS retries,
        count(*) FILTER (WHERE status = 'pending') AS pending
    FROM runs
    GROUP BY session_id, path, run
),

edits AS (
    SELECT session_id, path, count(file_path) - count(DISTINCT file_path) AS edit_churn
    FROM calls
    WHERE category = 'edit' AND file_path <> ''
    GROUP BY session_id, path
)

SELECT
    lengths.session_id,
    lengths.path,
    CAST(sum(lengths.calls) AS BIGINT) AS tool_calls,
    CAST(sum(lengths.failures) AS BIGINT) AS failures,
    CAST(sum(lengths.retries) AS BIGINT) AS retries,
    coalesce(any_value(edits.edit_churn), 0) AS edit_churn,
    max(lengths.failures) AS longest_failure_streak,
    arg_max(lengths.failures, lengths.run) AS trailing_failures,
    CAST(sum(lengths.pending) AS BIGINT) AS pending
FROM lengths
LEFT JOIN edits ON edits.session_id = lengths.session_id AND edits.path = lengths.path
GROUP BY lengths.session_id, lengths.path
