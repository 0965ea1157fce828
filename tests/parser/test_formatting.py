"""The formatter: the printer's form, comments where they were, long lines broken, nothing changed in meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staxlang.base.diagnostics import StaxError
from staxlang.base.spans import Source
from staxlang.parser import stored, tree
from staxlang.parser.format_lines import WIDTH
from staxlang.parser.formatting import format_stx
from staxlang.parser.items import split_items
from staxlang.parser.literals import Unprintable
from staxlang.parser.printer import to_stx
from staxlang.parser.stx import read_module
from staxlang.parser.stx_tokens import NEWLINE, tokenize
from tests.parser import trees

DRAWN = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
FILES = sorted([*Path(stored.FOLDER).glob("*.stx"), *(Path(__file__).parents[2] / "examples").rglob("*.stx")])


def module(text: str) -> tree.Module:
    found, slips = read_module(Source("m.stx", text))
    assert all(slip.severity == "warning" or slip.code == "missing-let" for slip in slips)
    return found


def formatted(text: str) -> str:
    """Formatted, with the laws: the same Tree, the same again."""
    made = format_stx(text, "m.stx")
    assert module(made) == module(text)
    assert format_stx(made, "m.stx") == made
    return made


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    made = formatted(path.read_text(encoding="utf-8"))
    inside = False  # of a docstring
    for line in made.split("\n"):
        inside ^= line.count('"""') % 2 == 1
        assert len(line) <= WIDTH or inside or '"' in line or "#" in line, line


printed = st.lists(trees.functions | trees.kernels, min_size=1, max_size=2).flatmap(
    lambda items: trees.docs.map(lambda doc: tree.Module(trees.AT, "m", doc, tuple(items)))
)


def text_of(drawn: tree.Module) -> str:
    try:
        return to_stx(drawn)
    except Unprintable:
        return ""


@DRAWN
@given(printed)
def test_what_is_printed_is_formatted(drawn: tree.Module) -> None:
    text = text_of(drawn)
    made = formatted(text)
    if all(len(line) <= WIDTH for line in text.split("\n")):
        assert made == text


@DRAWN
@given(printed, st.data())
def test_comments_stay(drawn: tree.Module, data: Any) -> None:
    """Comments at line ends, in lines of their own, and after any token inside brackets."""
    text = text_of(drawn)
    places = list(_places(text))
    chosen = data.draw(st.lists(st.sampled_from(places), max_size=6, unique=True)) if places else []
    commented = text
    for number, (offset, own) in enumerate(sorted(chosen, reverse=True)):
        margin = " " * data.draw(st.sampled_from([0, 2, 4, 6, 8])) if own else "  "
        commented = f"{commented[:offset]}{margin}#c{number}\n{commented[offset:]}"
    made = formatted(commented)
    assert all(f"# c{number}" in made for number in range(len(chosen)))


def _places(text: str) -> Any:
    """Offsets at which a comment and a line end can be put, and whether the comment has a line of its own there."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    depth = 0
    for item_line, item in split_items(text):
        for token in tokenize(item):
            depth += (token.kind in ("(", "[", "{")) - (token.kind in (")", "]", "}"))
            end = starts[token.end_line + item_line - 2] + token.end_column - 1
            if depth:
                yield end, False
            elif token.kind == NEWLINE:
                yield end + 1, True


CASES = [tuple(case.split("-----\n")) for case in (Path(__file__).with_name("formats.txt")).read_text(encoding="utf-8").split("=====\n")]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_cases(text: str, wanted: str) -> None:
    assert formatted(text) == wanted == formatted(text.rstrip("\n")) == formatted(text.replace("\n", "\r\n"))


@pytest.mark.parametrize("text", ["", "\n", "  \n\t\n\f\n"])
def test_nothing(text: str) -> None:
    assert formatted(text) == ""


def test_slips_are_told_and_nothing_is_changed() -> None:
    with pytest.raises(SyntaxError) as caught:
        format_stx("kernel f(x)\n    return x\nkernel g(x): return )\n", "bad.stx")
    assert isinstance(caught.value, StaxError)
    assert [slip.code for slip in caught.value.diagnostics] == ["missing-colon", "syntax-error"]
    assert str(caught.value.diagnostics[0].span) == "bad.stx:1:12"


def test_warnings_do_not_matter() -> None:
    assert format_stx("def f(x): return sum[k] x[k]+x[k]\n") == "def f(x):\n    return sum[k] x[k] + x[k]\n"
