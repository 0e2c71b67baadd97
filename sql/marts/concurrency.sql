-- concurrency: one row per moment at which the number of running sessions changes.
-- source: parser.md 7.7
-- changed_at [UTC]: The moment a session starts or ends.
-- running [sessions]: Sessions that run from then on; starts count before ends of the same moment.
-- most_running [sessions]: Sessions that run at that moment, those that end at it included.
-- seconds [seconds]: Time until the next change; NULL for the last.
-- peak [sessions]: Largest number over the whole lake.
-- average [sessions]: All sessions' time by the time in which at least one runs; NULL where none takes time.
WITH
spans AS (
    SELECT session_id, min(start_time) AS started_at, max(end_time) AS ended_at
    FROM files
    WHERE start_time IS NOT NULL AND end_time >= start_time
    GROUP BY session_id
),

changes AS (
    SELECT started_at AS changed_at, 1 AS starts, 0 AS ends FROM spans
    UNION ALL
    SELECT ended_at, 0, 1 FROM spans
),

moments AS (
    SELECT changed_at, CAST(sum(starts) AS BIGINT) AS starts, CAST(sum(ends) AS BIGINT) AS ends
    FROM changes
    GROUP BY changed_at
),

levels AS (
    SELECT
        changed_at,
        ends,
        CAST(sum(starts - ends) OVER (ORDER BY changed_at) AS BIGINT) AS running,
        epoch(lead(changed_at) OVER (ORDER BY changed_at)) - epoch(changed_at) AS seconds
    FROM moments
)

SELECT
    changed_at,
    running,
    running + ends AS most_running,
    seconds,
    max(running + ends) OVER () AS peak,
    sum(running * seconds) OVER () / nullif(sum(seconds) FILTER (WHERE running > 0) OVER (), 0) AS average
FROM levels
