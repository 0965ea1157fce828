"""Values that several passes over a row need: kept from the first pass on (in a result that is written later, in a tile) or made again."""

from __future__ import annotations

from staxlang.base.records import record
from staxlang.base.sizes import Size, symbol
from staxlang.base.types import element_count, row_major_strides
from staxlang.compiler.loops.assemble import Pass, Plan, Write
from staxlang.compiler.loops.expressions import Expressions, subexpressions
from staxlang.compiler.loops.ir import Buffer
from staxlang.compiler.node import Node

# From this cost on (in instructions) a value is kept rather than made again.
WORTH_KEEPING = 8
# Bytes of a tile for one kept value.
TILE_BYTES = 32 << 10


@record
class Kept:
    """A value that stays in memory between passes."""

    node: Node
    buffer: str
    first: int  # number of the pass that makes it


def keep_values(plan: Plan, ex: Expressions, tiles: list[Buffer] | None, streaming: frozenset[str] = frozenset()) -> list[Kept]:
    """Changes the plan's passes so that costly values are made once a row; `tiles` takes new tiles, None where there may be none.

    A result in `streaming` gets no values that are read again if a tile can have them: what is written into a result first is fetched
    for it from memory, which is half as many bytes again.
    """
    kept: list[Kept] = []
    places = [number for number, one in enumerate(plan.passes) if one.inner]
    for at, number in enumerate(places):
        for later in places[at + 1 :]:
            for node in _shared(plan.passes[number], plan.passes[later], ex):
                made = _keep(plan, number, node, ex, tiles, streaming)
                if made is not None:
                    kept.append(made)
    return kept


def _shared(first: Pass, later: Pass, ex: Expressions) -> list[Node]:
    """The largest costly values of the later pass that the first one computes, too."""
    if first.inner != later.inner:
        return []
    known = set(subexpressions(first.roots()))
    found: dict[Node, None] = {}
    seen: set[Node] = set()

    def visit(node: Node) -> None:
        if node in seen or node.op == "load" or ex.free(node).isdisjoint(first.names):
            return
        seen.add(node)
        if node in known and ex.cost(node) - len(ex.loads(node)) >= WORTH_KEEPING:
            found[node] = None
            return
        for operand in node.operands:
            visit(operand)

    for root in later.roots():
        visit(root)
    return list(found)


def _keep(
    plan: Plan, number: int, node: Node, ex: Expressions, tiles: list[Buffer] | None, streaming: frozenset[str]
) -> Kept | None:
    one = plan.passes[number]
    later = [k for k, other in enumerate(plan.passes) if k > number and other.inner == one.inner]
    uses = [k for k in later if node in set(subexpressions(plan.passes[k].roots()))]
    if not uses:  # it went into a larger value that was kept before
        return None
    place, result = _written(one, node), _later_result(plan, number, uses[-1], node, ex)
    if place is None and (result is None or result[0] in streaming):
        place = _tile(one, node, ex, tiles)
    place = place or result
    if place is None:
        return None
    buffer, subscripts = place
    if all(write.buffer != buffer for write in one.writes):
        one.writes.append(Write(buffer, subscripts, node))
    load = ex.load(buffer, subscripts)
    for k in uses:
        other = plan.passes[k]
        memo: dict[Node, Node] = {}
        for item in (*other.reductions, *other.writes):
            item.value = ex.replace(item.value, {node: load}, memo)
    return Kept(node, buffer, number)


def _written(one: Pass, node: Node) -> tuple[str, tuple[Size, ...]] | None:
    """A result of the pass that is just this value."""
    return next(((write.buffer, write.subscripts) for write in one.writes if write.value is node), None)


def _later_result(plan: Plan, number: int, last: int, node: Node, ex: Expressions) -> tuple[str, tuple[Size, ...]] | None:
    """A result that a later pass writes at the same points: until then it has room for the value."""
    used = {load["buffer"] for one in plan.passes for root in one.roots() for load in ex.loads(root)}
    used |= {write.buffer for one in plan.passes[: last] for write in one.writes}
    for k, one in enumerate(plan.passes[last:], last):
        for place, write in enumerate(one.writes if one.inner == plan.passes[number].inner else ()):
            fits = ex.buffers[write.buffer].dtype is node.type and write.buffer not in used
            if fits and (k > last or not _is_read_after(one, place, node)):
                return write.buffer, write.subscripts
    return None


def _is_read_after(one: Pass, place: int, node: Node) -> bool:
    """Does the pass need the value when it has made the write at a place in its order?"""
    return node in set(subexpressions([*(write.value for write in one.writes[place + 1 :]), *(item.value for item in one.reductions)]))


def _tile(one: Pass, node: Node, ex: Expressions, tiles: list[Buffer] | None) -> tuple[str, tuple[Size, ...]] | None:
    shape = tuple([extent for _, extent in one.inner])
    count = element_count(shape)
    if tiles is None or not isinstance(count, int) or count * node.type.itemsize > TILE_BYTES:
        return None
    if sum([element_count(tile.shape) * tile.dtype.itemsize for tile in tiles]) + count * node.type.itemsize > 2 * TILE_BYTES:
        return None
    name = ex.fresh("tile")
    tile = ex.buffers[name] = Buffer(name, node.type, shape, row_major_strides(shape), "temporary")
    tiles.append(tile)
    return name, tuple([symbol(index) for index, _ in one.inner])
