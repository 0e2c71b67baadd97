"""What is fuzzed. A target takes one random choice, runs, and raises AssertionError when a promise is broken."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tracelake.citations.answers import envelope_of
from tracelake.citations.echo import is_echo
from tracelake.decode.base64_text import Base64Decoder
from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import decode_line
from tracelake.errors import BodyError
from tracelake.fold.agents import FOLDS
from tracelake.fold.guard import UNFORESEEN
from tracelake.fold.rows import Rows
from tracelake.lake.arrow import FileKey, record_batch
from tracelake.sources.lines import LineReader
from tracelake.tables import TABLES

from tests.fuzz.mutate import mutated

CORPUS = Path(__file__).with_name("corpus")
COMMANDS = (
    "git log -1", "cat > a <<'EOF'\nx $y\nEOF\n", 'sh -c "git show $(cat <<A\nB\nA\n)"', "eval 'git log' # c",
    "env X=1 find . -exec sed -n 1p {} +", "[ -f .git/HEAD ] && echo q | tee a", "a=(1 2); echo ${a[@]:1}",
    "for i in 1 2; do x=$i; done; (cd a && ls) &",
)  # fmt: skip
ANSWERS = (
    'User has answered your questions: "a"="b", "c"="d". You can now continue with the user\'s answers in mind.',
    '"="" ,"="',
)


@cache
def corpus(agent: str) -> list[bytes]:
    """Lines of every kind that an agent writes."""
    return (CORPUS / f"{agent}.jsonl").read_bytes().splitlines()


def a_file(rng: random.Random) -> None:
    """A few lines, one or two of them changed, decoded, folded and put into Arrow."""
    agent = rng.choice(list(FOLDS))
    lines = corpus(agent)
    kept = [rng.choice(lines) for _ in range(rng.randint(1, 4))]
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(kept))
        kept[at] = mutated(kept[at], lines, rng)
    data = b"\n".join(kept) + rng.choice((b"\n", b""))
    _fold(agent, data, rng.random() < 0.3, rng)


def _fold(agent: str, data: bytes, is_long: bool, rng: random.Random) -> None:
    """Fold a file; with `is_long` its lines go the way of those over 16 MiB."""
    fold = FOLDS[agent](Rows(), rng.random() < 0.3, frozenset())
    rows = fold.rows
    for line in LineReader(io.BytesIO(data)):
        if is_long:
            step = rng.randint(1, 400)
            pieces = (line.data[at : at + step] for at in range(0, len(line.data), step))
            decoded = decode_oversize(pieces, fold.form)
        else:
            decoded = decode_line(line.data, line.has_lf, fold.form)
        fold.feed(line, decoded)
    fold.finish()
    count = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    assert [row.line_no for row in rows.entries] == list(range(1, count + 1)), "a line is lost"
    assert sum(row.byte_len for row in rows.entries) == len(data), "bytes are lost"
    unforeseen = [row.error for row in rows.entries if UNFORESEEN in (row.error or "")]
    assert not unforeseen, unforeseen
    for name, table in TABLES.items():
        if rows.of(name):
            record_batch(table, rows.of(name), [(FileKey("s", agent, "p", 1), len(rows.of(name)))])


def a_command(rng: random.Random) -> None:
    """A shell command."""
    others = [text.encode() for text in COMMANDS]
    is_echo(mutated(rng.choice(others), others, rng).decode(errors="replace"))


def an_answer(rng: random.Random) -> None:
    """A result with the wording of an answer."""
    others = [text.encode() for text in ANSWERS]
    envelope_of(mutated(rng.choice(others), others, rng).decode(errors="replace"))


def a_picture(rng: random.Random) -> None:
    """Base64 text in pieces gives what it gives whole."""
    others = [b"data:image/png;base64,iVBORw0KGgo=", b"/9j/4AAQSkZJRg==", b"R0lG\r\nODlh"]
    text = mutated(rng.choice(others), others, rng)
    cut = rng.randint(0, len(text))
    assert _decoded([text]) == _decoded([text[:cut], text[cut:]])


def _decoded(pieces: list[bytes]) -> bytes | None:
    decoder = Base64Decoder()
    try:
        return b"".join([*map(decoder.feed, pieces), decoder.finish()])
    except BodyError:
        return None


TARGETS: tuple[tuple[int, Callable[[random.Random], None]], ...] = (
    (88, a_file),
    (6, a_command),
    (3, an_answer),
    (3, a_picture),
)
"""Each with how many of a hundred executions it gets."""


def run(seed: int) -> None:
    """Run one execution, the same one for the same seed."""
    rng = random.Random(seed)
    weights, targets = zip(*TARGETS, strict=True)
    rng.choices(targets, weights)[0](rng)
