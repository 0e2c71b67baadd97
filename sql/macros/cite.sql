-- cite: one row per entry whose text contains the quote; from_path is the file it is asked from, NULL for all files.
-- source: transcript.md C-14, C-15
-- session_id: Session of the entry's file.
-- path: File of the entry.
-- line_no [1-based]: Line of the entry.
-- source_types: Pools the quote was found in, in the order they are named.
-- uuid: Id of the entry; forks repeat it.
(quote, pools := ['user'], from_path := NULL) AS TABLE
SELECT files.session_id, found.path, found.line_no, found.source_types, found.uuid
FROM cite_matches([{
    'request_id': 0,
    'quote': quote::VARCHAR,
    'pools': pools::VARCHAR[],
    'from_path': from_path::VARCHAR,
    'as_subagent': false
}]) AS found
LEFT JOIN files ON files.path = found.path
ORDER BY found.position, found.path, found.line_no
