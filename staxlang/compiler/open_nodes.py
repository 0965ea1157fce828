"""Open nodes: values for one point of index notation, whose attributes speak of index symbols that a node above binds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from staxlang.base.sizes import SizeExpression, symbols
from staxlang.compiler.node import Node
from staxlang.typecheck.index_notation.scope import MARK

Names = frozenset[str]
_NONE: Names = frozenset()
BINDING = frozenset(("define", "fold", "pieces"))


def free_symbols(order: Iterable[Node]) -> dict[Node, Names]:
    """The index symbols that each node depends on, and no node among its operands binds. Operands come before their users."""
    found: dict[Node, Names] = {}
    for node in order:
        names = _NONE
        for operand in node.operands:
            names |= found[operand]
        for key, value in node.attributes:
            if key != "path":
                names |= _mentioned(value)
        found[node] = names - bound_symbols(node) if node.op in BINDING else names
    return found


def bound_symbols(node: Node) -> Names:
    """The index symbols that a node binds."""
    if node.op == "pieces":
        return frozenset([one[0] for stage in node["stages"] for one in stage[1]])
    return frozenset([one[0] for one in node["ranges"]])


def making(order: Iterable[Node]) -> dict[Node, frozenset[int]]:
    """The tensors in the making that each node reads an element of."""
    found: dict[Node, frozenset[int]] = {}
    for node in order:
        numbers: frozenset[int] = frozenset((node["number"],)) if node.op == "own" else frozenset()
        for operand in node.operands:
            numbers |= found[operand]
        found[node] = numbers.difference(node["owns"]) if node.op == "pieces" else numbers
    return found


def sizes_in(value: Any) -> Iterator[SizeExpression]:
    """The symbolic sizes in an attribute's value."""
    if isinstance(value, SizeExpression):
        yield value
    elif type(value) is tuple:
        for one in value:  # pyright: ignore[reportUnknownVariableType]
            yield from sizes_in(one)


def _mentioned(value: Any) -> Names:
    if not isinstance(value, (tuple, SizeExpression)):
        return _NONE
    return frozenset([name for size in sizes_in(value) for name in symbols(size) if name.startswith(MARK)])
