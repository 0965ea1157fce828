"""Passes become nests of loops: vector axis and width, blocks for long sums, values that do not change in the loop taken out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, minimum, symbol
from staxlang.compiler.loops.assemble import Pass, Reduction, Write
from staxlang.compiler.loops.expressions import Expressions, extent_of, replace_symbols, subexpressions
from staxlang.compiler.loops.ir import Accumulator, Let, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import accesses_of, memory_order, merged
from staxlang.compiler.loops.openings import FINDING, is_search
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# Floating sums are made of sums of blocks of this many elements, so that rounding errors grow with the number of blocks and with
# the steps of one lane in a block, not with the length.
BLOCK = 4096
_BLOCKED_KINDS = frozenset(("sum", "prod"))
_NO_HOIST = frozenset(("const", "local", "size"))


class Scope:
    """The statements of one level of a kernel, with what is already bound there."""

    __slots__ = ("bound", "ex", "statements", "target")

    def __init__(self, ex: Expressions, target: Target) -> None:
        self.ex, self.target = ex, target
        self.statements: list[Statement] = []
        self.bound: dict[Node, Node] = {}

    def hoisted(self, roots: Sequence[Node], inner: frozenset[str]) -> list[Node]:
        """The roots with what does not depend on the inner indices bound before the loop, once."""
        table: dict[Node, Node] = {}
        seen: set[Node] = set()
        for root in roots:
            self._find(root, inner, table, seen)
        memo: dict[Node, Node] = {}
        return [self.ex.replace(root, table, memo) for root in roots] if table else list(roots)

    def _find(self, node: Node, inner: frozenset[str], table: dict[Node, Node], seen: set[Node]) -> None:
        if node in seen or node.op in _NO_HOIST:
            return
        seen.add(node)
        if self.ex.free(node).isdisjoint(inner):
            found = self.bound.get(node)
            if found is None:
                name = self.ex.fresh("v")
                self.statements.append(Let(name, node))
                found = self.bound[node] = self.ex.local(name, node.type)
            table[node] = found
            return
        # Loads behind a guard may only run where it holds, so nothing is taken out from there.
        for operand in node.operands[:1] if node.op == "guard" else node.operands:
            self._find(operand, inner, table, seen)


def accumulator(one: Reduction, value: Node, position: Size, name: str = "") -> Accumulator:
    """A reduction's accumulator; argmin and argmax give a place."""
    return Accumulator(name or one.name, one.kind, I64 if one.kind in FINDING else one.dtype, value, position)


def in_order(one: Pass, ex: Expressions) -> Pass:
    """The pass with its inner axes in order of memory, merged where all accesses allow.

    Where a place is found, that of the first of equal values, the walk keeps to the order of places.
    """
    accesses = accesses_of(one.roots(), one.stores(), one.names, ex)
    ranges, mapping = merged(one.inner if finds(one) else memory_order(one.inner, accesses), accesses, ex)
    return moved(one, ranges, mapping, ex)


def finds(one: Pass) -> bool:
    return any(reduction.kind in FINDING for reduction in one.reductions)


def finds_out_of_order(one: Pass, ex: Expressions) -> bool:
    """Whether a pass finds a place and would rather walk in another order than that of places."""
    if len(one.inner) < 2 or not finds(one):
        return False
    accesses = accesses_of(one.roots(), one.stores(), one.names, ex)
    return memory_order(one.inner, accesses) != one.inner


def add_pass(scope: Scope, one: Pass, streaming: frozenset[str] = frozenset(), window: tuple[Size, Size] | None = None) -> None:
    """Adds the statements of a pass: over its inner axes (already in order), or once.

    `window` (start, extent) restricts the outermost inner axis.
    """
    ex = scope.ex
    if not one.inner:
        for write in one.writes:
            scope.statements.append(Store(write.buffer, write.subscripts, write.value))
        return
    positions = [r for r in one.reductions if r.kind in ("argmin", "argmax")]
    if positions and needs_blocks(one.inner, one.reductions):  # a position is found in one walk, a long sum in blocks
        add_pass(scope, Pass(one.level, one.inner, positions), streaming, window)
        one = Pass(one.level, one.inner, [r for r in one.reductions if r not in positions], one.writes)
    values = scope.hoisted(one.roots(), one.names)
    reductions = [Reduction(r.name, r.kind, r.dtype, v, r.position) for r, v in zip(one.reductions, values, strict=False)]
    writes = [Write(w.buffer, w.subscripts, v) for w, v in zip(one.writes, values[len(reductions) :], strict=True)]
    stores = tuple([Store(w.buffer, w.subscripts, w.value, streaming=w.buffer in streaming) for w in writes])
    width, unroll = vector_shape(_in_lanes(values, one), len(one.reductions), one.inner[-1][1], ex, scope.target)
    loops = [Loop(name, extent) for name, extent in one.inner]
    if window is not None:
        loops[0] = Loop(loops[0].index, window[1], start=window[0])
    last = loops[-1]
    loops[-1] = Loop(last.index, last.extent, "vector", last.start, width, unroll)
    accumulators = tuple([accumulator(r, r.value, r.position) for r in reductions])
    if needs_blocks(one.inner, reductions):
        scope.statements.append(_in_blocks(loops, accumulators, stores, ex))
    else:
        scope.statements.append(Nest(tuple(loops), stores, accumulators))


def _in_lanes(values: Sequence[Node], one: Pass) -> Sequence[Node]:
    """What a pass computes in lanes: of a search for the first place, the condition alone."""
    if len(values) > 1 or len(one.inner) > 1 or [r.kind for r in one.reductions] != ["min"]:
        return values
    return (values[0].operands[0],) if is_search(values[0]) else values


