from __future__ import annotations

from pathlib import Path

import pytest

from tests.citations.records import Tree


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """An empty agent home; no other is configured."""
    made = Tree(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    return made
