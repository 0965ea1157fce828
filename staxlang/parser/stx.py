"""A .stx text passes through here and becomes Tree: cut into top-level items, each parsed by itself, so that one slip hides no other.

What was parsed is kept by its text: an edit parses the items that it changed. The others are the same values, or, where lines were added
above them, are moved when somebody asks for them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from staxlang.base.diagnostics import Diagnostic, diagnose, raise_diagnostics
from staxlang.base.records import NamedTuple
from staxlang.base.spans import Source, Span
from staxlang.parser import tree
from staxlang.parser.docstrings import clean_docstring
from staxlang.parser.items import Item, is_definition, item_name, split_items
from staxlang.parser.moving import moved, moved_diagnostic
from staxlang.parser.stx_convert import convert
from staxlang.parser.stx_edits import as_written, edits
from staxlang.parser.stx_errors import explain
from staxlang.parser.stx_lints import lint
from staxlang.parser.stx_parser import Unexpected, parse
from staxlang.parser.stx_places import Place
from staxlang.parser.stx_repair import indentation_slips, is_without_header, repair

_MOST_REPAIRS = 20  # slips reported in one item before it is given up
_MOST_READ = 100_000  # characters that are read for one item, counting again what is read again
MOST_LENGTH = 1_000_000  # characters of an item
MOST_KEPT = 20_000_000  # characters of the items that are kept
_NAME = re.compile(r"[^\W\d]\w*")
_SUSPECT = re.compile(rf"\blet\b|\][ \t]*=(?!=)|\b(?:{'|'.join(tree.REDUCTION_KINDS)})[ \t]*\[")  # what `lint` is about


class StxFile(NamedTuple):
    """A .stx file, item by item."""

    source: Source
    items: tuple[FileItem, ...]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All slips and warnings, in the order of their places."""
        found: list[Diagnostic] = []
        lost = False  # a header whose block stands at the margin
        for number, item in enumerate(self.items):
            if lost and not is_definition(item.item):
                continue
            slips = item.diagnostics
            statement = item.kept.statement
            if number and isinstance(statement, tree.ExpressionStatement):
                found.append(diagnose("not-a-definition", item.statement.span, found="a string"))
            lost = any(slip.code == "missing-block" for slip in slips)
            found += slips
        if not any(slip.severity == "error" for slip in found):
            found += self._unused()
        return sorted(found, key=lambda slip: (slip.span.line, slip.span.column) if slip.span is not None else (0, 0))

    def _unused(self) -> list[Diagnostic]:
        """Private definitions whose names stand nowhere else."""
        private = [item for item in self.items if item.item.text.startswith("def ") and isinstance(item.kept.statement, tree.Function)]
        found: list[Diagnostic] = []
        for item in private:
            name = item_name(item.item)
            if not any(name in other.kept.names for other in self.items if other is not item):
                start = item.item.text.index(name or "", 3)
                span = Span(item.source, item.line, start, item.line, start + len(name or ""))
                found.append(diagnose("unused-private", span, name=name))
        return found

    @property
    def module(self) -> tree.Module:
        """What of the file can be read."""
        lines = self.source.text.split("\n")
        first = self.source.first_line
        span = Span(self.source, first, 0, first + len(lines) - 1, len(lines[-1]))
        doc: str | None = None
        statements = [item.statement for item in self.items]
        if statements and isinstance(statements[0], tree.ExpressionStatement) and isinstance(statements[0].value, tree.Constant):
            doc = clean_docstring(str(statements[0].value.value))
        found = [item for item in statements if item is not None and not isinstance(item, tree.ExpressionStatement)]
        return tree.Module(span, Path(self.source.name).stem, doc, tuple(found))


class FileItem(NamedTuple):
    """A top-level item of a file, with its line there; its Tree and diagnostics are placed when they are asked for."""

    file: str
    line: int
    item: Item
    kept: Any

    @property
    def source(self) -> Source:
        return Source(self.file, self.item.text, self.line)

    @property
    def name(self) -> str | None:
        """The kernel, def or const that it defines."""
        return item_name(self.item)

    @property
    def statement(self) -> Any:
        """Its Tree; None where it cannot be read."""
        return self.kept.at(self.file, self.line).statement

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.kept.at(self.file, self.line).diagnostics if self.kept.diagnostics else ()


