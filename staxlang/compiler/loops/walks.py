"""Kernels of definitions that read what they, or their neighbours, have made: stage after stage, the points of a stage in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from staxlang.base.records import replace
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.assemble import Plan, Write, assemble
from staxlang.compiler.loops.cluster import Cluster, single
from staxlang.compiler.loops.columns import column_axis, strip_of_columns
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.ir import Buffer, LibraryCall, Loop, Nest, Range, Statement, Store, Walk
from staxlang.compiler.loops.layout import accesses_of
from staxlang.compiler.loops.nests import Scope, add_pass, in_order, moved_write, part_of, vector_shape
from staxlang.compiler.loops.rows import outer_loops
from staxlang.compiler.loops.units import Unit
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

SEALED = "it is made of elements of its own"
# Elements of a contiguous axis along which nothing depends on anything that one thread walks together.
WIDTH = 512
# Lanes that are farther apart in memory, in elements, are no vector: one after the other is quicker.
NEAR = 8

Alone = Callable[[Cluster, frozenset[str]], "tuple[Statement, ...]"]
"""The statements of a cluster, and which buffers it has to write."""


def with_groups(steps: Sequence[Unit | LibraryCall], ex: Expressions) -> list[Unit | Cluster | LibraryCall]:
    """The steps, with units that are one kernel by their making gathered into clusters that nothing joins."""
    made: list[Unit | Cluster | LibraryCall] = []
    for step in steps:
        last = made[-1] if made else None
        if not isinstance(step, Unit) or step.walk is None:
            made.append(step)
        elif isinstance(last, Cluster) and _group(last.units[0]) == step.walk.group:
            made[-1] = replace(last, units=(*last.units, step), cost=last.cost + ex.cost(step.body))
        else:
            made.append(Cluster((step,), (), False, ex.cost(step.body), sealed=SEALED))
    return made


def _group(unit: Unit) -> int:
    return -1 if unit.walk is None else unit.walk.group


def walk_body(cluster: Cluster, alone: Alone, ex: Expressions, target: Target, tiles: list[Buffer]) -> tuple[Statement, ...]:
    """The statements of all stages, one after the other."""
    own = {unit.buffer for unit in cluster.units}
    stages: dict[int, list[Unit]] = {}
    for unit in cluster.units:
        assert unit.walk is not None
        stages.setdefault(unit.walk.stage, []).append(unit)
    made: list[Statement] = []
    for units in stages.values():
        if any(load["buffer"] in own for unit in units for load in ex.loads(unit.body)):
            made += _stage(units, ex, target, tiles)
        else:
            for unit in units:
                made += alone(single(replace(unit, walk=None), ex), frozenset((unit.buffer,)))
    return tuple(made)


def _stage(units: Sequence[Unit], ex: Expressions, target: Target, tiles: list[Buffer]) -> list[Statement]:
    walk = units[0].walk
    assert walk is not None
    ranges = walk.outermost_first(units[0].ranges)
    columns = _columns(units, ranges, walk, ex)
    if columns is not None:
        return _strips(units[0], ranges, columns, ex, target, tiles)
    lanes = None if any(ex.reduces(unit.body) for unit in units) else _lanes(units, ranges, walk, ex)
    outside = [one for one in ranges if one[0] in walk.apart and one != lanes]
    inside = [one for one in ranges if one[0] not in walk.apart and one != lanes]
    loops, mapping = outer_loops(outside, ex)
    serial = tuple([Loop(name, extent) for name, extent in inside])
    if lanes is None:
        body = _points([_moved(unit, mapping, ex) for unit in units], ex, target)
        return [Nest((*loops, *serial), body)] if loops or serial else list(body)
    start: Size = 0
    name, extent = lanes
    length = extent
    if not loops and serial and name in walk.apart and (not isinstance(extent, int) or extent >= 2 * WIDTH):
        chunk = ex.fresh("c")
        start = symbol(chunk) * WIDTH
        length = part_of(extent, start, WIDTH)
        loops = (Loop(chunk, -(-extent // WIDTH), "parallel"),)
    return _vectors(units, mapping, (*loops, *serial), (name, length), start, ex, target)


def _columns(units: Sequence[Unit], ranges: Sequence[Range], walk: Walk, ex: Expressions) -> Range | None:
    """An axis along which nothing depends on anything, and which is the better one to reduce across."""
    unit = units[0]
    if len(units) > 1 or not ex.reduces(unit.body):
        return None
    for one in reversed(ranges):
        if one[0] in walk.apart and column_axis(_plan(unit, (one,), ex), ex) == one[0]:
            return one
    return None


def _plan(unit: Unit, outer: tuple[Range, ...], ex: Expressions) -> Plan:
    """One point of a unit along all of its axes but `outer`."""
    return assemble(Cluster((replace(unit, ranges=outer),), outer, False, 0), frozenset((unit.buffer,)), ex)


def _strips(unit: Unit, ranges: Sequence[Range], columns: Range, ex: Expressions, target: Target, tiles: list[Buffer]) -> list[Statement]:
    """Strips of columns in parallel, each walked in order with a vector of results."""
    strip = ex.fresh("p")
    count, statements = strip_of_columns(_plan(unit, (columns,), ex), columns[0], strip, ex, target, tiles)
    serial = tuple([Loop(name, extent) for name, extent in ranges if name != columns[0]])
    return [Nest((Loop(strip, count, "parallel"), *serial), tuple(statements))]


def _moved(unit: Unit, mapping: dict[str, Size], ex: Expressions) -> Unit:
    if not mapping:
        return unit
    write = moved_write(Write(unit.buffer, unit.subscripts, unit.body), mapping, ex, {})
    return replace(unit, ranges=tuple([one for one in unit.ranges if one[0] not in mapping]), subscripts=write.subscripts, body=write.value)


def _points(units: Sequence[Unit], ex: Expressions, target: Target) -> tuple[Statement, ...]:
    """One point of all units: what it reduces in vectors, then its stores."""
    scope = Scope(ex, target)
    for unit in units:
        plan = assemble(Cluster((unit,), unit.ranges, False, 0), frozenset((unit.buffer,)), ex)
        for one in plan.passes:
            add_pass(scope, in_order(one, ex))
    return tuple(scope.statements)


def _vectors(
    units: Sequence[Unit], mapping: dict[str, Size], loops: tuple[Loop, ...], lanes: Range, start: Size, ex: Expressions, target: Target
) -> list[Statement]:
    name, extent = lanes
    scope = Scope(ex, target)
    memo: dict[Node, Node] = {}
    writes = [moved_write(Write(unit.buffer, unit.subscripts, unit.body), mapping, ex, memo) for unit in units]
    values = scope.hoisted([write.value for write in writes], frozenset((name,)))
    stores = tuple([Store(write.buffer, write.subscripts, value) for write, value in zip(writes, values, strict=True)])
    width, unroll = vector_shape(values, 0, extent, ex, target)
    vector = Loop(name, extent, "vector", start, width, unroll)
    if scope.statements:
        body = (*scope.statements, Nest((vector,), stores))
        return [Nest(loops, body)] if loops else list(body)
    return [Nest((*loops, vector), stores)]


def _lanes(units: Sequence[Unit], ranges: Sequence[Range], walk: Walk, ex: Expressions) -> Range | None:
    """An axis along which nothing depends on anything and every store is contiguous."""
    for name, extent in reversed(ranges):
        if name in walk.order:
            continue
        stores = [(unit.buffer, unit.subscripts) for unit in units]
        accesses = accesses_of((), stores, [name], ex)
        if not all(access.steps is not None and access.steps.get(name) == 1 for access in accesses):
            continue
        read = accesses_of([unit.body for unit in units], (), [name], ex)
        if all(access.steps is None or _is_near(access.steps.get(name, 0)) for access in read):
            return name, extent
    return None


def _is_near(step: Size) -> bool:
    """Whether lanes that are so many elements apart share lines of the cache: else each reads its own, and rows of a power of two drive
    one another out of it."""
    return isinstance(step, int) and abs(step) <= NEAR
