-- thinking_factors: one row per agent, with the weight of one thinking token where no exact count is reported.
-- source: parser.md 7.6
-- agent: Program; other stands for all that have no row of their own.
-- bytes_per_token [UTF-8 bytes per token]: Thinking bytes that make a token.
SELECT
    agent,
    bytes_per_token
FROM (
    VALUES
    ('claude', CAST(10.7 AS DOUBLE)),
    ('codex', 14.2),
    ('pi', 4.0),
    ('other', 10.7)
) AS factors (agent, bytes_per_token)
