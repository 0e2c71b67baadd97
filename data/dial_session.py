"""Session b4 of the sample: a question answered, a background agent, a model fallback, papers and pictures."""

from __future__ import annotations

import base64

from transcript_writer import CLOCK, FABLE, OPUS, File, notice, picture, say, tokens, tool

AGENT = "a4e6c1de"


def dial() -> tuple[File, File]:
    """The session and its background agent."""
    file = File("b4000000", "b4000000-0000-4000-8000-000000000007", CLOCK, "2026-09-12T09:00:00")
    question(file)
    background(file)
    fallback(file)
    papers(file)
    hook = {"hookCount": 1, "hookInfos": [{"command": "make lint"}], "hookErrors": [], "stopReason": ""}
    file.record("system", subtype="stop_hook_summary", **hook, preventedContinuation=False, hasOutput=False)
    return file, reader(file)


def question(file: File) -> None:
    """Thinking in the clear beside its signature, its tokens reported, and a question that the user answers."""
    file.user("Give the tide clock a dial.")
    think = {"type": "thinking", "thinking": "The dial may turn either way.", "signature": "ZGlhbA==" * 6}
    choices = [
        {"label": "With the sun", "description": "As clocks do"},
        {"label": "Against it", "description": "As the tide table does"},
    ]
    asked = {"question": "Which way should the dial turn?", "header": "Dial", "multiSelect": False, "options": choices}
    usage = tokens(1000, 400, write_5m=2000, output_tokens_details={"thinking_tokens": 310})
    ask = tool("toolu_k1", "AskUserQuestion", questions=[asked])
    file.call("k1", OPUS, [think, ask], usage, stop="tool_use")
    answer = {asked["question"]: "With the sun"}
    told = f'"{asked["question"]}"="With the sun"'
    body = f"User has answered your questions: {told}. You can now continue with the user's answers in mind."
    file.result("toolu_k1", body, {"questions": [asked], "answers": answer})


def background(file: File) -> None:
    """An agent that is launched in the background, and the notice that it is done."""
    task = {"description": "Read the almanac", "prompt": "List the spring tides", "subagent_type": "general-purpose"}
    start = tool("toolu_k2", "Agent", **task, run_in_background=True)
    file.call("k2", OPUS, [start], tokens(200, 120, read=2000), stop="tool_use")
    receipt = f"Async agent launched successfully.\nagentId: {AGENT} (internal ID - do not mention to user.)"
    launched = {"isAsync": True, "status": "async_launched", "agentId": AGENT, "description": task["description"]}
    file.result("toolu_k2", [say(receipt)], launched)
    note = notice(AGENT, "toolu_k2", 'Agent "Read the almanac" completed')
    file.control("queue-operation", operation="enqueue", timestamp="2026-09-12T09:00:40.000Z", content=note)
    file.user(note, origin={"kind": "task-notification"})


def fallback(file: File) -> None:
    """A model that declines after a few words, and another that answers instead."""
    refused = {"trigger": "refusal", "originalModel": FABLE, "fallbackModel": OPUS, "requestId": "req_k3"}
    why = {"apiRefusalCategory": "cyber", "apiRefusalExplanation": "The tide was taken for an attack."}
    file.record("system", subtype="model_refusal_fallback", **refused, **why)
    hop = {"type": "fallback", "from": {"model": FABLE}, "to": {"model": OPUS}}
    declined = tokens(300, 20, read=2200) | {"type": "message", "model": FABLE}
    served = tokens(300, 80, read=2200) | {"type": "fallback_message", "model": OPUS}
    usage = tokens(300, 80, read=2200, iterations=[declined, served])
    file.call("k3", OPUS, [hop, say("Spring tides come twice a month.")], usage)


def papers(file: File) -> None:
    """A document in a prompt, thinking that is redacted, and a picture inside a tool result."""
    source = {"type": "base64", "media_type": "application/pdf", "data": base64.b64encode(pdf()).decode()}
    file.user([say("Here is the drawing."), {"type": "document", "source": source, "title": "dial.pdf"}])
    hidden = {"type": "redacted_thinking", "data": "aGlkZGVu" * 5}
    look = tool("toolu_k4", "Read", file_path="/home/ada/tide-clock/dial.png")
    usage = tokens(500, 100, read=2500, write_5m=800)
    file.call("k4", OPUS, [hidden, look], usage, stop="tool_use")
    evidence = {"type": "image", "file": {"type": "image/png", "originalSize": 67}}
    file.result("toolu_k4", [picture()], evidence)
    file.call("k5", OPUS, [say("The dial is one black pixel.")], tokens(100, 30, read=3300))


def reader(parent: File) -> File:
    """The background agent."""
    file = File("b4e6c1de", parent.session_id, CLOCK, "2026-09-12T09:00:22", agent_id=AGENT)
    file.user("List the spring tides")
    file.call("m1", OPUS, [say("New moon and full moon.")], tokens(400, 50))
    return file


def pdf() -> bytes:
    """A document of one empty page."""
    pages = {1: "/Type/Catalog/Pages 2 0 R", 2: "/Type/Pages/Kids[3 0 R]/Count 1"}
    pages[3] = "/Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]"
    out, places = b"%PDF-1.4\n", []
    for number, content in pages.items():
        places.append(len(out))
        out += f"{number} 0 obj<<{content}>>endobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 4\n0000000000 65535 f \n{table}trailer<</Size 4/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + end.encode()
