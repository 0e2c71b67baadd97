-- A text that is a result's body or an entry's text is stored there alone. Each kind of place has a branch of its own,
-- so that a condition on the text reaches the place where it is stored.
SELECT
    texts.*,
    fold_spaces(texts.text) AS norm_text,
    CASE
        WHEN texts.pool = 'tool_result'
            THEN nullif(fold_spaces(unnumbered(texts.text)), fold_spaces(texts.text))
    END AS norm_text_unnumbered
FROM (
    SELECT
        stored.*,
        stored.own_text AS text
    FROM stored_citations AS stored
    WHERE stored.result_seq IS NULL AND stored.entry_line_no IS NULL
    UNION ALL
    SELECT
        stored.*,
        results.body AS text
    FROM stored_citations AS stored
    INNER JOIN stored_tool_results AS results
        ON results.session_id = stored.session_id
        AND results.part_id = stored.part_id
        AND results.seq = stored.result_seq
    UNION ALL
    SELECT
        stored.*,
        lines.text
    FROM stored_citations AS stored
    INNER JOIN stored_entries AS lines
        ON lines.session_id = stored.session_id
        AND lines.part_id = stored.part_id
        AND lines.line_no = stored.entry_line_no
) AS texts
