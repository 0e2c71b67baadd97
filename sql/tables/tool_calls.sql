-- The body of a call's first result lies in tool_results, once. Grouped, so that DuckDB leaves the join out where no
-- query asks for the text.
SELECT
    stored.*,
    results.result_text
FROM stored_tool_calls AS stored
LEFT JOIN (
    SELECT
        session_id,
        part_id,
        seq,
        any_value(body) AS result_text
    FROM stored_tool_results
    GROUP BY session_id, part_id, seq
) AS results
    ON results.session_id = stored.session_id
    AND results.part_id = stored.part_id
    AND results.seq = stored.result_seq
