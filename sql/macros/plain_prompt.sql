-- plain_prompt: A prompt lower-cased, each run of white space one blank, trimmed: what equal prompts agree in.
-- source: parser.md 7.4
(prompt) AS lower(trim(regexp_replace(prompt, '[\s\x{0b}\x{85}\p{Z}]+', ' ', 'g')))
