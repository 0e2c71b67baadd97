"""One Codex rollout: header, turn contexts, calls with outputs, running token counts."""

from __future__ import annotations

import json
from collections import Counter

from tests.generate.material import Json, Material

MODELS = ("gpt-5", "gpt-5-codex")


class CodexFile:
    """The lines of one rollout, in the order in which they are written."""

    def __init__(self, material: Material, session_id: str, project: str, parent_id: str | None = None) -> None:
        self.lines: list[Json] = []
        self._material = material
        self._cwd = f"/srv/{project}"
        self._model = MODELS[material.number(len(MODELS))]
        self._total: Counter[str] = Counter()
        self.began_at = material.now()
        source = {"subagent": {"thread_spawn": {"parent_thread_id": parent_id, "depth": 1}}} if parent_id else "cli"
        header = {
            "id": session_id,
            "timestamp": self.began_at,
            "cwd": self._cwd,
            "originator": "codex_cli_rs",
            "cli_version": "0.98.0",
            "source": source,
            "model_provider": "openai",
            "base_instructions": {"text": material.text(2000)},
            "git": {"branch": "main"},
        }
        self._line("session_meta", header)

    def prompt(self) -> None:
        text = self._material.text(240)
        self._line("turn_context", {"cwd": self._cwd, "approval_policy": "never", "model": self._model})
        self._item("message", role="user", content=[{"type": "input_text", "text": text}])
        self._event("user_message", message=text)

    def turn(self) -> None:
        """Write reasoning, a call, its output and the count of tokens."""
        material = self._material
        call = material.token("call")
        arguments = json.dumps({"cmd": "rg -n owl src", "workdir": self._cwd, "yield_time_ms": 10_000})
        output = f"Process exited with code 0\nOutput:\n{material.text(2200)}"
        thought = [{"type": "summary_text", "text": material.text(120)}]
        self._item("reasoning", summary=thought, encrypted_content=material.token("enc") * 20)
        self._item("function_call", name="exec_command", arguments=arguments, call_id=call)
        self._item("function_call_output", call_id=call, output=output)
        self._count()

    def answer(self) -> None:
        text = self._material.text(700)
        self._item("message", role="assistant", content=[{"type": "output_text", "text": text}])
        self._event("agent_message", message=text)
        self._count()

    def _count(self) -> None:
        material = self._material
        cached, output = material.number(60_000), 1 + material.number(900)
        prompt = cached + material.number(3000)
        last = {
            "input_tokens": prompt,
            "cached_input_tokens": cached,
            "output_tokens": output,
            "reasoning_output_tokens": output // 3,
            "total_tokens": prompt + output,
        }
        self._total.update(last)
        counts = {"total_token_usage": dict(self._total), "last_token_usage": last, "model_context_window": 272_000}
        self._event("token_count", info=counts, rate_limits=None)

    def _item(self, kind: str, **payload: object) -> None:
        self._line("response_item", {"type": kind, **payload})

    def _event(self, kind: str, **payload: object) -> None:
        self._line("event_msg", {"type": kind, **payload})

    def _line(self, kind: str, payload: Json) -> None:
        self.lines.append({"timestamp": self._material.now(), "type": kind, "payload": payload})
