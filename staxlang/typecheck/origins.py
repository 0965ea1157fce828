"""Where sizes came from, in words."""

from __future__ import annotations

from staxlang.base.diagnostics import Note
from staxlang.base.sizes import Size
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
