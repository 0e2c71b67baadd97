"""`command`: what every command has in common, its shared options and how it ends."""

from __future__ import annotations

import errno
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import typer

from tracelake.cli.interrupt import code_of
from tracelake.cli.options import SHARED_OPTIONS, Settings, resolve
from tracelake.cli.streams import drop_stdout, say
from tracelake.errors import TracelakeError

UNEXPECTED = 1
UNWRITABLE = 2
INTERRUPTED = "interrupted"


def command(
    function: Callable[..., int | None], failed: int | None = None, interrupted: str = INTERRUPTED
) -> Callable[..., None]:
    """Make a typer command of `function(settings, ...)`, which returns its exit code (None is 0).

    The result takes the shared options beside the function's own, and ends as documented: a TracelakeError is
    one line on stderr and its exit code, Ctrl-C is 130 and the line `interrupted`, a reader that closes the pipe ends
    it quietly. `failed` is the exit code of every failure of a command whose other codes mean something.
    """

    @functools.wraps(function)
    def wrapper(**arguments: Any) -> None:
        shared = {name: arguments.pop(name) for name in SHARED_OPTIONS}
        call = functools.partial(_run, function, shared, arguments)
        raise typer.Exit(guard(call, verbose=shared["verbose"], failed=failed, interrupted=interrupted))

    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    signature = inspect.Signature([*own, *_shared_parameters()])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    wrapper.__annotations__ = {name: item.annotation for name, item in signature.parameters.items()}
    return wrapper


def _shared_parameters() -> list[inspect.Parameter]:
    kind = inspect.Parameter.KEYWORD_ONLY
    flags = {"json", "quiet", "verbose"}
    return [
        inspect.Parameter(name, kind, default=False if name in flags else None, annotation=annotation)
        for name, annotation in SHARED_OPTIONS.items()
    ]


def _run(function: Callable[..., int | None], shared: dict[str, Any], own: dict[str, Any]) -> int:
    settings: Settings = resolve(**shared)
    code = function(settings, **own)
    sys.stdout.flush()
    return code or 0


def guard(call: Callable[[], int], verbose: bool, failed: int | None = None, interrupted: str = INTERRUPTED) -> int:
    """Return what `call` returns, or the exit code of what it raised (or `failed`), said in one line on stderr."""
    try:
        return call()
    except TracelakeError as error:
        fail(str(error))
        return error.exit_code if failed is None else failed
    except KeyboardInterrupt as error:
        say(f"tracelake: {interrupted}")
        return code_of(error)
    except BrokenPipeError:
        drop_stdout()
        return 0
    except typer.Exit:
        raise
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback unless asked for
        _unexpected(error, verbose)
        return UNEXPECTED if failed is None else failed


def _unexpected(error: Exception, verbose: bool) -> None:
    if verbose:
        import traceback

        traceback.print_exception(error)
    hint = "" if verbose else " (--verbose shows where)"
    reason = " ".join(str(error).split())
    fail(f"unexpected {type(error).__name__}{reason and ': '}{reason}{hint}")


def fail(message: str) -> None:
    """Write the one line that says why a command ended."""
    from tracelake.cli.safe_text import escape

    say(f"tracelake: error: {escape(message)}")


def note(settings: Settings, message: str) -> None:
    """Write one line about the answer to stderr, unless `--quiet`."""
    from tracelake.cli.safe_text import escape

    if not settings.quiet:
        say(f"tracelake: {escape(message)}")


def unwritten(error: OSError) -> int:
    """Return the exit code for an answer that stdout did not take; a reader who has gone is no failure."""
    drop_stdout()
    if error.errno == errno.EPIPE:
        return 0
    fail(f"cannot write the answer: {error.strerror or error}")
    return UNWRITABLE
