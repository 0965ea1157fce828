"""The laws of the house: room order, import cycles, lengths, names, what an import loads, complete tables. See the design pages in docs."""

from __future__ import annotations

import ast
import json
import re
import string
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from staxlang.base.catalogue import CATALOGUE, DiagnosticKind
from staxlang.base.dtypes import DTYPES
from staxlang.base.operations import OPERATIONS, Operation

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "staxlang"
ROOMS = ("base", "parser", "typecheck", "compiler", "runtime", "command")
ALLOWED = {room: frozenset(ROOMS[: place + 1]) for place, room in enumerate(ROOMS)} | {
    "editor": frozenset(("base", "parser", "typecheck", "editor")),
    "importer": frozenset((*ROOMS[:-1], "importer")),
}
OPTIONAL = frozenset("triton torch cupy jax pygls lsprotocol scipy ml_dtypes networkx IPython".split())
BANNED_NAMES = frozenset("utils util helpers helper misc common".split())
UNFINISHED = re.compile(r"\b(TO" "DO|FIX" "ME|XX" "X|for " r"now|place" "holder|not supported " r"yet)\b")
FILE_LINES, FUNCTION_LINES = 500, 60
# What a bare `import staxlang` must not load: heavy, optional, or only needed once something is compiled.
NOT_AT_IMPORT = ("triton", "torch", "pygls", "scipy", "llvmlite", "lark", "jax", "numba", "hypothesis", "pytest")
MODULES_AT_IMPORT = 60  # of staxlang's own; it compiles nothing, so it needs few

FILES = sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in FILES}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(module: str) -> str:
    return module.split(".")[1] if module.count(".") else ""


