"""Kernels that reduce over their own rows (a loss of all rows, sums of columns beside values of rows): chunks of rows in parallel."""

from __future__ import annotations

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, maximum, substitute, symbol
from staxlang.compiler.loops.assemble import Column, Pass, Plan, Reduction, Write
from staxlang.compiler.loops.chunks import CHUNK, add_temporary, combine, make_partials, store_partials
from staxlang.compiler.loops.columns import COMBINE_ROWS, columns_body, neutral
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Buffer, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import unravelled
from staxlang.compiler.loops.nests import Scope, accumulator, add_pass, in_order, moved, part_of, vector_shape
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target


def over_body(plan: Plan, ex: Expressions, target: Target, streaming: frozenset[str], tiles: list[Buffer]) -> tuple[Statement, ...]:
    """Each row's passes and then its part of the reductions over rows; after all rows what follows those."""
    rows = extent_of(plan.outer)
    length = _rows_of_chunk(plan)
    chunks = -(-rows // length)
    chunk, row = ex.fresh("c"), ex.fresh("i")
    fills, grown = _grow_columns(plan, chunk, chunks, ex, target)
    mapping = unravelled(symbol(row), plan.outer)
    scope = Scope(ex, target)
    for one in plan.passes:
        add_pass(scope, in_order(moved(one, one.inner, mapping, ex), ex), streaming)
    memo: dict[Node, Node] = {}
    accumulators = tuple([
        accumulator(r, ex.substitute(r.value, mapping, memo), 0 if r.position == 0 else symbol(row)) for r in plan.over
    ])  # fmt: skip
    after = [Store(write.buffer, write.subscripts, write.value) for ranges, write in plan.after if not ranges]
    if chunks == 1 and not plan.columns:
        return (Nest((Loop(row, rows),), tuple(scope.statements), accumulators), *after)
    start = symbol(chunk) * length
    inside = Nest((Loop(row, part_of(rows, start, length), start=start),), tuple(scope.statements), accumulators)
    partials = make_partials(plan.over, (chunks,), ex)
    body = (*fills, inside, *store_partials(partials, (symbol(chunk),), ex))
    return (
        Nest((Loop(chunk, chunks, "parallel"),), body),
        *combine(partials, (), chunks, target, ex),
        *after,
        *_finish_columns(plan, grown, chunks, ex, target, tiles),
    )


def _rows_of_chunk(plan: Plan) -> Size:
    """So many rows that a chunk has about CHUNK points, more where it has results for columns (shorter rows count as long as the first)."""
    points = 4 * CHUNK if plan.columns else CHUNK
    each = extent_of(max([one.inner for one in plan.passes], key=len, default=()))
    each = substitute(each, dict.fromkeys([name for name, _ in plan.outer], 0))
    return max(1, points // max(1, each)) if isinstance(each, int) else maximum(1, points // maximum(1, each))


def _grow_columns(
    plan: Plan, chunk: str, chunks: Size, ex: Expressions, target: Target
) -> tuple[list[Statement], list[tuple[Column, str]]]:
    """Makes each row add to its chunk's results for the columns; gives what these begin with, and where they are."""
    fills: list[Statement] = []
    grown: list[tuple[Column, str]] = []
    for column in plan.columns:
        one = column.reduction
        part = add_temporary("part", one.dtype, (chunks, *[extent for _, extent in column.ranges]), ex)
        grown.append((column, part))
        here = (symbol(chunk), *[symbol(name) for name, _ in column.one.inner])
        value = ex.cast(one.value, I64) if one.kind == "count" else one.value
        more = ex.make(COMBINE_ROWS[one.kind], (ex.load(part, here), value), one.dtype)
        column.one.writes.append(Write(part, here, more))
        at = (symbol(chunk), *[symbol(name) for name, _ in column.ranges])
        nothing = neutral(one.kind, one.dtype, ex)
        width, unroll = vector_shape((nothing,), 0, column.ranges[-1][1], ex, target)
        loops = [Loop(name, extent) for name, extent in column.ranges]
        loops[-1] = Loop(loops[-1].index, loops[-1].extent, "vector", 0, width, unroll)
        fills.append(Nest(tuple(loops), (Store(part, at, nothing),)))
    return fills, grown


def _finish_columns(
    plan: Plan, grown: list[tuple[Column, str]], chunks: Size, ex: Expressions, target: Target, tiles: list[Buffer]
) -> list[Statement]:
    """The chunks' results for each column combined, and what follows from them."""
    made: list[Statement] = []
    groups: dict[tuple[Range, ...], list[tuple[Column, str]]] = {}
    for column, part in grown:
        groups.setdefault(column.ranges, []).append((column, part))
    for ranges, members in groups.items():
        index = ex.fresh("c")
        at = (symbol(index), *[symbol(name) for name, _ in ranges])
        again: list[Reduction] = []
        for column, part in members:
            one = column.reduction
            again.append(Reduction(one.name, "sum" if one.kind == "count" else one.kind, one.dtype, ex.load(part, at)))
        writes = [write for own, write in plan.after if own == ranges]
        finish = Plan(ranges, [Pass(0, ((index, chunks),), again), Pass(1, (), [], writes)])
        made += columns_body(finish, ranges[-1][0], ex, target, tiles, False)
    return made
