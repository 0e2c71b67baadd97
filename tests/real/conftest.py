"""A lake of the real transcripts named by TRACELAKE_REAL_DATA, made once; without the variable all here is skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake


@pytest.fixture(scope="session")
def real_data():
    """Return the folder of real transcripts."""
    named = os.environ.get("TRACELAKE_REAL_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("TRACELAKE_REAL_DATA names no folder")
    return Path(named).resolve()


@pytest.fixture(scope="session")
def real_run(real_data, tmp_path_factory):
    """Return the lake's path and the summary of the run that made it."""
    lake = tmp_path_factory.mktemp("real") / "lake"
    return lake, extract([real_data], lake)


@pytest.fixture(scope="session")
def real(real_run):
    """Return a function that answers SQL over the lake with a list of tuples."""
    lake, _ = real_run
    with open_lake(lake) as con:
        yield lambda sql, *params: con.execute(sql, params).fetchall()
