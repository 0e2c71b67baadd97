-- dispatch_candidates: one row per sub-agent file with a dispatching call id and entry that makes a call with that id.
-- source: transcript.md S-7, T-3
-- path: The sub-agent's file.
-- candidate_path: A file of the same project that holds such an entry.
-- line_no [1-based]: Line of the entry.
-- search_rank: Order in which the search meets the file: sessions by name, then the sub-agents of each session folder, then
--    those of their folders; NULL for files it does not look at (workflow folders).
WITH
wanted AS (
    SELECT files.path, files.meta_tool_use_id, agent_files.project_dir
    FROM files
    INNER JOIN agent_files ON agent_files.session_id = files.session_id AND agent_files.path = files.path
    WHERE coalesce(files.meta_tool_use_id, '') <> ''
),

calls AS (
    SELECT blocks.path, blocks.line_no, blocks.tool_use_id
    FROM blocks
    INNER JOIN entries
        ON entries.session_id = blocks.session_id AND entries.path = blocks.path AND entries.line_no = blocks.line_no
    INNER JOIN files ON files.session_id = blocks.session_id AND files.path = blocks.path
    WHERE blocks.type = 'tool_use'
        AND blocks.list_valid
        AND is_strict(entries.status)
        AND entries.uuid IS NOT NULL
        AND blocks.line_no < coalesce(files.first_oversize_line, blocks.line_no + 1)
        AND blocks.tool_use_id IN (SELECT meta_tool_use_id FROM wanted)
),

found AS (
    SELECT
        wanted.path,
        calls.path AS candidate_path,
        min(calls.line_no) AS line_no,
        string_split(substr(calls.path, length(wanted.project_dir) + 2), '/') AS parts
    FROM wanted
    INNER JOIN calls ON calls.tool_use_id = wanted.meta_tool_use_id
    WHERE calls.path <> wanted.path AND starts_with(calls.path, concat(wanted.project_dir, '/'))
    GROUP BY wanted.path, wanted.project_dir, calls.path
)

SELECT
    path,
    candidate_path,
    line_no,
    CASE
        WHEN len(parts) = 1 THEN ['', parts[1]]
        WHEN regexp_full_match(array_to_string(parts, '/'), '[^/]+/subagents(/[^/]+/subagents)*/agent-[^/]*[.]jsonl')
            THEN list_concat(
                [parts[1]],
                list_transform(parts[3:-2], lambda part: concat('1', part)),
                [concat('0', parts[-1])]
            )
    END AS search_rank
FROM found
