"""Opening: tells injected text from the user's first prompt at the start of a rollout (parser.md 1.4)."""

from __future__ import annotations

from tracelake.fold.turn import Turns
from tracelake.tables.rows import MessageRow


class Opening:
    """Holds back the first user row until it is known whether another user item follows it at once.

    If so, and if nothing but system and context rows stand before it, it was put there by the client: it becomes
    context.
    """

    def __init__(self, turns: Turns) -> None:
        """Emit rows through `turns`."""
        self._turns = turns
        self._undecided = True
        self._held: MessageRow | None = None

    def user_item(self) -> None:
        """Note that a user item arrives; call before its row is emitted."""
        if self._held is not None:
            self._held.role = "context"
            self._release()

    def emit_user(self, row: MessageRow) -> None:
        """Emit a user row, now or once its role is settled."""
        self._turns.close()
        if self._undecided:
            self._held = row
        else:
            self._turns.out.append(row)

    def settle(self, role: str) -> None:
        """Note that a row with another role begins; call before it is emitted."""
        if self._held is not None or role == "assistant":
            self._undecided = False
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            self._turns.out.append(self._held)
            self._held = None
