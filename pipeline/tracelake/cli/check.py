"""`tracelake check`: the lake against its sources, identities, integrity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracelake.cli.ask import ask
from tracelake.cli.command import command, note
from tracelake.cli.grid import Answer, Grid, Section, from_arrow
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.cli.survey import show_survey
from tracelake.errors import UsageError
from tracelake.reports import integrity

if TYPE_CHECKING:
    from tracelake.lake.verify import Damage
    from tracelake.reconcile import Sources

PROBLEM = 1
SURVEY = ("files", "restarts", "ok", "missing", "runaway", "no_origin", "unreadable")


@command
def check(
    settings: Settings,
    issues: Annotated[bool, typer.Option("--issues", help="List every issue instead, a row each.")] = False,
    survey: Annotated[
        bool, typer.Option("--survey", help="Show the line types and keys that a client version brought instead.")
    ] = False,
    read_data: Annotated[
        bool, typer.Option("--read-data", help="Read every file of the lake and verify its checksum.")
    ] = False,
    version: Annotated[
        str | None, typer.Option(help="With --survey: this version; default the newest of each agent.")
    ] = None,
) -> int:
    """Check the lake: every line accounted for, identities, integrity.

    The files of the lake are compared with its manifest first. The lines of all sources that are as they were are
    counted again and compared with the lake. Exit code 1 means that there is a problem of severity error.
    """
    from tracelake.lake.connect import open_lake, snapshot_of
    from tracelake.lake.layout import LakePaths
    from tracelake.lake.store import manifest_of
    from tracelake.lake.verify import damaged_files
    from tracelake.reconcile import compare

    if survey and issues:
        raise UsageError("--survey and --issues contradict each other")
    if survey:
        show_survey(settings, version)
        return 0
    if version is not None:
        raise UsageError("--version needs --survey")
    paths = LakePaths(settings.lake.absolute())
    with open_lake(settings.lake) as connection:
        manifest = manifest_of(paths, snapshot_of(connection)["number"])
        if damaged := list(damaged_files(paths, manifest, read_data=read_data)):
            return show_damage(damaged, settings)
        found = ask(connection, integrity.issues())
        rows = dict(zip(*ask(connection, integrity.rows_by_path()).to_pydict().values(), strict=True))
        coverage = ask(connection, integrity.coverage()).to_pylist()[0]
        identities = ask(connection, integrity.identities()).to_pylist()
    sources = compare(manifest.files.values(), rows)
    document = describe(coverage, sources, identities, found.select(["check_id", "severity"]).to_pylist())
    document["failures"] = [
        {"name": name, "path": state.path, "reason": state.reason} for name, state in manifest.failures.items()
    ]
    document["ok"] = document["ok"] and not document["failures"]
    if issues:
        emit(Answer(from_arrow(found)), settings)
    else:
        emit(Answer(Grid(NAMES, tuple(flat(document))), document, tuple(sections(document))), settings)
    return 0 if document["ok"] else PROBLEM


def show_damage(damaged: Sequence[Damage], settings: Settings) -> int:
    """List the files that are not as they were written: with them no view can be trusted."""
    emit(Answer(Grid(("file", "damage"), tuple(damaged))), settings)
    note(settings, f"damaged files: {len(damaged)}; read their sources again with: tracelake extract --full")
    return PROBLEM


def describe(
    coverage: dict[str, Any], sources: Sources, identities: list[dict[str, Any]], issues: Sequence[dict[str, str]]
) -> dict[str, Any]:
    """Return everything that was found as one structure; `ok` is false when there is a problem of severity error."""
    counts = Counter((row["severity"], row["check_id"]) for row in issues)
    severities = Counter(row["severity"] for row in issues)
    return {
        "ok": not severities["error"] and not sources.mismatches,
        "coverage": coverage,
        "sources": {
            "unchanged": sources.unchanged,
            "recounted_lines": sources.lines,
            "changed": sources.changed,
            "gone": sources.gone,
            "mismatches": [mismatch._asdict() for mismatch in sources.mismatches],
        },
        "identity": {name: sum(row[name] for row in identities) for name in SURVEY},
        "projects": identities,
        "issues": [
            {"severity": severity, "check_id": check_id, "count": count}
            for (severity, check_id), count in counts.items()
        ],
    }


NAMES = ("section", "name", "severity", "count")


def flat(document: dict[str, Any]) -> Iterator[tuple[str, str, str | None, int]]:
    """Yield every count as (section, name, severity, count)."""
    for name, count in document["coverage"].items():
        yield "coverage", name, None, count
    for name, count in document["sources"].items():
        if name == "mismatches":
            yield "sources", name, "error", len(count)
        else:
            yield "sources", name, None, count
    for name, count in document["identity"].items():
        yield "identity", name, None, count
    yield "failures", "failures", "error", len(document["failures"])
    for row in document["issues"]:
        yield "issues", row["check_id"], row["severity"], row["count"]


def sections(document: dict[str, Any]) -> Iterator[Section]:
    """Yield the blocks a person reads."""
    yield Section(Grid(("lines of the lake", "count"), tuple(document["coverage"].items())))
    counts = tuple((name, value) for name, value in document["sources"].items() if name != "mismatches")
    yield Section(Grid(("sources now", "count"), counts))
    if mismatches := document["sources"]["mismatches"]:
        rows = tuple(tuple(row.values()) for row in mismatches)
        yield Section(Grid(tuple(mismatches[0]), rows), "sources with other lines than rows")
    if failures := document["failures"]:
        rows = tuple((one["path"], one["reason"]) for one in failures)
        yield Section(Grid(("failed in a run and not read since", "reason"), rows))
    projects = tuple(tuple(row.values()) for row in document["projects"] if row["ok"] != row["files"])
    total = ("all project folders", *document["identity"].values())
    yield Section(Grid(("identities (folders where not all are ok)", *SURVEY), (*projects, total)), totals=1)
    issues = tuple(tuple(row.values()) for row in document["issues"])
    yield Section(Grid(("severity", "check", "issues"), issues))
    yield Section(Grid(("result",), (("ok" if document["ok"] else "there are errors: see --issues",),)))
