"""Loops over places of several axes, `for i, j in np.ndindex(n, m)`, as a nest of loops, one for each axis."""

# The parts of what a type narrows to are Any.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from staxlang.parser import tree
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.values import ENUMERATED, PLACES, IteratorValue


def nest_of(frame: Frame, node: tree.For, value: Any) -> tree.For | None:
    """The loop as a nest; None where it is no loop over places, or leaves with `break`, which would end the innermost loop only."""
    if type(value) is not IteratorValue or value.kind not in (PLACES, ENUMERATED) or value.source is None:
        return None
    if not frame.context.recorder.keeps_loops or node.otherwise or _breaks(node.body):
        return None
    parts = value.source if value.kind == PLACES else value.source[:-1]
    if not parts:
        return None
    span = node.iterable.span
    marks = [f".{span.line}.{span.column}.{axis}" for axis in range(len(parts))]  # no names that the user can write
    place: tree.Expression = tree.TupleExpression(span, tuple([tree.Name(span, f"{mark}.i") for mark in marks]))
    if value.kind == ENUMERATED:
        array = f"{marks[0]}.array"
        frame.locals[array] = value.source[-1]
        index = place.elements[0] if len(parts) == 1 else place
        place = tree.TupleExpression(span, (place, tree.Subscript(span, tree.Name(span, array), index)))
    body: tuple[Any, ...] = (tree.Assign(span, (node.target,), place), *node.body)
    for mark, part in reversed(list(zip(marks, parts, strict=True))):
        frame.locals[mark] = part
        body = (tree.For(node.span, tree.Name(span, f"{mark}.i"), tree.Name(span, mark), body),)
    return body[0]


def _breaks(statements: tuple[Any, ...]) -> bool:
    """Whether a loop's body has a `break` of its own."""
    for statement in statements:
        kind = type(statement)
        if kind is tree.Break:
            return True
        parts: list[tuple[Any, ...]] = []
        if kind is tree.For or kind is tree.While:
            parts = [statement.otherwise]
        elif kind is tree.If:
            parts = [statement.then, statement.otherwise]
        elif kind is tree.With:
            parts = [statement.body]
        if any(map(_breaks, parts)):
            return True
    return False
