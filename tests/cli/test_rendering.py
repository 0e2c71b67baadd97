"""Tables, Markdown and data formats, without a lake."""

import io
import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import polars
import pyarrow
import pytest
from tracelake.cli.cells import cell, text, to_json
from tracelake.cli.grid import Answer, Grid, Section, from_arrow, unique
from tracelake.cli.render_data import write_arrow, write_csv, write_json, write_jsonl, write_parquet
from tracelake.cli.render_text import markdown, table
from tracelake.cli.safe_text import escape

GRID = Grid(("name", "n"), (("owl", 7), ("日本", None), ("a|b\n<i>", 12)))


def written(writer, answer: Answer) -> bytes:
    out = io.BytesIO()
    writer(answer, out)
    return out.getvalue()


def lines(grid: Grid, width: int | None = None, totals: int = 0) -> list[str]:
    return list(table(Section(grid, totals=totals), width))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain ü 🌙", "plain ü 🌙"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\tb\r\nc", "a\\tb\\r\\nc"),
        ("\x9b2J\x7f", "\\x9b2J\\x7f"),
        ("a\u2028b\u202ec", "a\\u2028b\\u202ec"),
        ("\ud800", "\\ud800"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
    ],
)
def test_nothing_in_a_text_steers_the_terminal(raw: str, shown: str):
    assert escape(raw) == shown


def test_a_table_aligns_cells_by_their_width_on_screen():
    assert lines(GRID) == [
        "name       n",
        "--------  --",
        "owl        7",
        "日本       -",
        "a|b\\n<i>  12",
    ]


def test_a_total_is_set_off():
    grid = Grid(("day", "n"), (("2026-09-07", 1), ("total", 1)))
    assert lines(grid, totals=1) == [
        "day         n",
        "----------  -",
        "2026-09-07  1",
        "----------  -",
        "total       1",
    ]


def test_an_empty_table_has_its_header():
    assert lines(Grid(("name", "n"), ())) == ["name  n", "----  -"]


def test_without_a_width_nothing_is_cut():
    long = "x" * 5000
    assert long in lines(Grid(("t",), ((long,),)))[2]


def test_a_table_fits_the_width_and_numbers_stay_whole():
    grid = Grid(("n", "first", "second"), ((1234567890, "a" * 50, "b" * 12),))
    result = lines(grid, width=40)
    assert max(map(len, result)) <= 40
    # 40 cells, less 10 for the number and 4 between the columns, leave 26: 14 and 12.
    assert result[2] == "1234567890  " + "a" * 13 + "…  " + "b" * 12


def test_too_many_columns_become_lines():
    grid = Grid(tuple(f"c{i}" for i in range(9)), (tuple("v" * 20 for _ in range(9)),))
    result = lines(grid, width=30)
    assert result[:2] == ["-- row 1", "c0  " + "v" * 20]
    assert len(result) == 10


def test_markdown_escapes_what_would_be_markup():
    assert list(markdown(Section(GRID))) == [
        "| name | n |",
        "| --- | ---: |",
        "| owl | 7 |",
        "| 日本 | - |",
        "| a\\|b\\\\n\\<i\\> | 12 |",
    ]


def test_markdown_totals_are_bold():
    assert list(markdown(Section(Grid(("k", "n"), (("total", 3),)), totals=1)))[2] == "| **total** | **3** |"


@pytest.mark.parametrize(
    ("value", "shown", "encoded"),
    [
        (None, "", "null"),
        (True, "true", "true"),
        (Decimal("0.015740000"), "0.015740000", "0.015740000"),
        (10**25, str(10**25), str(10**25)),
        (1.5, "1.5", "1.5"),
        (date(2026, 9, 7), "2026-09-07", '"2026-09-07"'),
        (
            datetime(2026, 9, 7, 10, tzinfo=timezone(timedelta(hours=2))),
            "2026-09-07T08:00:00Z",
            '"2026-09-07T08:00:00Z"',
        ),
        (datetime(2026, 9, 7, 10, 0, 0, 5), "2026-09-07T10:00:00.000005", '"2026-09-07T10:00:00.000005"'),
        (b"caf\xc3\xa9\xff", "café\\xff", '"café\\\\xff"'),
        (["a", None], '["a",null]', '["a",null]'),
        ({"a": Decimal("1.10")}, '{"a":1.10}', '{"a":1.10}'),
    ],
)
def test_values(value, shown: str, encoded: str):
    assert text(value) == shown
    assert to_json(value).decode() == encoded


def test_a_missing_value_shows_in_a_table():
    assert cell(None) == "-"


def test_json_is_an_array_of_objects():
    assert json.loads(written(write_json, Answer(GRID))) == [
        {"name": "owl", "n": 7},
        {"name": "日本", "n": None},
        {"name": "a|b\n<i>", "n": 12},
    ]
    assert json.loads(written(write_json, Answer(Grid(("a",), ())))) == []
    assert json.loads(written(write_json, Answer(GRID, document={"x": Decimal("2.50")}))) == {"x": 2.5}


def test_jsonl_is_an_object_per_line():
    assert written(write_jsonl, Answer(GRID)).decode().splitlines()[1] == '{"name":"日本","n":null}'


def test_csv_quotes_what_needs_it():
    assert written(write_csv, Answer(GRID)).decode() == 'name,n\nowl,7\n日本,\n"a|b\n<i>",12\n'


def test_parquet_of_rows_and_of_arrow():
    out = io.BytesIO(written(write_parquet, Answer(GRID)))
    assert polars.read_parquet(out).rows() == list(GRID.rows)
    arrow = pyarrow.table({"d": pyarrow.array([Decimal("1.500000000")], pyarrow.decimal128(18, 9)), "t": [[1, 2]]})
    out = io.BytesIO(written(write_parquet, Answer(from_arrow(arrow))))
    assert polars.read_parquet(out).rows() == [(Decimal("1.5"), [1, 2])]


def test_arrow_of_rows_and_of_arrow():
    found = pyarrow.ipc.open_stream(written(write_arrow, Answer(GRID))).read_all()
    assert [tuple(row.values()) for row in found.to_pylist()] == list(GRID.rows)
    exact = pyarrow.table(
        {"d": pyarrow.array([Decimal("1.500000000")], pyarrow.decimal128(18, 9)), "b": [b"\xff"], "lasted": [None]}
    )
    assert pyarrow.ipc.open_stream(written(write_arrow, Answer(from_arrow(exact)))).read_all().equals(exact)


def test_arrow_of_values_of_several_types_is_text():
    grid = Grid(("a", "b"), ((1, None), ("x", 2), (None, 2.5)))
    found = pyarrow.ipc.open_stream(written(write_arrow, Answer(grid))).read_all()
    assert found.to_pydict() == {"a": ["1", "x", None], "b": [None, 2.0, 2.5]}


def test_repeated_names_stay_apart():
    assert list(unique(["a", "b", "a", "a", "a_1"])) == ["a", "b", "a_1", "a_2", "a_1_1"]
    table_ = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2])], names=["a", "a"])
    assert json.loads(written(write_json, Answer(from_arrow(table_)))) == [{"a": 1, "a_1": 2}]
