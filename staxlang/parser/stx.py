"""A .stx text passes through here and becomes Tree: cut into top-level items, each parsed by itself, so that one slip hides no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lark.exceptions import LarkError

from staxlang.base.diagnostics import Diagnostic, diagnose, raise_diagnostics
from staxlang.base.spans import Source, Span
from staxlang.parser import tree
from staxlang.parser.docstrings import clean_docstring
from staxlang.parser.items import Item, is_definition, split_items
from staxlang.parser.stx_convert import convert
from staxlang.parser.stx_errors import explain
from staxlang.parser.stx_grammar import parse
from staxlang.parser.stx_places import Place
from staxlang.parser.stx_repair import indentation_slips, repair

_MOST_REPAIRS = 20  # slips reported in one item before it is given up


def parse_module(source: Source) -> tree.Module:
    """The Tree of a .stx file; raises StaxError (SyntaxError) with every slip that was found."""
    module, diagnostics = read_module(source)
    if diagnostics:
        raise_diagnostics(diagnostics)
    return module


def read_module(source: Source) -> tuple[tree.Module, list[Diagnostic]]:
    """What of a .stx file can be read, and the diagnostics of the rest."""
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    if text != source.text:
        source = Source(source.name, text, source.first_line)
    doc: str | None = None
    items: list[Any] = []
    diagnostics: list[Diagnostic] = []
    for number, item in enumerate(split_items(text)):
        if not is_definition(item) and diagnostics and diagnostics[-1].code == "missing-block":
            continue  # the block that was missed stands at the margin
        found = read_item(source, item, diagnostics)
        if isinstance(found, tree.ExpressionStatement):
            if number:
                diagnostics.append(diagnose("not-a-definition", found.span, found="a string"))
            elif isinstance(found.value, tree.Constant):
                doc = clean_docstring(str(found.value.value))
        elif found is not None:
            items.append(found)
    diagnostics.sort(key=lambda slip: (slip.span.line, slip.span.column) if slip.span is not None else (0, 0))
    lines = text.split("\n")
    span = Span(source, source.first_line, 0, source.first_line + len(lines) - 1, len(lines[-1]))
    return tree.Module(span, Path(source.name).stem, doc, tuple(items)), diagnostics


def read_item(source: Source, item: Item, diagnostics: list[Diagnostic]) -> Any:
    """The statement of one item, or None; slips are appended, mended in place, and the item is parsed again."""
    text, slips = indentation_slips(source, item)
    diagnostics += slips
    place = Place(source, source.first_line + item.line - 2, 0)
    known: set[tuple[str, str]] = set()
    for _ in range(_MOST_REPAIRS):
        try:
            parsed = parse(text, "item")
        except (LarkError, AssertionError) as error:
            slip = explain(error, text, place)
            found = (slip.diagnostic.code, repr(slip.diagnostic.span))
            if found not in known:
                diagnostics.append(slip.diagnostic)
            known.add(found)
            mended = repair(text, slip)
            if mended is None or mended == text:
                return None
            text = mended
        else:
            return convert(parsed, place, parse_expression, diagnostics)
    return None


def parse_expression(text: str, place: Place, diagnostics: list[Diagnostic]) -> Any:
    """The Tree of one expression, which starts at a place: a part of an f-string."""
    try:
        return convert(parse(text, "named"), place, parse_expression, diagnostics)
    except (LarkError, AssertionError) as error:
        slip = explain(error, text, place).diagnostic
        diagnostics.append(slip)
        return tree.Constant(slip.span or place.span((1, 1), (1, 1)), None)
