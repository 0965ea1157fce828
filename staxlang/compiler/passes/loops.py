"""Loops that stay in the program: their rounds are optimized like programs, and what nobody needs is not carried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.compiler.graph import Graph, inherit_spans, rebuild, topological
from staxlang.compiler.kept_loops import loops_of, mapped_regions, moves_of, with_region
from staxlang.compiler.node import Node

Optimize = Callable[[Graph], Graph]


def optimize_loops(graph: Graph, optimize: Optimize) -> Graph:
    """The graph with each loop's round optimized, and carrying only what a result or a later round needs."""
    found = loops_of(topological(graph.roots))
    if not found:
        return graph
    change: dict[Any, tuple[Node, ...]] = {}
    for key, nodes in found.items():
        change[key] = _pruned(graph, nodes, optimize)
    return mapped_regions(graph, change)


def _pruned(graph: Graph, nodes: list[Node], optimize: Optimize) -> tuple[Node, ...]:
    """For each carried value the node that takes the place of the loop's result; of those that nobody reads any."""
    first = nodes[0]
    moves, results = moves_of(first), {node["result"] for node in nodes}
    region = optimize(_without_unneeded(first["region"], results, first["conditional"], moves))
    needed = _needed(region, results, first["conditional"], moves)
    same = {place for place in needed if region.outputs[place] is region.inputs[place] and moves[place] == place}
    constant = same - {0} if first["conditional"] else same
    carried = [place for place in range(first["carried"]) if place in needed - constant]
    roots = (*[region.outputs[place] for place in carried], *region.checks)
    used = frozenset(topological(roots))
    rest = [place for place, one in enumerate(region.inputs) if place not in carried and one in used]
    if not carried:
        return first.operands[: first["carried"]]
    order = [*carried, *rest]
    interner = graph.interner
    mapping = {
        region.inputs[place]: interner.make("parameter", (), region.inputs[place].type, position=number, loop=first["index"])
        for number, place in enumerate(order)
    }
    made = rebuild(roots, mapping, interner)
    inner = region._replace(
        inputs=tuple([mapping[region.inputs[place]] for place in order]),
        outputs=tuple(made[: len(carried)]),
        checks=tuple(made[len(carried) :]),
        pending=(),
    )
    operands = tuple([first.operands[place] for place in order])
    places = {place: number for number, place in enumerate(carried)}
    moved = tuple([places[moves[place]] for place in carried])
    made = with_region(interner, operands, inner, first["index"], first["extent"], first["conditional"], moves=moved)
    for result in made:
        inherit_spans(first, result, interner)
    return tuple([made[places[place]] if place in places else first.operands[place] for place in range(first["carried"])])


def _without_unneeded(region: Graph, results: set[int], conditional: bool, moves: tuple[int, ...]) -> Graph:
    """The round without the values that nobody needs, so that loops inside of it do not carry what only these are made of."""
    needed = _needed(region, results, conditional, moves)
    outputs = [made if place in needed else region.inputs[place] for place, made in enumerate(region.outputs)]
    return region._replace(outputs=tuple(outputs), pending=())


def _needed(region: Graph, results: set[int], conditional: bool, moves: tuple[int, ...]) -> set[int]:
    """The carried values that results, checks and the loop's own condition depend on, from round to round."""
    places = {one: place for place, one in enumerate(region.inputs)}
    carried = len(region.outputs)
    needed: set[int] = set()
    waiting = [*sorted(results), *([0] if conditional else [])]
    waiting += [places[one] for one in topological(region.checks) if places.get(one, carried) < carried]
    while waiting:
        place = waiting.pop()
        if place not in needed:
            needed.add(place)
            waiting.append(moves[place])
            waiting += [places[one] for one in topological((region.outputs[place],)) if places.get(one, carried) < carried]
    return needed
