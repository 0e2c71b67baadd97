-- usage_blocks: one row per agent and five-hour block of use, and per gap between two blocks.
-- source: the blocks of ccusage
-- agent: Program that made the calls.
-- starts_at [UTC]: The hour of the block's first call; for a gap five hours after the last call before it.
-- ends_at [UTC]: Five hours after starts_at; for a gap the next call.
-- is_gap: Nothing was used for more than five hours; calls and tokens are 0.
-- is_active: The block can still grow: now, the moment of the query, is before ends_at.
-- first_call_at [UTC]: Time of the first call.
-- last_call_at [UTC]: Time of the last call; a call more than five hours after starts_at, or after the call before it,
--    opens the next block.
-- calls [calls]: API calls, each counted once.
-- unpriced_calls [calls]: Calls and advisor iterations without a price.
-- models: Models of the calls, sorted.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- tokens [tokens]: All four together.
-- cost_usd [USD]: Cost of the priced calls; NULL when none is priced.
-- usd_per_hour [USD per hour]: cost_usd by the time from the first to the last call; NULL where that is none.
WITH RECURSIVE
calls AS MATERIALIZED (
    SELECT
        agent,
        CAST(occurred_at AT TIME ZONE 'UTC' AS TIMESTAMP) AS called_at,
        part_of,
        model,
        input_tokens,
        output_tokens,
        cache_read_tokens,
        cache_write_5m_tokens,
        cache_write_1h_tokens,
        cost_usd,
        priced
    FROM costs
    WHERE is_api_call AND occurred_at IS NOT NULL
),

-- A call on the full hour still belongs to the block that ends then, so its slot is the hour before.
timed AS (
    SELECT
        agent,
        called_at,
        date_trunc('hour', called_at - INTERVAL 1 MICROSECOND) AS slot,
        coalesce(called_at - lag(called_at) OVER (PARTITION BY agent ORDER BY called_at) > INTERVAL 5 HOUR, true)
            AS opens_stretch
    FROM calls
),

stretched AS (
    SELECT
        agent,
        called_at,
        slot,
        count(*) FILTER (WHERE opens_stretch) OVER (
            PARTITION BY agent ORDER BY called_at, opens_stretch DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS stretch
    FROM timed
),

slots AS MATERIALIZED (
    SELECT agent, stretch, slot, min(called_at) AS first_at
    FROM stretched
    GROUP BY agent, stretch, slot
),

-- Within a stretch without a gap of five hours each block begins at the first call after the one before it ends.
starts AS (
    SELECT agent, stretch, min(first_at) AS first_at
    FROM slots
    GROUP BY agent, stretch
    UNION ALL
    SELECT slots.agent, slots.stretch, min(slots.first_at)
    FROM starts
    INNER JOIN slots
        ON slots.agent = starts.agent
        AND slots.stretch = starts.stretch
        AND slots.slot >= date_trunc('hour', starts.first_at) + INTERVAL 5 HOUR
    GROUP BY slots.agent, slots.stretch, starts.first_at
),

bounds AS (
    SELECT
        agent,
        date_trunc('hour', first_at) AS start,
        first_at,
        lead(first_at) OVER (PARTITION BY agent ORDER BY first_at) AS next_at
    FROM starts
),

blocks AS (
    SELECT
        bounds.agent,
        bounds.start,
        bounds.next_at,
        min(calls.called_at) AS first_at,
        max(calls.called_at) AS last_at,
        count(*) FILTER (WHERE calls.part_of IS NULL) AS calls,
        count(*) FILTER (WHERE NOT calls.priced) AS unpriced_calls,
        list_sort(list(DISTINCT calls.model)) AS models,
        TRY_CAST(coalesce(sum(calls.input_tokens), 0) AS BIGINT) AS input_tokens,
        TRY_CAST(coalesce(sum(calls.output_tokens), 0) AS BIGINT) AS output_tokens,
        TRY_CAST(coalesce(sum(calls.cache_read_tokens), 0) AS BIGINT) AS cache_read_tokens,
        TRY_CAST(
            coalesce(sum(calls.cache_write_5m_tokens), 0) + coalesce(sum(calls.cache_write_1h_tokens), 0) AS BIGINT
        ) AS cache_write_tokens,
        CAST(sum(calls.cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM bounds
    INNER JOIN calls
        ON calls.agent = bounds.agent
        AND calls.called_at >= bounds.first_at
        AND calls.called_at < coalesce(bounds.next_at, TIMESTAMP 'infinity')
    GROUP BY bounds.agent, bounds.start, bounds.next_at
)

SELECT
    agent,
    timezone('UTC', start) AS starts_at,
    timezone('UTC', start + INTERVAL 5 HOUR) AS ends_at,
    false AS is_gap,
    now() < timezone('UTC', start + INTERVAL 5 HOUR) AS is_active,
    timezone('UTC', first_at) AS first_call_at,
    timezone('UTC', last_at) AS last_call_at,
    calls,
    unpriced_calls,
    models,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens,
    TRY_CAST(CAST(input_tokens AS HUGEINT) + output_tokens + cache_read_tokens + cache_write_tokens AS BIGINT) AS tokens,
    cost_usd,
    CAST(cost_usd AS DOUBLE) * 3600 / nullif(epoch(last_at) - epoch(first_at), 0) AS usd_per_hour
FROM blocks
UNION ALL
SELECT
    agent,
    timezone('UTC', last_at + INTERVAL 5 HOUR),
    timezone('UTC', next_at),
    true,
    false,
    NULL,
    NULL,
    0,
    0,
    [],
    0,
    0,
    0,
    0,
    0,
    NULL,
    NULL
FROM blocks
WHERE next_at - last_at > INTERVAL 5 HOUR
