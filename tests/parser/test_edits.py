"""Edits of a .stx file: what is parsed again, what is moved, what stays the same value."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from staxlang.base.spans import Source
from staxlang.parser import items, stored, stx
from staxlang.parser.stx import StxFile, read_file
from tests.parser.test_python import nodes

STDLIB = Path(stored.FOLDER)
TEXT = "\n\n".join(path.read_text(encoding="utf-8").partition('"""\n')[2].strip("\n") for path in sorted(STDLIB.glob("*.stx")))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first lines of the items that are parsed from now on; nothing is kept from before."""
    seen: list[str] = []
    original = stx.read_item

    def spy(source: Source, item: Any, diagnostics: Any) -> Any:
        seen.append(item.text.split("\n")[0])
        return original(source, item, diagnostics)

    monkeypatch.setattr(stx, "read_item", spy)
    monkeypatch.setattr(stx, "_kept", {})
    return seen


def read(text: str, name: str = "lib.stx") -> StxFile:
    return read_file(Source(name, text))


def places(file: StxFile) -> list[Any]:
    """Every node of a file with its place and the text of its line."""
    spans = [(type(node).__name__, node.span) for node in nodes(file.module.items)]
    return [(kind, s.source.name, s.line, s.column, s.end_line, s.end_column, s.source.line(s.line)) for kind, s in spans]


def test_an_edit_parses_one_definition(parsed: list[str]) -> None:
    before = read(TEXT)
    assert len(before.items) == len(parsed) > 100 and TEXT.count("\n") > 1000
    parsed.clear()
    trees = [item.statement for item in before.items]
    number = next(k for k, item in enumerate(before.items) if item.name == "softmax")
    old = before.items[number].item.text
    assert [item.statement is tree for item, tree in zip(read(TEXT).items, trees)] == [True] * len(trees) and parsed == []
    after = read(TEXT.replace(old, old.replace("return", "return 1 +", 1)))
    assert parsed == [old.split("\n")[0]]
    same = [one.statement is two.statement for one, two in zip(before.items, after.items, strict=True)]
    assert same == [k != number for k in range(len(same))]


def test_an_edit_scans_one_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the items of a text begin is found again only in what has changed; what is remembered changes nothing."""
    seen: list[str] = []
    original = items.scan

    def spy(text: str, position: int = 0, *more: Any, **named: Any) -> Any:
        seen.append(text[position:].split("\n")[0])
        return original(text, position, *more, **named)

    monkeypatch.setattr(items, "scan", spy)
    items._stands_alone.cache_clear()
    before = items.split_items(TEXT)
    assert len(seen) >= len(before) > 100
    seen.clear()
    assert items.split_items(TEXT) == before and seen == []
    old = next(item.text for item in before if item.text.startswith("kernel softmax"))
    items.split_items(TEXT.replace(old, old.replace("return", "return 1 +", 1)))
    assert seen == [old.split("\n")[0]]
    for edit in ("return (", '"""', "\nreturn", "return ]"):
        text = TEXT.replace(old, old.replace("return", edit, 1))
        found = items.split_items(text)
        items._stands_alone.cache_clear()
        assert items.split_items(text) == found != before


def test_lines_above_move_what_is_below(parsed: list[str]) -> None:
    before = read(TEXT)
    trees = [item.statement for item in before.items]
    parsed.clear()
    old = before.items[3].item.text
    text = TEXT.replace(old, f"# one\n\n{old}\n# two\n")
    after = read(text)
    assert parsed == []  # comments between definitions belong to none
    assert all(item.statement is tree for item, tree in zip(after.items[:3], trees))
    assert repr([item.statement for item in after.items]) == repr(trees)
    moved = places(after)
    stx._kept.clear()
    assert moved == places(read(text)) != places(before)
    assert len(parsed) == len(before.items)


def test_diagnostics_move(parsed: list[str]) -> None:
    text = "kernel f(x):\n    return x\n\nkernel g(x):\n    return (x]\n"
    first = read(text).diagnostics
    parsed.clear()
    second = read(text.replace("return x\n", "y = x\n    return y\n")).diagnostics
    assert parsed == ["kernel f(x):"]
    assert [slip.render() for slip in second] == [
        slip.render().replace(":5:", ":6:").replace("5 |", "6 |").replace("line 5", "line 6") for slip in first
    ]
    assert [note.span and note.span.line for note in second[0].notes] == [6]


def test_another_file_with_the_same_definition(parsed: list[str]) -> None:
    text = "kernel f(x):\n    return x\n"
    one, two = read(text, "one.stx"), read("\n" + text, "two.stx")
    assert parsed == ["kernel f(x):"]
    assert [(item.statement.span.source.name, item.statement.span.line) for item in (*two.items, *one.items)] == [
        ("two.stx", 2),
        ("one.stx", 1),
    ]


def test_what_is_kept_has_an_end(parsed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stx, "MOST_KEPT", 100)
    file = read("".join(f"kernel f{k}(x):\n    return x\n\n" for k in range(9)))
    assert len(stx._kept) == 0 and [item.statement.name for item in file.items] == [f"f{k}" for k in range(9)]


def test_a_fresh_process_imports_no_lark() -> None:
    """What a first parse needs is stored beside the standard library. (A slip's text is the catalogue's, which knows NumPy's errors.)"""
    text = (STDLIB / "arrays.stx").read_text(encoding="utf-8").partition('"""\n')[2]
    code = (
        "import sys, json\nfrom staxlang.parser.stx import read_module\nfrom staxlang.base.spans import Source\n"
        f"module, slips = read_module(Source('a.stx', {text!r}))\n"
        "print(json.dumps([len(module.items), len(slips), sorted({name.split('.')[0] for name in sys.modules})]))"
    )
    root = Path(stored.FOLDER).parents[1]
    done = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, cwd=root, check=True)
    count, slips, imported = json.loads(done.stdout)
    assert count == len(read(text).items) and slips == 0
    assert not {"lark", "numpy", "llvmlite"} & set(imported)
