"""Diagnostics of a mended .stx text pass through here and get the columns that their places have in the text as it was written."""

from __future__ import annotations

from itertools import takewhile

from staxlang.base.diagnostics import Diagnostic, Note
from staxlang.base.records import NamedTuple, replace
from staxlang.base.spans import Span
from staxlang.parser.stx_places import Place


class Edit(NamedTuple):
    """What mending did to a line: its columns from `first` to `end` were written, those up to `mended_end` stand there now."""

    first: int
    end: int
    mended_end: int

    def written(self, column: int) -> int:
        """The column of a place in the line as it was written."""
        if column >= self.mended_end:
            return column - self.mended_end + self.end
        return min(column, max(self.first, self.end))


def edits(text: str, mended: str) -> dict[int, Edit]:
    """What mending did, by lines from 1."""
    found: dict[int, Edit] = {}
    for number, (row, after) in enumerate(zip(text.split("\n"), mended.split("\n")), 1):
        if row != after:
            first = _common(row, after)
            same = _common(row[first:][::-1], after[first:][::-1])
            found[number] = Edit(first, len(row) - same, len(after) - same)
    return found


def _common(row: str, after: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(row, after)))


def as_written(diagnostic: Diagnostic, place: Place, done: list[dict[int, Edit]]) -> Diagnostic:
    """A diagnostic of a text to which all of this was done, the first first."""
    if not done:
        return diagnostic
    notes = tuple([Note(note.span and _span(note.span, place, done), note.text) for note in diagnostic.notes])
    return replace(diagnostic, span=diagnostic.span and _span(diagnostic.span, place, done), notes=notes)


def _span(span: Span, place: Place, done: list[dict[int, Edit]]) -> Span:
    column, end = span.column, span.end_column
    for step in reversed(done):
        first, last = step.get(span.line - place.lines), step.get(span.end_line - place.lines)
        column = first.written(column) if first is not None else column
        end = last.written(end) if last is not None else end
    if span.line == span.end_line:
        end = max(end, column + 1)
    return Span(span.source, span.line, column, span.end_line, end)
