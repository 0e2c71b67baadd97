"""Codex: which of the first user items were typed (parser.md 1.4)."""

from tests.fold.folding import fold
from tests.fold.rollouts import event, item, line, lines, meta, said


def roles(*records):
    return [role for (role,) in fold(lines(*records), "codex").column("messages", "role")]


def test_the_first_of_two_opening_user_items_is_context_without_any_marker():
    assert roles(said("user", "notes"), said("user", "go")) == ["context", "user"]
    assert roles(said("user", "1"), said("user", "2"), said("user", "3")) == ["context", "context", "user"]


def test_two_different_markers_make_context():
    both = "# AGENTS.md instructions for /w\n<environment_context>"
    assert roles(said("user", both), said("user", "go"), said("assistant", "a")) == ["context", "user", "assistant"]
    assert roles(said("user", "<environment_context><environment_context>"), said("assistant", "a")) == [
        "user",
        "assistant",
    ]
    assert roles(said("assistant", "a"), said("user", both), said("user", "go")) == ["assistant", "context", "user"]


def test_system_and_context_rows_before_it_do_not_matter():
    before = (meta(base_instructions={"text": "S"}), line("world_state", state={"agents_md": {"text": "M"}}))
    assert roles(*before, said("user", "x"), said("user", "y")) == ["system", "context", "context", "user"]


def test_a_user_item_followed_by_anything_else_stays_what_it_is():
    assert roles(said("user", "x"), said("assistant", "a"), said("user", "y")) == ["user", "assistant", "user"]
    md = line("world_state", state={"agents_md": {"text": "M"}})
    assert roles(said("user", "x"), md, said("user", "y")) == ["user", "context", "user"]
    assert roles(said("user", "x"), md, said("user", "y"), said("user", "z")) == ["user", "context", "user", "user"]
    peer = item("agent_message", content="hello")
    assert roles(said("user", "x"), peer, said("user", "y")) == ["user", "context", "user"]


def test_after_the_first_turn_nothing_is_promoted():
    assert roles(said("assistant", "a"), said("user", "x"), said("user", "y")) == ["assistant", "user", "user"]


def test_lines_without_rows_between_them_do_not_matter():
    assert roles(said("user", "x"), event("task_started"), said("user", "y")) == ["context", "user"]


def test_the_last_item_of_a_file_is_not_lost():
    assert roles(said("user", "only")) == ["user"]
