"""Run as a program: lifts and restores one line of 200 MB and prints the extra memory that this took, in MB.

Usage: big_line.py SHAPE FOLDER.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tracelake.bodies import body_locations, lift_file, locate_values, restore_file

MEGABYTE = 1_000_000
SIZE = 200 * MEGABYTE


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    block = piece * (MEGABYTE // len(piece))
    for _ in range(size // len(block)):
        yield block


def line(shape: str, size: int) -> Iterator[bytes]:
    """A line of `size` bytes whose one body has this shape."""
    if shape == "image":
        yield b'{"type":"user","message":{"content":[{"type":"image","source":{"data":"iVBORw0K'
        yield from repeated(base64.b64encode(bytes(range(96))), size)
        yield b'"}}]}}\n'
    elif shape == "input":
        yield b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"command":"ls","content":"'
        yield from repeated(b"owl \\n", size)
        yield b'"}}]}}\n'
    else:
        yield b'{"type":"user","message":{"content":[{"type":"tool_result","content":'
        yield b'[{"text":"' if shape == "array" else b'"'
        yield from repeated(b"an owl\\n\\u00e9", size)
        yield b'","type":"text"}]' if shape == "array" else b'"'
        yield b"}]}}\n"


def high_water_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / MEGABYTE


def write(path: Path, pieces: Iterator[bytes]) -> str:
    with path.open("wb") as stream:
        stream.writelines(pieces)
    return digest(path)


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def work(path: Path, folder: Path) -> None:
    source = digest(path)
    with path.open("rb") as stream:
        (place,) = body_locations("claude", lambda: stream.read(1 << 16))
    with path.open("rb") as stream:
        (found,) = locate_values([["message", "content", 0]], lambda: stream.read(1 << 16))
    assert found.span.start < place.span.start < place.span.end < found.span.end
    assert lift_file(path, folder).bodies == 1
    assert path.stat().st_size < 1000
    assert restore_file(path, folder).bodies == 1
    assert digest(path) == source


def main(shape: str, folder: Path) -> None:
    """Once with a small line, so that everything is loaded, then with the long one."""
    path = folder / "t.jsonl"
    write(path, line(shape, MEGABYTE))
    work(path, folder / "bodies")
    before = high_water_mb()
    write(path, line(shape, SIZE))
    work(path, folder / "bodies")
    print(high_water_mb() - before)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
