-- entries_json: one row per physical line, with the line itself as JSON.
-- source: parser.md 8.2
-- session_id: Session the row belongs to; also the partition key.
-- agent: Program that wrote the file: claude, codex or pi.
-- path: Absolute path of the file as read.
-- line_no [1-based]: Physical line the row comes from (the first where several).
-- byte_offset [bytes]: Position of the line's first byte in the file.
-- byte_len [bytes]: Length of the line with its LF; the lengths of a file add up to its size.
-- status: ok, bad_type, bad_value, glued, oversize, bad_utf8, torn, bad_json or blank.
-- error: Why the status is not ok; NULL when it is.
-- record_count: JSON values decoded from the line: 0 where none, 2 or more when glued.
-- class: message, system, attachment, control, other or unknown; NULL where nothing could be decoded.
-- type: The line's type as written.
-- subtype: Subtype of a system line; type of what a progress line reports; for Codex the type of the payload.
-- user_kind: What a user line is: tool_result, compact_summary, meta, task_notification, peer, coordinator, command, interrupt, subagent_prompt or prompt.
-- uuid: Id of the entry; NULL on bookkeeping lines.
-- parent_uuid: uuid of the entry before it; NULL when absent or null.
-- logical_parent_uuid: Entry a compaction or resume continues.
-- timestamp [UTC]: Time of the line; NULL when absent or not RFC 3339.
-- timestamp_text: The timestamp exactly as written.
-- is_sidechain: The entry belongs to a sub-agent's own conversation.
-- is_meta: Injected by the client, not typed.
-- is_compact_summary: The summary that a compaction leaves.
-- is_visible_in_transcript_only: Shown in the transcript, not sent to the model.
-- record_session_id: sessionId written on the line.
-- agent_id: Sub-agent id written on the line.
-- request_id: API request id.
-- message_id: API message id.
-- role: Role of the message.
-- model: Model of the message as written.
-- stop_reason: Stop reason of the message; NULL when absent.
-- prompt_id: Id of the prompt the line belongs to.
-- prompt_source: typed, queued, system or sdk, where the client says.
-- origin [JSON]: Origin of a user line.
-- tool_denial_kind: Why a tool call was refused.
-- cwd: Working directory written on the line.
-- git_branch: Git branch written on the line.
-- version: Client version written on the line.
-- text: Assistant prose, or the text of a user line, blocks joined by LF.
-- stop_hook_refused: A stop hook refused; NULL on other lines.
-- stop_hook_reasons: Reasons the stop hooks gave.
-- attachment_type: Type of an attachment line.
-- attachment_payload [JSON]: The attachment object.
-- queued_prompt: Prompt of a queued_command attachment, its text parts joined by LF.
-- command_mode: commandMode of a queued_command attachment.
-- queued_origin [JSON]: Origin of a queued_command attachment.
-- queued_at [UTC]: When a queued_command was queued, as its own timestamp says.
-- tool_use_id: toolUseID of a progress or system line: the tool call or hook run it is about.
-- parent_tool_use_id: parentToolUseID of a progress line: the call that started the sub-agent.
-- mode: mode control line.
-- permission_mode: permission-mode control line, or that of a prompt.
-- ai_title: ai-title control line.
-- custom_title: custom-title control line.
-- agent_name: agent-name control line.
-- leaf_uuid: leafUuid of a last-prompt or summary line.
-- last_prompt: lastPrompt of a last-prompt line.
-- bridge_session_id: bridge-session control line.
-- last_sequence_num: lastSequenceNum of a bridge-session line.
-- operation: operation of a queue-operation line.
-- content: content of a control or system line.
-- value [JSON]: The whole record where no other column shows its payload.
-- carries_usage: The line is of unknown class but carries token counts; NULL on lines of a known class.
-- summary: summary of a summary line.
-- pr_number: prNumber of a pr-link line.
-- pr_url: prUrl of a pr-link line.
-- pr_repository: prRepository of a pr-link line.
-- reported_total_cost_usd [USD]: The program's own total so far: totalCostUSD of a cost-state line, total_cost_usd of a result line.
-- reported_has_unknown_model: The program says that its total lacks a model it has no price for (hasUnknownModelCost).
-- reported_model_usage [JSON]: The program's own figures by model (modelUsage of a cost-state or result line).
-- json [JSON]: The whole line; NULL when it is not one valid JSON text in UTF-8, or raw lines were not kept.
-- message [JSON]: Its message.
-- tool_use_result [JSON]: Its toolUseResult.
WITH
-- A file may begin with a byte order mark, which is not JSON. Only very long lines have more than one chunk; a chunk may end within a character, so bytes are joined, not texts.
further AS (
    SELECT
        session_id,
        path,
        line_no,
        list_reduce(list(raw ORDER BY chunk_no), lambda whole, chunk: whole || chunk) AS raw
    FROM raw_lines
    WHERE chunk_no > 0
    GROUP BY session_id, path, line_no
),

texts AS (
    SELECT
        entries.*,
        TRY(decode(firsts.raw || coalesce(further.raw, ''::BLOB))) AS text_of_line,
        TRY_CAST(
            CASE WHEN entries.line_no = 1 THEN ltrim(text_of_line, chr(65279)) ELSE text_of_line END AS JSON
        ) AS json
    FROM entries
    LEFT JOIN raw_lines AS firsts
        ON firsts.session_id = entries.session_id
        AND firsts.path = entries.path
        AND firsts.line_no = entries.line_no
        AND firsts.chunk_no = 0
    LEFT JOIN further
        ON further.session_id = entries.session_id
        AND further.path = entries.path
        AND further.line_no = entries.line_no
)

SELECT
    session_id,
    agent,
    path,
    line_no,
    byte_offset,
    byte_len,
    status,
    error,
    record_count,
    class,
    type,
    subtype,
    user_kind,
    uuid,
    parent_uuid,
    logical_parent_uuid,
    timestamp,
    timestamp_text,
    is_sidechain,
    is_meta,
    is_compact_summary,
    is_visible_in_transcript_only,
    record_session_id,
    agent_id,
    request_id,
    message_id,
    role,
    model,
    stop_reason,
    prompt_id,
    prompt_source,
    origin,
    tool_denial_kind,
    cwd,
    git_branch,
    version,
    text,
    stop_hook_refused,
    stop_hook_reasons,
    attachment_type,
    attachment_payload,
    queued_prompt,
    command_mode,
    queued_origin,
    queued_at,
    tool_use_id,
    parent_tool_use_id,
    mode,
    permission_mode,
    ai_title,
    custom_title,
    agent_name,
    leaf_uuid,
    last_prompt,
    bridge_session_id,
    last_sequence_num,
    operation,
    content,
    value,
    carries_usage,
    summary,
    pr_number,
    pr_url,
    pr_repository,
    reported_total_cost_usd,
    reported_has_unknown_model,
    reported_model_usage,
    json,
    json -> '$.message' AS message,
    json -> '$.toolUseResult' AS tool_use_result
FROM texts
