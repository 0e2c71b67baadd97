-- session_names: one row per session, with what it is called.
-- source: parser.md 8.2
-- session_id: Session.
-- title: Last custom title, else last title the agent made, else last summary, else the first prompt on one line, cut
--    at 80 characters.
-- first_prompt: Text of the first prompt typed in a main file; NULL when there is none.
WITH
lines AS (
    SELECT
        entries.session_id,
        entries.custom_title,
        entries.ai_title,
        entries.summary,
        CASE WHEN entries.user_kind = 'prompt' THEN entries.text END AS prompt,
        ROW(coalesce(entries.timestamp, 'infinity'), entries.path, entries.line_no) AS by_time,
        ROW(coalesce(files.end_time, '-infinity'), entries.path, entries.line_no) AS by_file
    FROM entries
    INNER JOIN files ON files.session_id = entries.session_id AND files.path = entries.path AND files.kind = 'main'
    WHERE
        entries.user_kind = 'prompt'
        OR entries.custom_title <> ''
        OR entries.ai_title <> ''
        OR entries.summary <> ''
),

found AS (
    SELECT
        session_id,
        arg_max(custom_title, by_file) FILTER (WHERE custom_title <> '') AS custom_title,
        arg_max(ai_title, by_file) FILTER (WHERE ai_title <> '') AS ai_title,
        arg_max(summary, by_file) FILTER (WHERE summary <> '') AS summary,
        arg_min(prompt, by_time) FILTER (WHERE trim(prompt) <> '') AS first_prompt
    FROM lines
    GROUP BY session_id
)

SELECT
    session_id,
    coalesce(
        custom_title,
        ai_title,
        summary,
        left(trim(regexp_replace(left(first_prompt, 1000), '\s+', ' ', 'g')), 80)
    ) AS title,
    first_prompt
FROM found
