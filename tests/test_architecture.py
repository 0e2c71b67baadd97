"""The rules of ARCHITECTURE.md, read off the source text."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST_FILE = 310
"""Lines; most files are far below."""

MAY_IMPORT = {
    "errors": set(),
    "config": set(),
    "schema": set(),
    "tables": {"schema"},
    "sources": {"errors", "config"},
    "decode": {"errors", "sources", "tables", "schema"},
    "bodies": {"errors", "sources", "decode", "lake"},
    "citations": {"errors", "config", "sources", "tables", "schema", "bodies", "decode", "lake"},
    "fold": {"errors", "sources", "tables", "schema", "bodies", "decode", "citations"},
    "identity": {"decode"},
    "provenance": {"errors", "config", "sources", "decode", "fold"},
    "lake": {"errors", "config", "schema", "tables", "sources", "identity"},
    "engines": {"errors"},
    "pricing": {"errors", "lake"},
    "extract": {"errors", "sources", "decode", "tables", "fold", "lake"},
    "attachments": {"errors", "sources", "decode", "bodies", "lake"},
    "run": {"errors", "config", "sources", "tables", "extract", "engines", "lake", "pricing", "identity"},
    "reports": {"errors"},
    "cursor": {"errors", "sources", "decode", "fold", "tables"},
    "reducer": {"errors", "sources", "decode", "fold", "tables"},
    "transcripts": {"errors", "sources", "decode", "tables", "fold", "provenance"},
}
"""Which parts of the package each part may import beside itself. Modules at the top of the package that are not
listed are those of a run: they may use everything but the command line and the reports."""

OWNERS = {
    "duckdb": {"lake"},
    # extract carries rows of one partition over into the next; sources decompresses zstd, nothing else; api hands on
    "pyarrow": {"lake", "extract", "sources", "api"},
    "genai_prices": {"pricing"},
    "typer": {"cli"},
    "rich": {"cli"},
    "tree_sitter": {"citations"},
    "tree_sitter_bash": {"citations"},
}
"""The only parts that may import a library."""

PACKAGE = ROOT / "pipeline" / "tracelake"
MODULES = sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    """`lake` for lake/x.py, `build` for build.py, `tracelake` for the package itself."""
    inside = path.relative_to(PACKAGE)
    name = inside.parts[0].removesuffix(".py")
    return "tracelake" if name in ("__init__", "__main__") else name


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(path: Path) -> set[str]:
    """Every module named by an import statement anywhere in the file."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def used_parts(path: Path) -> set[str]:
    named = {name.split(".")[1] for name in imported(path) if name.startswith("tracelake.")}
    folder = PACKAGE
    return {name for name in named if (folder / name).is_dir() or (folder / f"{name}.py").is_file()}


def libraries(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def reads_environment(path: Path) -> bool:
    names = {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return bool(names & {"os.environ", "os.getenv", "os.environb"}) or bool(
        imported(path) & {"os.environ", "os.getenv"}
    )


def forbidden_imports(path: Path) -> set[str]:
    own = part(path)
    if own in ("cli", "tracelake"):
        return set()
    if own in MAY_IMPORT:
        return used_parts(path) - MAY_IMPORT[own] - {own}
    return used_parts(path) & {"cli", "reports"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path: Path):
    assert forbidden_imports(path) == set()


def test_every_folder_has_a_rule():
    folders = {part(path) for path in MODULES if path.parent != PACKAGE}
    assert folders - set(MAY_IMPORT) == {"cli"}


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_has_one_owner(library: str):
    users = {part(path) for path in MODULES if library in libraries(path)}
    assert users <= OWNERS[library]


def test_only_config_reads_the_environment():
    assert {part(path) for path in MODULES if reads_environment(path)} == {"config"}


def test_heavy_libraries_are_imported_inside_functions():
    heavy = {"duckdb", "polars", "pyarrow", "genai_prices", "rich"}
    light = [path for path in MODULES if part(path) in ("cli", "reports", "build", "api", "tracelake")]
    late = {"render_text.py"}  # itself imported only when a table is drawn
    found = {str(path.relative_to(ROOT)): sorted(heavy & top_level(path)) for path in light if path.name not in late}
    assert {name: names for name, names in found.items() if names} == {}


def top_level(path: Path) -> set[str]:
    """Libraries imported when the module is, those below `if TYPE_CHECKING` left out."""
    names: set[str] = set()
    for node in tree(path).body:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_small(path: Path):
    if path.name != "rows.py":  # generated: nobody reads it from top to bottom
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_public_things_have_a_docstring(path: Path):
    assert undocumented(tree(path)) == []


def undocumented(module: ast.Module) -> list[str]:
    found = [] if ast.get_docstring(module) else ["the module"]
    for node in module.body:
        found += missing(node, "")
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                found += missing(inner, f"{node.name}.")
    return found


def missing(node: ast.stmt, prefix: str) -> list[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if not isinstance(node, kinds) or node.name.startswith("_") or ast.get_docstring(node) or is_declared(node):
        return []
    return [prefix + node.name]


def is_declared(node: ast.stmt) -> bool:
    """A member of a protocol: its body is `...`, what it means stands at the protocol."""
    body = getattr(node, "body", [])
    return (
        len(body) == 1
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and body[0].value.value is ...
    )


def test_one_table_one_module():
    from tracelake.tables import TABLES

    modules = {path.stem for path in (PACKAGE / "tables").glob("*.py")} - {"__init__", "common", "rows"}
    assert modules == set(TABLES)


def test_the_checks_can_fail(tmp_path: Path):
    bad = tmp_path / "bad.py"
    bad.write_text("import duckdb\nfrom os import environ\ndef f():\n    import polars\n", encoding="utf-8")
    assert libraries(bad) == {"duckdb", "os", "polars"}
    assert reads_environment(bad)
    assert top_level(bad) == {"duckdb", "os"}
    assert undocumented(tree(bad)) == ["the module", "f"]


def test_architecture_names_every_folder():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`pipeline/tracelake/([a-z_]+)(?:/|\.py)`", text))
    folders = {path.parent.name for path in MODULES if path.parent != PACKAGE}
    assert folders <= named
