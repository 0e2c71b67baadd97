"""data/sample: the script writes exactly the committed files, and they hold what the README says."""

import base64
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

from tests.conftest import ROOT, SAMPLE


def contents(home: Path) -> dict[str, bytes]:
    return {str(file.relative_to(home)): file.read_bytes() for file in home.rglob("*") if file.is_file()}


def test_the_script_writes_the_committed_files(tmp_path: Path):
    script = ROOT / "data" / "make_sample.py"
    subprocess.run([sys.executable, "-B", script, tmp_path / "home"], check=True)
    assert contents(tmp_path / "home") == contents(SAMPLE)


def test_the_sample_holds_the_awkward_shapes():
    files = contents(SAMPLE)
    everything = b"".join(files.values())
    assert sum(content.startswith(b"\xef\xbb\xbf") for content in files.values()) == 1
    assert [name for name, content in files.items() if content and b"\n" in content and not content.endswith(b"\n")]
    for words in (b'"speed":"fast"', b"advisor_message", b"<synthetic>", b"compact_boundary", b"web_search_requests"):
        assert words in everything
    assert len([name for name in files if name.endswith(".meta.json")]) == 3
    assert len([name for name in files if "/workflows/" in name]) == 5


def test_a_fork_repeats_ids_under_another_session():
    def entries(beginning: str) -> list[dict]:
        (file,) = SAMPLE.rglob(f"{beginning}*.jsonl")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    original, fork = entries("a1000000"), entries("a2000000")
    own = {entry["uuid"] for entry in original if "uuid" in entry}
    assert own == {entry["uuid"] for entry in fork[:-2]}
    assert {entry["sessionId"] for entry in fork} == {"a2000000-0000-4000-8000-000000000002"}


def test_the_picture_is_a_png():
    text = b"".join(contents(SAMPLE).values()).decode()
    data = base64.b64decode(re.search(r'"data":"(iVBOR[^"]+)"', text)[1])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    header = data[12:29]
    assert int.from_bytes(data[29:33], "big") == zlib.crc32(header)


def test_the_people_and_places_are_made_up():
    text = b"".join(contents(SAMPLE).values()).decode()
    assert set(re.findall(r"/home/(\w+)", text)) == {"ada"}
    assert "@" not in text
