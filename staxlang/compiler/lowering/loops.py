"""Loops that stay in the program: each carried value gets a buffer that lives through all rounds, and a round is a program of its own.

A round writes a carried value where it lies if everything that reads the old one is done by then; else it goes through a temporary, and is
copied at the round's end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.compiler.graph import Graph, topological, users
from staxlang.compiler.kept_loops import loop_key
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Buffer, BufferView, Definition, LibraryCall, LoopProgram
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.lowering.updates import (
    COMPLETE,
    NEVER_WRITTEN,
    UPDATE_OPS,
    evaluation_order,
    readers_through_views,
    reads_only_at,
    written_base,
)
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
    body = _round(state, region, held + read, carried, lower_all)
    buffers = [state.buffers[name] for name in (*held, *read)]
    outside = {view.name for view in buffers}
    free = tuple([name for name in _touched(body.steps) if name not in outside and name in state.buffers])
    for name in free:  # made by the round, for itself
        body.buffers[name] = state.buffers.pop(name)
    views = tuple([BufferView(one.name, one.shape, one.strides) for one in buffers])
    attributes = (("body", body), ("index", node["index"]), ("extent", node["extent"]), ("go", held[0] if node["conditional"] else None))
    state.steps.append(LibraryCall("loop", views[:carried], views, attributes))
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


def _round(state: Lowering, region: Graph, places: list[str], carried: int, lower_all: LowerAll) -> LoopProgram:
    """The program of one round; its steps write the carried buffers."""
    inner = Lowering(region)
    inner.interner, inner.buffers, inner.counts = state.interner, state.buffers, state.counts
    inner.stored = dict(zip(region.inputs, places, strict=True))
    inner.carried = frozenset(places[:carried])
    found = _Places(inner, region, evaluation_order(region.roots))
    found.find(places[:carried])
    inner.homes.update(found.homes)
    lower_all(inner, topological(region.roots, found.operands_of))
    late: list[tuple[str, str]] = []
    for place, made in zip(places[:carried], region.outputs, strict=True):
        if inner.stored.get(made) == place:
            continue
        late.append((place, _complete(inner, made, places[:carried])))
    for place, source in late:
        shape = state.buffers[place].shape
        at = indices(len(shape))
        inner.steps.append(Definition(place, inner.ranges(shape), at, inner.load(source, at)))
    checks = tuple([inner.stored[node] for node in region.checks])
    used = dict.fromkeys(places)
    buffers: dict[str, Buffer] = {name: state.buffers[name] for name in used}
    return LoopProgram(state.interner, buffers, tuple(inner.steps), tuple(dict.fromkeys(places[:carried])), checks=checks)


def _complete(inner: Lowering, made: Node, carried: list[str]) -> str:
    """A buffer with a carried value's next state, apart from those that hold the present ones."""
    name = inner.stored.get(made)
    if name is not None and name not in carried and inner.buffers[name].role in ("temporary", "constant"):
        return name
    shape = made.type.shape
    at = indices(len(shape))
    name = inner.add_buffer(inner.fresh("t"), made.type.dtype, shape, "temporary")
    inner.steps.append(Definition(name, inner.ranges(shape), at, inner.read(made, at)))
    return name


class _Places:
    """Which values of a round are made over older states of what the loop carries, and what has to be made before them."""

    def __init__(self, inner: Lowering, region: Graph, order: list[Node]) -> None:
        self.inner, self.region = inner, region
        self.readers = users(order)
        self.first: dict[Any, tuple[Node, ...]] = {}  # of a node that writes over a value (or a loop): what else reads that
        self.homes: dict[Node, str] = {}

    def operands_of(self, node: Node) -> tuple[Node, ...]:
        own = node.operands[::-1] if node.op in UPDATE_OPS else node.operands
        return (*self.first.get(_step(node), ()), *own)

    def find(self, places: list[str]) -> None:
        for parameter, made, place in zip(self.region.inputs, self.region.outputs, places, strict=False):
            before = dict(self.first)
            chain = self._chain(parameter, made) if self.region.outputs.count(made) == 1 else None
            if chain is None or any(one in self.homes for one in chain):
                self.first = before
            else:
                self.homes.update(dict.fromkeys(chain, place))

    def _chain(self, parameter: Node, made: Node) -> list[Node] | None:
        """The nodes from a carried value's next state back to what is written over the present one; None where that is still needed."""
        chain: list[Node] = []
        node = made
        while node.op in UPDATE_OPS or node.op == "loop":
            base = written_base(node)
            if base is parameter:
                return [*chain, node] if self._free(base, node) else None
            if base.op in NEVER_WRITTEN or base in self.inner.roots or not self._free(base, node):
                break
            chain.append(node)
            node = base
        if node.op in NEVER_WRITTEN or (parameter in self.readers and not self._free(parameter, node)):
            return None
        return [*chain, node]

    def _free(self, base: Node, node: Node) -> bool:
        """Whether `node` may write over `base`: everything else that reads it can be made before. (So can an update's new part, where it
        reads more than it writes.)"""
        found = readers_through_views(base, self.readers, self.inner.roots)
        if found is None or base in self.region.outputs:
            return False
        if node.op == "loop":
            found = {reader for reader in found if _step(reader) != _step(node)}
            places = [place for place, operand in enumerate(node.operands) if _viewed(operand) is base]
            if places and (places != [node["result"]] or node.operands[places[0]] is not base):
                return False
        others = tuple([reader for reader in self.readers if reader in found and reader is not node])
        if any(_step(one) == _step(node) for one in topological(others, self.operands_of)):
            return False
        if not self._reads_as_it_writes(base, node):
            return False
        self.first[_step(node)] = (*self.first.get(_step(node), ()), *others)
        return True

    def _reads_as_it_writes(self, base: Node, node: Node) -> bool:
        if node.op == "loop":
            return True
        if node.op == "scatter":
            return self.readers[base].count(node) == 1 and node.operands[0] is base
        if node.op == "update":
            if not reads_only_at(node.operands[1], base, node["subscripts"], indices(len(node["shape"])), set()):
                self.inner.parts_first.add(node)
            return True
        if node.op in COMPLETE:
            return base not in topological(node.operands)
        at = indices(len(node.type.shape))
        return reads_only_at(node, base, at, at, set())


def _viewed(node: Node) -> Node:
    while node.op == "view":
        node = node.operands[0]
    return node


def _step(node: Node) -> Any:
    """What is made in one step with a node: itself, or all results of a loop."""
    return loop_key(node) if node.op == "loop" else node


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
