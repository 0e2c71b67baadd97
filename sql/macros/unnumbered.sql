-- unnumbered: a text without the line numbers that Read puts before each line, as quotes are compared.
-- source: transcript.md C-2
(value) AS CASE WHEN contains(value, chr(9)) THEN regexp_replace(value, '(?m)^[ \t]*[0-9]+\t', '', 'g') ELSE value END