@cache
def imports_of(module: str) -> tuple[tuple[str, int, bool], ...]:
    """(imported name, line, whether inside a function) for each import, but for those under `if TYPE_CHECKING`; `deferred("x")` is one."""
    path = MODULES[module]
    found: list[tuple[str, int, bool]] = []

    def walk(node: ast.AST, inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for other in child.orelse:
                    walk(other, inside)
                continue
            if isinstance(child, ast.Call) and ast.unparse(child.func) == "deferred" and isinstance(child.args[0], ast.Constant):
                found.append((str(child.args[0].value), child.lineno, inside))
            if isinstance(child, ast.Import):
                found.extend((alias.name, child.lineno, inside) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                origin = child.module or ""
                if child.level:
                    parts = module.split(".")
                    parts = parts[: len(parts) - child.level + (path.name == "__init__.py")]
                    origin = ".".join([*parts, *([child.module] if child.module else [])])
                found.extend((f"{origin}.{alias.name}", child.lineno, inside) for alias in child.names)
            walk(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    walk(tree_of(path), False)
    return tuple(found)


def own_module(name: str) -> str | None:
    return name if name in MODULES else name.rpartition(".")[0] if name.rpartition(".")[0] in MODULES else None


def functions() -> list[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (path, node) for path in FILES for node in ast.walk(tree_of(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


# ---- rooms and imports ----


def test_a_room_imports_only_from_rooms_on_its_left() -> None:
    wrong = [
        f"{module}:{line} imports {other}"
        for module in MODULES
        for name, line, _ in imports_of(module)
        if (other := own_module(name)) is not None and room_of(module) in ALLOWED and room_of(other)
        and room_of(other) not in ALLOWED[room_of(module)]
    ]  # fmt: skip
    assert wrong == []


def test_there_are_no_import_cycles() -> None:
    graph = {
        module: {other for name, _, inside in imports_of(module) if not inside and (other := own_module(name)) not in (None, module)}
        for module in MODULES
    }
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path[path.index(module) :], module))
        if module not in done:
            for other in sorted(filter(None, graph[module])):
                visit(other, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_imports_stand_at_the_top_of_a_module() -> None:
    wrong = [
        f"{module}:{line} imports {name}"
        for module in MODULES
        for name, line, inside in imports_of(module)
        if inside and name.split(".")[0] not in OPTIONAL
    ]
    assert wrong == []


def test_only_settings_read_the_environment() -> None:
    wrong = [
        f"{module_name(path)}:{node.lineno}"
        for path in FILES
        if path != PACKAGE / "base" / "settings.py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
    ]
    assert wrong == []


@cache
def loaded_by(statement: str) -> frozenset[str]:
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return frozenset(json.loads(run.stdout))


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import staxlang")
    assert [name for name in NOT_AT_IMPORT if name in loaded] == []
    assert len([name for name in loaded if name.startswith("staxlang")]) <= MODULES_AT_IMPORT


def test_importing_base_loads_only_numpy_and_the_standard_library() -> None:
    own = loaded_by("import numpy; import staxlang.base.operations, staxlang.base.diagnostics, staxlang.base.sizes, staxlang.base.types")
    extra = {name.split(".")[0] for name in own - loaded_by("import numpy")} - set(sys.stdlib_module_names)
    assert extra == {"staxlang"}


# ---- lengths, names, first lines ----


def test_files_are_short() -> None:
    assert {module_name(path): n for path in FILES if (n := len(path.read_text().splitlines())) > FILE_LINES} == {}


def test_functions_are_short() -> None:
    long = {
        f"{module_name(path)}.{node.name}": length
        for path, node in functions()
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    }
    assert long == {}


def test_no_file_is_named_after_nothing() -> None:
    assert [path.name for path in FILES if path.stem in BANNED_NAMES or path.parent.name in BANNED_NAMES] == []


def test_every_file_says_what_passes_through_it() -> None:
    silent = [module_name(path) for path in FILES if path.read_text().strip() and not ast.get_docstring(tree_of(path))]
    assert silent == []


def test_nothing_is_left_open() -> None:
    marks = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert marks == []
    raised = [
        f"{module_name(path)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Raise) and node.exc is not None and "NotImplementedError" in ast.unparse(node.exc)
    ]
    assert raised == []


def test_every_test_asserts_something() -> None:
    words = ("assert", "raises", "check", "expect", "agree", "same")
    empty = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and not any(word in ast.unparse(node) for word in words)
    ]
    assert empty == []


# ---- tables ----


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)
def test_every_column_of_an_operation_is_filled(row: Operation) -> None:
    assert row.name.isidentifier() and row.arity == len(row.domain) == len(row.operands)
    assert f"stax.{row.name}" in row.spellings
    assert row.dtype_rule and callable(row.reference)
    assert row.derivative and (isinstance(row.derivative, str) or len(row.derivative) == row.arity)
    assert row.accuracy in ("exact", "correct", "default")
    assert row.flags <= {"commutative", "associative", "idempotent", "cheap", "boolean"}
    assert all(low < high for low, high in row.domain)
    assert row.doc.endswith(".") and " -> " in row.example


def test_dtypes_have_their_names() -> None:
    assert list(DTYPES) == "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128".split()


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.code)
def test_every_column_of_a_diagnostic_is_filled(kind: DiagnosticKind) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", kind.code)
    assert issubclass(kind.raises, Exception) and kind.severity in ("error", "warning")
    assert kind.template and not kind.template.endswith(".")
    assert kind.explanation.endswith(".") and kind.explanation != kind.template
    assert kind.failing and kind.repaired and kind.failing != kind.repaired
    for text in (kind.template, kind.help):
        assert all(name is None or name.isidentifier() for _, name, _, _ in string.Formatter().parse(text))
    if kind.runs:
        ast.parse(kind.failing)
        ast.parse(kind.repaired)


def test_codes_are_unique() -> None:
    rows = [
        node.args[0].value
        for path in sorted((PACKAGE / "base" / "catalogue").glob("*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Row" and isinstance(node.args[0], ast.Constant)
    ]
    assert sorted(rows) == sorted(CATALOGUE)


def reports() -> list[tuple[str, str, frozenset[str] | None]]:
    """(place, code, names of the fields given, or None where `**` passes them) of every report of a diagnostic in the package."""
    found: list[tuple[str, str, frozenset[str] | None]] = []
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
            if name not in ("diagnose", "error", "warn", "raise_error", "warn_of"):
                continue
            first = node.args[0]
            codes = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            fields = None if any(k.arg is None for k in node.keywords) else frozenset(k.arg or "" for k in node.keywords)
            for code in codes:
                if isinstance(code, ast.Constant) and isinstance(code.value, str) and re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code.value):
                    found.append((f"{path.relative_to(ROOT)}:{node.lineno}", code.value, fields))
    return found


def test_every_reported_code_is_in_the_catalogue() -> None:
    assert [(place, code) for place, code, _ in reports() if code not in CATALOGUE] == []


def test_every_report_fills_its_template() -> None:
    missing = [
        (place, code, sorted(needed))
        for place, code, fields in reports()
        if code in CATALOGUE and fields is not None
        and (needed := (CATALOGUE[code].fields if "help" not in fields else CATALOGUE[code]._replace(help="").fields) - fields)
    ]  # fmt: skip
    assert missing == []


def test_refused_constructs_have_their_diagnostic() -> None:
    codes = {
        node.value
        for path in (PACKAGE / "parser").glob("*.py")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"unsupported(-[a-z]+)+", node.value)
    }
    assert codes <= CATALOGUE.keys()
    assert codes, "the parser refuses constructs by name"
