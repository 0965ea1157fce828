"""Where sizes came from, in words."""

from __future__ import annotations

from staxlang.base.diagnostics import Note
from staxlang.base.sizes import Size
from staxlang.base.spans import Source, Span
from staxlang.typecheck.guards import SizeOrigin


def origin_note(size: Size, origin: SizeOrigin) -> Note:
    line = f" (line {origin.span.line})" if origin.span else ""
    return Note(None, f"{size} is {origin.text}{line}")


def ordinal(axis: int, rank: int) -> str:
    if rank == 1:
        return "only axis"
    if axis == rank - 1:
        return "last axis"
    return f"{_ORDINALS[axis]} axis" if axis < len(_ORDINALS) else f"axis {axis}"


_ORDINALS = ("first", "second", "third", "fourth")


def span_lines(source: Source, span: Span) -> str:
    """The text of the lines that a span covers, without blanks at their ends."""
    lines = source.text.split("\n")[span.line - source.first_line : span.end_line - source.first_line + 1]
    return "\n".join([line.rstrip() for line in lines]).rstrip()
