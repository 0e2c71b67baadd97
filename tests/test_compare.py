"""The comparison finds what was planted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.compare.__main__ import main

ROWS = """
    CREATE TABLE usage AS
    SELECT '/t/a.jsonl' AS path, n AS line_no, n * 10 AS input_tokens, n * 100 AS output_tokens, n / 3 AS weight,
           {'id': n, 'name': 'call' || n} AS call, now() AS extracted_at
    FROM range(1, 6) AS numbers(n);
    CREATE VIEW totals AS SELECT path, sum(input_tokens)::BIGINT AS tokens FROM usage GROUP BY path;
"""


def lake(folder: Path, name: str, change: str = "") -> Path:
    """A folder with a database file of two relations, changed by some SQL."""
    target = folder / name
    target.mkdir()
    with duckdb.connect(str(target / "tracelake.duckdb")) as connection:
        connection.execute(ROWS)
        if change:
            connection.execute(change)
    return target


def compared(folder: Path, change: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    """The exit code and the lines about `usage` and `totals` when the second lake was changed."""
    code = main(["--lakes", str(lake(folder, "old")), str(lake(folder, "new", change)), *options])
    return code, " ".join(capsys.readouterr().out.split())


def test_the_same_rows_in_another_order_are_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    shuffle = "CREATE OR REPLACE TABLE usage AS FROM usage ORDER BY line_no DESC"
    code, out = compared(tmp_path, shuffle, capsys)
    assert code == 0
    assert out == "totals 1 -> 1 equal usage 5 -> 5 equal no difference that is not expected"


def test_a_changed_value_is_named_with_its_row_and_seen_in_the_view(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out = compared(tmp_path, "UPDATE usage SET input_tokens = 31 WHERE line_no = 3", capsys)
    assert code == 1
    assert "DIFFERENT: input_tokens: values differ, 1 rows path=/t/a.jsonl line_no=3: '30' -> '31'" in out
    assert "DIFFERENT: tokens: values differ, 1 rows path=/t/a.jsonl: '150' -> '151'" in out
    assert "2 differences that nobody expects" in out


def test_a_lost_row_and_a_row_more_are_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out = compared(
        tmp_path, "DELETE FROM usage WHERE line_no = 2; INSERT INTO usage FROM usage WHERE line_no = 4", capsys
    )
    assert code == 1
    assert "usage 5 -> 5 differs" in out
    assert "(rows): only old, 1 rows path=/t/a.jsonl line_no=2" in out
    assert "(rows): only new, 1 rows path=/t/a.jsonl line_no=4" in out


def test_two_columns_swapped_in_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    swap = "UPDATE usage SET input_tokens = output_tokens, output_tokens = input_tokens WHERE line_no = 5"
    code, out = compared(tmp_path, swap, capsys, "--only", "usage")
    assert code == 1
    assert "input_tokens: values differ, 1 rows path=/t/a.jsonl line_no=5: '50' -> '500'" in out
    assert "output_tokens: values differ, 1 rows path=/t/a.jsonl line_no=5: '500' -> '50'" in out


def test_values_swapped_between_two_rows_of_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out = compared(tmp_path, "UPDATE usage SET input_tokens = 30 - input_tokens WHERE line_no < 3", capsys)
    assert code == 1
    assert "usage 5 -> 5 differs DIFFERENT: input_tokens: values differ, 2 rows" in out
    assert "totals 1 -> 1 equal" in out


def test_a_field_of_a_struct_and_a_column_that_became_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    change = "UPDATE usage SET call = {'id': 1, 'name': 'other'} WHERE line_no = 1"
    code, out = compared(tmp_path, change + "; UPDATE usage SET weight = NULL WHERE line_no = 1", capsys)
    assert code == 1
    assert "call.name: values differ, 1 rows path=/t/a.jsonl line_no=1: 'call1' -> 'other'" in out
    assert "weight: values differ, 1 rows path=/t/a.jsonl line_no=1: '0.33333334' -> None" in out
    assert "call.id" not in out


def test_columns_and_relations_only_one_side_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    change = "ALTER TABLE usage RENAME weight TO mass; CREATE VIEW extra AS SELECT 1; DROP VIEW totals"
    code, out = compared(tmp_path, change, capsys)
    assert code == 1
    assert "added: (relation): only new" in out
    assert "DIFFERENT: (relation): only old" in out
    assert "DIFFERENT: weight: only old added: mass: only new" in out
    assert "2 differences that nobody expects" in out


def test_another_type_is_told_and_equal_values_of_it_are_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    change = "ALTER TABLE usage ALTER line_no TYPE INTEGER"
    code, out = compared(tmp_path, change, capsys)
    assert code == 1
    assert "DIFFERENT: line_no: type BIGINT -> INTEGER 1 differences" in out


def test_a_view_that_fails_is_a_difference_and_no_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out = compared(tmp_path, "CREATE OR REPLACE VIEW totals AS SELECT error('broken') AS tokens", capsys)
    assert code == 1
    assert "DIFFERENT: (relation): cannot be compared: Invalid Input Error: broken" in out
    assert "usage 5 -> 5 equal" in out


EXPECTED = """
[[expected]]
name = "three is thirty-one"
reason = "Planted."
relation = "*"
subject = "*tokens"
{more}
"""


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ("", 0, "expected (three is thirty-one): input_tokens: values differ, 1 rows"),
        ("count = 2", 1, "expected, but did not occur: three is thirty-one"),
    ],
)
def test_expected_differences_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, code: int, said: str
):
    file = tmp_path / "expected.toml"
    file.write_text(EXPECTED.format(more=more), encoding="utf-8")
    change = "UPDATE usage SET input_tokens = 31 WHERE line_no = 3"
    found, out = compared(tmp_path, change, capsys, "--expected", str(file))
    assert found == code
    assert said in out


def test_wrong_usage_is_refused(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["somewhere"])
    assert ended.value.code == 2
    assert "name a checkout and at least one source" in capsys.readouterr().err
