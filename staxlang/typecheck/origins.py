"""Where sizes came from, in words."""

from __future__ import annotations

from typing import Any

from staxlang.base.diagnostics import Note
from staxlang.base.sizes import Size
from staxlang.typecheck.guards import SizeOrigin


def origin_note(context: Any, size: Size, origin: SizeOrigin) -> Note:
    """Where a size came from; of a symbol, also what it is in the call that is being captured."""
    line = f" (line {origin.span.line})" if origin.span else ""
    here = context.hint(size) if not isinstance(size, int) and not context.checking and context.recorder.asks else None
    return Note(None, f"{size} is {origin.text}{line}" + ("" if here is None else f", {here} in this call"))


def ordinal(axis: int, rank: int) -> str:
    if rank == 1:
        return "only axis"
    if axis == rank - 1:
        return "last axis"
    return f"{_ORDINALS[axis]} axis" if axis < len(_ORDINALS) else f"axis {axis}"


_ORDINALS = ("first", "second", "third", "fourth")


def source_text(tree: Any) -> str:
    """The source text of an expression on one line, shortened."""
    span = tree.span
    if span is None:
        return "..."
    first = span.source.line(span.line)
    text = first[span.column : span.end_column] if span.end_line == span.line else first[span.column :].rstrip() + " ..."
    return text if len(text) <= 60 else text[:57] + "..."