class _Kept:
    """What was parsed from an item's text, at the place where it was seen last. `names` are all that it mentions."""

    __slots__ = ("diagnostics", "file", "line", "names", "statement", "text")

    def __init__(self, file: str, line: int, text: str) -> None:
        self.file = file
        self.line = line
        self.text = text
        diagnostics: list[Diagnostic] = []
        self.statement = read_item(Source(file, text, line), Item(1, text), diagnostics)
        self.diagnostics = tuple(diagnostics)
        self.names = frozenset(_NAME.findall(text))

    def at(self, file: str, line: int) -> _Kept:
        for known in (self, _kept.get(self.text)):
            if known is not None and (known.file, known.line) == (file, line):
                return known
        source = Source(file, self.text, line)
        shift = line - self.line
        made = _Kept.__new__(_Kept)
        made.file, made.line, made.text, made.names = file, line, self.text, self.names
        made.statement = moved(self.statement, source, shift)
        made.diagnostics = tuple([moved_diagnostic(slip, source, shift) for slip in self.diagnostics])
        _kept[self.text] = made
        return made


_kept: dict[str, _Kept] = {}


def read_file(source: Source) -> StxFile:
    """A file's items; those that were seen before, here or elsewhere, are not parsed again."""
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    if text != source.text:
        source = Source(source.name, text, source.first_line)
    items = split_items(text)
    found: list[FileItem] = []
    for item in items:
        line = source.first_line + item.line - 1
        kept = _kept.get(item.text)
        if kept is None:
            kept = _kept[item.text] = _Kept(source.name, line, item.text)
        found.append(FileItem(source.name, line, item, kept))
    if sum(map(len, _kept)) > MOST_KEPT:
        _kept.clear()
    return StxFile(source, tuple(found))


def parse_module(source: Source) -> tree.Module:
    """The Tree of a .stx file; raises StaxError (SyntaxError) with every slip that was found."""
    module, diagnostics = read_module(source)
    if any(slip.severity == "error" for slip in diagnostics):
        raise_diagnostics(diagnostics)
    return module


def read_module(source: Source) -> tuple[tree.Module, list[Diagnostic]]:
    """What of a .stx file can be read, and the diagnostics of the rest; warnings among them."""
    file = read_file(source)
    return file.module, file.diagnostics


def read_item(source: Source, item: Item, diagnostics: list[Diagnostic]) -> Any:
    """The statement of one item, or None; slips are appended, mended in place, and the item is parsed again."""
    place = Place(source, source.first_line + item.line - 2, 0)
    if len(item.text) > MOST_LENGTH:
        end = min(item.text.find("\n") + 1, 200) or 200
        span = place.span((1, 1), (1, end))
        diagnostics.append(diagnose("definition-too-long", span, length=f"{len(item.text):,}", limit=f"{MOST_LENGTH:,}"))
        return None
    text, slips = indentation_slips(source, item)
    diagnostics += slips
    done = [edits(item.text, text)] if slips else []
    known: set[tuple[str, str]] = set()
    for _ in range(min(_MOST_REPAIRS, 1 + _MOST_READ // len(text))):
        try:
            parsed = parse(text)
        except Unexpected as error:
            slip = explain(error, text, place)
            diagnostic = as_written(slip.diagnostic, place, done)
            found = (diagnostic.code, repr(diagnostic.span))
            if found not in known:
                diagnostics.append(diagnostic)
            known.add(found)
            mended = repair(text, slip)
            if mended is None or mended == text:
                return None
            done.append(edits(text, mended))
            text = mended
        else:
            refused: list[Diagnostic] = []
            statement = convert(parsed, place, parse_expression, refused)
            diagnostics += [as_written(slip, place, done) for slip in refused]
            if is_without_header(text):
                return None
            if isinstance(statement, tree.Function) and not diagnostics and _SUSPECT.search(text):
                diagnostics += lint(statement)
            return statement
    return None


def parse_expression(text: str, place: Place, diagnostics: list[Diagnostic]) -> Any:
    """The Tree of one expression, which starts at a place: a part of an f-string."""
    try:
        return convert(parse(text, "named"), place, parse_expression, diagnostics)
    except Unexpected as error:
        slip = explain(error, text, place).diagnostic
        diagnostics.append(slip)
        return tree.Constant(slip.span or place.span((1, 1), (1, 1)), None)
