"""A first look at a lake: sessions, cost by day, tools.

    marimo edit notebooks/first_look.py --no-token     look and change
    python notebooks/first_look.py                     run every cell, as the tests do

It opens the default lake; set TRACELAKE_HOME for another one. Needs the extra `notebook`.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="First look at a lake")


@app.cell
def _():
    import altair as alt
    import marimo as mo
    import polars as pl
    from tracelake.config import default_lake
    from tracelake.errors import LakeError
    from tracelake.lake.connect import open_lake, run_select

    return LakeError, alt, default_lake, mo, open_lake, pl, run_select


@app.cell
def _(LakeError, default_lake, mo, open_lake, pl, run_select):
    lake = default_lake()

    def ask(sql):
        """The answer to one SELECT as a Polars frame."""
        with open_lake(lake) as connection:
            return pl.from_arrow(run_select(connection, sql))

    try:
        total = ask(
            "SELECT count(*) AS sessions, sum(messages)::BIGINT AS messages, sum(cost_usd)::DOUBLE AS usd FROM sessions"
        )
        problem = None
    except LakeError as error:
        total, problem = None, str(error)
    mo.stop(problem is not None, mo.md(f"There is nothing to look at yet: {problem}."))
    return ask, lake, total


@app.cell
def _(lake, mo, total):
    sessions, messages, usd = total.row(0)
    mo.md(f"# A first look\n\n`{lake}`: {sessions} sessions, {messages or 0} messages, {usd or 0:.2f} USD")
    return


@app.cell
def _(ask, mo):
    mo.vstack(
        [
            mo.md("## Sessions, the latest first"),
            ask("""
                SELECT started_at, project, title, messages, tool_calls, subagents, cost_usd::DOUBLE AS cost_usd
                FROM sessions ORDER BY started_at DESC NULLS LAST LIMIT 200
            """),
        ]
    )
    return


@app.cell
def _(alt, ask, mo):
    # DOUBLE, because a chart cannot hold exact decimals.
    daily = ask("""
        SELECT day, model, sum(cost_usd)::DOUBLE AS usd, sum(calls)::BIGINT AS calls
        FROM cost_daily WHERE day IS NOT NULL GROUP BY day, model ORDER BY day
    """)
    chart = (
        alt.Chart(daily)
        .mark_bar()
        .encode(x="yearmonthdate(day):T", y="usd:Q", color="model:N", tooltip=["day:T", "model", "usd", "calls"])
        .properties(width="container", height=240)
    )
    mo.vstack([mo.md("## Cost by day (UTC) and model"), chart])
    return


@app.cell
def _(ask, mo):
    mo.vstack(
        [
            mo.md("## Tools"),
            ask("""
                SELECT tool_name, calls, failures, failure_rate, result_bytes, median_seconds
                FROM tool_usage ORDER BY calls DESC
            """),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
