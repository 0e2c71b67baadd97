"""One line with counts that cannot be spoils no view of the lake."""

import json

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake, run_select
from tracelake.lake.model_files import load_models

USAGES = [
    {"input_tokens": 2**63 - 1, "output_tokens": 5, "cache_read_input_tokens": 5},
    {"input_tokens": -5, "output_tokens": -500},
    {"input_tokens": 10**30, "output_tokens": 1, "iterations": [{"type": "advisor_message", "input_tokens": 2**62}]},
    {"input_tokens": 7, "output_tokens": 2},
]


@pytest.fixture(scope="module")
def absurd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("absurd")
    path = folder / "projects" / "-w" / "0a0a0a0a-0000-4000-8000-000000000001.jsonl"
    path.parent.mkdir(parents=True)
    lines = [
        {
            "type": "assistant",
            "uuid": f"u{n}",
            "timestamp": f"2026-05-01T08:00:0{n}Z",
            "requestId": f"r{n}",
            "message": {"id": f"m{n}", "model": "claude-sonnet-4-6", "usage": usage, "content": []},
        }
        for n, usage in enumerate(USAGES)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    extract([folder], folder / "lake", engine="serial")
    with open_lake(folder / "lake") as con:
        yield con


def test_every_view_answers(absurd):
    for model in load_models():
        if model.kind == "view":
            run_select(absurd, f"SELECT * FROM {model.name}")


def test_impossible_counts_are_unknown_and_named(absurd):
    found = absurd.execute("SELECT input_tokens, output_tokens FROM token_usage ORDER BY line_no").fetchall()
    assert found == [(None, 5), (None, None), (None, 1), (7, 2)]
    assert absurd.execute("SELECT sum(input_tokens)::BIGINT FROM usage").fetchall() == [(7,)]
    (issue,) = absurd.execute("SELECT line_no, detail FROM integrity_issues WHERE check_id = 'token_count'").fetchall()
    assert issue[0] == 1 and issue[1].startswith("3 usage records")
