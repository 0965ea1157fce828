"""Programs with tokens taken out, put in, doubled and exchanged: what is said of them is short, lies in the text and near the damage."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from staxlang.base.spans import Source
from staxlang.parser import stored, tree
from staxlang.parser.items import split_items
from staxlang.parser.stx import read_module

ROOT = Path(__file__).parents[2]
FILES = [*sorted((ROOT / "examples/stx").glob("*.stx")), *sorted(Path(stored.FOLDER).glob("*.stx"))[::3]]
TOKEN = re.compile(r'"""(?:.|\n)*?"""|"[^"\n]*"|\w+|[ ]+|\n[ ]*|[^\w\s]')
STRAY = [
    "(",
    ")",
    "[",
    "]",
    "{",
    ":",
    ",",
    "=",
    "==",
    "..",
    "let",
    "where",
    "else",
    "if",
    "for",
    "in",
    "return",
    "sum[k]",
    "->",
    "\n",
    "\\",
]
TRIES = 5  # in each file


def damaged(text: str, draw: random.Random) -> tuple[str, int]:
    """The text with one token out of place, and the line of it."""
    tokens = TOKEN.findall(text)
    place = draw.randrange(len(tokens) - 1)
    line = 1 + "".join(tokens[:place]).count("\n")
    way = draw.randrange(5)
    if way == 0:
        del tokens[place]
    elif way == 1:
        tokens.insert(place, draw.choice(STRAY))
    elif way == 2:
        tokens.insert(place, tokens[place])
    elif way == 3:
        tokens[place : place + 2] = reversed(tokens[place : place + 2])
    else:
        tokens[place] = draw.choice(STRAY)
    return "".join(tokens), line


def names(module: tree.Module) -> set[Any]:
    return {item.name for item in module.items if isinstance(item, tree.Function)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_token_out_of_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    whole = names(read_module(Source("m.stx", text))[0])
    draw = random.Random(path.stem)
    for _ in range(TRIES):
        bad, line = damaged(text, draw)
        module, slips = read_module(Source("m.stx", bad))
        lines = bad.split("\n")
        errors = [slip for slip in slips if slip.severity == "error"]
        for slip in slips:
            assert slip.span is not None and 0 <= slip.span.column <= len(lines[slip.span.line - 1]), (slip.render(), bad)
            assert len(slip.render().split("\n")) <= 12
        inside = next((item for item in reversed(split_items(bad)) if item.line <= line + 1), None)
        if errors and inside is not None and '"""' not in lines[line - 1]:
            assert min(abs(slip.span.line - line) for slip in errors if slip.span is not None) <= inside.text.count("\n"), bad
            assert len(whole - names(module)) <= 2, bad
