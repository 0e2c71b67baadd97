-- tool_calls_once: one row per tool call, copies in forks, resumes and other exports of the same file left out.
-- source: parser.md 7.1
-- session_id: Session of the call.
-- agent: Program that wrote the file: claude, codex or pi.
-- path: File of the call.
-- line_no [1-based]: Physical line the row comes from (the first where several).
-- record_no [0-based]: Which of the JSON objects glued on the line the row comes from; 0 on an ordinary line.
-- block_index [0-based]: Position of the call's block in the content list.
-- message_ordinal [0-based within the file]: Ordinal of the folded message the row belongs to; NULL where none was
--    open.
-- call_index [0-based]: Position of the call within its message.
-- tool_use_id: The agent's id of the tool call.
-- tool_name: Tool name as written.
-- category: read, write, edit, bash, search or empty.
-- file_path: file_path of the input, when a string of at most 4,096 bytes.
-- file_rel_path: The same relative to the session's cwd; NULL outside it.
-- detail: First of command, pattern, url, query, description, skill that is a short string; Codex: also the command
--    line of `cmd` or of a list of words.
-- input_json [JSON]: Exact source text of the input; for Codex the decoded text, which need not be JSON; NULL when
--    there is none.
-- input_bytes [UTF-8 bytes]: Length of the input.
-- input_sha256 [hex]: SHA-256 of the input's bytes.
-- input_media_type: Media type of the input.
-- patch_paths: Files named by the headers of an apply_patch body in the input, as written (Codex, pi); NULL without a
--    patch.
-- occurred_at [UTC]: Time of the line the row comes from; NULL where it has none.
-- status: ok, error, or pending while no result is known.
-- failed: The result is an error, states an exit code other than 0 or says that a script failed, whatever the agent
--    calls it; NULL while no result is known, and in Codex where its text was lifted out.
-- result_text: Body of the first result with the call's id.
-- result_bytes [UTF-8 bytes]: Length of that body.
-- result_sha256 [hex]: SHA-256 of that body.
-- result_media_type: Media type of that body.
-- result_line_no [1-based]: Line of that result.
-- result_at [UTC]: Time of the line of that result.
-- ran: A result of the call, in an entry on a line with status ok, is no not-run notice; false without a result.
-- ran_extended: The same with results on any line, while the `ext:` forms count as notices too.
-- not_run_form: Form of the not-run notice, N1 to N11 or `ext:<name>`; NULL when the call ran or has no result.
-- hook_refusal_reason: What a PreToolUse hook said when it refused the call; NULL when none did.
-- echo: A Bash call whose output may be text the agent wrote itself.
-- reads_transcript_static: A path in the input names an agent's transcript by its wording: below a `projects` folder,
--    or an agent's output file.
-- reads_transcript_live: A path in the input was a transcript on the machine that extracted, when it did
--    (`files.extracted_at`).
-- run_in_background: The input asks for a background run (true or "true").
-- attribution_agent: attributionAgent of the line.
-- attribution_skill: attributionSkill of the line.
-- attribution_plugin: attributionPlugin of the line.
-- is_sidechain: The line belongs to a sub-agent's own conversation.
-- copies [rows]: Number of rows in tool_calls that show this call.
WITH
-- A copy keeps the call's id, input and time. Without an id nothing is a copy, without a time nothing in another session.
began AS (
    SELECT session_id, path, min(start_time) AS began_at, max(forked_line_count) AS forked_line_count
    FROM files
    GROUP BY session_id, path
),

keyed AS (
    SELECT
        *,
        CASE
            WHEN tool_use_id <> '' THEN concat_ws(' ', 'id', tool_use_id, CASE WHEN occurred_at IS NULL THEN session_id END)
            ELSE concat_ws(':', 'at', path, line_no, record_no, block_index)
        END AS call_key
    FROM tool_calls
)

-- One that has its result comes before one that is pending, then that of the file with fewer copied lines, then of the
-- file that began first.
SELECT
    calls.session_id,
    calls.agent,
    calls.path,
    calls.line_no,
    calls.record_no,
    calls.block_index,
    calls.message_ordinal,
    calls.call_index,
    calls.tool_use_id,
    calls.tool_name,
    calls.category,
    calls.file_path,
    calls.file_rel_path,
    calls.detail,
    calls.input_json,
    calls.input_bytes,
    calls.input_sha256,
    calls.input_media_type,
    calls.patch_paths,
    calls.occurred_at,
    calls.status,
    calls.failed,
    calls.result_text,
    calls.result_bytes,
    calls.result_sha256,
    calls.result_media_type,
    calls.result_line_no,
    calls.result_at,
    calls.ran,
    calls.ran_extended,
    calls.not_run_form,
    calls.hook_refusal_reason,
    calls.echo,
    calls.reads_transcript_static,
    calls.reads_transcript_live,
    calls.run_in_background,
    calls.attribution_agent,
    calls.attribution_skill,
    calls.attribution_plugin,
    calls.is_sidechain,
    count(*) OVER same_call AS copies
FROM keyed AS calls
LEFT JOIN began ON began.session_id = calls.session_id AND began.path = calls.path
WINDOW
    same_call AS (PARTITION BY calls.tool_name, calls.call_key, calls.input_sha256, calls.occurred_at),
    best_first AS (
        PARTITION BY calls.tool_name, calls.call_key, calls.input_sha256, calls.occurred_at
        ORDER BY
            calls.status = 'pending',
            coalesce(began.forked_line_count, 0),
            began.began_at NULLS LAST,
            calls.path,
            calls.line_no,
            calls.call_index
    )
QUALIFY row_number() OVER best_first = 1
