"""Broken .stx texts and what is said of them: `slips.txt` holds the texts, with a line `#~ column code: message; help` under each slip."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from staxlang.base.diagnostics import Diagnostic
from staxlang.base.spans import Source
from staxlang.parser import tree
from staxlang.parser.stx import read_module

FILE = Path(__file__).with_name("slips.txt")
MARK = "#~ "


def sections() -> list[str]:
    return FILE.read_text(encoding="utf-8").split("\n=====\n")


def plain(section: str) -> str:
    """The broken text itself."""
    return "".join([f"{line}\n" for line in section.rstrip("\n").split("\n") if not line.startswith(MARK)])


def marked(text: str) -> str:
    """The text with what is said of it."""
    slips = read_module(Source("m.stx", text))[1]
    found: list[str] = []
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        found += [line, *(f"{MARK}{said(slip)}" for slip in slips if slip.span is not None and slip.span.line == number)]
    return "\n".join(found)


def said(slip: Diagnostic) -> str:
    assert slip.span is not None
    advice = f"; {slip.help}" if slip.help else ""
    return f"{slip.span.column + 1} {slip.code}: {slip.message}{advice}"


@pytest.mark.parametrize("number", range(len(sections())))
def test_what_is_said(number: int) -> None:
    section = sections()[number]
    assert MARK in section
    assert marked(plain(section)) == section.rstrip("\n")


def names(module: tree.Module) -> list[Any]:
    return [item.name for item in module.items if isinstance(item, tree.Function)]


@pytest.mark.parametrize("number", range(len(sections())))
def test_a_slip_hides_no_other_definition(number: int) -> None:
    """The definitions before and after are read, and as much is said as without them."""
    text = plain(sections()[number])
    alone = [slip for slip in read_module(Source("m.stx", text))[1] if slip.severity == "error"]
    around = f'kernel before_(x):\n    """Doc."""\n    return x\n\n{text}\nkernel after_(x):\n    return (x)\n'
    module, slips = read_module(Source("m.stx", around))
    assert names(module)[0] == "before_" and names(module)[-1] == "after_"
    errors = [slip for slip in slips if slip.severity == "error"]
    assert [(slip.code, slip.span and slip.span.line - 4) for slip in errors] == [
        (slip.code, slip.span and slip.span.line) for slip in alone
    ]


@pytest.mark.parametrize("number", range(len(sections())))
def test_messages_are_short(number: int) -> None:
    for slip in read_module(Source("m.stx", plain(sections()[number])))[1]:
        assert len(slip.render().split("\n")) <= 12 and slip.span is not None


if __name__ == "__main__":  # accept what is said now, to be read in the diff
    FILE.write_text("\n=====\n".join([marked(plain(section)) for section in sections()]) + "\n", encoding="utf-8")
    print(f"{len(sections())} texts", file=sys.stderr)
