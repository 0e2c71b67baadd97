from __future__ import annotations

from pathlib import Path

import pytest

from tests.sql.lakes import Lake, MakeLake, Rows, write_lake


@pytest.fixture
def make_lake(tmp_path: Path) -> MakeLake:
    """`make_lake({table: [row, ...]}, rates=[...], aliases=[...])`; each call makes another lake."""
    made: list[Lake] = []

    def make(rows: Rows | None = None, **prices) -> Lake:
        made.append(write_lake(tmp_path / f"lake{len(made)}", rows or {}, **prices))
        return made[-1]

    return make
