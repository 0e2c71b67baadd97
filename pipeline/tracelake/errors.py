"""Everything that can end a command, as one tree.

TracelakeError                      one clear line for the user, and an exit code
├── UsageError            exit 2    the request itself is wrong
├── NoSourceError         exit 2    nothing that was named can be read
├── LakeError             exit 2    the lake cannot be used as asked
│   ├── LakeVersionError            written by a newer tracelake
│   ├── LakeBusyError               another writer holds it
│   └── LakeWriteError              full disk, no permission
├── BodyError             exit 2    a body, a line that holds bodies, or a folder of bodies cannot be used
├── SignalsUnknownError   exit 2    a transcript whose signals cannot be told
└── QueryError            exit 2    SQL that cannot run

Every class takes one message, so that instances survive pickling between processes.
"""


class TracelakeError(Exception):
    """Base of all expected failures; `exit_code` is what the command ends with."""

    exit_code = 2


class UsageError(TracelakeError):
    """The request itself is wrong."""


class NoSourceError(TracelakeError):
    """No source that was named (or found by default) can be read."""


class LakeError(TracelakeError):
    """The lake cannot be used as asked."""


class LakeVersionError(LakeError):
    """The lake was written by a newer tracelake."""


class LakeBusyError(LakeError):
    """Another process is writing this lake."""


class LakeWriteError(LakeError):
    """The lake cannot be written: full disk, missing permission, read-only file system."""


class QueryError(TracelakeError):
    """A SQL text that cannot run; the message carries the database's reason."""


class BodyError(TracelakeError):
    """A body, a line that holds bodies, or a folder of bodies cannot be used."""


class SignalsUnknownError(TracelakeError):
    """A transcript that strict reading refuses, so that nothing can be said of its background agents (B-4).

    `cursor` is where to read on from: the caller's cursor, or the start where that did not fit the file.
    """

    cursor: object = None


def describe(error: BaseException) -> str:
    """Return an exception as one line: its type and message."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
