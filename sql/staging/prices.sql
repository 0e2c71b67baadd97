-- prices: one row per provider, model, window of time, prompt size and variant.
-- source: accounting.md 3
-- provider: Who bills: anthropic, aws, google, openai, openrouter and others.
-- model_id: Model as the price list names it; price_model_id of model_aliases leads here from a transcript's model string.
-- variant: Empty for the standard tariff, else the condition: speed=fast, processing=batch, service_tier=flex, ...
-- valid_from [UTC date]: First day of the window; NULL when open.
-- valid_to [UTC date]: First day after the window; NULL when open.
-- over_input_tokens [tokens]: The rates hold for prompts (input, cache read and cache write) above this; NULL for no bound.
-- upto_input_tokens [tokens]: The rates hold for prompts up to and with this; NULL for no bound.
-- input [USD per million tokens]: Uncached prompt tokens; the same number is micro-dollars per token.
-- output [USD per million tokens]: Output tokens.
-- cache_read [USD per million tokens]: Prompt tokens read from the cache.
-- cache_write_5m [USD per million tokens]: Prompt tokens written to the cache for five minutes.
-- cache_write_1h [USD per million tokens]: Prompt tokens written to the cache for one hour.
-- web_search [micro-dollars per request]: One web search; NULL where none is offered.
-- source: Where the row comes from: the price package with its version, or the project's own override file.
-- reason: Why an override was needed; NULL for the others.
SELECT
    provider,
    model_id,
    variant,
    valid_from,
    valid_to,
    over_input_tokens,
    upto_input_tokens,
    input,
    output,
    cache_read,
    cache_write_5m,
    cache_write_1h,
    web_search,
    source,
    reason
FROM price_rates
