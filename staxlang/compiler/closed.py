"""Closed values: what can be computed before the program runs."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.sizes import symbols
from staxlang.compiler.graph import Graph, topological
from staxlang.compiler.node import Node
from staxlang.compiler.open_nodes import free_symbols, making, sizes_in
from staxlang.typecheck.kept.scope import MARK


def is_closed(node: Node) -> bool:
    """Whether a node's value depends on inputs only: on no parameter of a region around, no round of a loop, no place of a definition."""
    order = topological((node,))
    if any(one.op == "parameter" for one in order) or making(order)[node] or free_symbols(order)[node]:
        return False
    return not _rounds_in(order)


def _rounds_in(order: Sequence[Node]) -> frozenset[str]:
    """The symbols of rounds that nodes speak of; those of the loops among them are their own."""
    found: set[str] = set()
    for node in order:
        for size in sizes_in((*node.type.shape, *[value for _, value in node.attributes])):
            found.update([name for name in symbols(size) if name.startswith(MARK)])
        if node.op == "loop":
            region: Graph = node["region"]
            found |= _rounds_in(topological(region.roots)) - {node["index"]}
    return frozenset(found)
