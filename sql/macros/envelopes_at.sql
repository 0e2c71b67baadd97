-- envelopes_at: one row per whole tool result on a line that holds an answer wording anywhere.
-- source: transcript.md C-21
-- seq [0-based]: Position among the texts of the line.
-- envelope: The whole result, questions and answers.
-- wording_version: Version of the wording found in it.
(path, line) AS TABLE
SELECT texts.seq, texts.text AS envelope, texts.wording_version
FROM citations AS texts
WHERE
    texts.path = path
    AND texts.line_no = line
    AND texts.pool = 'tool_result'
    AND texts.wording_version IS NOT NULL
    AND NOT list_has_any(coalesce(texts.all_reasons, []), ['not_strict', 'no_uuid', 'list_invalid'])
ORDER BY texts.seq
