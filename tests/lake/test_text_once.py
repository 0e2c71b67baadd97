"""Each text is stored once beside the raw lines, and views give every column that it belongs to."""

import pyarrow.parquet as pq
import pytest

from tests.citations.records import bash, result, transcript, user
from tests.settings import A, Setting

BODY = "  first line of the result\n\tsecond line of the result "
TYPED = "  what the user   typed "
STRUCTURED = {"stdout": BODY, "stderr": "", "note": "only in the structured result"}


@pytest.fixture(params=[True, False], ids=["with raw lines", "without"])
def setting(tmp_path, request):
    made = Setting(tmp_path)
    path = made.write(f"{A}.jsonl")
    records = [user(TYPED), bash("b1", "make"), result("b1", BODY, toolUseResult=STRUCTURED), bash("b2", "make")]
    path.write_bytes(transcript(*records, sessionId=A))
    made.run(with_raw=request.param)
    made.has_raw = request.param
    return made


def places_of(setting, text):
    """The stored columns that hold a text, raw lines aside."""
    found = []
    for file in sorted(setting.paths.segments.glob("[a-z]*/*.parquet")):
        table = pq.read_table(file)
        for name in table.column_names:
            values = table.column(name).to_pylist()
            found += [f"{file.parent.name}.{name}" for value in values if isinstance(value, str) and text in value]
    return found


def test_the_body_of_a_result_lies_in_one_place(setting):
    assert places_of(setting, "second line of the result") == ["tool_results.body", "tool_results.stdout"]
    assert setting.ask("SELECT result_text, status FROM tool_calls ORDER BY tool_use_id") == [
        (BODY, "ok"),
        (None, "pending"),
    ]
    folded = "first line of the result second line of the result"
    assert setting.ask("SELECT text, norm_text, norm_text_unnumbered FROM citations WHERE pool = 'tool_result'") == [
        (BODY, folded, None)
    ]


def test_a_typed_text_is_no_citation_s_own(setting):
    assert "citations.own_text" not in places_of(setting, "the user   typed")
    assert setting.ask("SELECT text, norm_text FROM citations WHERE pool = 'user'") == [(TYPED, "what the user typed")]


def test_a_structured_result_is_a_stretch_of_its_raw_line(setting):
    assert places_of(setting, "only in the structured result") == []
    ((raw,),) = setting.ask("SELECT raw FROM tool_results")
    if setting.has_raw:
        assert setting.ask("SELECT raw::JSON ->> 'note' FROM tool_results") == [(STRUCTURED["note"],)]
    else:
        assert raw is None


def test_a_view_is_asked_for_one_session_as_for_all(setting):
    for sql in (
        "SELECT count(*) FROM tool_calls WHERE result_text LIKE '%second%'",
        "SELECT count(*) FROM citations WHERE text LIKE '%second%'",
        f"SELECT count(*) FROM citations WHERE session_id = '{A}' AND norm_text LIKE '%result second%'",
    ):
        assert setting.ask(sql) == [(1,)]
