-- is_strict: Whether a strict reader takes a line with this status as a record: its text repaired, values it keeps unread.
-- source: transcript.md E-3
(status) AS status IN ('ok', 'bad_utf8', 'bad_value')
