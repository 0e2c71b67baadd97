"""A random tree of transcripts that knows what it cost: everything that makes accounting hard, and its own sum.

The rates are written down here, in USD per million tokens (micro-dollars per token); nothing is asked of the lake or
the price package.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

Json = dict[str, Any]

INPUT, OUTPUT, READ, SHORT, LONG = range(5)
RATES: dict[tuple[str, str], tuple[str, ...]] = {
    ("claude-opus-5", "standard"): ("5", "25", "0.5", "6.25", "10"),
    ("claude-opus-5", "fast"): ("10", "50", "1", "12.5", "20"),
    ("claude-fable-5", "standard"): ("10", "50", "1", "12.5", "20"),
    ("claude-haiku-4-5-20251001", "standard"): ("1", "5", "0.1", "1.25", "2"),
    ("claude-sonnet-4-5", "standard"): ("3", "15", "0.3", "3.75", "6"),
    ("claude-sonnet-4-5", "long"): ("6", "22.5", "0.6", "7.5", "12"),
}
LONG_PROMPT = 200_000
SEARCH = 10_000
UNKNOWN = "claude-nightjar-1"
MODELS = ("claude-opus-5", "claude-fable-5", "claude-haiku-4-5-20251001", "claude-sonnet-4-5")


@dataclass
class Counts:
    """Tokens of one attempt."""

    prompt: int
    output: int
    read: int
    short: int
    long: int

    def usage(self) -> Json:
        return {
            "input_tokens": self.prompt,
            "output_tokens": self.output,
            "cache_read_input_tokens": self.read,
            "cache_creation_input_tokens": self.short + self.long,
            "cache_creation": {"ephemeral_5m_input_tokens": self.short, "ephemeral_1h_input_tokens": self.long},
        }


def money(model: str, counts: Counts, speed: str = "standard", searches: int = 0) -> Decimal:
    """Return USD."""
    size = counts.prompt + counts.read + counts.short + counts.long
    tariff = "long" if model == "claude-sonnet-4-5" and size > LONG_PROMPT else speed
    rates = [Decimal(text) for text in RATES[model, tariff]]
    amounts = (counts.prompt, counts.output, counts.read, counts.short, counts.long)
    return (sum((rate * n for rate, n in zip(rates, amounts, strict=True)), Decimal(searches * SEARCH))) / 1_000_000


@dataclass
class Tree:
    """What was generated: lines by file, and what they come to."""

    chance: random.Random
    files: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    calls: int = 0
    unpriced: int = 0
    usd: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    declined_usd: Decimal = Decimal(0)
    net_usd: Decimal = Decimal(0)
    hops: int = 0
    serial: int = 0
    clock: datetime = datetime(2026, 9, 1, tzinfo=UTC)

    def counts(self, largest: int = 90_000) -> Counts:
        draw = self.chance.randrange
        return Counts(draw(3000), draw(1, 4000), draw(largest), draw(5000), self.chance.choice([0, draw(5000)]))

    def next(self) -> int:
        self.serial += 1
        self.clock += timedelta(seconds=self.chance.randrange(1, 9000))
        return self.serial

    def line(self, path: str, session: str, kind: str, **more: Any) -> Json:
        number = self.next()
        record = {
            "type": kind,
            "uuid": f"u{number}",
            "sessionId": session,
            "timestamp": f"{self.clock:%Y-%m-%dT%H:%M:%SZ}",
            **more,
        }
        self.files[path].append(record)
        return record

    def call(
        self, path: str, session: str, model: str, agent: str | None = None, largest: int = 90_000, **more: Any
    ) -> list[Json]:
        """Write one call over one to three lines with growing outputs, and count it once."""
        number, counts = self.next(), self.counts(largest)
        speed, searches, chain, advice = (more.get(name) for name in ("speed", "searches", "chain", "advice"))
        usage = counts.usage()
        if speed:
            usage["speed"] = speed
        if searches:
            usage["server_tool_use"] = {"web_search_requests": searches, "web_fetch_requests": 1}
        iterations = [{"type": "message", "model": name} | one.usage() for name, one in chain or ()]
        if chain:
            iterations.append({"type": "fallback_message", "model": model} | counts.usage())
        if advice:
            iterations.append({"type": "advisor_message", "model": "claude-fable-5"} | advice.usage())
        if iterations:
            usage["iterations"] = iterations
        outputs = sorted(self.chance.randrange(counts.output) for _ in range(self.chance.randrange(3)))
        final = self.chance.random() < 0.8
        written = []
        for place, output in enumerate([*outputs, counts.output]):
            last = place == len(outputs)
            message = {
                "id": f"msg_{number}",
                "model": model,
                "content": [{"type": "text", "text": f"part {place}"}],
                "stop_reason": "end_turn" if last and final else None,
                "usage": usage | {"output_tokens": output},
            }
            extra = {"isSidechain": True, "agentId": agent} if agent else {"isSidechain": False}
            written.append(self.line(path, session, "assistant", requestId=f"req_{number}", message=message, **extra))
        self._count(model, counts, speed or "standard", searches or 0, chain or (), advice)
        return written

    def _count(self, model: str, counts: Counts, speed: str, searches: int, chain: Any, advice: Counts | None) -> None:
        self.calls += 1
        if model == UNKNOWN:
            self.unpriced += 1
            return
        served = money(model, counts, speed, searches)
        self.usd[model] += served
        if advice:
            self.usd["claude-fable-5"] += money("claude-fable-5", advice)
        for name, one in chain:
            usd = money(name, one, speed)
            self.hops += 1
            self.declined_usd += usd
            self.net_usd += usd if one.output else 0
        if chain:
            self.net_usd += served - money(chain[0][0], counts, speed, searches)


def generate(seed: int) -> Tree:
    """Make a tree of eight sessions."""
    tree = Tree(random.Random(seed))
    for number in range(6):
        _session(tree, f"{number:08}-0000-4000-8000-000000000000")
    for number in (0, 3):
        _fork(tree, f"{number:08}-0000-4000-8000-000000000000", f"9{number:07}-0000-4000-8000-000000000000")
    return tree


def _session(tree: Tree, session: str) -> None:
    chance, path = tree.chance, f"projects/-p/{session}.jsonl"
    for _ in range(12):
        tree.line(path, session, "user", message={"role": "user", "content": "go on"})
        tree.call(path, session, chance.choice(MODELS))
    tree.call(path, session, "claude-sonnet-4-5", largest=600_000)
    tree.call(path, session, "claude-opus-5", speed="fast")
    tree.call(path, session, "claude-opus-5", searches=chance.randrange(1, 5))
    tree.call(path, session, "claude-opus-5", advice=tree.counts())
    tree.call(path, session, UNKNOWN)
    _fallbacks(tree, path, session)
    synthetic = {
        "id": f"msg_{tree.next()}",
        "model": "<synthetic>",
        "content": [],
        "usage": Counts(0, 0, 0, 0, 0).usage(),
    }
    tree.line(path, session, "assistant", message=synthetic)
    _agents(tree, path, session)


def _fallbacks(tree: Tree, path: str, session: str) -> None:
    refused = tree.counts()
    refused.output = 0
    tree.call(path, session, "claude-opus-5", chain=[("claude-fable-5", refused)])
    chain = [("claude-fable-5", tree.counts()), ("claude-haiku-4-5-20251001", tree.counts())]
    answer = tree.call(path, session, "claude-opus-5", chain=chain)
    system = {"trigger": "refusal", "originalModel": "claude-fable-5", "fallbackModel": "claude-opus-5"}
    tree.line(path, session, "system", subtype="model_refusal_fallback", requestId=answer[0]["requestId"], **system)


def _agents(tree: Tree, path: str, session: str) -> None:
    """A sub-agent whose lines the parent's file repeats in two ways, and two agents of a workflow."""
    folder = path.removesuffix(".jsonl") + "/subagents"
    for number in range(3):
        agent = f"a{number}{session[:8]}"
        below = f"{folder}/agent-{agent}.jsonl" if number == 0 else f"{folder}/workflows/wf_1/agent-{agent}.jsonl"
        tree.line(below, session, "user", isSidechain=True, agentId=agent, message={"role": "user", "content": "help"})
        for _ in range(3):
            written = tree.call(below, session, "claude-haiku-4-5-20251001", agent=agent)
            if number == 0:
                tree.files[path] += written
                copied = {name: written[-1][name] for name in ("timestamp", "requestId", "message")}
                tree.line(path, session, "progress", data={"type": "agent_progress", "message": copied})


def _fork(tree: Tree, origin: str, session: str) -> None:
    path = f"projects/-p/{session}.jsonl"
    for record in tree.files[f"projects/-p/{origin}.jsonl"]:
        tree.files[path].append(record | {"sessionId": session})
    tree.call(path, session, "claude-opus-5")


def write(tree: Tree, home: Path) -> None:
    """Write the files below an agent's home."""
    for name, lines in tree.files.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
