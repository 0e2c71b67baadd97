"""Write the made-up Claude Code home in `data/sample/claude`.

    python data/make_sample.py [FOLDER]

Every id, time and token count is fixed, so a second run writes the same bytes. `data/sample/README.md` works
out by hand what these files cost; a test checks both. The people, birds and clocks are invented.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from dial_session import dial
from transcript_writer import (
    AVIARY,
    CLOCK,
    FABLE,
    HAIKU,
    OPUS,
    SONNET,
    SONNET_45,
    UNKNOWN,
    File,
    Json,
    dump,
    notice,
    picture,
    say,
    tokens,
    tool,
)


def boxes() -> File:
    """Session a1: plain turns, a tool that works and one that fails, a picture, output counts that grow."""
    file = File("a1000000", "a1000000-0000-4000-8000-000000000001", AVIARY, "2026-09-07T08:00:00")
    file.control("mode", mode="normal")
    file.user("How many owl boxes does config/boxes.toml list?", promptSource="typed")
    look = tool("toolu_a1", "Read", file_path="/home/ada/aviary/config/boxes.toml")
    usage = tokens(1000, 96, write_5m=2000, outputs=[12, 96])
    file.call("a1", SONNET, [say("I will read the list."), look], usage, stop="tool_use")
    body = '     1\t[[box]]\n     2\tbird = "owl"\n     3\tcount = 7'
    evidence = {"type": "text", "file": {"filePath": "/home/ada/aviary/config/boxes.toml", "numLines": 3}}
    file.result("toolu_a1", body, evidence)
    think = {"type": "thinking", "thinking": "", "signature": "c2lnbmF0dXJl" * 8}
    file.call("a2", SONNET, [think, say("Seven owl boxes.")], tokens(200, 150, read=2000, write_5m=400))
    file.user([say("Here is the plan. Does the test still pass?"), picture()])
    run = tool("toolu_a3", "Bash", command="pytest -q", description="Run the tests")
    file.call("a3", SONNET, [run], tokens(300, 80, read=2400), stop="tool_use")
    failure = "Exit code 1\n1 failed, 4 passed"
    file.result("toolu_a3", failure, f"Error: {failure}", error=True)
    file.call("a4", SONNET, [say("One test fails: it still expects six boxes.")], tokens(150, 60, read=2700))
    file.record("system", subtype="turn_duration", durationMs=30000, messageCount=8)
    file.control("ai-title", aiTitle="Count the owl boxes")
    return file


def fork(origin: File) -> File:
    """Session a2: starts as a copy of a1 (same uuid, message and request ids), then asks one thing more."""
    file = File("a2000000", "a2000000-0000-4000-8000-000000000002", AVIARY, "2026-09-08T09:00:00")
    file.lines = [line.replace(origin.session_id, file.session_id) for line in origin.lines[1:-1]]
    file.last = origin.last
    file.user("And the finch boxes?")
    file.call("b1", SONNET, [say("The list has no finch box.")], tokens(100, 40, read=2800))
    return file


def survey() -> tuple[File, File]:
    """Session a3 and its sub-agent: cache writes for one hour, a dispatched search, a compaction."""
    file = File("a3000000", "a3000000-0000-4000-8000-000000000003", AVIARY, "2026-09-08T14:00:00")
    file.user("Where do we read the box list? Let a sub-agent look.")
    send = tool("toolu_c1", "Agent", description="Find readers", prompt="Find all", subagent_type="Explore")
    both = [say("I will send someone."), send]
    file.call("c1", OPUS, both, tokens(2000, 300, write_1h=10000), stop="tool_use")
    answer = "Two places: boxes.py and report.py."
    evidence = {"status": "completed", "agentId": "a11c0de5", "content": [say(answer)], "totalTokens": 3420}
    file.result("toolu_c1", [say(answer)], evidence)
    file.call("c2", OPUS, [say(answer)], tokens(400, 250, read=10000))
    before, file.last = file.last, None
    meta = {"trigger": "auto", "preTokens": 150000, "postTokens": 5500}
    file.record("system", subtype="compact_boundary", logicalParentUuid=before, compactMetadata=meta)
    flags = {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    file.user("Summary: the box list is read in two places.", **flags)
    file.user("Go on.")
    file.call("c3", OPUS, [say("Nothing is left to do.")], tokens(1500, 100, write_1h=4000))
    return file, explorer(file)


def explorer(parent: File) -> File:
    """The sub-agent of a3, on a smaller model."""
    file = File("a31c0de5", parent.session_id, AVIARY, "2026-09-08T14:00:11", agent_id="a11c0de5")
    file.user("Find all")
    grep = tool("toolu_h1", "Grep", pattern="boxes.toml", path="/home/ada/aviary")
    file.call("h1", HAIKU, [grep], tokens(500, 120, write_5m=3000), stop="tool_use")
    file.result("toolu_h1", "boxes.py\nreport.py", {"mode": "files_with_matches", "numFiles": 2})
    file.call("h2", HAIKU, [say("Two places: boxes.py and report.py.")], tokens(100, 200, read=3000))
    return file


def tides() -> tuple[File, File, File]:
    """Session b1 and its two workflow agents: web searches, an advisor, a background workflow."""
    file = File("b1000000", "b1000000-0000-4000-8000-000000000004", CLOCK, "2026-09-09T10:00:00")
    file.user("Which harbour's tide table should the clock use?")
    search = {"web_search_requests": 2, "web_fetch_requests": 1}
    usage = tokens(800, 200, write_5m=1000, server_tool_use=search)
    file.call("d1", OPUS, [say("Two tables are public.")], usage)
    file.user("Compare both in a workflow.")
    mine = tokens(600, 90, read=1000) | {"type": "message"}
    advice = tokens(1200, 300) | {"type": "advisor_message", "model": FABLE}
    start = tool("toolu_d2", "Workflow", name="compare", run_in_background=True)
    usage = tokens(600, 90, read=1000, iterations=[mine, advice])
    file.call("d2", OPUS, [start], usage, stop="tool_use")
    launched = {"status": "async_launched", "taskId": "w0badcafe", "runId": "wf_0badcafe-123"}
    file.result("toolu_d2", "Workflow started.", launched)
    note = notice("w0badcafe", "toolu_d2", 'Workflow "compare" completed')
    file.control("queue-operation", operation="enqueue", timestamp="2026-09-09T10:05:00.000Z", content=note)
    file.user(note, origin={"kind": "task-notification"})
    file.call("d3", OPUS, [say("The northern table is the better one.")], tokens(100, 45, read=1600))
    return file, helper(file, "1", tokens(250, 50)), helper(file, "2", tokens(350, 70, write_5m=800))


def helper(parent: File, number: str, usage: Json) -> File:
    """One agent of the workflow."""
    agent = f"w000000{number}"
    file = File(f"b1{number}00000", parent.session_id, CLOCK, f"2026-09-09T10:01:0{number}", agent_id=agent)
    file.user(f"Read table {number}.")
    file.call(f"w{number}", HAIKU, [say(f"Table {number} is read.")], usage)
    return file


def troubles() -> File:
    """Session b2: fast mode, a model without a price, a failed call, and lines that cannot be read."""
    file = File("b2000000", "b2000000-0000-4000-8000-000000000005", CLOCK, "2026-09-10T07:30:00")
    file.raw('{"type":"mode","mode":"normal"}{"type":"permission-mode","permissionMode":"plan"}')
    file.user("Quickly: what moves the tides? \x1b[31m[bold]red[/bold]\x1b[0m")
    file.call("e1", OPUS, [say("The Moon, mostly. 🌙")], tokens(1000, 500, read=5000, speed="fast"))
    file.raw('{"type":"assistant","message":{"id":"msg_lost", oops')
    file.user("And in the Baltic?")
    file.call("e2", UNKNOWN, [say("Hardly anything.")], tokens(700, 80))
    file.raw("")
    file.user("Why?")
    error = {"formatted": "529 overloaded", "message": "overloaded"}
    file.record("system", subtype="api_error", error=error, retryAttempt=1, maxRetries=10)
    apology = [say("API Error: 529 overloaded")]
    file.call("e3", "<synthetic>", apology, tokens(0, 0), request_id=None, stop="stop_sequence")
    file.raw('{"parentUuid":null,"type":"assistant","message":{"id":"msg_torn","content":[{"type":"te')
    return file


def old_times() -> tuple[File, File]:
    """Session b3 and its agent as in 2025: a byte order mark, no split of cache writes, a flat agent file."""
    file = File("b3000000", "b3000000-0000-4000-8000-000000000006", CLOCK, "2026-09-11T16:00:00", "1.0.61")
    leaf = "b3000000-0001-4000-8000-000000000001"
    file.raw("\ufeff" + dump({"type": "summary", "summary": "The almanac", "leafUuid": leaf}))
    file.user("Read the whole almanac and sum it up.")
    long = tokens(4000, 1000, read=200000) | {"cache_creation_input_tokens": 1000}
    del long["cache_creation"]
    task = tool("toolu_f1", "Task", description="Proofread", prompt="Proofread it", subagent_type="proofreader")
    file.call("f1", SONNET_45, [task], long, stop=None)
    file.result("toolu_f1", [say("No mistakes.")], {"content": [say("No mistakes.")], "totalTokens": 360})
    short = tokens(1000, 100)
    del short["cache_creation"]
    file.call("f2", SONNET_45, [say("It is a table of days.")], short, request_id=None, stop=None)
    agent = File("b31a2b3c", file.session_id, CLOCK, "2026-09-11T16:00:11", "1.0.61", agent_id="1a2b3c4d")
    agent.user("Proofread it")
    agent.call("g1", HAIKU, [say("No mistakes.")], tokens(300, 60), stop=None)
    return file, agent


def tree() -> Iterator[tuple[str, str]]:
    """Yield (path below the home, content) of every file."""
    aviary, clock = "projects/-home-ada-aviary", "projects/-home-ada-tide-clock"
    a1 = boxes()
    a3, explore = survey()
    b1, first, second = tides()
    b3, flat = old_times()
    b4, reader = dial()
    mains = ((aviary, a1), (aviary, fork(a1)), (aviary, a3), (clock, b1), (clock, b3), (clock, b4))
    for folder, file in mains:
        yield f"{folder}/{file.session_id}.jsonl", file.text()
    b2 = troubles()
    yield f"{clock}/{b2.session_id}.jsonl", b2.text(end="")
    yield f"{clock}/agent-1a2b3c4d.jsonl", flat.text()

    below = f"{aviary}/{a3.session_id}/subagents/agent-a11c0de5"
    yield f"{below}.jsonl", explore.text()
    meta = {"agentType": "Explore", "description": "Find readers", "toolUseId": "toolu_c1", "spawnDepth": 1}
    yield f"{below}.meta.json", dump(meta | {"model": "haiku"})

    below = f"{clock}/{b4.session_id}/subagents/agent-{reader.agent_id}"
    yield f"{below}.jsonl", reader.text()
    meta = {"agentType": "general-purpose", "description": "Read the almanac", "toolUseId": "toolu_k2", "spawnDepth": 1}
    yield f"{below}.meta.json", dump(meta)

    below = f"{clock}/{b1.session_id}/subagents/workflows/wf_0badcafe-123"
    for file in (first, second):
        yield f"{below}/agent-{file.agent_id}.jsonl", file.text()
        meta = {"agentType": "workflow-subagent", "spawnDepth": 1}
        yield f"{below}/agent-{file.agent_id}.meta.json", dump(meta)
    steps = [(kind, file) for kind in ("started", "result") for file in (first, second)]
    journal = [dump({"type": kind, "key": file.tag, "agentId": file.agent_id}) for kind, file in steps]
    yield f"{below}/journal.jsonl", "\n".join(journal) + "\n"


def write(home: Path) -> None:
    """Replace the folder `home` by the made-up tree."""
    shutil.rmtree(home, ignore_errors=True)
    for name, content in tree():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "sample" / "claude")
