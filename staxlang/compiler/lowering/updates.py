"""Updates and scatters: definitions that write a part; whole chains of them in one buffer where nobody needs the older values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size
from staxlang.base.types import element_count
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
FEW = 1024  # elements that are kept without knowing of how many they are a part
_PLAIN = frozenset((*OPERATIONS, "cast", "copy"))


def evaluation_order(roots: tuple[Node, ...]) -> list[Node]:
    """Operands before users; of an update the new part before the base, so that what reads older values comes before they go."""
    return topological(roots, lambda node: node.operands[::-1] if node.op in UPDATE_OPS else node.operands)


def find_homes(state: Lowering, order: list[Node]) -> None:
    """An update writes into its base's buffer where everything that reads the base is done by then. Where its new part reads the base at
    other places than it writes, the part is made first.

    Goes from results backwards, so that a whole chain of updates ends in one buffer.
    """
    readers: dict[Node, list[Node]] | None = None
    places: dict[Node, int] = {}
    renewed = {state.graph.inputs[position] for position, _ in state.graph.updates}
    for node in reversed(order):
        if node.op not in UPDATE_OPS and node.op != "loop":
            continue
        base = written_base(node)
        if base in renewed and node.op != "loop":  # begun in a copy, which `with_updates` puts into its own memory
            readers, places = _surroundings(order) if readers is None else (readers, places)
            _may_write(state, node, base, readers, places)
        if base.op in NEVER_WRITTEN or base in state.roots or state.homes.get(node) in state.carried:
            continue
        if readers is None:
            readers, places = _surroundings(order)
        if _may_write(state, node, base, readers, places) and base not in state.homes:
            state.homes[base] = state.homes[node] = state.buffer_for(node)


def _surroundings(order: list[Node]) -> tuple[dict[Node, list[Node]], dict[Node, int]]:
    return users(order), {one: place for place, one in enumerate(order)}


def written_base(node: Node) -> Node:
    """The value that an update, a scatter or a loop changes."""
    return node.operands[node["result"] if node.op == "loop" else 0]


def _may_write(state: Lowering, node: Node, base: Node, readers: dict[Node, list[Node]], places: dict[Node, int]) -> bool:
    if node.op == "loop":
        found = readers_through_views(base, readers, state.roots)
        if found is None:
            return False
        key = kept_loops.loop_key(node)
        return all(one.op == "loop" and kept_loops.loop_key(one) == key for one in found) and node.operands.count(base) == 1
    if len(readers[base]) == 1:
        return True
    # Who reads the base comes after it in every order: what comes before it need not be looked at.
    began = places[base]
    before = set(topological(node.operands[1:], lambda one: tuple([o for o in one.operands if places[o] > began])))
    late = _late_views(state, base, readers, before | {node})
    if late is None:
        return False
    state.saved_first[node] = late
    if node.op != "update" or not reads_only_at(node.operands[1], base, node["subscripts"], indices(len(node["shape"])), set()):
        state.parts_first.add(node)
    return True


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


def _late_views(state: Lowering, base: Node, readers: dict[Node, list[Node]], before: set[Node]) -> list[Node] | None:
    """The small views of a value through which it is read by others than `before`, to be stored before it changes; None where others
    read more of it, or a view of it is a result."""
    found: list[Node] = []
    waiting = [base]
    while waiting:
        for reader in readers[waiting.pop()]:
            if reader.op != "view":
                if reader not in before:
                    return None
            elif reader in state.roots:
                return None
            elif not _is_small(reader, base):
                waiting.append(reader)
            else:
                through = readers_through_views(reader, readers, state.roots)
                if through is None:
                    return None
                if not through <= before:
                    found.append(reader)
    return found


def _is_small(view: Node, base: Node) -> bool:
    """Whether keeping a view's elements costs much less than keeping all: rows of a matrix, a quarter of the elements."""
    part, shape = view.type.shape, base.type.shape
    count, whole = element_count(part), element_count(shape)
    if isinstance(count, int):
        return 4 * count <= whole if isinstance(whole, int) else count <= FEW
    return any(part == shape[:axis] + shape[axis + 1 :] for axis in range(len(shape)))


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


def _save_first(state: Lowering, node: Node) -> None:
    """What has to be complete before the step that writes."""
    for view in state.saved_first.get(node, ()):
        state.store(view)
    if node in state.parts_first:
        for operand in node.operands[1:]:
            state.store(operand)


def lower_update(state: Lowering, node: Node) -> None:
    """The base's value, then one definition that writes only the part."""
    shape = node["shape"]
    _save_first(state, node)
    body = state.read(node.operands[1], indices(len(shape)))
    buffer = _begin_update(state, node)
    state.steps.append(Definition(buffer, state.ranges(shape), node["subscripts"], body))


def lower_scatter(state: Lowering, node: Node) -> None:
    """The base's value, then one definition with indirect subscripts, run in row-major order: of equal indices the last one wins."""
    base, value, *indexes = node.operands
    shape = value.type.shape
    _save_first(state, node)
    body = state.read(value, indices(len(shape)))
    subscripts, indirect = indexed_subscripts(state, len(base.type.shape), node, tuple(indexes))
    buffer = _begin_update(state, node)
    state.steps.append(Definition(buffer, state.ranges(shape), subscripts, body, node["mode"], indirect))
