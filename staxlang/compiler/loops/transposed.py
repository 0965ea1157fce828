"""Pointwise kernels some of whose operands lie the other way round: those operands are turned in blocks that stay in cache."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.records import record
from staxlang.base.sizes import Size, symbol
from staxlang.base.types import element_count
from staxlang.compiler.loops.assemble import Write
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Buffer, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import Access, access_of, guess, unravelled
from staxlang.compiler.loops.nests import Scope, in_place_last, moved_write, part_of, vector_shape
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# A block is so many points along the axis that vectors run along, and so many bytes along the other one.
ALONG = 128
ACROSS_BYTES = 256
LINE = ALONG + 16  # elements from one of a tile's lines to the next: they fall into different sets of the cache
# Operands smaller than this (bytes) are gathered.
SMALL = 1 << 10


@record
class Crossing:
    """The axis along which crossing loads are contiguous, and those loads."""

    axis: str
    loads: tuple[Node, ...]


def find_crossing(writes: Sequence[Write], ranges: Sequence[Range], ex: Expressions) -> Crossing | None:
    """Loads that jump along the last axis but are contiguous along another one; None where there are none worth a block."""
    names = frozenset([name for name, _ in ranges])
    last = ranges[-1][0]
    found: dict[str, dict[Node, None]] = {}
    written = {write.buffer for write in writes}
    for node in dict.fromkeys([node for write in writes for node in unguarded_loads(write.value)]):
        access = access_of(node, names, ex)
        axis = _crosses(access, last, [name for name, _ in ranges[:-1]])
        size = element_count(ex.buffers[node["buffer"]].shape)
        if axis is not None and node["buffer"] not in written and not (isinstance(size, int) and size * access.itemsize < SMALL):
            found.setdefault(axis, {})[node] = None
    if not found:
        return None
    axis = max(found, key=lambda name: len(found[name]))
    return Crossing(axis, tuple(found[axis]))


def _crosses(access: Access, last: str, others: Sequence[str]) -> str | None:
    if access.steps is None or last not in access.steps or abs(guess(access.steps[last])) < 8:
        return None
    return next((name for name in others if access.steps.get(name) in (1, -1)), None)


def unguarded_loads(root: Node) -> list[Node]:
    """Direct loads that run at every point."""
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op == "load":
            if not node.operands:
                found[node] = None
            continue
        stack += node.operands[:1] if node.op == "guard" else node.operands
    return list(found)


def crossed_body(
    writes: list[Write], ranges: tuple[Range, ...], crossing: Crossing, ex: Expressions, target: Target, tiles: list[Buffer],
    streaming: frozenset[str],
) -> tuple[Statement, ...]:  # fmt: skip
    """Blocks in parallel; in each the crossing operands are read along their own lines into tiles that lie as the results do."""
    extents = dict(ranges)
    last, along = ranges[-1]
    across = extents[crossing.axis]
    width = max(8, ACROSS_BYTES // max([node.type.itemsize for node in crossing.loads]))
    rest = tuple([one for one in ranges if one[0] not in (crossing.axis, last)])
    walk = (*rest, ("across", -(-across // width)), ("along", -(-along // ALONG)))
    block = ex.fresh("p")
    place = unravelled(symbol(block), walk)
    starts = {crossing.axis: place.pop("across") * width, last: place.pop("along") * ALONG}
    memo: dict[Node, Node] = {}
    writes = [moved_write(write, place, ex, memo) for write in writes]
    loops = {
        crossing.axis: Loop(crossing.axis, part_of(across, starts[crossing.axis], width), start=starts[crossing.axis]),
        last: Loop(last, part_of(along, starts[last], ALONG), start=starts[last]),
    }
    scope = Scope(ex, target)
    copies: list[Store] = []
    table: dict[Node, Node] = {}
    for node in crossing.loads:
        load = ex.substitute(node, place)
        name = ex.fresh("tile")
        ex.buffers[name] = Buffer(name, node.type, (width, LINE), (LINE, 1), "temporary")
        tiles.append(ex.buffers[name])
        at = (symbol(crossing.axis) - starts[crossing.axis], symbol(last) - starts[last])
        copies.append(Store(name, at, load))
        table[load] = ex.load(name, at)
    scope.statements += [Nest((loops[last], _vector(loops[crossing.axis], (copy.value,), width, ex, target)), (copy,)) for copy in copies]
    memo = {}
    values = scope.hoisted([ex.replace(write.value, table, memo) for write in writes], frozenset(loops))
    stores = in_place_last(writes, values, streaming, ex)
    scope.statements.append(Nest((loops[crossing.axis], _vector(loops[last], values, ALONG, ex, target)), stores))
    return (Nest((Loop(block, extent_of(walk), "parallel"),), tuple(scope.statements)),)


def _vector(loop: Loop, values: Sequence[Node], extent: Size, ex: Expressions, target: Target) -> Loop:
    lanes, unroll = vector_shape(values, 0, extent, ex, target)
    return Loop(loop.index, loop.extent, "vector", loop.start, lanes, unroll)

