"""Plans become kernels whose outer loop is parallel: pointwise kernels as flat walks in chunks, row kernels with passes inside a row."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.assemble import Plan, Write
from staxlang.compiler.loops.borders import parts_of
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Buffer, Loop, Nest, Range, Statement
from staxlang.compiler.loops.layout import accesses_of, memory_order, merged, unravelled
from staxlang.compiler.loops.nests import (
    Scope,
    add_pass,
    in_order,
    in_place_last,
    moved,
    moved_reduction,
    moved_write,
    part_of,
    vector_shape,
)  # fmt: skip
from staxlang.compiler.loops.periodic import find_periodic, periodic_body
from staxlang.compiler.loops.periods import without_periods
from staxlang.compiler.loops.transposed import crossed_body, find_crossing
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# Points of a flat walk that one parallel iteration handles.
CHUNK = 16384
# With this many iterations the outermost axis alone keeps the threads busy.
MANY = 64


def flat_body(
    plan: Plan, ex: Expressions, target: Target, streaming: frozenset[str], tiles: list[Buffer]
) -> tuple[Statement, ...]:
    """Pointwise definitions over the same points: axes merged, the last one in vectors."""
    writes, axes = without_periods([write for one in plan.passes for write in one.writes], plan.outer, ex)
    accesses = accesses_of([w.value for w in writes], [(w.buffer, w.subscripts) for w in writes], [name for name, _ in axes], ex)
    ranges, mapping = merged(memory_order(axes, accesses), accesses, ex)
    if mapping:
        memo: dict[Node, Node] = {}
        writes = [moved_write(write, mapping, ex, memo) for write in writes]
    if not ranges:
        return in_place_last(writes, [w.value for w in writes], frozenset(), ex)
    parts = parts_of(writes, ranges, ex)
    return tuple([statement for part, inside in parts for statement in _flat(part, inside, ex, target, streaming, tiles)])


def _flat(
    writes: list[Write], ranges: tuple[Range, ...], ex: Expressions, target: Target, streaming: frozenset[str], tiles: list[Buffer]
) -> tuple[Statement, ...]:
    *rest, (name, extent) = ranges
    crossing = find_crossing(writes, ranges, ex) if rest else None
    if crossing is not None:
        return crossed_body(writes, ranges, crossing, ex, target, tiles, streaming)
    repeated = find_periodic(writes, ranges, ex, target) if rest else None
    if repeated is not None:
        return periodic_body(writes, ranges, repeated, ex, target, tiles, streaming)
    scope = Scope(ex, target)
    outer, start, length, mapping = flat_loops(rest, name, extent, ex)
    if mapping:
        memo: dict[Node, Node] = {}
        writes = [moved_write(write, mapping, ex, memo) for write in writes]
    values = scope.hoisted([w.value for w in writes], frozenset((name,)))
    stores = in_place_last(writes, values, streaming, ex)
    width, unroll = vector_shape(values, 0, extent, ex, target)
    vector = Loop(name, length, "vector", start, width, unroll)
    if not scope.statements:
        return (Nest((*outer, vector), stores),)
    inner = Nest((vector,), stores)
    return (Nest(outer, (*scope.statements, inner)),) if outer else (*scope.statements, inner)


def flat_loops(
    rest: Sequence[Range], name: str, extent: Size, ex: Expressions
) -> tuple[tuple[Loop, ...], Size, Size, dict[str, Size]]:
    """(outer loops, start and extent of the last one, subscripts of the outer axes): the outermost loop is parallel and long enough."""
    short = isinstance(extent, int) and extent <= CHUNK
    if not rest and short:
        return (), 0, extent, {}
    if not short and not _are_many(rest):
        chunk = ex.fresh("c")
        chunks = -(-extent // CHUNK)
        place = symbol(chunk)
        if not rest:
            return (Loop(chunk, chunks, "parallel"),), place * CHUNK, part_of(extent, place * CHUNK, CHUNK), {}
        mapping = unravelled(place, (*rest, ("", chunks)))
        start = mapping.pop("") * CHUNK
        return (Loop(chunk, extent_of(rest) * chunks, "parallel"),), start, part_of(extent, start, CHUNK), mapping
    loops, mapping = outer_loops(rest, ex)
    return loops, 0, extent, mapping


def _are_many(ranges: Sequence[Range]) -> bool:
    if not ranges:
        return False
    extent = extent_of(ranges)
    return not isinstance(extent, int) or extent >= MANY


def outer_loops(ranges: Sequence[Range], ex: Expressions) -> tuple[tuple[Loop, ...], dict[str, Size]]:
    """Loops over rows, the first parallel: a long first axis by itself, else all of them as one walk."""
    if not ranges:
        return (), {}
    first, extent = ranges[0]
    if len(ranges) == 1 or (isinstance(extent, int) and extent >= MANY):
        return (Loop(first, extent, "parallel"), *[Loop(name, size) for name, size in ranges[1:]]), {}
    name = ex.fresh("p")
    return (Loop(name, extent_of(ranges), "parallel"),), unravelled(symbol(name), ranges)


def with_merged_rows(plan: Plan, ex: Expressions) -> Plan:
    """The plan with outer axes merged where every access walks them as one."""
    if len(plan.outer) < 2 or plan.columns:
        return plan
    roots = [root for one in plan.passes for root in one.roots()] + [one.value for one in plan.over]
    stored = [item for one in plan.passes for item in one.stores()]
    outer, mapping = merged(plan.outer, accesses_of(roots, stored, [name for name, _ in plan.outer], ex), ex)
    if not mapping:
        return plan
    memo: dict[Node, Node] = {}
    passes = [moved(one, one.inner, mapping, ex) for one in plan.passes]
    over = [moved_reduction(r, mapping, ex, memo) for r in plan.over]
    made = Plan(outer, passes)
    made.over, made.after = over, plan.after
    return made


def rows_body(plan: Plan, ex: Expressions, target: Target, streaming: frozenset[str]) -> tuple[Statement, ...]:
    """For each row the plan's passes in order; the row stays in cache between them."""
    loops, mapping = outer_loops(plan.outer, ex)
    scope = Scope(ex, target)
    for one in plan.passes:
        add_pass(scope, in_order(moved(one, one.inner, mapping, ex), ex), streaming)
    return (Nest(loops, tuple(scope.statements)),) if loops else tuple(scope.statements)
