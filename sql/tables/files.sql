-- What became of a file after it was read is known of the snapshot, not of the row.
SELECT
    stored.* REPLACE (coalesce(states.read_error, stored.read_error) AS read_error),
    states.vanished_at
FROM stored_files AS stored
LEFT JOIN file_states AS states ON states.part_id = stored.part_id
