-- tool_failures: one row per tool call that failed, each counted once.
-- source: parser.md 3.5
-- session_id: Session of the call.
-- agent: Program that made the call.
-- project: Project of the call.
-- path: File of the call.
-- line_no [1-based]: Line of the call.
-- result_line_no [1-based]: Line of its result in the same file.
-- occurred_at [UTC]: Time of the call.
-- tool_use_id: The agent's id of the call.
-- tool_name: Tool name as written.
-- category: read, write, edit, bash, search or empty.
-- file_path: file_path of the input.
-- detail: First of command, pattern, url, query, description, skill of the input.
-- error: Beginning of the result, at most 500 characters.
-- result_bytes [UTF-8 bytes]: Length of the whole result.
-- is_sidechain: The call was made by a sub-agent.
SELECT
    tools.session_id,
    tools.agent,
    files.project,
    tools.path,
    tools.line_no,
    tools.result_line_no,
    tools.occurred_at,
    tools.tool_use_id,
    tools.tool_name,
    tools.category,
    tools.file_path,
    tools.detail,
    left(tools.result_text, 500) AS error,
    tools.result_bytes,
    tools.is_sidechain
FROM tool_calls_once AS tools
LEFT JOIN files ON files.session_id = tools.session_id AND files.path = tools.path
WHERE coalesce(tools.failed, tools.status = 'error')
