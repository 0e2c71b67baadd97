"""manifest.json: which bytes of which files are in the lake, and what each session's partition holds."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tracelake.errors import LakeError, LakeVersionError
from tracelake.lake.durable import replace_private, writing
from tracelake.lake.layout import LakePaths
from tracelake.sources.model import SourceFile

LAKE_VERSION = 1
"""Raised when an older tracelake could no longer read a lake."""

RUNS_KEPT = 20
_HEX = "hex:"


class FileState(msgspec.Struct, frozen=True):
    """One file as the lake knows it; all its rows are in the partition of `file.session_id`."""

    file: SourceFile
    vanished_at_us: int | None = None
    """When an extraction first found it gone, in microseconds since 1970 UTC; None while it exists."""
    read_at_us: int | None = None
    """When its rows were read; None if it never could be read to its end."""
    read_error: str | None = None
    """Why it could not be read when it last was tried; rows of an earlier reading stay."""
    extractor_version: int = 0
    has_raw: bool = False


class SessionState(msgspec.Struct, frozen=True):
    """One session's partition; `rows` by table, `statuses` counts its lines by status."""

    rows: dict[str, int]
    statuses: dict[str, int]
    models: list[str]
    extracted_at_us: int
    extractor_version: int
    """The oldest extractor that any of its rows come from."""
    has_raw: bool
    bytes: int
    lines: int


class RunState(msgspec.Struct, frozen=True):
    """One extraction that changed the lake."""

    started_at_us: int
    seconds: float
    sources: list[str]
    sessions_changed: int
    sessions_failed: int
    vanished: int
    lines: int
    bytes: int
    complete: bool = True
    """False when it was interrupted."""


class Manifest(msgspec.Struct):
    """Everything that is live in a lake."""

    lake_version: int = LAKE_VERSION
    tool_version: str = ""
    """Version of tracelake that built the database file."""
    price_stamp: str = ""
    """What the prices in the database file were made from."""
    database_root: str = ""
    """Where the lake lay when the database file was built, which names its partitions by absolute paths."""
    models_stamp: str = ""
    """What views the database file was built from."""
    generation: int = 0
    """Number of commits so far."""
    database_generation: int = -1
    """The commit after which the database file was last built."""
    files: dict[str, FileState] = {}
    sessions: dict[str, SessionState] = {}
    runs: list[RunState] = []

    @property
    def known(self) -> dict[str, SourceFile]:
        """What was known of every file when it was last met, by path."""
        return {path: state.file for path, state in self.files.items()}


class _Header(msgspec.Struct):
    lake_version: int


def load_manifest(paths: LakePaths) -> Manifest:
    """Return the lake's manifest; an empty one where there is none.

    Raises LakeVersionError when a newer tracelake wrote it, LakeError when it cannot be read.
    """
    try:
        content = paths.manifest.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Manifest()
    except OSError as error:
        raise LakeError(f"cannot read {paths.manifest}: {error.strerror}") from error
    _check_version(paths, content)
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LakeError(_damaged(paths, error)) from error
    manifest.files = unpack(manifest.files)
    return manifest


def save_manifest(paths: LakePaths, manifest: Manifest) -> None:
    """Replace the manifest atomically, flushed, mode 0600. Raises LakeWriteError."""
    with writing(paths.manifest):
        replace_private(paths.manifest, encode_manifest(manifest))


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the manifest as it is stored."""
    return msgspec.json.encode(msgspec.structs.replace(manifest, files=pack(manifest.files)))


def pack(files: dict[str, FileState]) -> dict[str, FileState]:
    """Return the states as JSON can hold them: an `os_path` that is not UTF-8 becomes `hex:` and its bytes."""
    odd = {path: _with_os_path(state, _to_hex) for path, state in files.items() if _is_odd(state.file)}
    return {**files, **odd} if odd else files


def unpack(files: dict[str, FileState]) -> dict[str, FileState]:
    """Undo `pack`."""
    odd = {
        path: _with_os_path(state, _from_hex) for path, state in files.items() if state.file.os_path.startswith(_HEX)
    }
    return {**files, **odd} if odd else files


def _check_version(paths: LakePaths, content: bytes) -> None:
    try:
        version = msgspec.json.decode(content, type=_Header).lake_version
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LakeError(_damaged(paths, error)) from error
    if version > LAKE_VERSION:
        raise LakeVersionError(
            f"the lake {paths.root} has format {version}, this tracelake reads up to {LAKE_VERSION}; upgrade tracelake"
        )


def _damaged(paths: LakePaths, error: Exception) -> str:
    return (
        f"{paths.manifest} is damaged ({error}); restore it from a backup, or extract into another --lake "
        f"(this one's tables stay readable as Parquet)"
    )


def _is_odd(file: SourceFile) -> bool:
    return file.os_path != file.path and not file.os_path.isascii()


def _with_os_path(state: FileState, change: Callable[[str], str]) -> FileState:
    file = msgspec.structs.replace(state.file, os_path=change(state.file.os_path))
    return msgspec.structs.replace(state, file=file)


def _to_hex(os_path: str) -> str:
    return _HEX + os_path.encode("utf-8", "surrogateescape").hex()


def _from_hex(text: str) -> str:
    return bytes.fromhex(text.removeprefix(_HEX)).decode("utf-8", "surrogateescape")
