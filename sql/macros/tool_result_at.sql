-- tool_result_at: the genuine tool output on one line of a file; one row in any case.
-- source: transcript.md T-7
-- text: The citable results of the entry, joined by LF; empty where there is none.
-- is_tool_result: The line is an entry with a genuine result.
(path, line) AS TABLE
SELECT
    coalesce(string_agg(texts.text, chr(10) ORDER BY texts.seq), '') AS text,
    count(*) > 0 AS is_tool_result
FROM citations AS texts
WHERE texts.path = path AND texts.line_no = line AND texts.pool = 'tool_result' AND texts.citable
