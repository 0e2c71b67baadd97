"""What `--since` and `--until` accept."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from tracelake.errors import UsageError

_AGO = re.compile(r"(\d{1,5})([dw])")
_DAYS = {"d": 1, "w": 7}


def optional_day(text: str | None) -> date | None:
    """Return the day of an option that need not be given. Raises UsageError as `parse_day` does."""
    return None if text is None else parse_day(text)


def parse_day(text: str, today: date | None = None) -> date:
    """Return the UTC day that `text` names: YYYY-MM-DD, today, yesterday, 7d or 2w (that long before today).

    Raises UsageError for anything else.
    """
    today = today or datetime.now(UTC).date()
    words = text.strip().lower()
    if words in ("today", "yesterday"):
        return today - timedelta(days=words == "yesterday")
    ago = _AGO.fullmatch(words)
    try:
        if ago:
            return today - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", words):
            return date.fromisoformat(words)
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"{text!r} is no day: write YYYY-MM-DD, today, yesterday, or how long ago (7d, 2w)")
