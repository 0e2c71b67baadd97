-- tool_failures: one row per tool call whose result is an error, each counted once.
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
    tools.call.session_id AS session_id,
    tools.call.agent AS agent,
    files.project,
    tools.call.path AS path,
    tools.call.line_no AS line_no,
    tools.call.result_line_no AS result_line_no,
    tools.call.occurred_at AS occurred_at,
    tools.call.tool_use_id AS tool_use_id,
    tools.call.tool_name AS tool_name,
    tools.call.category AS category,
    tools.call.file_path AS file_path,
    tools.call.detail AS detail,
    left(tools.call.result_text, 500) AS error,
    tools.call.result_bytes AS result_bytes,
    tools.call.is_sidechain AS is_sidechain
FROM tool_calls_once AS tools
LEFT JOIN files ON files.session_id = tools.call.session_id AND files.path = tools.call.path
WHERE tools.call.status = 'error'
