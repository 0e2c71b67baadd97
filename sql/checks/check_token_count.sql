-- check_token_count: one row per file with usage whose token counts cannot be.
-- source: accounting.md 2
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The first such line.
-- detail: What was found.
SELECT
    session_id,
    path,
    min(line_no) AS line_no,
    concat(count(*), ' usage records have a negative or absurd count, taken as unknown') AS detail
FROM token_usage
WHERE input_tokens IS NULL
    OR output_tokens IS NULL
    OR cache_read_tokens IS NULL
    OR cache_write_tokens IS NULL
GROUP BY session_id, path
