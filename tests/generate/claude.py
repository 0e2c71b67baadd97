"""One file of Claude Code: prompts, thinking, calls with results, answers."""

from __future__ import annotations

from tests.generate.material import Json, Material

MODELS = ("claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001")
TOOLS = ("Bash", "Read", "Edit", "Grep")
RESULT_CHARACTERS = 690
TURN_LINES = 4


class ClaudeFile:
    """The lines of one file, main or sub-agent, in the order in which they are written."""

    def __init__(self, material: Material, session_id: str, project: str, agent_id: str | None = None) -> None:
        self.lines: list[Json] = []
        self._material = material
        self._session_id = session_id
        self._model = MODELS[material.number(len(MODELS))]
        self._common = {
            "isSidechain": agent_id is not None,
            "userType": "external",
            "cwd": f"/srv/{project}",
            "sessionId": session_id,
            "version": "2.1.14",
            "gitBranch": "main",
        } | ({"agentId": agent_id} if agent_id else {})
        self._parent: str | None = None

    def continue_after(self, copied: list[Json]) -> None:
        """Begin with lines that another file holds too: what a fork or a resume starts from."""
        self.lines = copied
        self._parent = copied[-1].get("uuid")

    def head(self) -> None:
        """Write the two lines that stand before the first prompt: no records of a conversation."""
        snapshot = {"messageId": self._material.uuid(), "trackedFileBackups": {}, "timestamp": self._material.now()}
        self.lines.append({"type": "mode", "mode": "normal", "sessionId": self._session_id})
        self.lines.append({"type": "file-history-snapshot", "messageId": snapshot["messageId"], "snapshot": snapshot})

    def prompt(self) -> None:
        self._record("user", message={"role": "user", "content": self._material.text(240)}, promptSource="typed")

    def turn(self) -> None:
        """Write one API call over three lines (thinking, prose, a tool call) and the result."""
        material = self._material
        call = material.token("toolu")
        thinking = {"type": "thinking", "thinking": material.text(300), "signature": material.token("sig") * 8}
        said = {"type": "text", "text": material.text(220)}
        self._response([thinking, said, self._call(call)])
        self._result(call, material.text(RESULT_CHARACTERS))

    def dispatch(self, agent_id: str) -> str:
        """Write the call of a sub-agent and its result, and return the id of the call."""
        call = self._material.token("toolu")
        given = {"description": "look", "prompt": self._material.text(400), "subagent_type": "Explore"}
        self._response([{"type": "tool_use", "id": call, "name": "Agent", "input": given}])
        answer = [{"type": "text", "text": self._material.text(600)}]
        body = {"status": "completed", "agentId": agent_id, "content": answer, "totalTokens": 5000}
        self._user_result(call, answer, body)
        return call

    def answer(self) -> None:
        self._response([{"type": "text", "text": self._material.text(700)}], stop="end_turn")

    def tail(self) -> None:
        """Write the three lines that follow the last answer."""
        self._record("system", subtype="turn_duration", durationMs=self._material.number(90_000), isMeta=False)
        self.lines.append({"type": "last-prompt", "lastPrompt": self._material.text(80), "sessionId": self._session_id})
        self.lines.append(
            {"type": "custom-title", "customTitle": self._material.text(30), "sessionId": self._session_id}
        )

    def _call(self, call: str) -> Json:
        name = TOOLS[self._material.number(len(TOOLS))]
        path = f"{self._common['cwd']}/src/part_{self._material.number(60)}.py"
        given: Json = {
            "Bash": {"command": "grep -n owl src/*.py | head", "description": "Look for owls"},
            "Read": {"file_path": path},
            "Edit": {"file_path": path, "old_string": self._material.text(120), "new_string": self._material.text(140)},
            "Grep": {"pattern": "owl", "path": path},
        }[name]
        return {"type": "tool_use", "id": call, "name": name, "input": given}

    def _result(self, call: str, output: str) -> None:
        body = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        self._user_result(call, output, body)

    def _user_result(self, call: str, content: str | list[Json], body: Json) -> None:
        result = {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": False}
        self._record("user", message={"role": "user", "content": [result]}, toolUseResult=body)

    def _response(self, blocks: list[Json], stop: str = "tool_use") -> None:
        """Write one API response, a line per block, the output tokens growing."""
        material = self._material
        head = {"model": self._model, "id": material.token("msg"), "type": "message", "role": "assistant"}
        request = material.token("req")
        short, output = material.number(4000), 0
        usage = {
            "input_tokens": material.number(50),
            "cache_creation_input_tokens": short,
            "cache_read_input_tokens": material.number(90_000),
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard",
        }
        for block in blocks:
            output += 1 + material.number(400)
            last = stop if block is blocks[-1] else None
            message = {**head, "content": [block], "stop_reason": last, "usage": {**usage, "output_tokens": output}}
            self._record("assistant", message=message, requestId=request)

    def _record(self, kind: str, **more: object) -> None:
        uuid = self._material.uuid()
        self.lines.append(
            {"parentUuid": self._parent, **self._common, "type": kind, **more, "uuid": uuid}
            | {"timestamp": self._material.now()}
        )
        self._parent = uuid
