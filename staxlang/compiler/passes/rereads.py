"""What was just written is read where it lies, by those who read its surroundings too."""

from __future__ import annotations

from staxlang.compiler.graph import Graph, inherit_spans, remake, topological, users
from staxlang.compiler.node import Node

_AT_HAND = frozenset(("view", "constant", "constant_array", "scalar", "size", "input", "parameter", "iota"))


def reread_updates(graph: Graph) -> Graph:
    """A part that an update writes is also what a view of the update gives there, and the rules put it in the place of such a view. Who
    reads other places of the updated array all the same comes after the write: for him it would be computed twice, or kept twice. It
    becomes a view again, where the updated array is one that stays (a result: nothing is written over it later).

    Stencils in turns (`b[1:-1] = f(a)`, `a[1:-1] = f(b)`) then have a part each, written where it belongs.
    """
    order = topological(graph.roots)
    staying = {*graph.outputs, *(node for _, node in graph.updates)}
    updates = [node for node in order if node.op == "update" and node in staying]
    if not updates:
        return graph
    readers = users(order)
    again: dict[Node, dict[Node, Node]] = {}  # of a reader: the operands that it takes from an update instead
    for update in updates:
        part = update.operands[1]
        if part.op in _AT_HAND or part in staying or part.type.dtype is not update.type.dtype or part.type.shape != update["shape"]:
            continue
        if len(readers[part]) > 1:
            behind = _behind(update, order, readers, staying)
            for reader in readers[part]:
                if reader in behind:
                    again.setdefault(reader, {})[part] = update
    return _with_views(graph, order, again) if again else graph


def _behind(node: Node, order: list[Node], readers: dict[Node, list[Node]], staying: set[Node]) -> set[Node]:
    """The nodes that are computed from one, and those that only they read."""
    found: set[Node] = set()
    for one in order:
        if any(operand is node or operand in found for operand in one.operands):
            found.add(one)
    for one in reversed(order):
        if one not in staying and readers[one] and all(reader in found for reader in readers[one]):
            found.add(one)
    return found


def _with_views(graph: Graph, order: list[Node], again: dict[Node, dict[Node, Node]]) -> Graph:
    made: dict[Node, Node] = {}
    interner = graph.interner
    for node in order:
        instead = again.get(node, {})
        operands: list[Node] = []
        for operand in node.operands:
            update = instead.get(operand)
            if update is None:
                operands.append(made[operand])
                continue
            operands.append(interner.make("view", (made[update],), operand.type, subscripts=update["subscripts"]))
            inherit_spans(operand, operands[-1], interner)
        made[node] = remake(node, tuple(operands), interner)
    return graph._replace(
        outputs=tuple([made[node] for node in graph.outputs]),
        updates=tuple([(position, made[node]) for position, node in graph.updates]),
        checks=tuple([made[node] for node in graph.checks]),
    )
