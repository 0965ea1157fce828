"""A definition's Tree passes through here, and what reads otherwise than it was probably meant becomes diagnostics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from staxlang.base.diagnostics import Diagnostic, diagnose
from staxlang.base.spans import Span
from staxlang.parser import tree
from staxlang.parser.encoding import fields_of
from staxlang.parser.literals import Unprintable
from staxlang.parser.printer import to_stx

_MOST_SHOWN = 40


def lint(function: tree.Function) -> list[Diagnostic]:
    """What is suspicious in a definition: forgotten `let`, reductions that end before their index does."""
    bound = frozenset(_bound_names(function))
    found: list[Diagnostic] = []
    for node in walk(function):
        if isinstance(node, tree.Assign):
            found += _missing_let(node, bound)
        elif isinstance(node, tree.Binary) and node.op in "+-":
            found += _subscripted(node.left, node.op, bound)
        elif isinstance(node, tree.Subscript):
            found += _subscripted(node.value, "[", bound)
    for statement in _statements(function.body):
        indices = set(bound)
        if isinstance(statement, tree.TensorDefinition):
            indices |= {subscript.name for subscript in statement.subscripts if isinstance(subscript, tree.Binder)}
        found += _reduction_ends(statement, frozenset(indices))
    return found


def walk(node: Any) -> Iterator[Any]:
    """A node and all nodes in it, in the order of the text."""
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, tree.TreeNode):
            yield node
            todo += reversed(children(node))
        elif isinstance(node, tuple):
            todo += reversed(node)  # pyright: ignore[reportUnknownArgumentType]


def children(node: tree.TreeNode) -> list[Any]:
    """The values of a node's fields, in the order of the text."""
    values = [getattr(node, name) for name in fields_of(type(node))]
    if isinstance(node, tree.Conditional):
        return [node.then, node.test, node.otherwise]
    if isinstance(node, tree.Comprehension):
        return [node.key, node.element, node.clauses]
    if isinstance(node, tree.Function):
        return [node.parameters, node.returns, node.facts, node.body]
    return values


def _statements(body: tuple[Any, ...]) -> Iterator[Any]:
    """Every statement in a body, those of blocks too; of a block's header only the expressions count."""
    for statement in body:
        inner = [getattr(statement, name) for name in ("body", "then", "otherwise") if isinstance(getattr(statement, name, None), tuple)]
        if inner and not isinstance(statement, tree.TensorDefinition):
            for nested in inner:
                yield from _statements(nested)
        else:
            yield statement


def _bound_names(function: tree.Function) -> Iterator[str]:
    """All names that something in a definition binds: those of parameters and their sizes, targets, nested definitions."""
    for name in function.type_parameters:
        yield name.lstrip("*")
    for node in walk(function):
        if isinstance(node, tree.Parameter):
            yield node.name
            yield from (inner.id for inner in walk(node.annotation) if isinstance(inner, tree.Name))
        elif isinstance(node, tree.Assign):
            for target in node.targets:
                yield from _target_names(target)
        elif isinstance(node, (tree.AnnotatedAssign, tree.AugmentedAssign, tree.NamedExpression, tree.For, tree.Clause)):
            yield from _target_names(node.target)
        elif isinstance(node, tree.With):
            for _, target in node.items:
                yield from _target_names(target)
        elif isinstance(node, (tree.Function, tree.TensorDefinition)):
            yield node.name


def _target_names(target: Any) -> Iterator[str]:
    if isinstance(target, tree.Name):
        yield target.id
    elif isinstance(target, (tree.TupleExpression, tree.ListExpression)):
        for element in target.elements:
            yield from _target_names(element)
    elif isinstance(target, tree.Starred):
        yield from _target_names(target.value)


def _missing_let(node: tree.Assign, bound: frozenset[str]) -> list[Diagnostic]:
    """`c[i, j] = ...` where nothing makes `c`, and nothing `i`."""
    target = node.targets[0]
    if len(node.targets) > 1 or not isinstance(target, tree.Subscript) or not isinstance(target.value, tree.Name):
        return []
    index = target.index
    subscripts = index.elements if isinstance(index, tree.TupleExpression) else (index,)
    unbound = [one.id for one in subscripts if isinstance(one, tree.Name) and one.id not in bound]
    if target.value.id in bound or not unbound:
        return []
    indices = " and ".join([f"`{name}`" for name in dict.fromkeys(unbound)]) + (" has" if len(set(unbound)) == 1 else " have")
    text = ", ".join([_text(one) for one in subscripts])
    return [diagnose("missing-let", target.span, name=target.value.id, indices=indices, subscripts=text)]


def _subscripted(value: Any, sign: str, bound: frozenset[str]) -> list[Diagnostic]:
    """`sum[k] - x`: an element of `sum`, which is nothing that has elements."""
    if not isinstance(value, tree.Subscript) or not isinstance(value.value, tree.Name):
        return []
    kind, index = value.value.id, value.index
    subscripts = index.elements if isinstance(index, tree.TupleExpression) else (index,)
    names = [one.id for one in subscripts if isinstance(one, tree.Name)]
    if kind not in tree.REDUCTION_KINDS or kind in bound or len(names) < len(subscripts) or any(name in bound for name in names):
        return []
    return [
        diagnose(
            "reduction-subscripted",
            value.span,
            kind=kind,
            index=", ".join(names),
            sign=sign,
            written="([...])" if sign == "[" else f"({sign}...)",
        )
    ]


def _reduction_ends(statement: Any, bound: frozenset[str]) -> list[Diagnostic]:
    """Names behind a reduction that only the reduction binds."""
    found: list[Diagnostic] = []
    ended: dict[str, tree.Reduction] = {}
    for kind, node in _uses(statement, bound):
        if kind == "end":
            ended |= {index.name: node for index in node.indexes}
        elif node.id in ended and _before(ended[node.id].span, node.span):
            reduction = ended.pop(node.id)
            names = ", ".join([index.name for index in reduction.indexes])
            found.append(
                diagnose("reduction-ends", node.span, index=node.id, kind=reduction.kind, indices=names, body=_text(reduction.body))
            )
    return found


def _uses(node: Any, bound: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """The names that nothing binds where they stand, and the reductions, after what is in them."""
    todo: list[tuple[str, Any, frozenset[str]]] = [("", node, bound)]
    while todo:
        kind, node, bound = todo.pop()
        if kind:
            yield kind, node
        elif isinstance(node, tree.Name):
            if node.id not in bound:
                yield "name", node
        elif isinstance(node, tree.TreeNode):
            if isinstance(node, tree.Reduction):
                bound |= {index.name for index in node.indexes}
                todo.append(("end", node, bound))
            todo += [("", child, bound) for child in reversed(children(node))]
        elif isinstance(node, tuple):
            todo += [("", child, bound) for child in reversed(node)]  # pyright: ignore


def _before(first: Span, second: Span) -> bool:
    return (first.end_line, first.end_column) <= (second.line, second.column)


def _text(node: Any) -> str:
    try:
        text = to_stx(node)
    except Unprintable:  # a Slice has no text of its own
        return "..."
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
