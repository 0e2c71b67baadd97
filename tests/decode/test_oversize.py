"""Lines over the limit: strings are shortened, lengths and hashes are the true ones, memory is bounded."""

import base64
import hashlib
import json
import random
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from tracelake.decode.claude import FORM
from tracelake.decode.cuts import StringCutter
from tracelake.decode.oversize import decode_oversize

CAP = 40


def cut(line, seed=0, largest=7):
    cutter, chance, at, out = StringCutter(CAP), random.Random(seed), 0, b""
    while at < len(line):
        step = chance.randint(1, largest)
        out += cutter.feed(line[at : at + step])
        at += step
    return out + cutter.finish(), cutter.cuts


strings = st.text(alphabet=st.sampled_from(["a", "é", "日", "😀", '"', "\\", "\n", "\x01", "/"]), max_size=200)


@given(st.lists(strings, min_size=1, max_size=4), st.booleans(), st.integers(0, 99), st.integers(1, 60))
def test_any_chunking_shortens_long_strings_alone_and_knows_what_they_were(texts, ascii_only, seed, largest):
    line = json.dumps({"k": texts}, ensure_ascii=ascii_only).encode()
    reduced, cuts = cut(line, seed, largest)
    assert (reduced, cuts) == cut(line, 1, 10_000)
    for text, found in zip(texts, json.loads(reduced)["k"], strict=True):
        if found == text:
            continue
        data = text.encode()
        known = cuts[found]
        assert (known.text_bytes, known.text_sha256) == (len(data), hashlib.sha256(data).hexdigest())
        source = line[known.offset : known.offset + known.source_bytes]
        assert json.loads(b'"' + source + b'"') == text
    assert len(reduced) + sum(known.removed for known in cuts.values()) == len(line)


def test_a_long_base64_value_keeps_the_hash_of_its_blob():
    blob = bytes(range(256)) * 4
    line = json.dumps({"data": "data:image/png;base64," + base64.b64encode(blob).decode()}).encode()
    _, cuts = cut(line)
    (known,) = cuts.values()
    assert (known.blob_bytes, known.blob_sha256) == (1024, hashlib.sha256(blob).hexdigest())


def test_a_long_line_is_decoded_and_says_what_was_left_out():
    text = "x" * 200_000
    record = {"type": "user", "uuid": "u1", "message": {"content": text, "role": "user"}, "cwd": "/w"}
    decoded = decode_oversize([json.dumps(record).encode()], FORM)
    found = decoded.records[0]
    assert (decoded.status, decoded.error) == ("oversize", "line over 16 MiB; 1 long values shortened")
    assert (found.uuid, found.cwd, decoded.record_count) == ("u1", "/w", 1)
    assert decoded.cuts[found.message.content].text_bytes == 200_000


def test_damage_is_named_and_what_came_before_it_is_kept():
    decoded = decode_oversize([b'{"type":"user","uuid":"u1","x":[1,2', b",}"], FORM)
    assert decoded.records[0].uuid == "u1"
    assert "invalid JSON: parse error" in decoded.error


def test_glued_and_non_object_values():
    decoded = decode_oversize([b'{"type":"a"}[1]{"type":"b"}'], FORM)
    assert ([record.type for record in decoded.records], decoded.record_count) == (["a", "b"], 3)


MEMORY = """
import sys
from tracelake.decode.claude import FORM
from tracelake.decode.oversize import decode_oversize
def high_water():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
def pieces():
    yield b'{"type":"user","uuid":"u1","message":{"content":"'
    for _ in range(170):
        yield b"x" * (1 << 20)
    yield b'"}}'
before = high_water()
decoded = decode_oversize(pieces(), FORM)
assert decoded.cuts[decoded.records[0].message.content].text_bytes == 170 << 20
print(high_water() - before)
"""


def test_a_170_mb_string_needs_little_memory():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 40
