"""Programs that run other programs: which of their words name what they run (C-13)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Wrapper(NamedTuple):
    """How a wrapper's own words end: flags that take the next word, and positional words before the program."""

    value_flags: frozenset[str] = frozenset()
    positionals: int = 0


def _wrapper(flags: str = "", positionals: int = 0) -> Wrapper:
    return Wrapper(frozenset(flags.split()), positionals)


WRAPPERS = {
    "sudo": _wrapper(
        "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --close-from --chdir --chroot "
        "--command-timeout --other-user --role --type"
    ),
    "doas": _wrapper("-u -C -a"),
    "env": _wrapper("-u -C -P --unset --chdir"),
    "xargs": _wrapper(
        "-a -d -E -I -J -L -n -P -R -s -S --arg-file --delimiter --max-args --max-chars --max-procs --process-slot-var"
    ),
    "nohup": _wrapper(),
    "ionice": _wrapper("-c -n -p -P -u --class --classdata --pid --pgid --uid"),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "nice": _wrapper("-n --adjustment"),
    "timeout": _wrapper("-k -s --kill-after --signal", 1),
    "setsid": _wrapper(),
    "unbuffer": _wrapper(),
    "watch": _wrapper("-n --interval"),
    "torify": _wrapper(),
    "proxychains": _wrapper("-f"),
    "caffeinate": _wrapper("-t -w"),
    "script": _wrapper("-c -E -I -O -B -T -m -o -F --command --echo --log-in --log-out --log-io --log-timing", 1),
    "flock": _wrapper("-w -E -c --wait --timeout --conflict-exit-code --command", 1),
    "chroot": _wrapper("-u -g -G", 1),
    "runuser": _wrapper("-u -g -G -s -c -w --user --group --supp-group --shell --command --whitelist-environment"),
    "command": _wrapper(),
    "exec": _wrapper("-a"),
    "builtin": _wrapper(),
    # Words of the shell's own grammar that the parser reads as programs.
    "time": _wrapper("-f -o --format --output"),
    "coproc": _wrapper(),
}
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
WITH_DASH_C = frozenset({"su", "runuser", "flock", "script"})
FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=.*", re.DOTALL)
_CLUSTER = re.compile(r"-[A-Za-z]*c[A-Za-z]*")


def program_of(word: str) -> str:
    """Return the program a command's first word names: its last path component."""
    return word.rsplit("/", 1)[-1]


def wrapped(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the commands that a command runs through its own words (wrappers and `find -exec`)."""
    program = program_of(words[0])
    if program == "find":
        yield from _find(words)
    wrapper = WRAPPERS.get(program)
    if wrapper is None or not _wraps(program, words):
        return
    rest = _after_own_words(words, wrapper)
    if rest:
        yield rest


def _wraps(program: str, words: Sequence[str]) -> bool:
    if program == "command":
        return not any(word in ("-v", "-V") for word in words[1:2])
    if program == "runuser":
        return any(word in ("-u", "--user") or word.startswith("--user=") for word in words)
    return True


def _after_own_words(words: Sequence[str], wrapper: Wrapper) -> list[str]:
    """Return the words from the wrapped program on."""
    position, left = 1, wrapper.positionals
    while position < len(words):
        word = words[position]
        if word.startswith("-") and len(word) > 1:
            position += 2 if word in wrapper.value_flags else 1
        elif _ASSIGNMENT.fullmatch(word):
            position += 1
        elif left:
            position, left = position + 1, left - 1
        else:
            break
    return list(words[position:])


def _find(words: Sequence[str]) -> Iterator[list[str]]:
    current: list[str] | None = None
    for word in words[1:]:
        if current is None:
            current = [] if word in FIND_RUNS else None
        elif word in (";", "+"):
            if current:
                yield current
            current = None
        elif word != "{}":
            current.append(word)


def command_string(words: Sequence[str | None]) -> str | None:
    """Return the command text that a shell, `su` and the like are given with -c; None when there is none literal.

    A word that is None is not literal; the first is.
    """
    program = program_of(words[0] or "")
    if program not in SHELLS and program not in WITH_DASH_C:
        return None
    for position, word in enumerate(words):
        if position and word is not None and (_CLUSTER.fullmatch(word) if program in SHELLS else word == "-c"):
            payload = words[position + 1 :]
            if payload and payload[0] == "--":
                payload = payload[1:]
            return payload[0] if payload else None
    return None
