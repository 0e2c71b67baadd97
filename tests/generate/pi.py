"""One pi session: header, prompts, calls with results, answers, each message linked to the one before."""

from __future__ import annotations

from tests.generate.material import Json, Material

MODELS = (("anthropic", "claude-sonnet-4-5"), ("openai", "gpt-5"))


class PiFile:
    """The lines of one session, in the order in which they are written."""

    def __init__(self, material: Material, session_id: str, project: str) -> None:
        self.lines: list[Json] = []
        self._material = material
        self._parent: str | None = None
        self._provider, self._model = MODELS[material.number(len(MODELS))]
        self.began_at = material.now()
        head = {"version": 3, "id": session_id, "timestamp": self.began_at, "cwd": f"/srv/{project}"}
        self.lines.append({"type": "session", **head})

    def prompt(self) -> None:
        self._message(role="user", content=[{"type": "text", "text": self._material.text(240)}])

    def turn(self) -> None:
        """Write a call with its prose, and its result."""
        material = self._material
        call = material.token("toolu")
        thinking = {"type": "thinking", "thinking": material.text(400), "thinkingSignature": material.token("sig") * 8}
        asked = {"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": "rg -n owl src"}}
        self._assistant([thinking, {"type": "text", "text": material.text(200)}, asked], "toolUse")
        result = [{"type": "text", "text": material.text(2200)}]
        self._message(role="toolResult", toolCallId=call, toolName="bash", content=result, isError=False)

    def answer(self) -> None:
        self._assistant([{"type": "text", "text": self._material.text(700)}], "stop")

    def _assistant(self, content: list[Json], stop: str) -> None:
        material = self._material
        counts = {
            "input": material.number(3000),
            "output": 1 + material.number(900),
            "cacheRead": material.number(60_000),
            "cacheWrite": material.number(4000),
        }
        usage = {**counts, "totalTokens": sum(counts.values())}
        said = {"api": "messages", "provider": self._provider, "model": self._model, "usage": usage, "stopReason": stop}
        self._message(role="assistant", content=content, **said)

    def _message(self, **message: object) -> None:
        name = self._material.token("m")[-8:]
        line = {"type": "message", "id": name, "parentId": self._parent, "timestamp": self._material.now()}
        self.lines.append({**line, "message": message})
        self._parent = name
