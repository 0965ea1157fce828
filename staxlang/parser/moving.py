"""Trees and diagnostics pass through here and come out at another place of their file, or of another: the same text, some lines on."""

from __future__ import annotations

from typing import Any

from staxlang.base.diagnostics import Diagnostic, Note
from staxlang.base.records import replace
from staxlang.base.spans import Source, Span
from staxlang.parser.encoding import CLASS_ROWS, fields_of

_FIELDS = {kind: fields_of(kind) for kind in CLASS_ROWS}


def moved(value: Any, source: Source, lines: int) -> Any:
    """A node or a tuple of them, so many lines further down, in `source`."""
    kind: Any = value.__class__
    names = _FIELDS.get(kind)
    if names is not None:
        return kind(moved_span(value.span, source, lines), *[moved(getattr(value, name), source, lines) for name in names])
    if kind is tuple:
        return tuple([moved(item, source, lines) for item in value])
    return value


def moved_span(span: Span, source: Source, lines: int) -> Span:
    return Span(source, span.line + lines, span.column, span.end_line + lines, span.end_column)


def moved_diagnostic(diagnostic: Diagnostic, source: Source, lines: int) -> Diagnostic:
    notes = tuple([Note(moved_span(note.span, source, lines) if note.span else None, note.text) for note in diagnostic.notes])
    span = diagnostic.span and moved_span(diagnostic.span, source, lines)
    return replace(diagnostic, span=span, notes=notes)
