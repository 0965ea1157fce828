"""Mean and squared deviations of long data: each chunk's own moments first, in cache, then those of the chunks by their counts.

The formula for parts is that of Chan, Golub and LeVeque (1983): m2 = sum(m2_c) + sum(n_c * (mean_c - mean)^2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from staxlang.base.records import replace
from staxlang.base.sizes import Size, maximum, symbol
from staxlang.compiler.loops.assemble import Pass, Plan, Reduction
from staxlang.compiler.loops.chunks import add_temporary
from staxlang.compiler.loops.cluster import is_few
from staxlang.compiler.loops.columns import column_axis
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import LibraryCall, Range
from staxlang.compiler.loops.layout import accesses_of, memory_order, merged
from staxlang.compiler.loops.nests import part_of
from staxlang.compiler.loops.units import Step, Unit
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# Points of a chunk: it is read twice, the second time from cache.
CHUNK = 16384
# Rows of a chunk where vectors run along a kept axis.
ROWS = 64


def split_moments(steps: Sequence[Step], ex: Expressions, target: Target) -> list[Step]:
    """The steps, with long Welford reductions made of chunks."""
    made: list[Step] = []
    for step in steps:
        if isinstance(step, LibraryCall) or step.walk is not None:
            made.append(step)
            continue
        for node in ex.reduces(step.body):
            length = _chunk_length(step, node, ex, target) if node["kind"] == "welford" else None
            if length is not None:
                parts, body = _Split(step, node, ex).apply(length)
                made += parts
                step = replace(step, body=body)
        made.append(step)
    return made


def _chunk_length(unit: Unit, node: Node, ex: Expressions, target: Target) -> int | None:
    """Points of a chunk, or rows of one (negative); None where the data stay in cache as they are."""
    extent = extent_of(node["ranges"])
    one = Pass(0, node["ranges"], [Reduction("", "sum", node.type, node.operands[0])])
    if column_axis(Plan(unit.ranges, [one]), ex) is not None:
        return -ROWS if not isinstance(extent, int) or extent > 2 * ROWS else None
    if not is_few(unit.ranges, target):
        return None
    return CHUNK if not isinstance(extent, int) or extent > 2 * CHUNK else None


class _Split:
    """One reduction in parts: the units for the chunks, and the body that puts their moments together."""

    __slots__ = ("ex", "inner", "node", "operand", "outer", "unit")

    def __init__(self, unit: Unit, node: Node, ex: Expressions) -> None:
        self.unit, self.node, self.ex = unit, node, ex
        accesses = accesses_of(node.operands, (), [name for name, _ in node["ranges"]], ex)
        self.inner, mapping = merged(memory_order(node["ranges"], accesses), accesses, ex)
        self.operand = ex.substitute(node.operands[0], mapping)
        self.outer = unit.ranges

    def apply(self, length: int) -> tuple[list[Unit], Node]:
        ex, node = self.ex, self.node
        each = extent_of(self.inner[1:])
        size: Size = -length
        if length > 0:
            size = max(1, length // max(1, each)) if isinstance(each, int) else maximum(1, length // maximum(1, each))
        extent = self.inner[0][1]
        chunks = -(-extent // size)

        def count(chunk: str) -> Node:
            return ex.cast(ex.size(part_of(extent, symbol(chunk) * size, size) * each), node.type)

        shape = (chunks, *[one for _, one in self.outer])
        means, squares = [add_temporary("part", node.type, shape, ex) for _ in range(2)]
        units = [self._part(means, size, chunks, count, None), self._part(squares, size, chunks, count, means)]
        if node["part"] == "mean":
            units.pop()
        return units, ex.replace(self.unit.body, {node: self._whole(means, squares, chunks, count)})

    def _part(self, buffer: str, size: Size, chunks: Size, count: Callable[[str], Node], means: str | None) -> Unit:
        """A chunk's mean, or the sum of its squared deviations from it."""
        ex, dtype = self.ex, self.node.type
        chunk = ex.fresh("i")
        renamed = {name: symbol(ex.fresh("i")) for name, _ in self.outer}
        outer = tuple([(str(renamed[name]), extent) for name, extent in self.outer])
        (first, extent), *rest = self.inner
        own = {name: ex.fresh("r") for name, _ in self.inner}
        start = symbol(chunk) * size
        ranges: tuple[Range, ...] = ((own[first], part_of(extent, start, size)), *[(own[name], one) for name, one in rest])
        moved: dict[str, Size] = {**renamed, **{name: symbol(own[name]) for name, _ in rest}, first: symbol(own[first]) + start}
        value = ex.substitute(self.operand, moved)
        subscripts = (symbol(chunk), *renamed.values())
        if means is not None:
            away = ex.make("subtract", (value, ex.load(means, subscripts)), dtype)
            value = ex.make("multiply", (away, away), dtype)
        body = ex.make("reduce", (value,), dtype, kind="sum", ranges=ranges, part=None)
        if means is None:
            body = ex.make("divide", (body, count(chunk)), dtype)
        number = self.unit.number - (0.75 if means is None else 0.5)
        return Unit(number, buffer, ((chunk, chunks), *outer), subscripts, body)

    def _whole(self, means: str, squares: str, chunks: Size, count: Callable[[str], Node]) -> Node:
        ex, dtype = self.ex, self.node.type
        outer = [symbol(name) for name, _ in self.outer]
        chunk = ex.fresh("r")
        mean = ex.load(means, (symbol(chunk), *outer))
        weighted = ex.make("multiply", (mean, count(chunk)), dtype)
        total = ex.make("reduce", (weighted,), dtype, kind="sum", ranges=((chunk, chunks),), part=None)
        whole = ex.make("divide", (total, ex.cast(ex.size(extent_of(self.node["ranges"])), dtype)), dtype)
        if self.node["part"] == "mean":
            return whole
        chunk = ex.fresh("r")
        subscripts = (symbol(chunk), *outer)
        away = ex.make("subtract", (ex.load(means, subscripts), whole), dtype)
        between = ex.make("multiply", (count(chunk), ex.make("multiply", (away, away), dtype)), dtype)
        within = ex.make("add", (ex.load(squares, subscripts), between), dtype)
        return ex.make("reduce", (within,), dtype, kind="sum", ranges=((chunk, chunks),), part=None)
