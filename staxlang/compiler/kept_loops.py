"""Loops that stay in the program: `loop` nodes, their regions, and how a recorded body becomes one.

    loop(initial.., invariant.., region=, index=, extent=, carried=, conditional=, result=k)

The first `carried` operands are what the carried values are before the first round; the other operands are what every round reads. The
region has a parameter for each operand, and gives the carried values after a round. Its body may speak of the symbol `index`, which counts
rounds from 0. There are `extent` rounds, or, `conditional`, as many as begin with a true first carried value (a 0-d bool); both, where
`extent` is no None. The node is the `result`-th carried value after the last round; nodes that differ in `result` only are one loop.

With `moves`, values go round in the memory that they begin in: value k of the next round is in the memory that value `moves[k]` has now,
and the results are what each memory holds after the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Facts, Size, SizeExpression, symbol, symbols
from staxlang.base.spans import Span
from staxlang.compiler.graph import Graph, plain, rebuild, remake, topological
from staxlang.compiler.node import Interner, Node
from staxlang.compiler.open_nodes import free_symbols, making, sizes_in

# What every round may as well compute itself: it costs nothing, or is read through.
_CHEAP = frozenset(("constant", "size", "iota", "place", "view", "own"))


class Body(NamedTuple):
    """A recorded round. `before` and `after`: of each carried value what it is before the loop and after a round; `parameters`: what it
    is in the round. `checks` are the tests that a round makes."""

    parameters: tuple[Node, ...]
    before: tuple[Node, ...]
    after: tuple[Node, ...]
    checks: tuple[Node, ...] = ()


def loop_nodes(
    interner: Interner, body: Body, index: str, extent: Size | None, conditional: bool, facts: Facts, span: Span | None,
    moves: tuple[int, ...] = (),
) -> tuple[Node, ...]:
    """The values after the loop, one for each carried value."""
    roots = (*body.after, *body.checks)
    order = topological(roots)
    inside = dependent(order, frozenset(body.parameters), index)
    mapping: dict[Node, Node] = {one: one for one in body.parameters}
    invariant: dict[Node, Node] = {}
    kept_open = _open(order)
    first = 1 + max([one["position"] for one in body.parameters], default=-1)

    def settle(node: Node) -> None:
        """Gives a node that is the same in every round its place in the region: itself, made anew there, or a parameter."""
        if node in mapping:
            return
        if node.op in _CHEAP or node in kept_open:
            for operand in node.operands:
                settle(operand)
            mapping[node] = remake(node, tuple([mapping[operand] for operand in node.operands]), interner)
            return
        place = first + len(invariant)
        invariant[node] = mapping[node] = interner.make("parameter", (), plain(node.type), position=place, loop=index)

    for node in order:
        if node in inside:
            for operand in node.operands:
                if operand not in inside:
                    settle(operand)
    for node in roots:
        if node not in inside:
            settle(node)
    for node in order:
        if node in inside and node not in mapping:
            mapping[node] = remake(node, tuple([mapping[operand] for operand in node.operands]), interner)
    results = [mapping[node] for node in roots]
    count = len(body.after)
    parameters = (*body.parameters, *invariant.values())
    region = Graph(interner, parameters, tuple(results[:count]), facts=_inner_facts(facts, index, extent), checks=tuple(results[count:]))
    return with_region(interner, (*body.before, *invariant), region, index, extent, conditional, span, moves)


def with_region(
    interner: Interner, operands: tuple[Node, ...], region: Graph, index: str, extent: Size | None, conditional: bool,
    span: Span | None = None, moves: tuple[int, ...] = (),
) -> tuple[Node, ...]:  # fmt: skip
    """The nodes of a loop, one for each carried value."""
    attributes: dict[str, Any] = {
        "region": region, "index": index, "extent": extent, "carried": len(region.outputs), "conditional": conditional,
    }  # fmt: skip
    if moves != tuple(range(len(moves))):
        attributes["moves"] = moves
    return tuple([
        interner.make("loop", operands, plain(made.type), span, result=number, **attributes) for number, made in enumerate(region.outputs)
    ])


def _inner_facts(facts: Facts, index: str, extent: Size | None) -> Facts:
    made = facts
    if extent is not None:
        try:
            made = made.assume(Condition("<", symbol(index), extent))
        except ValueError:  # no round at all
            return facts
    return made


def _open(order: Sequence[Node]) -> frozenset[Node]:
    """Values for one point of index notation: part of a definition around them, in whose region they stay."""
    free, made = free_symbols(order), making(order)
    return frozenset([node for node in order if free[node] or made[node]])


# ---- what depends on the round -------------------------------------------------------------------------------------


def dependent(order: Iterable[Node], parameters: frozenset[Node], index: str) -> set[Node]:
    """The nodes whose value may be another one in each round."""
    found: set[Node] = set()
    for node in order:
        if node in parameters or any(operand in found for operand in node.operands) or mentions(node, index):
            found.add(node)
    return found


def mentions(node: Node, name: str) -> bool:
    """Whether a node speaks of a size symbol, in its type or its attributes."""
    return _in_sizes(node.type.shape, name) or any(_in_value(value, name) for _, value in node.attributes)


def _in_value(value: Any, name: str) -> bool:
    if isinstance(value, SizeExpression):
        return name in symbols(value)
    if type(value) is tuple:
        return any(_in_value(item, name) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, Graph):
        return any(mentions(node, name) for node in topological((*value.inputs, *value.roots)))
    return False


def _in_sizes(sizes: Sequence[Size], name: str) -> bool:
    return any(isinstance(size, SizeExpression) and name in symbols(size) for size in sizes)


# ---- reading loop nodes --------------------------------------------------------------------------------------------


def loop_key(node: Node) -> Any:
    """What the nodes of one loop have in common."""
    return node.operands, node["region"], node["index"], node["extent"], node["conditional"], node.get("moves", ())


def moves_of(node: Node) -> tuple[int, ...]:
    """Of each carried value, in whose memory it is in the next round."""
    return node.get("moves") or tuple(range(node["carried"]))


def loops_of(order: Iterable[Node]) -> dict[Any, list[Node]]:
    """The `loop` nodes of each loop, in order."""
    found: dict[Any, list[Node]] = {}
    for node in order:
        if node.op == "loop":
            found.setdefault(loop_key(node), []).append(node)
    return found


def regions_of(graph: Graph) -> Iterator[Graph]:
    """The regions of a graph's loops, those inside of them included."""
    for nodes in loops_of(topological(graph.roots)).values():
        region: Graph = nodes[0]["region"]
        yield region
        yield from regions_of(region)


def symbols_in(graph: Graph) -> frozenset[str]:
    """The names of all size symbols that a graph's nodes speak of, those of its loops included."""
    found: set[str] = set()
    for node in (one for part in (graph, *regions_of(graph)) for one in topological((*part.inputs, *part.roots))):
        attributes = tuple([value for _, value in node.attributes])
        for size in sizes_in((*node.type.shape, *(node.type.layout or ()), *attributes)):
            found |= symbols(size)
    return frozenset(found)


def mapped_regions(graph: Graph, change: Mapping[Any, tuple[Node, ...]]) -> Graph:
    """The graph with the loops of those keys replaced by others: for each carried value the node that takes its place."""
    interner = graph.interner
    table: dict[Node, Node] = {}
    for node in topological((*graph.roots, *graph.inputs, *graph.scalars)):
        made = change.get(loop_key(node)) if node.op == "loop" else None
        place: int = node["result"] if made is not None else 0
        table[node] = rebuild((node,) if made is None else made[place : place + 1], table, interner)[0]
    return graph._replace(
        outputs=tuple([table[node] for node in graph.outputs]),
        updates=tuple([(position, table[node]) for position, node in graph.updates]),
        checks=tuple([table[node] for node in graph.checks]),
        pending=(),
    )

