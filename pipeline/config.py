"""The only reader of environment variables: where the lake is and where agents keep their transcripts."""

from __future__ import annotations

import os
from pathlib import Path


def default_lake() -> Path:
    """Return `$TRACELAKE_HOME`, else the platform's user data directory for tracelake."""
    named = os.environ.get("TRACELAKE_HOME", "").strip()
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("tracelake", appauthor=False)


def claude_homes() -> list[Path]:
    """Return the candidate Claude Code homes: `$CLAUDE_CONFIG_DIR` (comma-separated), else the two defaults."""
    named = [part.strip() for part in os.environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    homes = [Path(part).expanduser() for part in named if part]
    return homes or [Path.home() / ".claude", Path.home() / ".config" / "claude"]


def agent_homes() -> list[Path]:
    """Return the agent homes that exist and hold transcripts, in the order they are extracted."""
    return [home for home in claude_homes() if (home / "projects").is_dir()]


def color_disabled() -> bool:
    """Return whether `NO_COLOR` asks for plain output."""
    return bool(os.environ.get("NO_COLOR"))
