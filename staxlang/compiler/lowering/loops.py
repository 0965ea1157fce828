"""Loops that stay in the program: each carried value gets a buffer that lives through all rounds, and a round is a program of its own.

Where a round makes the values of the next one, and which buffers change places for that, is found in `exchanges`; what is small and does
not fit goes through a temporary, and is copied at the round's end.
"""

from __future__ import annotations

from collections.abc import Callable

from staxlang.compiler.graph import Graph, topological
from staxlang.compiler.kept_loops import loop_key, moves_of
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Buffer, BufferView, Definition, LibraryCall, LoopProgram
from staxlang.compiler.lowering.exchanges import Places
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.lowering.updates import evaluation_order
from staxlang.compiler.node import Node
from staxlang.typecheck.views import indices

LowerAll = Callable[[Lowering, list[Node]], None]


def lower_loop(state: Lowering, node: Node, lower_all: LowerAll, settle: Callable[[Graph], Graph]) -> None:
    """One step for all the results of a loop that are alive. `lower_all` lowers the nodes of a round, `settle` readies its graph."""
    carried: int = node["carried"]
    region: Graph = settle(node["region"])
    alive = {other["result"]: other for other in topological(state.graph.roots) if other.op == "loop" and loop_key(other) == loop_key(node)}
    held = [_home(state, node.operands[place], alive.get(place), region.outputs[place]) for place in range(carried)]
    read = [state.store(operand) for operand in node.operands[carried:]]
    fixed = {place: other for place, other in enumerate(moves_of(node)) if place != other}
    body, found = _round(state, region, held + read, carried, lower_all, fixed)
    spares = [spare.buffer for spare in found.spares]
    for spare in found.spares:
        if spare.mirror:
            type = region.outputs[spare.number].type
            at = indices(len(type.shape))
            state.steps.append(Definition(spare.buffer, state.ranges(type.shape), at, state.load(held[spare.number], at)))
    buffers = [state.buffers[name] for name in (*held, *spares, *read)]
    outside = {view.name for view in buffers}
    free = tuple([name for name in _touched(body.steps) if name not in outside and name in state.buffers])
    for name in free:  # made by the round, for itself
        body.buffers[name] = state.buffers.pop(name)
    views = tuple([BufferView(one.name, one.shape, one.strides) for one in buffers])
    moves, homes = found.moves(), tuple([held[place] for place in fixed])
    attributes = (
        ("body", body), ("index", node["index"]), ("extent", node["extent"]), ("go", held[0] if node["conditional"] else None),
        ("apart", False),
        ("moves", moves), ("settled", tuple([name for name, _ in moves if name not in (*spares, *homes)])), ("homes", homes),
    )  # fmt: skip
    state.steps.append(LibraryCall("loop", views[: carried + len(spares)], views, attributes))
    for place, other in alive.items():
        state.stored[other] = held[place]


def _home(state: Lowering, before: Node, after: Node | None, made: Node) -> str:
    """The buffer of a carried value, holding what it is before the first round."""
    type = made.type
    home = state.homes.get(after) if after is not None else None
    if home is not None and state.stored.get(before) == home:
        return home
    name = home if home is not None else state.add_buffer(state.fresh("t"), type.dtype, type.shape, "temporary")
    at = indices(len(type.shape))
    state.steps.append(Definition(name, state.ranges(type.shape), at, state.read(before, at)))
    return name


def _round(
    state: Lowering, region: Graph, places: list[str], carried: int, lower_all: LowerAll, fixed: dict[int, int]
) -> tuple[LoopProgram, Places]:
    """The program of one round; its steps write the carried buffers, and where each value of the next round is."""
    inner = Lowering(region)
    inner.interner, inner.buffers, inner.counts = state.interner, state.buffers, state.counts
    inner.stored = dict(zip(region.inputs, places, strict=True))
    found = Places(state, inner, region, evaluation_order(region.roots), places[:carried], fixed)
    found.find()
    spares = [spare.buffer for spare in found.spares]
    inner.carried = frozenset((*places[:carried], *spares))
    inner.homes.update(found.homes)
    lower_all(inner, topological(region.roots, found.operands_of))
    late: list[tuple[str, str]] = []
    for number, made in enumerate(region.outputs):
        place = found.claims.get(number, places[number])
        if inner.stored.get(made) == place:
            continue
        if place in spares:
            at = indices(len(made.type.shape))
            inner.steps.append(Definition(place, inner.ranges(made.type.shape), at, inner.read(made, at)))
        else:
            late.append((place, _complete(inner, made, inner.carried)))
    for place, source in late:
        shape = state.buffers[place].shape
        at = indices(len(shape))
        inner.steps.append(Definition(place, inner.ranges(shape), at, inner.load(source, at)))
    checks = tuple([inner.stored[node] for node in region.checks])
    used = dict.fromkeys((*places, *spares))
    buffers: dict[str, Buffer] = {name: state.buffers[name] for name in used}
    outputs = tuple(dict.fromkeys((*places[:carried], *spares)))
    return LoopProgram(state.interner, buffers, tuple(inner.steps), outputs, checks=checks), found


def _complete(inner: Lowering, made: Node, carried: frozenset[str]) -> str:
    """A buffer with a carried value's next state, apart from those that hold the present ones."""
    name = inner.stored.get(made)
    if name is not None and name not in carried and inner.buffers[name].role in ("temporary", "constant"):
        return name
    shape = made.type.shape
    at = indices(len(shape))
    name = inner.add_buffer(inner.fresh("t"), made.type.dtype, shape, "temporary")
    inner.steps.append(Definition(name, inner.ranges(shape), at, inner.read(made, at)))
    return name


def _touched(steps: tuple[Definition | LibraryCall, ...]) -> list[str]:
    """The buffers that steps read or write."""
    found: dict[str, None] = {}
    for step in steps:
        if isinstance(step, LibraryCall):
            found.update(dict.fromkeys([view.buffer for view in (*step.operands, *step.outs)]))
            continue
        found[step.buffer] = None
        for node in subexpressions((step.body, *step.indirect)):
            if node.op == "load":
                found[node["buffer"]] = None
    return list(found)
