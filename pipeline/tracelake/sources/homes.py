"""Agent homes: which folders of them hold transcripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tracelake import config

_SESSIONS = ("sessions", "archived_sessions")
_SIGNS = (
    "archived_sessions", "auth.json", "config.toml", "history.jsonl", "models.json", "settings.json", "version.json",
)  # fmt: skip
"""What lies beside `sessions` in a Codex or pi home. A `sessions` folder alone also occurs elsewhere."""


def session_folders(folder: str) -> list[str]:
    """Return the folders that hold an agent home's transcripts; none when the folder is no home.

    Claude Code's is `projects`; Codex has `sessions` and `archived_sessions`, pi `sessions`. Those two homes are
    known by their name, by the user's settings, or by a typical file beside the sessions.
    """
    home = Path(folder)
    if (home / "projects").is_dir():
        return [str(home / "projects")]
    found = [str(home / name) for name in _SESSIONS if (home / name).is_dir()]
    return found if found and _is_home(home) else []


def _is_home(home: Path) -> bool:
    named = home.name == ".codex" or home.parts[-2:] == (".pi", "agent")
    return named or any((home / sign).exists() for sign in _SIGNS) or _is_set(home)


def _is_set(home: Path) -> bool:
    """Return whether the folder is the home that the user's settings name."""
    makers: tuple[Callable[[], Path], ...] = (config.codex_home, config.pi_home)
    return any(made.exists() and made.samefile(home) for made in (make() for make in makers))
