-- fold_spaces: a text with each run of white space as one blank and none at its ends, as quotes are compared.
-- source: transcript.md C-1
(value) AS trim(
    regexp_replace(
        value,
        '[\x{0009}-\x{000D}\x{0020}\x{0085}\x{00A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]+',
        ' ',
        'g'
    ),
    ' '
)
