"""The public API: small, typed, light to import; what it gives equals what the command line says."""

from __future__ import annotations

import ast
import gc
import importlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
import tracelake

from tests.conftest import ROOT, SAMPLE, clean_environment

README = (ROOT / "README.md").read_text(encoding="utf-8")


def python(code: str, home: Path, **env: str) -> str:
    """What a program prints that is run in a fresh process with nothing of the user's own."""
    variables = {**clean_environment(home), **env}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=variables, cwd=home, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_loads_nothing_else(tmp_path: Path):
    code = "import sys; before = set(sys.modules); import tracelake; print(*sorted(set(sys.modules) - before))"
    loaded = set(python(code, tmp_path).split())
    assert "tracelake" in loaded
    assert {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names) == {"tracelake"}


def test_public_names_are_there_and_documented():
    assert set(tracelake.__all__) < set(dir(tracelake))
    for name in tracelake.__all__:
        assert getattr(tracelake, name).__doc__, name
    with pytest.raises(AttributeError, match="module 'tracelake' has no attribute 'nothing'"):
        _ = tracelake.nothing


def test_type_checkers_see_every_public_name():
    """Each name of `__all__` is imported below `if TYPE_CHECKING`, and the package says that it is typed."""
    module = ast.parse((ROOT / "pipeline/tracelake/__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in module.body if isinstance(node, ast.If)]
    seen = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == set(tracelake.__all__)
    assert (ROOT / "pipeline/tracelake/py.typed").exists()


def test_the_program_of_a_user_is_checked(tmp_path: Path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        "import tracelake\n"
        "reveal_type(tracelake.extract('x'))\n"
        "reveal_type(tracelake.query('SELECT 1', lake='y').pl())\n"
        "reveal_type(tracelake.scan('costs'))\n"
        "tracelake.scan(3)\n"
        "for line in tracelake.read_transcript('x').lines: reveal_type(line.ordinal)\n",
        encoding="utf-8",
    )
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nstrict = True\nmypy_path = {ROOT}/pipeline\nfollow_untyped_imports = False\n")
    told, _, _ = api.run(["--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), str(program)])
    said = [line for line in told.splitlines() if line.startswith(str(program))]
    assert [line.partition(": ")[2].partition("  [")[0] for line in said] == [
        'note: Revealed type is "tracelake.run.summary.Summary"',
        'note: Revealed type is "polars.dataframe.frame.DataFrame"',
        'note: Revealed type is "polars.lazyframe.frame.LazyFrame"',
        'error: Argument 1 to "scan" has incompatible type "int"; expected "str"',
        'note: Revealed type is "int"',
    ]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake that the API made of the sample, given as texts."""
    folder = tmp_path_factory.mktemp("api") / "lake"
    summary = tracelake.extract(str(SAMPLE), str(folder), engine="serial")
    assert (summary.exit_code, summary.rows["entries"]) == (0, 88)
    return folder


def test_extract_stays_the_function_after_it_has_run(lake: Path):
    importlib.import_module("tracelake.extract.session")
    assert callable(tracelake.extract)
    assert tracelake.extract([SAMPLE], lake, engine="serial").sessions_changed == 0


def test_extract_and_query_find_homes_and_lake_by_themselves(tmp_path: Path):
    (tmp_path / ".claude").symlink_to(SAMPLE)
    code = (
        "import tracelake\n"
        "print(tracelake.extract(engine='serial').lines)\n"
        "print(tracelake.query('SELECT count(*) AS n FROM entries').arrow().to_pylist())"
    )
    assert python(code, tmp_path, TRACELAKE_HOME=str(tmp_path / "lake")).splitlines() == ["88", "[{'n': 88}]"]


def test_wrong_requests_are_one_line(tmp_path: Path):
    with pytest.raises(tracelake.TracelakeError, match=r"no such file or folder: .*nowhere"):
        tracelake.extract(tmp_path / "nowhere", tmp_path / "lake")
    with pytest.raises(tracelake.TracelakeError, match="must not contain a question mark"):
        tracelake.extract(SAMPLE, tmp_path / "what?")
    with pytest.raises(tracelake.TracelakeError, match="there is no lake at"):
        tracelake.query("SELECT 1", lake=tmp_path / "lake")


def test_a_query_as_arrow_and_as_polars(lake: Path):
    result = tracelake.query("SELECT sum(cost_usd) AS usd FROM costs WHERE model = ?", ["claude-opus-5"], lake=lake)
    (usd,) = result.arrow().column("usd").to_pylist()
    assert str(usd) == "0.318675000000000"  # data/sample/README.md: 0.037875 + 0.2808
    assert result.pl().item() == usd
    assert pl.DataFrame(result).equals(result.pl())
    assert pa.table(result).equals(result.arrow())


@pytest.mark.parametrize("sql", ["DROP VIEW costs", "SELECT * FROM read_csv('/etc/passwd')", "SELECT nothing"])
def test_a_query_only_reads_the_lake(lake: Path, sql: str):
    with pytest.raises(tracelake.TracelakeError):
        tracelake.query(sql, lake=lake)


def test_a_type_that_polars_lacks_is_named(lake: Path):
    result = tracelake.query("SELECT INTERVAL 1 DAY AS lasted", lake=lake)
    with pytest.raises(tracelake.TracelakeError, match=r"Polars lacks a type of this result .lasted month_day_nano"):
        result.pl()


def test_open_lake_gives_a_connection(lake: Path):
    with tracelake.open_lake(lake) as connection:
        assert connection.sql("SELECT count(*) FROM entries").fetchall() == [(88,)]


@pytest.mark.parametrize("view", ["entries", "token_usage", "costs", "sessions", "cost_daily"])
def test_a_scan_is_the_view(lake: Path, view: str):
    frame = tracelake.scan(view, lake=lake)
    whole = tracelake.query(f"FROM {view}", lake=lake).pl()
    assert frame.collect_schema() == whole.schema
    assert frame.collect().sort(pl.all().hash()).equals(whole.sort(pl.all().hash()))


def test_a_scan_filters_sorts_and_sums(lake: Path):
    costs = tracelake.scan("costs", lake=lake)
    opus = costs.filter(pl.col("model") == "claude-opus-5", pl.col("cost_usd") > 0)
    assert str(opus.select(pl.col("cost_usd").sum()).collect().item()) == "0.318675000000000"
    dearest = costs.filter(pl.col("priced")).sort("cost_usd", descending=True).head(2).select("cost_usd")
    expected = tracelake.query("SELECT cost_usd FROM costs WHERE priced ORDER BY 1 DESC LIMIT 2", lake=lake)
    for engine in ("in-memory", "streaming"):
        assert dearest.collect(engine=engine).equals(expected.pl())
    assert costs.head(3).collect().height == 3
    assert costs.filter(pl.col("model").str.contains("opus")).collect()["model"].unique().to_list() == ["claude-opus-5"]


def test_a_scan_is_of_the_moment_it_is_collected(tmp_path: Path):
    source = tmp_path / "tree"
    source.mkdir()
    lines = (ROOT / "tests/corpus/c1/in.jsonl").read_bytes()
    (source / "a.jsonl").write_bytes(lines)
    tracelake.extract(source, tmp_path / "lake", engine="serial")
    entries = tracelake.scan("entries", lake=tmp_path / "lake").select(pl.len())
    before = entries.collect().item()
    (source / "b.jsonl").write_bytes(lines + b'{"type":"user","uuid":"b"}\n')
    tracelake.extract(source, tmp_path / "lake", engine="serial")
    assert entries.collect().item() == 2 * before + 1


def test_a_view_that_is_not_there(lake: Path):
    with pytest.raises(tracelake.TracelakeError, match="no view 'entrees'"):
        tracelake.scan("entrees", lake=lake)


def test_tables_without_a_lake(tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    readers = tracelake.read_tables(SAMPLE)
    assert len(list(tmp_path.iterdir())) == 1
    for table, reader in readers.items():
        whole = tracelake.query(f"FROM {table}", lake=lake).arrow()
        assert isinstance(reader, pa.RecordBatchReader)
        assert reader.schema.names == whole.schema.names
        assert reader.read_all().num_rows == whole.num_rows, table
    del reader, readers
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_tables_of_some_files_without_raw_lines(tmp_path: Path):
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"type":"user","uuid":"a","message":{"role":"user","content":"x"}}\n{"type":\n')
    readers = tracelake.read_tables([broken, ROOT / "tests/corpus/p1"], with_raw=False)
    entries = pl.from_arrow(readers["entries"].read_all())
    assert sorted(entries.filter(pl.col("path") == str(broken))["status"]) == ["bad_json", "ok"]
    assert set(entries["agent"]) == {"claude", "pi"}
    assert readers["raw_lines"].read_all().num_rows == 0
    with pytest.raises(tracelake.TracelakeError, match="no such file or folder"):
        tracelake.read_tables(tmp_path / "nowhere")


def test_transcripts_and_trees():
    (path,) = SAMPLE.rglob("a3000000-*.jsonl")
    assert [line.ordinal for line in tracelake.read_transcript(path).lines] == list(range(1, 10))
    tree = tracelake.read_tree(path)
    assert [file.agent_id for file in tree.subagents] == ["a11c0de5"]
    assert tracelake.Reading(tree.main.label).offset == 0


@pytest.mark.parametrize("code", [part.split("```")[0] for part in README.split("```python")[1:]])
def test_the_python_of_the_readme_runs(code: str, lake: Path, tmp_path: Path):
    (tmp_path / ".claude").symlink_to(SAMPLE)
    shutil.copy(next(SAMPLE.rglob("a3000000-*.jsonl")), tmp_path / "session.jsonl")
    said = python(code, tmp_path, TRACELAKE_HOME=str(lake)).splitlines()
    assert said[-1] == "9 assistant"  # the last line of that session
