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


def cache_dir() -> Path:
    """Return the platform's cache directory for tracelake; what is in it can be made again at any time."""
    from platformdirs import user_cache_path

    return user_cache_path("tracelake", appauthor=False)


def claude_homes() -> list[Path]:
    """Return the candidate Claude Code homes: `$CLAUDE_CONFIG_DIR` (comma-separated), else the two defaults."""
    named = [part.strip() for part in os.environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    homes = [Path(part).expanduser() for part in named if part]
    return homes or [Path.home() / ".claude", Path.home() / ".config" / "claude"]


def claude_config_dir() -> Path:
    """Return the one Claude Code home that paths are made for: the first named, else `~/.claude` (I-12)."""
    return claude_homes()[0]


def current_session_id() -> str:
    """Return the id of the Claude Code session this process runs in, empty where there is none (I-14)."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "").strip()


def named_transcript() -> str:
    """Return the transcript that `$SR_TRANSCRIPT` names, which counts where no session id is set (I-14)."""
    return os.environ.get("SR_TRANSCRIPT", "").strip()


def codex_home() -> Path:
    """Return `$CODEX_HOME`, else the default Codex home."""
    named = os.environ.get("CODEX_HOME", "").strip()
    return Path(named).expanduser() if named else Path.home() / ".codex"


def pi_home() -> Path:
    """Return `$PI_CODING_AGENT_DIR`, else the default pi home."""
    named = os.environ.get("PI_CODING_AGENT_DIR", "").strip()
    return Path(named).expanduser() if named else Path.home() / ".pi" / "agent"


def transcript_folders() -> list[Path]:
    """Return where agents keep their transcripts, whether or not the folders exist."""
    codex = [codex_home() / name for name in ("sessions", "archived_sessions")]
    return [*(home / "projects" for home in claude_homes()), *codex, pi_home() / "sessions"]


def agent_homes() -> list[Path]:
    """Return the agent homes that exist and hold transcripts, in the order they are extracted."""
    return list(dict.fromkeys(folder.parent for folder in transcript_folders() if folder.is_dir()))


def color_disabled() -> bool:
    """Return whether `NO_COLOR` asks for plain output."""
    return bool(os.environ.get("NO_COLOR"))
