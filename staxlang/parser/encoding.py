"""Tree nodes pass through here as plain tuples, lists and constants, which `marshal` can store, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.base.spans import Source, Span
from staxlang.parser import tree

# A node is stored as a tuple (row of its class, place, fields ...), a tuple as a list. New classes go to the end.
CLASS_ROWS: tuple[type[tree.TreeNode], ...] = (
    tree.Name, tree.Constant, tree.FormattedString, tree.Attribute, tree.Subscript, tree.Slice, tree.TupleExpression,
    tree.ListExpression, tree.SetExpression, tree.DictExpression, tree.Unary, tree.Binary, tree.Compare, tree.Logical,
    tree.Conditional, tree.Keyword, tree.Call, tree.Starred, tree.Lambda, tree.Clause, tree.Comprehension, tree.NamedExpression,
    tree.Refused, tree.Assign, tree.AugmentedAssign, tree.AnnotatedAssign, tree.If, tree.For, tree.While, tree.Return, tree.Break,
    tree.Continue, tree.Pass, tree.Assert, tree.ExpressionStatement, tree.With, tree.Parameter, tree.Function, tree.Import, tree.Module,
    tree.Binder, tree.Reduction, tree.TensorDefinition,
)  # fmt: skip


def fields_of(kind: type[tree.TreeNode]) -> tuple[str, ...]:
    """The names of a class's fields, but for the place."""
    names: tuple[str, ...] = kind.__match_args__  # pyright: ignore[reportAttributeAccessIssue]
    return names[1:]


_NUMBERS = {kind: number for number, kind in enumerate(CLASS_ROWS)}
_MAKERS: tuple[Any, ...] = CLASS_ROWS
_FIELDS = tuple(fields_of(kind) for kind in CLASS_ROWS)


def encode(value: Any) -> Any:
    """A node, a tuple of them, or a constant, as plain data."""
    kind: Any = value.__class__
    number = _NUMBERS.get(kind)
    if number is not None:
        span = value.span
        place = (span.line, span.column, span.end_line, span.end_column)
        return (number, *place, *[encode(getattr(value, name)) for name in _FIELDS[number]])
    if kind is tuple:
        return [encode(item) for item in value]
    return value


def decode(value: Any, source: Source) -> Any:
    """What was encoded; its places are in `source`."""
    shape: type = value.__class__
    if shape is tuple:
        number, line, column, end_line, end_column, *fields = value
        make: Callable[..., Any] = _MAKERS[number]
        return make(Span(source, line, column, end_line, end_column), *[decode(field, source) for field in fields])
    if shape is list:
        return tuple([decode(item, source) for item in value])
    return value
