"""What transcripts are made of, drawn from one seeded source: prose, ids, times, token counts."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

PLAIN = """
owl lantern harbour quartz meadow copper violet anchor pebble ember thistle saddle ferry chalk rowan orchard the a of
and to in is not with from where count list open read write test fails passes returns value file line
"""
WORDS = [*PLAIN.split(), "ünder", "naïve", "→", '"quoted"', "{brace}", "C:\\temp", "\t"]
POOL_CHARACTERS = 1 << 20
START = datetime(2026, 2, 2, 8, tzinfo=UTC)


class Material:
    """A seeded source. Only `random()` and `getrandbits()` are used, which every Python version draws alike."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._pool = self._prose()
        self.clock = START

    def _prose(self) -> str:
        """Return a megabyte of prose in short lines; texts are cut out of it, which costs next to nothing."""
        parts: list[str] = []
        size = 0
        while size < POOL_CHARACTERS:
            word = WORDS[self.number(len(WORDS))]
            parts.append(word + ("\n" if self.number(9) == 0 else " "))
            size += len(word) + 1
        return "".join(parts)

    def number(self, below: int) -> int:
        """Return a number from 0 to below `below`."""
        return int(self._chance.random() * below)

    def text(self, characters: int) -> str:
        """Return prose of about so many characters: from half to one and a half times as many."""
        length = characters // 2 + self.number(characters + 1)
        start = self.number(max(1, len(self._pool) - length))
        return self._pool[start : start + length]

    def uuid(self) -> str:
        """Return an id in the form of a version 4 UUID."""
        digits = f"{self._chance.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"

    def token(self, prefix: str) -> str:
        """Return an id like `msg_0123456789abcdef01234567`."""
        return f"{prefix}_{self._chance.getrandbits(96):024x}"

    def now(self) -> str:
        """Return the present time and let up to 20 seconds pass."""
        self.clock += timedelta(milliseconds=1 + self.number(20_000))
        return self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def begin_session(self, number: int) -> None:
        """Set the clock: about 40 sessions begin on a day."""
        self.clock = START + timedelta(minutes=36 * number)
