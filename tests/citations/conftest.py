from __future__ import annotations

from pathlib import Path

import pytest

from tests.citations.records import Tree


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """An empty agent home; no other is configured."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    return Tree(tmp_path)


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The same for all tests of a module."""
    return Tree(tmp_path_factory.mktemp("tree"))
