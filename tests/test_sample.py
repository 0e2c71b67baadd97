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
    assert len([name for name in files if name.endswith(".meta.json")]) == 4
    assert len([name for name in files if "/workflows/" in name]) == 5


SHOWN = {
    "a declined attempt": "FROM fallback_costs WHERE declined_observed AND trigger = 'refusal'",
    "both sides of it": "FROM fallbacks GROUP BY dedup_key HAVING count(DISTINCT side) = 2",
    "plain thinking, signed": "FROM messages WHERE thinking_plain_bytes > 0 AND thinking_signature_bytes > 0",
    "signature alone": "FROM messages WHERE thinking_plain_bytes = 0 AND thinking_signature_bytes > 0",
    "redacted thinking": "FROM messages WHERE thinking_redacted_bytes > 0",
    "reported thinking": "FROM usage WHERE thinking_tokens = 310",
    "a document": "FROM attachments WHERE carrier = 'document' AND media_type = 'application/pdf'",
    "a picture in a prompt": "FROM attachments WHERE carrier = 'user_image'",
    "a picture in a result": "FROM attachments WHERE carrier = 'tool_result_image'",
    "an API error": "FROM events WHERE kind = 'api_error'",
    "a compaction": "FROM events WHERE kind = 'compaction'",
    "a stop hook": "FROM events WHERE kind = 'stop_hook'",
    "a background agent": "FROM background_agents WHERE agent_id = 'a4e6c1de' AND state = 'completed'",
    "its launch": "FROM agent_signals WHERE agent_id = 'a4e6c1de' AND signal = 'launched'",
    "its notice": "FROM agent_signals WHERE agent_id = 'a4e6c1de' AND signal = 'ended'",
    "an answer": "FROM citations WHERE kind = 'answer' AND text = 'With the sun'",
    "an advisor": "FROM costs WHERE part_of IS NOT NULL",
    "a web search": "FROM usage WHERE web_search_requests > 0",
    "fast mode": "FROM usage WHERE speed = 'fast'",
    "a model without a price": "FROM costs WHERE model = 'claude-nightjar-1' AND cost_usd IS NULL",
    "a partial output": "FROM usage_audit WHERE reason = 'earlier line of the same message'",
    "a fork": "FROM usage_audit WHERE session_id LIKE 'a2%' AND starts_with(reason, 'fork or resume copy')",
    "a workflow": "FROM files WHERE kind = 'workflow_subagent'",
}
"""What the sample shows at least once, and where the lake has it."""


def test_the_sample_shows_every_kind_once(program, sample_lake: Path):
    parts = [f'(SELECT count(*) FROM (SELECT 1 {source})) AS "{name}"' for name, source in SHOWN.items()]
    done = program("query", f"SELECT {', '.join(parts)}", "--lake", sample_lake, "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert [name for name, count in found.items() if not count] == []
    assert len(found) == len(SHOWN)


def test_the_document_is_a_pdf():
    text = b"".join(contents(SAMPLE).values()).decode()
    data = base64.b64decode(re.search(r'"data":"(JVBERi[^"]+)"', text)[1])
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", data)[1])
    assert data[start:].startswith(b"xref\n0 4\n")
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", data)]
    assert [data[place : place + 7] for place in places] == [b"1 0 obj", b"2 0 obj", b"3 0 obj"]


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
