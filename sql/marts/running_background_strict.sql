-- running_background_strict: one row per background agent that its file alone shows as running, by the exact rule.
-- source: B-3
-- session_id: Session of the file.
-- path: The file; one that strict reading refuses has no rows here, see running_background_by_file.
-- agent_id: Agent whose last signal in the file is a launch.
-- launched_at [UTC]: Time of that launch.
-- line_no: Line of that launch.
-- key: Key of that launch.
WITH
last_signals AS (
    SELECT *
    FROM agent_signals
    WHERE strict
    QUALIFY row_number() OVER (PARTITION BY session_id, path, agent_id ORDER BY seq DESC) = 1
)

SELECT
    last_signals.session_id,
    last_signals.path,
    last_signals.agent_id,
    last_signals.occurred_at AS launched_at,
    last_signals.line_no,
    last_signals.key
FROM last_signals
INNER JOIN files ON files.session_id = last_signals.session_id AND files.path = last_signals.path
WHERE last_signals.signal = 'launched' AND files.strict_error IS NULL AND files.read_error IS NULL
