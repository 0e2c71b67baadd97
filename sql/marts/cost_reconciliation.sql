-- cost_reconciliation: one row per session, source of the program's own figure, and model (NULL: the session as a whole).
-- source: accounting.md 5
-- session_id: The session.
-- agent: Program that wrote it.
-- project: Project of the session.
-- source: cost-state or result: the last such line of the session; costUSD: lines that carry a cost each.
-- model: Model the figure is for; NULL for the total.
-- calls [calls]: Calls that our figure sums.
-- ours_usd [USD]: Our cost: of all calls the session owns, for costUSD only of those whose line carries one; advisor
--    iterations stand under their own model, compactions under the call's.
-- theirs_usd [USD]: The program's figure.
-- difference_usd [USD]: theirs_usd less ours_usd; what is unpriced counts 0 in it.
-- explained_by: agrees (to a hundredth of a cent), advisor, compaction, fallback (theirs includes the declined attempts), unknown model,
--    copies (the session repeats calls another one owns), missing final usage record, other rates (theirs is for these
--    very tokens, but no rates the model ever had come to it: they are the program's own), or unexplained; the first that
--    fits.
-- advisor_usd [USD]: Part of ours that is advisor iterations.
-- compaction_usd [USD]: Part of ours that is compaction iterations.
-- declined_usd [USD]: Declined fallback attempts of the session, not in ours.
-- unpriced_calls [calls]: Calls and iterations without a price.
-- has_unknown_model: The program says that its figure lacks a model it has no price for.
-- partial_calls [calls]: Calls none of whose records carries a stop reason, so that their output may be partial.
-- foreign_calls [calls]: Calls that the session repeats and another session owns.
-- least_usd [USD]: For costUSD: the tokens at the lowest rates of their model, whatever the day, tier and mode.
-- most_usd [USD]: The same at the highest rates.
WITH
stated AS (
    SELECT
        session_id,
        type AS source,
        arg_max(reported_total_cost_usd, place) AS total_usd,
        arg_max(coalesce(reported_has_unknown_model, false), place) AS has_unknown_model,
        arg_max(reported_model_usage, place) AS model_usage
    FROM (
        SELECT
            session_id,
            type,
            reported_total_cost_usd,
            reported_has_unknown_model,
            reported_model_usage,
            ROW(coalesce(timestamp, '-infinity'), path, line_no) AS place
        FROM entries
        WHERE type IN ('cost-state', 'result') AND reported_total_cost_usd IS NOT NULL
    )
    GROUP BY session_id, type
),

by_model AS (
    SELECT session_id, source, has_unknown_model, unnest(json_keys(model_usage)) AS model, model_usage
    FROM stated
    WHERE json_valid(model_usage)
),

spent AS (
    SELECT
        costs.session_id,
        costs.model,
        costs.part,
        costs.part_of IS NULL AS is_call,
        costs.priced,
        coalesce(costs.usage_final, false) AS usage_final,
        costs.cost_usd,
        usage.reported_cost_usd,
        stated_rates.least_usd,
        stated_rates.most_usd
    FROM costs
    LEFT JOIN usage ON usage.call_id = costs.call_id AND costs.part_of IS NULL
    LEFT JOIN stated_rates ON stated_rates.call_id = costs.call_id
    WHERE costs.is_api_call
),

theirs AS (
    SELECT session_id, source, CAST(NULL AS VARCHAR) AS model, total_usd AS theirs_usd, has_unknown_model
    FROM stated
    UNION ALL
    SELECT
        session_id,
        source,
        model,
        TRY_CAST(
            json_extract_string(model_usage, concat('/', replace(replace(model, '~', '~0'), '/', '~1'), '/costUSD'))
            AS DECIMAL(18, 9)
        ),
        has_unknown_model
    FROM by_model
    UNION ALL
    SELECT session_id, 'costUSD', model, sum(reported_cost_usd), false
    FROM spent
    WHERE reported_cost_usd IS NOT NULL
    GROUP BY GROUPING SETS ((session_id, model), (session_id))
),

ours AS (
    SELECT
        theirs.session_id,
        theirs.source,
        theirs.model,
        count(*) FILTER (WHERE spent.is_call) AS calls,
        CAST(sum(spent.cost_usd) AS DECIMAL(38, 15)) AS ours_usd,
        CAST(coalesce(sum(spent.cost_usd) FILTER (WHERE spent.part = 'advisor'), 0) AS DECIMAL(38, 15)) AS advisor_usd,
        CAST(
            coalesce(sum(spent.cost_usd) FILTER (WHERE spent.part = 'compaction'), 0) AS DECIMAL(38, 15)
        ) AS compaction_usd,
        count(*) FILTER (WHERE NOT spent.priced) AS unpriced_calls,
        count(*) FILTER (WHERE spent.is_call AND NOT spent.usage_final) AS partial_calls,
        CAST(sum(spent.least_usd) FILTER (WHERE theirs.source = 'costUSD') AS DECIMAL(38, 15)) AS least_usd,
        CAST(sum(spent.most_usd) FILTER (WHERE theirs.source = 'costUSD') AS DECIMAL(38, 15)) AS most_usd
    FROM theirs
    LEFT JOIN spent
        ON spent.session_id = theirs.session_id
        AND (theirs.model IS NULL OR spent.model = theirs.model OR spent.model = regexp_replace(theirs.model, '\[.*\]$', ''))
        AND (theirs.source <> 'costUSD' OR spent.reported_cost_usd IS NOT NULL)
    GROUP BY theirs.session_id, theirs.source, theirs.model
),

declined AS (
    SELECT session_id, CAST(sum(declined_cost_usd) AS DECIMAL(38, 15)) AS declined_usd
    FROM fallback_costs
    GROUP BY session_id
),

foreign_calls AS (
    SELECT session_id, count(DISTINCT call_id) AS foreign_calls
    FROM usage_audit
    WHERE session_id <> owner_session_id
    GROUP BY session_id
),

projects AS (
    SELECT session_id, min(agent) AS agent, arg_min(project, ROW(kind <> 'main', path)) AS project
    FROM files
    GROUP BY session_id
),

compared AS (
    SELECT
        theirs.session_id,
        projects.agent,
        projects.project,
        theirs.source,
        theirs.model,
        ours.calls,
        ours.ours_usd,
        CAST(theirs.theirs_usd AS DECIMAL(38, 15)) AS theirs_usd,
        CAST(theirs.theirs_usd - coalesce(ours.ours_usd, 0) AS DECIMAL(38, 15)) AS difference_usd,
        ours.advisor_usd,
        ours.compaction_usd,
        declined.declined_usd,
        ours.unpriced_calls,
        theirs.has_unknown_model,
        ours.partial_calls,
        coalesce(foreign_calls.foreign_calls, 0) AS foreign_calls,
        ours.least_usd,
        ours.most_usd
    FROM theirs
    INNER JOIN ours
        ON ours.session_id = theirs.session_id
        AND ours.source = theirs.source
        AND ours.model IS NOT DISTINCT FROM theirs.model
    LEFT JOIN declined ON declined.session_id = theirs.session_id
    LEFT JOIN foreign_calls ON foreign_calls.session_id = theirs.session_id
    LEFT JOIN projects ON projects.session_id = theirs.session_id
)

SELECT
    session_id,
    agent,
    project,
    source,
    model,
    calls,
    ours_usd,
    theirs_usd,
    difference_usd,
    CASE
        WHEN abs(difference_usd) < 0.0001 THEN 'agrees'
        WHEN advisor_usd > 0 AND abs(difference_usd + advisor_usd) < 0.0001 THEN 'advisor'
        WHEN compaction_usd > 0 AND abs(difference_usd + compaction_usd) < 0.0001 THEN 'compaction'
        WHEN declined_usd > 0 AND abs(difference_usd - declined_usd) < 0.0001 THEN 'fallback'
        WHEN unpriced_calls > 0 OR has_unknown_model THEN 'unknown model'
        WHEN difference_usd > 0 AND foreign_calls > 0 THEN 'copies'
        WHEN difference_usd > 0 AND partial_calls > 0 THEN 'missing final usage record'
        WHEN theirs_usd NOT BETWEEN least_usd - 0.0001 AND most_usd + 0.0001 THEN 'other rates'
        ELSE 'unexplained'
    END AS explained_by,
    advisor_usd,
    compaction_usd,
    declined_usd,
    unpriced_calls,
    has_unknown_model,
    partial_calls,
    foreign_calls,
    least_usd,
    most_usd
FROM compared