def in_place_last(
    writes: Sequence[Write], values: Sequence[Node], streaming: frozenset[str], ex: Expressions
) -> tuple[Let | Store, ...]:
    """The stores; where one of them overwrites what another one reads, all values are made before the first store."""
    written = {write.buffer for write in writes}
    first: list[Let | Store] = []
    if len(writes) > 1 and any(load["buffer"] in written for value in values for load in ex.loads(value)):
        names = [ex.fresh("v") for _ in values]
        first = [Let(name, value) for name, value in zip(names, values, strict=True)]
        values = [ex.local(name, value.type) for name, value in zip(names, values, strict=True)]
    stores = [Store(w.buffer, w.subscripts, v, streaming=w.buffer in streaming) for w, v in zip(writes, values, strict=True)]
    return (*first, *stores)


def moved(one: Pass, ranges: tuple[Range, ...], mapping: dict[str, Size], ex: Expressions) -> Pass:
    """The pass over other indices."""
    if not mapping:
        return one if ranges == one.inner else Pass(one.level, ranges, one.reductions, one.writes)
    memo: dict[Node, Node] = {}
    ranges = tuple([(name, replace_symbols(extent, mapping)) for name, extent in ranges])
    reductions = [moved_reduction(r, mapping, ex, memo) for r in one.reductions]
    writes = [moved_write(w, mapping, ex, memo) for w in one.writes]
    return Pass(one.level, ranges, reductions, writes)


def moved_reduction(one: Reduction, mapping: dict[str, Size], ex: Expressions, memo: dict[Node, Node]) -> Reduction:
    where = one.where if one.where is None else ex.substitute(one.where, mapping, memo)
    return Reduction(one.name, one.kind, one.dtype, ex.substitute(one.value, mapping, memo), replace_symbols(one.position, mapping), where)


def moved_write(write: Write, mapping: dict[str, Size], ex: Expressions, memo: dict[Node, Node]) -> Write:
    subscripts = tuple([replace_symbols(s, mapping) for s in write.subscripts])
    return Write(write.buffer, subscripts, ex.substitute(write.value, mapping, memo))


def _in_blocks(loops: list[Loop], accumulators: tuple[Accumulator, ...], stores: tuple[Store, ...], ex: Expressions) -> Nest:
    """The loops in blocks of about BLOCK points: sums of blocks, then the sum of those."""
    inner: list[Accumulator] = []
    total: list[Accumulator] = []
    for one in accumulators:
        part = ex.fresh(f"{one.kind}_part")
        inner.append(Accumulator(part, one.kind, one.dtype, one.value))
        kind = "sum" if one.kind == "count" else one.kind
        total.append(Accumulator(one.name, kind, one.dtype, ex.local(part, one.dtype)))
    *outer, last = loops
    block = ex.fresh("b")
    if outer and isinstance(last.extent, int) and last.extent <= BLOCK:  # some of the outermost axis' points with all of the inner ones
        first, *rest = outer
        rows = max(1, BLOCK // max(1, last.extent * _static(rest)))
        start = symbol(block) * rows
        within = (Loop(first.index, part_of(first.extent, start, rows), start=start + first.start), *rest, last)
        return Nest((Loop(block, -(-first.extent // rows)),), (Nest(within, stores, tuple(inner)),), tuple(total))
    start = symbol(block) * BLOCK
    vector = Loop(last.index, part_of(last.extent, start, BLOCK), "vector", start + last.start, last.width, last.unroll)
    return Nest((*outer, Loop(block, -(-last.extent // BLOCK))), (Nest((vector,), stores, tuple(inner)),), tuple(total))


def _static(loops: Iterable[Loop]) -> int:
    total = 1
    for loop in loops:
        total *= loop.extent if isinstance(loop.extent, int) else 64
    return total


def needs_blocks(ranges: tuple[Range, ...], reductions: Sequence[Reduction]) -> bool:
    """Whether a floating sum may get so long that it is made in blocks."""
    if not any(one.kind in _BLOCKED_KINDS and one.dtype.kind in "fc" for one in reductions):
        return False
    extent = extent_of(ranges)
    return not isinstance(extent, int) or extent > 2 * BLOCK


def part_of(extent: Size, start: Size, length: Size) -> Size:
    """How many of `extent` points a block of `length` points from `start` has; a constant where all blocks are whole."""
    if isinstance(extent, int) and isinstance(length, int) and extent % length == 0:
        return length
    return minimum(length, extent - start)


def vector_shape(values: Sequence[Node], reductions: int, extent: Size, ex: Expressions, target: Target) -> tuple[int, int]:
    """Lanes and copies of them for a vector loop of this extent with so many reductions."""
    widest, cost = max([1, *[value.type.itemsize for value in values]]), 0
    for node in subexpressions(values):
        if node.op not in ("size", "const", "local"):
            widest = max(widest, node.type.itemsize)
            cost += ex.cost(node) - sum([ex.cost(operand) for operand in node.operands])
    width = target.lanes(widest)
    if reductions:
        # Two copies of a costly body do not fit into 16 registers: their constants would be loaded again and again.
        unroll = 4 if cost <= 12 and reductions == 1 else 2 if cost <= (30 if target.registers > 16 else 12) and reductions <= 2 else 1
    else:
        unroll = 2 if cost <= 6 else 1
    if isinstance(extent, int):
        while width > 1 and width // 2 >= extent:
            width //= 2
        while unroll > 1 and width * (unroll // 2) >= extent:
            unroll //= 2
    return width, unroll
