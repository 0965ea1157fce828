"""Pointwise kernels over short rows (pixels and a factor for each channel): walked flat, the row's operands repeated in a tile."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from staxlang.base.sizes import Size, SizeExpression, symbol
from staxlang.compiler.loops.assemble import Write
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.ir import Buffer, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import Access, accesses_of, unravelled
from staxlang.compiler.loops.nests import Scope, in_place_last, moved_write, part_of, vector_shape
from staxlang.compiler.loops.transposed import unguarded_loads
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# A tile holds about this many points, a parallel iteration this many.
PATTERN = 512
CHUNK = 16384


def find_periodic(writes: Sequence[Write], ranges: Sequence[Range], ex: Expressions, target: Target) -> tuple[Node, ...] | None:
    """The loads that repeat with every row; None where rows are long, or something else depends on the place in the row alone."""
    *_, (outer, _), (last, extent) = ranges
    if not isinstance(extent, int) or len(ranges) != 2:
        return None
    lanes = target.lanes(max([write.value.type.itemsize for write in writes]))
    if extent >= 4 * lanes or extent % lanes == 0:
        return None
    found: dict[Node, None] = {}
    for load in dict.fromkeys([load for write in writes for load in unguarded_loads(write.value)]):
        names = ex.free(load)
        if last in names and outer not in names and not load.operands:
            found[load] = None
    memo: dict[Node, Node] = {}
    zeros = {load: ex.const(0, load.type) for load in found}
    rest = [ex.replace(write.value, zeros, memo) for write in writes]
    accesses = accesses_of(rest, [(w.buffer, w.subscripts) for w in writes], (outer, last), ex)
    return tuple(found) if all(_is_flat(access, outer, last, extent) for access in accesses) else None


def _is_flat(access: Access, outer: str, last: str, extent: Size) -> bool:
    if not access.names:
        return True
    return access.steps is not None and access.steps.get(outer, 0) == access.steps.get(last, 0) * extent


def periodic_body(
    writes: Sequence[Write], ranges: Sequence[Range], loads: tuple[Node, ...], ex: Expressions, target: Target, tiles: list[Buffer],
    streaming: frozenset[str],
) -> tuple[Statement, ...]:  # fmt: skip
    """Chunks in parallel: the pattern of the row's operands, then blocks of its length."""
    (outer, rows), (last, extent) = ranges
    assert not isinstance(extent, SizeExpression)
    lanes = target.lanes(max([write.value.type.itemsize for write in writes]))
    unit = lcm(extent, lanes)
    block = unit * max(1, PATTERN // unit)
    length = block * max(1, CHUNK // block)
    total = rows * extent
    chunk, number, point, repeat = ex.fresh("c"), ex.fresh("b"), ex.fresh("i"), ex.fresh("i")
    scope = Scope(ex, target)
    fills: list[Store] = []
    table: dict[Node, Node] = {}
    for load in loads:
        name = ex.fresh("tile")
        tile = ex.buffers[name] = Buffer(name, load.type, (block,), (1,), "temporary")
        tiles.append(tile)
        fills.append(Store(name, (symbol(repeat) * extent + symbol(last),), load))
        table[load] = ex.load(name, (symbol(point),))
    width, _ = vector_shape([store.value for store in fills], 0, extent, ex, target)
    scope.statements.append(Nest((Loop(repeat, block // extent), Loop(last, extent, "vector", 0, width)), tuple(fills)))
    begin = symbol(chunk) * length
    here = part_of(total, begin, length)
    start = symbol(number) * block
    place = begin + start + symbol(point)
    memo: dict[Node, Node] = {}
    moved = [Write(w.buffer, w.subscripts, ex.replace(w.value, table, memo)) for w in writes]
    memo = {}
    moved = [moved_write(write, unravelled(place, ((outer, rows), (last, extent))), ex, memo) for write in moved]
    values = scope.hoisted([write.value for write in moved], frozenset((point, number)))
    stores = in_place_last(moved, values, streaming, ex)
    width, unroll = vector_shape(values, 0, block, ex, target)
    vector = Loop(point, part_of(here, start, block), "vector", 0, width, unroll)
    scope.statements.append(Nest((Loop(number, -(-here // block)), vector), stores))
    return (Nest((Loop(chunk, -(-total // length), "parallel"),), tuple(scope.statements)),)
