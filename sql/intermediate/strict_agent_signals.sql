-- strict_agent_signals: one row per signal of a background agent by the exact rule of its file.
--    A file that strict reading refuses has none: of it nothing is known.
-- source: transcript.md B-1, B-2
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: Line of the signal.
-- seq [0-based]: Position among the signals of the file.
-- signal: launched or ended.
-- agent_id: The background agent.
-- status: How it ended; empty for a launch.
-- key: The same for every copy of a signal.
SELECT
    signals.session_id,
    signals.path,
    signals.line_no,
    signals.seq,
    signals.signal,
    signals.agent_id,
    signals.status,
    signals.key
FROM agent_signals AS signals
INNER JOIN files ON files.session_id = signals.session_id AND files.path = signals.path
WHERE signals.strict AND files.strict_error IS NULL AND files.read_error IS NULL
