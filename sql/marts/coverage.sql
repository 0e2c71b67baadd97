-- coverage: one row per transcript file, its physical lines against the rows made of them.
-- source: E-1
-- session_id: Session the file belongs to.
-- agent: Program that wrote the file.
-- path: The file.
-- kind: main, subagent, workflow_subagent or legacy_subagent.
-- bytes [bytes]: Size of the file when it was read.
-- physical_lines [lines]: LF bytes of the file, and one more where it does not end with one; counted apart from the reader.
-- entries [lines]: Rows in entries.
-- difference [lines]: Physical lines without a row; 0 expected.
-- missing_bytes [bytes]: Size of the file less the lengths of all its entries; 0 expected.
-- ok [lines]: Lines with nothing wrong.
-- bad_type [lines]: Lines with a field of the wrong type.
-- bad_value [lines]: Lines with a value that could not be folded.
-- glued [lines]: Lines that hold several JSON objects.
-- oversize [lines]: Lines over 16 MiB.
-- bad_utf8 [lines]: Lines that are not UTF-8.
-- torn [lines]: Last lines cut off while being written.
-- bad_json [lines]: Lines that are not JSON.
-- blank [lines]: Empty lines.
-- read_error: Why reading stopped early; NULL when it did not.
-- vanished_at [UTC]: When the file was first found gone; NULL while it exists.
WITH
counted AS (
    SELECT
        session_id,
        path,
        count(*) AS entries,
        TRY_CAST(sum(byte_len) AS BIGINT) AS bytes,
        count(*) FILTER (WHERE status = 'ok') AS ok,
        count(*) FILTER (WHERE status = 'bad_type') AS bad_type,
        count(*) FILTER (WHERE status = 'bad_value') AS bad_value,
        count(*) FILTER (WHERE status = 'glued') AS glued,
        count(*) FILTER (WHERE status = 'oversize') AS oversize,
        count(*) FILTER (WHERE status = 'bad_utf8') AS bad_utf8,
        count(*) FILTER (WHERE status = 'torn') AS torn,
        count(*) FILTER (WHERE status = 'bad_json') AS bad_json,
        count(*) FILTER (WHERE status = 'blank') AS blank
    FROM entries
    GROUP BY session_id, path
),

transcripts AS (
    SELECT
        *,
        coalesce(lf_count, 0) + CASE WHEN ends_with_lf THEN 0 WHEN bytes > 0 THEN 1 ELSE 0 END AS physical_lines
    FROM files
    WHERE kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')
)

SELECT
    transcripts.session_id,
    transcripts.agent,
    transcripts.path,
    transcripts.kind,
    transcripts.bytes,
    transcripts.physical_lines,
    coalesce(counted.entries, 0) AS entries,
    transcripts.physical_lines - coalesce(
        counted.ok + counted.bad_type + counted.bad_value + counted.glued + counted.oversize
        + counted.bad_utf8 + counted.torn + counted.bad_json + counted.blank,
        0
    ) AS difference,
    transcripts.bytes - coalesce(counted.bytes, 0) AS missing_bytes,
    coalesce(counted.ok, 0) AS ok,
    coalesce(counted.bad_type, 0) AS bad_type,
    coalesce(counted.bad_value, 0) AS bad_value,
    coalesce(counted.glued, 0) AS glued,
    coalesce(counted.oversize, 0) AS oversize,
    coalesce(counted.bad_utf8, 0) AS bad_utf8,
    coalesce(counted.torn, 0) AS torn,
    coalesce(counted.bad_json, 0) AS bad_json,
    coalesce(counted.blank, 0) AS blank,
    transcripts.read_error,
    transcripts.vanished_at
FROM transcripts
LEFT JOIN counted ON counted.session_id = transcripts.session_id AND counted.path = transcripts.path
