-- thinking_band: How much thinking a number of tokens is: off, low (to 128), medium (to 512), high (to 2,048) or xhigh; NULL without tokens.
-- source: parser.md 7.6
(tokens, has_thinking) AS CASE
    WHEN tokens IS NULL OR has_thinking IS NULL THEN NULL
    WHEN NOT has_thinking THEN 'off'
    WHEN round(tokens) <= 128 THEN 'low'
    WHEN round(tokens) <= 512 THEN 'medium'
    WHEN round(tokens) <= 2048 THEN 'high'
    ELSE 'xhigh'
END
