"""A digest of every row that a fixed corpus gives, tied to the version of the extractor.

    python -m tests.extract.rows_pin        # write the pin again

The pin holds, for each file of the corpus, a digest of its bytes and one of its rows in each table. The same bytes with
other rows need another `EXTRACTOR_VERSION`, or lakes that exist keep the old rows; a file that is new or has changed
does not.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from tracelake.build import extract
from tracelake.extract.files import EXTRACTOR_VERSION
from tracelake.lake.connect import open_lake, run_select
from tracelake.tables import TABLES

from tests.compare.side import is_volatile

ROOT = Path(__file__).parents[2]
CORPUS = (ROOT / "data" / "sample", ROOT / "tests" / "corpus")
PIN = Path(__file__).with_name("rows_pin.json")
OF_THIS_MACHINE = {"mtime", "cwds_resolved"}
"""Columns that another machine, or a fresh checkout, fills differently."""

Pin = dict[str, Any]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def present() -> Pin:
    """Return the pin of the code and corpus as they are."""
    rows = _rows()
    files = {path: {"bytes": digest((ROOT / path).read_bytes()), "rows": found} for path, found in rows.items()}
    return {"extractor_version": EXTRACTOR_VERSION, "files": files}


def _rows() -> dict[str, dict[str, str]]:
    """Return the digest of the rows of each file and table."""
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        extract(CORPUS, Path(folder) / "lake", engine="serial")
        with open_lake(Path(folder) / "lake") as lake:
            for table in TABLES:
                for row in run_select(lake, f"FROM {table}").to_pylist():
                    texts[_relative(row["path"]), table].append(row_text(table, row))
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for (path, table), lines in sorted(texts.items()):
        found[path][table] = digest("\n".join(sorted(lines)).encode())
    return dict(found)


def row_text(table: str, row: dict[str, Any]) -> str:
    """Return a row as text, its columns by name: moving a column changes nothing."""
    kept = {name: value for name, value in row.items() if name not in OF_THIS_MACHINE and not is_volatile(table, name)}
    text = _relative(json.dumps(kept, sort_keys=True, default=str))
    return text.replace(row["session_id"], "(hash of the path)") if _is_hash(row["session_id"], row["path"]) else text


@cache
def _is_hash(session_id: str, path: str) -> bool:
    """Return whether a session is named after its place on this machine, as neither path nor file names it."""
    return session_id not in path and session_id.encode() not in Path(path).read_bytes()


def _relative(text: str) -> str:
    return text.replace(f"{ROOT}/", "").replace(str(ROOT), "")


def read_pin() -> Pin:
    pin: Pin = json.loads(PIN.read_text(encoding="utf-8"))
    return pin


def changed_rows(pinned: Pin, now: Pin) -> list[str]:
    """Return `table of file` for each file whose bytes are those of the pin, but whose rows are not."""
    found = []
    for path, file in pinned["files"].items():
        other = now["files"].get(path)
        if other is not None and other["bytes"] != file["bytes"]:
            continue
        rows = other["rows"] if other else {}
        tables = sorted({*file["rows"], *rows})
        gone = other is None and not (ROOT / path).exists()
        found += [f"{name} of {path}" for name in tables if not gone and file["rows"].get(name) != rows.get(name)]
    return found


def what_to_do(pinned: Pin, now: Pin) -> str | None:
    """Return what a developer has to do; None when the pin fits."""
    write = "write the pin again: python -m tests.extract.rows_pin"
    changed = changed_rows(pinned, now)
    if changed and now["extractor_version"] <= pinned["extractor_version"]:
        return (
            f"The same bytes give other rows than version {pinned['extractor_version']} of the extractor gave:\n  "
            + "\n  ".join(changed)
            + "\nLakes that exist would keep the old rows. If the change is wanted, raise EXTRACTOR_VERSION above "
            + f"{pinned['extractor_version']} and {write}"
        )
    if now != pinned:
        return f"The corpus or the version changed: {write}"
    return None


def main() -> int:
    """Write the pin, or say why not."""
    now = present()
    pinned = read_pin() if PIN.exists() else now
    if changed_rows(pinned, now) and now["extractor_version"] <= pinned["extractor_version"]:
        print(what_to_do(pinned, now), file=sys.stderr)
        return 1
    PIN.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
