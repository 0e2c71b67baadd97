"""`tracelake status`: what is in the lake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tracelake.cli.command import command
from tracelake.cli.grid import Answer, Grid, Section
from tracelake.cli.options import Settings
from tracelake.cli.output import emit

if TYPE_CHECKING:
    from tracelake.lake.layout import LakePaths
    from tracelake.lake.manifest import Manifest

RUNS_SHOWN = 5


@command
def status(settings: Settings) -> None:
    """Show where the lake is and what it holds."""
    from tracelake.lake.layout import LakePaths
    from tracelake.lake.store import database_number, manifest_of

    paths = LakePaths(settings.lake.absolute())
    emit(describe(paths, manifest_of(paths, database_number(paths))), settings)


def describe(paths: LakePaths, manifest: Manifest) -> Answer:
    """Return the state of one lake; `document` is the same as one structure."""
    document = {
        "lake": str(paths.root),
        "state": state(paths, manifest),
        "lake_version": manifest.lake_version,
        "commits": manifest.number,
        "rebuilt": manifest.rebuilt,
        "sessions": len(manifest.sessions()),
        "files": dict(Counter(item.file.kind for item in manifest.files.values()).most_common()),
        "vanished": sum(item.vanished_at_us is not None for item in manifest.files.values()),
        "unreadable": sum(bool(item.read_error or item.file.unreadable) for item in manifest.files.values()),
        "failures": [
            {"name": name, "reason": state.reason, "path": state.path} for name, state in manifest.failures.items()
        ],
        "tables": list(tables(manifest)),
        "prices": prices(manifest),
        "runs": list(runs(manifest)),
    }
    return Answer(Grid(NAMES, tuple(flat(document))), document, tuple(sections(document)))


NAMES = ("section", "name", "count", "bytes", "text")


def state(paths: LakePaths, manifest: Manifest) -> str:
    """Return `absent`, `incomplete` (without the database file, so that no query can run), `empty` or `ready`."""
    if not manifest.number and not paths.database.is_file():
        return "absent"
    if not paths.database.is_file():
        return "incomplete"
    return "ready" if manifest.files else "empty"


def tables(manifest: Manifest) -> Iterator[dict[str, Any]]:
    """Yield live rows and bytes on disk of every table."""
    from tracelake.tables import TABLES

    rows = manifest.rows_by_table()
    for name in TABLES:
        held = (state.files[name].bytes for state in manifest.bundles.values() if name in state.files)
        yield {"table": name, "rows": rows.get(name, 0), "bytes": sum(held)}


def prices(manifest: Manifest) -> str | None:
    """Return which prices the lake was given; None where it has none yet."""
    rates = manifest.derived.get("price_rates")
    return None if rates is None else rates.stamp


def runs(manifest: Manifest) -> Iterator[dict[str, Any]]:
    """Yield the last runs that changed the lake, newest first."""
    for run in reversed(manifest.runs[-RUNS_SHOWN:]):
        yield {
            "started_at": datetime.fromtimestamp(run.started_at_us / 1e6, UTC).replace(microsecond=0),
            "seconds": round(run.seconds, 2),
            "sessions_changed": run.sessions_changed,
            "sessions_failed": run.sessions_failed,
            "lines": run.lines,
            "bytes": run.bytes,
            "complete": run.complete,
            "sources": run.sources,
        }


def facts(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the single values of the document."""
    for name, value in document.items():
        if not isinstance(value, dict | list):
            yield name, value


def flat(document: dict[str, Any]) -> Iterator[tuple[str, str, int | None, int | None, str | None]]:
    """Yield every fact as (section, name, count, bytes, text)."""
    for name, value in facts(document):
        number = isinstance(value, int)
        yield "lake", name, value if number else None, None, None if number else value
    for kind, count in document["files"].items():
        yield "files", kind, count, None, None
    for failure in document["failures"]:
        yield "failure", failure["name"], None, None, failure["reason"]
    for table in document["tables"]:
        yield "rows", table["table"], table["rows"], table["bytes"], None
    for run in document["runs"]:
        yield "run", run["started_at"].isoformat(), run["sessions_changed"], run["bytes"], ", ".join(run["sources"])


def sections(document: dict[str, Any]) -> Iterator[Section]:
    """Yield the blocks a person reads."""
    yield Section(Grid(("lake", ""), tuple((name, words(name, value)) for name, value in facts(document))[0:]))
    if not document["sessions"]:
        return
    yield Section(Grid(("files by kind", "count"), tuple(document["files"].items())))
    yield Section(Grid(("table", "rows", "bytes"), tuple(tuple(row.values()) for row in document["tables"])))
    if document["failures"]:
        rows = tuple((failure["path"], failure["reason"]) for failure in document["failures"])
        yield Section(Grid(("not in the lake, or not as it is now", "reason"), rows))
    if document["runs"]:
        names = tuple(document["runs"][0])
        yield Section(Grid(names, tuple(tuple(run.values()) for run in document["runs"])), "last runs")


def words(name: str, value: Any) -> Any:
    """Return a fact as a person reads it."""
    if name == "state" and value == "incomplete":
        return f"{value}: run tracelake extract"
    if name == "state" and value != "ready":
        return f"{value}: fill it with tracelake extract"
    if name == "rebuilt" and value:
        return "yes, its manifests were lost: what was chosen for it and what failed before are not known"
    return value
