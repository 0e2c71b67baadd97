-- agent_type_of: main for a call of the main conversation, else the sub-agent's type; unknown where no sidecar tells it.
-- source: accounting.md 1
(file_kind, meta_agent_type, is_sidechain) AS
coalesce(CASE WHEN file_kind = 'main' AND NOT is_sidechain THEN 'main' ELSE meta_agent_type END, 'unknown')
