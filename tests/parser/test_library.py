"""The standard library's index: stored Trees, stale ones, damaged ones, and what a lookup does not import."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from staxlang.base.spans import Source
from staxlang.parser import library, library_build, stored, stx_grammar, tree
from staxlang.parser.encoding import CLASS_ROWS, decode, encode
from staxlang.parser.stx import parse_module

STDLIB = Path(stored.FOLDER)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of its own, which is not a source checkout until a test makes it one."""
    own = tmp_path / "package" / "stdlib"
    own.mkdir(parents=True)
    (own / "a.stx").write_text('kernel f(x):\n    """F."""\n    return _g(x)\n\ndef _g(x): return x + 1\n')
    (own / "b.stx").write_text("kernel h(x): return -x\n")
    for module in (library, library_build, stored):
        monkeypatch.setattr(module, "FOLDER", str(own))
    monkeypatch.setattr(library, "_known", {})
    library.library_index.cache_clear()
    yield own
    library.library_index.cache_clear()


def again() -> None:
    """As in a new process."""
    library.library_index.cache_clear()
    library._known.clear()


def parsed_by_lark(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed from now on."""
    seen: list[str] = []
    original = library_build.parse_definition

    def spy(source: Source) -> tree.Function:
        seen.append(source.text.split("(")[0])
        return original(source)

    monkeypatch.setattr(library_build, "parse_definition", spy)
    return seen


def test_stored_trees_are_those_of_the_sources() -> None:
    for path in STDLIB.glob("*.stx"):
        for item in parse_module(Source(str(path), path.read_text())).items:
            assert isinstance(item, tree.Function)
            found = library.library_function(library.entry_name(path.name, item.name))
            assert repr(found) == repr(item) and found is not None
            assert found.span == item.span or (found.span.line, found.span.end_column) == (item.span.line, item.span.end_column)
            assert found.span.source.line(found.span.line) == item.span.source.line(item.span.line)


def test_all_classes_are_stored() -> None:
    classes = {kind for kind in vars(tree).values() if isinstance(kind, type) and issubclass(kind, tree.TreeNode)} - {tree.TreeNode}
    assert classes == set(CLASS_ROWS) and len(CLASS_ROWS) == len(set(CLASS_ROWS))
    module = parse_module(Source("m", 'kernel f(x):\n    return f"{x:>{1}}", 1.0, true, ..., 2j, b"a"\n'))
    assert repr(decode(encode(module), module.span.source)) == repr(module)


def test_lookup_neither_parses_nor_imports_a_parser() -> None:
    """In a process of its own: one lookup imports no lark, no ast, no llvmlite."""
    code = (
        "import sys, json\nbefore = set(sys.modules)\nfrom staxlang.parser.library import library_function\n"
        "assert library_function('softmax').name == 'softmax'\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    library.library_function("softmax")  # the Trees are fresh then
    root = Path(tree.__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, check=True
    )
    imported = set(json.loads(result.stdout))
    assert not {name for name in imported if name.split(".")[0] in ("lark", "ast", "inspect", "dataclasses", "numpy", "llvmlite")}


def test_unknown_names() -> None:
    assert library.library_function("no_such_function") is None
    assert library.library_function("softmax") is library.library_function("softmax")
    names = library.library_names()
    assert "softmax" in names and not any(name.startswith("_") for name in names) and len(names) == len(set(names))


def test_built_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(library_build.build_trees()) == {"f", "_g", "h"}
    again()
    seen = parsed_by_lark(monkeypatch)
    found = library.library_function("_g")
    assert found is not None and found.span.line == 5 and found.span.source.name == str(folder / "a.stx") and not seen
    assert library.library_names() == ("f", "h")


def test_stale_outside_a_checkout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library_build.build_trees()
    kept = (folder / "_trees.bin").read_bytes()
    (folder / "b.stx").write_text("kernel h(x): return -x * 2\n")
    again()
    seen = parsed_by_lark(monkeypatch)
    assert "2" in repr(library.library_function("h")) and library.library_function("f") is not None
    assert seen == ["kernel h"]  # what was not edited is still taken from the store
    assert (folder / "_trees.bin").read_bytes() == kept


def test_stale_in_a_checkout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parents[1] / "pyproject.toml").write_text("")
    assert library.library_function("h") is not None  # stored on the way
    (folder / "b.stx").write_text("kernel h(x): return -x * 2\n\nkernel new(x): return x\n")
    again()
    assert library.library_function("new") is not None and "2" in repr(library.library_function("h"))
    again()
    seen = parsed_by_lark(monkeypatch)
    assert library.library_function("new") is not None and not seen


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "text", "format", "gone"])
def test_damaged_store(folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library_build.build_trees()
    path = folder / "_trees.bin"
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "format":
        monkeypatch.setattr(library, "FORMAT", "another")
    else:
        flipped = data[:100] + bytes([data[100] ^ 255]) + data[101:]
        path.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "flipped": flipped, "text": b"text" * 99}[damage])
    again()
    found = library.library_function("f")
    assert found is not None and found.doc == "F."


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    shutil.rmtree(folder.parent, ignore_errors=False)
    stored.store("x.bin", b"data")
    assert stored.load_stored("x.bin") is None


def test_mistakes_in_the_library(folder: Path) -> None:
    (folder / "c.stx").write_text("def f(x): return 1\n")
    with pytest.raises(ValueError, match="defines `f` twice"):
        library_build.build_trees()
    (folder / "c.stx").write_text("kernel k(x) return 1\n")
    with pytest.raises(SyntaxError, match="missing-colon"):
        library_build.build_trees()


def test_stored_grammar(folder: Path) -> None:
    (folder.parents[1] / "pyproject.toml").write_text("")
    for _ in range(2):
        stx_grammar.tables.cache_clear()
        assert isinstance(parse_module(Source("m", "kernel f(x): return (x)\n")).items[0], tree.Function)
        assert (folder / "_grammar.bin").exists()
    (folder / "_grammar.bin").write_bytes(b"damaged")
    stx_grammar.tables.cache_clear()
    assert isinstance(parse_module(Source("m", "kernel f(x): return (x)\n")).items[0], tree.Function)
    stx_grammar.tables.cache_clear()
