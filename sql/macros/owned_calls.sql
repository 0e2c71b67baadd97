-- owned_calls: one row per API call of a relation like usage_keyed, with the record that owns it and the one that counts.
-- source: accounting.md 1
-- call_id: The call.
-- owner_id: The record that owns the call, by record_id: the first in the file that usage_owners ranks first.
-- winner_id: The record whose tokens count: copies on progress lines last, records of one request first, then the
--    largest output, then in the owner's file, then the last.
-- copies [records]: Number of records of the call.
-- is_final: Some record of the call carries a stop reason.
-- owner_rule: What decided which file owns the call, as in usage_owners; NULL where only one file holds it.
-- is_guess: What decided does not prove which file is the original; false where only one file holds the call.
(keyed) AS TABLE
WITH
owners AS (
    SELECT call_id, path, file_rank, owner_rule, is_guess FROM usage_owners(keyed)
),

records AS (
    SELECT
        records.*,
        coalesce(owners.file_rank, 1) AS file_rank,
        owners.owner_rule,
        coalesce(owners.is_guess, false) AS is_guess,
        epoch_us(records.occurred_at) AS at_us
    FROM query_table(keyed) AS records
    LEFT JOIN owners ON owners.call_id = records.call_id AND owners.path = records.path
)

-- Aggregates over rows of numbers: windows over whole records take three times as long.
SELECT
    call_id,
    arg_min(
        record_id,
        ROW(file_rank, is_progress, coalesce(at_us, 9223372036854775807), is_superseded, place_no, record_no, source_index)
    ) AS owner_id,
    arg_min(
        record_id,
        ROW(
            is_progress,
            NOT is_usage_record,
            -coalesce(output_tokens, -1),
            file_rank,
            -coalesce(at_us, -9223372036854775807),
            -place_no,
            -record_no,
            -source_index
        )
    ) AS winner_id,
    count(*) AS copies,
    bool_or(coalesce(usage_final, false)) AS is_final,
    any_value(owner_rule) AS owner_rule,
    bool_or(is_guess) AS is_guess
FROM records
GROUP BY call_id
