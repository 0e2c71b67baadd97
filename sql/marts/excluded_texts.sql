-- excluded_texts: one row per text that cannot be cited, with the reasons.
-- source: transcript.md C-4 to C-6, C-8 to C-13, C-19
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- path: File the text stands in.
-- line_no [1-based]: Line of the text.
-- record_no [0-based]: Which JSON object of a glued line.
-- seq [0-based]: Position of the text among those of its line.
-- pool: Whose text it would be: user or tool_result.
-- kind: typed, queued, answer, note, envelope or result.
-- uuid: Id of the entry.
-- occurred_at [UTC]: Time of the line.
-- excluded_reason: First reason against it.
-- all_reasons: Every reason against it.
-- text: The text as written.
-- norm_text: The text with white space folded.
-- norm_text_unnumbered: The same without the line numbers of Read; NULL where that is no different.
-- tool_use_id: Tool call whose result holds the text.
-- tool_name: Tool of that call.
-- wording_version: Version of the wording that opens an answer envelope in it.
SELECT
    session_id,
    agent,
    path,
    line_no,
    record_no,
    seq,
    pool,
    kind,
    uuid,
    occurred_at,
    excluded_reason,
    all_reasons,
    text,
    norm_text,
    norm_text_unnumbered,
    tool_use_id,
    tool_name,
    wording_version
FROM citations
WHERE NOT citable
