-- answer_wordings: one row per wording of answers to questions, and per way the answers were read.
-- source: transcript.md C-7
-- wording_version: Version of the known wording; NULL where a question's result matches none.
-- answers_from: data (beside the text), wording, or NULL where no answer was found.
-- client_version: Client version of the file.
-- results [results]: Results of questions to the user.
-- answers [answers]: The user's answers and notes in them.
-- by_seed [answers]: Answers that the Go package's two wordings alone extract.
-- example: Beginning of one of the results.
WITH
results AS (
    SELECT session_id, path, line_no, tool_use_id, wording_version, answers_from, seed_answers, text
    FROM citations
    WHERE pool = 'tool_result' AND (tool_name = 'AskUserQuestion' OR kind = 'envelope')
),

given AS (
    SELECT session_id, path, line_no, tool_use_id, count(*) AS answers
    FROM citations
    WHERE kind IN ('answer', 'note') AND NOT coalesce(list_contains(all_reasons, 'forged_answer'), false)
    GROUP BY session_id, path, line_no, tool_use_id
)

SELECT
    results.wording_version,
    results.answers_from,
    files.version AS client_version,
    count(*) AS results,
    coalesce(sum(given.answers), 0)::BIGINT AS answers,
    coalesce(sum(len(results.seed_answers)), 0)::BIGINT AS by_seed,
    left(min(results.text), 120) AS example
FROM results
LEFT JOIN given
    ON given.session_id = results.session_id
    AND given.path = results.path
    AND given.line_no = results.line_no
    AND given.tool_use_id = results.tool_use_id
LEFT JOIN files ON files.session_id = results.session_id AND files.path = results.path
GROUP BY ALL
