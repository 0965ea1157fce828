"""Updates and scatters: definitions that write a part; whole chains of them in one buffer where nobody needs the older values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size
from staxlang.compiler.graph import topological, users
from staxlang.compiler.loops.ir import Definition
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.lowering.structure import indexed_subscripts
from staxlang.compiler.node import Node
from staxlang.typecheck.views import compose, indices

if TYPE_CHECKING:
    from staxlang.compiler import kept_loops
else:
    kept_loops = deferred("staxlang.compiler.kept_loops")

UPDATE_OPS = frozenset(("update", "scatter"))
NEVER_WRITTEN = frozenset(("view", "input", "parameter", "constant", "constant_array", "scalar", "size", "iota", "place"))
# Their values are steps of their own, complete before a later step writes.
COMPLETE = frozenset(("reduce", "scan", "contract", "extern", "update", "scatter", "loop"))
_PLAIN = frozenset((*OPERATIONS, "cast", "copy"))


def evaluation_order(roots: tuple[Node, ...]) -> list[Node]:
    """Operands before users; of an update the new part before the base, so that what reads older values comes before they go."""
    return topological(roots, lambda node: node.operands[::-1] if node.op in UPDATE_OPS else node.operands)


def find_homes(state: Lowering, order: list[Node]) -> None:
    """An update writes into its base's buffer where everything that reads the base is done by then, and its own new part reads
    the base at no other place than it writes.

    Goes from results backwards, so that a whole chain of updates ends in one buffer.
    """
    readers: dict[Node, list[Node]] | None = None
    places: dict[Node, int] = {}
    for node in reversed(order):
        if node.op not in UPDATE_OPS and node.op != "loop":
            continue
        base = written_base(node)
        if base.op in NEVER_WRITTEN or base in state.roots or state.homes.get(node) in state.carried:
            continue
        if readers is None:
            readers, places = users(order), {one: place for place, one in enumerate(order)}
        if _may_write(state, node, base, readers, places) and base not in state.homes:
            state.homes[base] = state.homes[node] = state.buffer_for(node)


def written_base(node: Node) -> Node:
    """The value that an update, a scatter or a loop changes."""
    return node.operands[node["result"] if node.op == "loop" else 0]


def _may_write(state: Lowering, node: Node, base: Node, readers: dict[Node, list[Node]], places: dict[Node, int]) -> bool:
    found = readers_through_views(base, readers, state.roots)
    if found is None:
        return False
    if node.op == "loop":
        key = kept_loops.loop_key(node)
        return all(one.op == "loop" and kept_loops.loop_key(one) == key for one in found) and node.operands.count(base) == 1
    if len(readers[base]) == 1:
        return True
    # Who reads the base comes after it in every order: what comes before it need not be looked at.
    began = places[base]
    before = set(topological(node.operands[1:], lambda one: tuple([o for o in one.operands if places[o] > began])))
    if node.op != "update" or not all(reader is node or reader in before for reader in found):
        return False
    return reads_only_at(node.operands[1], base, node["subscripts"], indices(len(node["shape"])), set())


def readers_through_views(base: Node, readers: dict[Node, list[Node]], roots: frozenset[Node]) -> set[Node] | None:
    """The nodes that read a value, itself or views of it; None where a view of it is a result."""
    found: set[Node] = set()
    waiting = [base]
    while waiting:
        for reader in readers[waiting.pop()]:
            if reader.op != "view":
                found.add(reader)
            elif reader in roots:
                return None
            else:
                waiting.append(reader)
    return found


Place = tuple[Node, tuple[Size, ...]]


def reads_only_at(node: Node, base: Node, target: tuple[Size, ...], subscripts: tuple[Size, ...], seen: set[Place]) -> bool:
    """Whether a value at `subscripts` reads the base at `target` only, whichever values are computed within one step."""
    if node is base:
        return subscripts == target
    if node.op in COMPLETE or not node.operands or (node, subscripts) in seen:
        return True
    seen.add((node, subscripts))
    if node.op == "view":
        return reads_only_at(node.operands[0], base, target, compose(node["subscripts"], subscripts), seen)
    if node.op in _PLAIN:
        return all(reads_only_at(operand, base, target, subscripts, seen) for operand in node.operands)
    return base not in topological((node,))


def _begin_update(state: Lowering, node: Node) -> str:
    """The buffer that holds the base's value, to be written in part."""
    base = node.operands[0]
    home = state.homes.get(node)
    if home is not None and (state.stored.get(base) == home or node in state.mirrors):
        state.stored[node] = home
    else:
        state.define(node, state.read(base, indices(len(base.type.shape))))
    return state.stored[node]


def lower_update(state: Lowering, node: Node) -> None:
    """The base's value, then one definition that writes only the part."""
    shape = node["shape"]
    if node in state.parts_first:
        state.store(node.operands[1])
    body = state.read(node.operands[1], indices(len(shape)))
    buffer = _begin_update(state, node)
    state.steps.append(Definition(buffer, state.ranges(shape), node["subscripts"], body))


def lower_scatter(state: Lowering, node: Node) -> None:
    """The base's value, then one definition with indirect subscripts, run in row-major order: of equal indices the last one wins."""
    base, value, *indexes = node.operands
    shape = value.type.shape
    body = state.read(value, indices(len(shape)))
    subscripts, indirect = indexed_subscripts(state, len(base.type.shape), node, tuple(indexes))
    buffer = _begin_update(state, node)
    state.steps.append(Definition(buffer, state.ranges(shape), subscripts, body, node["mode"], indirect))
