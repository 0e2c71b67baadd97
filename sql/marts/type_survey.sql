-- type_survey: one row per agent, class, type and subtype of lines.
-- source: parser.md 8.8
-- agent: Program that wrote the lines: claude, codex or pi.
-- class: message, system, attachment, control, other or unknown; unknown is a type that this program does not know yet.
-- type: The lines' type as written; NULL where they have none.
-- subtype: Subtype of system and progress lines, type of attachments; for Codex the type of the payload.
-- count [lines]: Lines of this kind.
-- versions: Client versions that wrote them, oldest first; lines without one count as of the line before.
-- example_path: First file, by path, that has one.
-- example_line_no [1-based]: First such line of that file.
SELECT
    agent,
    class,
    type,
    subtype,
    count(*) AS count,
    list_sort(
        list(DISTINCT {
            parts: list_transform(regexp_extract_all(version, '\d{1,9}'), lambda part: part::BIGINT),
            version: version
        }) FILTER (WHERE version IS NOT NULL)
    ).list_transform(lambda one: one.version) AS versions,
    min(path) AS example_path,
    min_by(line_no, {path: path, line_no: line_no}) AS example_line_no
FROM surveyed_lines
GROUP BY agent, class, type, subtype
