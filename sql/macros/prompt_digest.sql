-- prompt_digest: Signed 64-bit FNV-1a hash of plain_prompt, byte by byte; some microseconds per byte of a long prompt.
-- source: parser.md 7.4
(prompt) AS CAST(
    (
        list_reduce(
            list_prepend(
                CAST(14695981039346656037 AS HUGEINT),
                list_transform(
                    regexp_extract_all(hex(encode(plain_prompt(prompt))), '..'),
                    lambda digits: CAST(
                        (instr('0123456789ABCDEF', left(digits, 1)) - 1) * 16
                        + instr('0123456789ABCDEF', right(digits, 1)) - 1 AS HUGEINT
                    )
                )
            ),
            lambda digest, byte: (xor(digest, byte) * 1099511628211) % CAST(18446744073709551616 AS HUGEINT)
        )
        + CAST(9223372036854775808 AS HUGEINT)
    )
    % CAST(18446744073709551616 AS HUGEINT)
    - CAST(9223372036854775808 AS HUGEINT)
    AS BIGINT
)
