-- usage_calls: one row per API call, with its owner and its winner among all records of the lake.
-- source: accounting.md 1
-- call_id: The call, as in usage_keyed.
-- owner: The earliest record (time, then path, then line): session_id, agent, path, line_no, record_no, occurred_at
--    and is_sidechain.
-- winner: The record that counts: outside sidechains before inside, then the largest output, then in the owner's file,
--    then the last line.
-- usage_final: Some record of the call carries a stop reason.
-- copies [records]: Number of records of the call.
WITH
owners AS (
    SELECT
        call_id,
        arg_min(
            {
                'session_id': session_id,
                'agent': agent,
                'path': path,
                'line_no': line_no,
                'record_no': record_no,
                'occurred_at': occurred_at,
                'is_sidechain': is_sidechain
            },
            ROW(coalesce(occurred_at, 'infinity'), path, line_no, record_no, source_index)
        ) AS owner,
        bool_or(coalesce(usage_final, false)) AS usage_final,
        count(*) AS copies
    FROM usage_keyed
    GROUP BY call_id
)

SELECT
    owners.call_id,
    any_value(owners.owner) AS owner,
    arg_max(
        records,
        ROW(
            NOT records.is_sidechain,
            coalesce(records.output_tokens, -1),
            records.path = owners.owner.path,
            records.path,
            records.line_no,
            records.record_no,
            records.source_index
        )
    ) AS winner,
    any_value(owners.usage_final) AS usage_final,
    any_value(owners.copies) AS copies
FROM usage_keyed AS records
INNER JOIN owners ON owners.call_id = records.call_id
GROUP BY owners.call_id
