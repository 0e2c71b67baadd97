"""What --since and --until accept."""

from datetime import date

import pytest
from tracelake.errors import UsageError
from tracelake.reports.dates import parse_day

TODAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-02-28", date(2026, 2, 28)),
        ("today", TODAY),
        ("Yesterday", date(2026, 3, 1)),
        ("0d", TODAY),
        ("7d", date(2026, 2, 23)),
        ("2w", date(2026, 2, 16)),
        (" 1d ", date(2026, 3, 1)),
    ],
)
def test_days(text: str, day: date):
    assert parse_day(text, TODAY) == day


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-02-30", "20260228", "7", "d", "-7d", "99999w9", "999999d", "2026-9-7", "7d7d"]
)
def test_everything_else_is_refused_in_one_line(text: str):
    with pytest.raises(UsageError, match=r"^'.*' is no day: [^\n]+$"):
        parse_day(text, TODAY)


def test_a_time_before_the_calendar_is_refused():
    with pytest.raises(UsageError):
        parse_day("99999w", date(1, 1, 2))
