-- citable_texts: one row per text that a quote may resolve to.
-- source: transcript.md C-3, C-7, C-8, C-9
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- path: File the text stands in.
-- line_no [1-based]: Line of the text.
-- seq [0-based]: Position of the text among those of its line.
-- pool: user (the person's own words) or tool_result (what a tool printed).
-- kind: typed, queued, answer, note or result.
-- uuid: Id of the entry; forks repeat it.
-- occurred_at [UTC]: Time of the line.
-- text: The text as written.
-- norm_text: The text with white space folded.
-- norm_text_unnumbered: The same without the line numbers of Read; NULL where that is no different.
-- tool_use_id: Tool call whose result holds the text.
-- tool_name: Tool of that call.
-- seed_citable: The Go package's two answer wordings alone would make it citable too.
SELECT
    session_id,
    agent,
    path,
    line_no,
    seq,
    pool,
    kind,
    uuid,
    occurred_at,
    text,
    norm_text,
    norm_text_unnumbered,
    tool_use_id,
    tool_name,
    seed_citable
FROM citations
WHERE citable
