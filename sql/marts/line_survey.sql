-- line_survey: one row per agent, type, subtype, key path and JSON type that lines have.
-- source: parser.md 8.8
-- agent: Program that wrote the lines: claude, codex or pi.
-- class: message, system, attachment, control, other or unknown; unknown is a type that this program does not know yet.
-- type: The lines' type as written; NULL where they have none.
-- subtype: Subtype of system and progress lines, type of attachments; for Codex the type of the payload.
-- key_path: Keys from the line down, joined by points: `[]` is any element of an array, `*` any key that is no plain name (a
--    path, an id, ...); at most ten steps.
-- json_type: object, array, string, number, boolean or null (elements of arrays that are null are left out); `any` for an
--    empty object and for elements of several types in one array.
-- count [lines]: Lines that have the key with that type.
-- versions: Client versions that wrote them, oldest first; lines without one count as of the line before.
-- example_path: First file, by path, that has one.
-- example_line_no [1-based]: First such line of that file.
WITH
-- The shape of a line is taken first and lines of one shape are counted together: walking every line's tree would take
-- twenty times as long. Lines that are not one JSON text, or over 16 MiB, have no shape; nor has any without raw lines.
numbered AS (
    SELECT *, row_number() OVER (ORDER BY path, line_no) AS place
    FROM surveyed_lines
),

shaped AS (
    SELECT
        numbered.agent,
        numbered.class,
        numbered.type,
        numbered.subtype,
        numbered.version,
        numbered.place,
        TRY(json_structure(TRY_CAST(TRY(decode(raw_lines.raw)) AS JSON))) AS shape
    FROM numbered
    INNER JOIN raw_lines
        ON raw_lines.session_id = numbered.session_id
        AND raw_lines.path = numbered.path
        AND raw_lines.line_no = numbered.line_no
        AND raw_lines.chunk_no = 0
),

shapes AS (
    SELECT agent, class, type, subtype, version, shape, count(*) AS lines, min(place) AS place
    FROM shaped
    WHERE shape IS NOT NULL
    GROUP BY agent, class, type, subtype, version, shape
),

nodes AS (
    SELECT DISTINCT
        shapes.place,
        node.fullkey[2:]
            .regexp_replace('"(?:[^"\\]|\\.)*"', '*', 'g')
            .regexp_replace('\.(?:[a-z]+_[A-Za-z]{0,5}\d[A-Za-z0-9]{10,}|[0-9a-f]{16,})', '.*', 'g')
            .regexp_replace('\[\d+\]', '.[]', 'g') AS steps,
        CASE WHEN node.type IN ('OBJECT', 'ARRAY') THEN lower(node.type) ELSE trim(node.atom::VARCHAR, '"') END AS kind
    FROM shapes
    CROSS JOIN LATERAL json_tree(shapes.shape) AS node
    WHERE node.fullkey <> '$'
),

counted AS (
    SELECT
        shapes.agent,
        shapes.class,
        shapes.type,
        shapes.subtype,
        replace(substr(nodes.steps, 2), '.[]', '[]') AS key_path,
        CASE
            WHEN nodes.kind IN ('object', 'array') THEN nodes.kind
            WHEN nodes.kind = 'VARCHAR' THEN 'string'
            WHEN nodes.kind IN ('BOOLEAN', 'NULL') THEN lower(nodes.kind)
            WHEN nodes.kind = 'JSON' THEN 'any'
            ELSE 'number'
        END AS json_type,
        sum(shapes.lines)::BIGINT AS count,
        list_sort(
            list(DISTINCT {
                parts: list_transform(regexp_extract_all(shapes.version, '\d{1,9}'), lambda part: part::BIGINT),
                version: shapes.version
            }) FILTER (WHERE shapes.version IS NOT NULL)
        ).list_transform(lambda one: one.version) AS versions,
        min(nodes.place) AS place
    FROM nodes
    INNER JOIN shapes ON shapes.place = nodes.place
    WHERE length(nodes.steps) - length(replace(nodes.steps, '.', '')) <= 10
        -- What an empty array is taken to hold.
        AND NOT (nodes.kind = 'NULL' AND ends_with(nodes.steps, '[]'))
    GROUP BY shapes.agent, shapes.class, shapes.type, shapes.subtype, key_path, json_type
)

SELECT
    counted.* EXCLUDE (place),
    numbered.path AS example_path,
    numbered.line_no AS example_line_no
FROM counted
INNER JOIN numbered ON numbered.place = counted.place
