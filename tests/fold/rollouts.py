"""Made-up lines of Codex rollouts and pi sessions, short to write."""

from __future__ import annotations

import json


def lines(*records):
    """Return records as the bytes of a file; the n-th without a time gets one at n seconds."""
    timed = [{"timestamp": f"2031-06-01T08:00:{number:02}.000Z", **record} for number, record in enumerate(records)]
    return b"".join(json.dumps(record).encode() + b"\n" for record in timed)


def line(kind, /, **payload):
    return {"type": kind, "payload": payload}


def meta(thread="t1", **more):
    return line("session_meta", id=thread, **more)


def item(kind, /, **more):
    return {"type": "response_item", "payload": {"type": kind, **more}}


def event(kind, /, **more):
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def said(role, *texts, **more):
    name = "output_text" if role == "assistant" else "input_text"
    return line(
        "response_item", type="message", role=role, content=[{"type": name, "text": text} for text in texts], **more
    )


def count(total=None, last=None, **info):
    """A token_count event; totals and last are (input, cached, output)."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    for key, numbers in (("total_token_usage", total), ("last_token_usage", last)):
        if numbers is not None:
            info[key] = dict(zip(names, numbers, strict=True))
    return event("token_count", info=info)


def entry(kind, entry_id=None, parent=None, /, **more):
    """An entry of a pi session."""
    ids = {} if entry_id is None else {"id": entry_id, "parentId": parent}
    return {"type": kind, **ids, **more}


def message(role, content=None, entry_id=None, parent=None, /, **more):
    return entry("message", entry_id, parent, message={"role": role, "content": content, **more})
