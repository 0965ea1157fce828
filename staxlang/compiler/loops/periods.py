"""Axes that loads read over and over or in steps (`x[i % n]` of np.tile, `x[i // n]` of np.repeat) become two - which round, which place
in it - without divisions. Of short rounds each place is a write of its own."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.sizes import Size, SizeExpression, divisions, symbol, symbols
from staxlang.base.sizes.facts import replace_atom
from staxlang.compiler.loops.assemble import Write
from staxlang.compiler.loops.expressions import Expressions, replace_symbols, subexpressions
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.node import Node

# Rounds up to this length are written out, if what they compute is no more than that; up to the other one they are no loop for vectors.
WRITTEN_OUT, MOST_COST = 8, 64
SHORT = 32


def without_periods(writes: list[Write], ranges: Sequence[Range], ex: Expressions) -> tuple[list[Write], tuple[Range, ...]]:
    """The same writes over axes of which no load reads rounds, as far as rounds fill an axis."""
    made: list[Range] = []
    left = list(ranges)
    while left:
        name, extent = left.pop(0)
        period = _period(name, extent, writes)
        if period is None:
            made.append((name, extent))
            continue
        if isinstance(period, int) and period < SHORT and not left:
            if not _is_written_out(period, writes, ex):
                made.append((name, extent))
                continue
            rounds = ex.fresh("i")
            writes = [_split(write, name, period, rounds, place, ex) for place in range(period) for write in writes]
            left = [(rounds, extent // period)]
            continue
        rounds, place = ex.fresh("i"), ex.fresh("i")
        writes = [_split(write, name, period, rounds, symbol(place), ex) for write in writes]
        left = [(rounds, extent // period), (place, period), *left]
    return writes, tuple(made)


def _period(name: str, extent: Size, writes: Sequence[Write]) -> Size | None:
    """The length of the rounds of an axis in some load, if whole rounds fill it and no load depends on computed places."""
    found: dict[Size, None] = {}
    for node in subexpressions([write.value for write in writes]):
        if node.op == "reduce" or (node.op == "load" and node.operands):
            return None
        for size in _sizes(node):
            for atom in divisions(size) if isinstance(size, SizeExpression) else ():
                if atom.kind == "floordiv" and atom.parts[0] == symbol(name):
                    found[atom.parts[1]] = None
    for period in sorted(found, key=lambda size: isinstance(size, int) and size < SHORT):
        if period != extent and (extent // period) * period == extent:
            return period
    return None


def _is_written_out(period: int, writes: Sequence[Write], ex: Expressions) -> bool:
    return len(writes) == 1 and period <= WRITTEN_OUT and period * max(1, ex.cost(writes[0].value)) <= MOST_COST


def _split(write: Write, name: str, period: Size, rounds: str, place: Size, ex: Expressions) -> Write:
    whole = symbol(rounds) * period + place

    def moved(size: Size) -> Size:
        for atom in divisions(size) if isinstance(size, SizeExpression) else ():
            if atom.parts == (symbol(name), period):
                size = replace_atom(size, atom, symbol(rounds))
        return replace_symbols(size, {name: whole})

    table: dict[Node, Node] = {}
    for node in subexpressions([write.value]):
        if node.op == "load" and name in _names(node):
            table[node] = ex.load(node["buffer"], tuple(map(moved, node["subscripts"])))
        elif node.op == "size" and name in _names(node):
            table[node] = ex.size(moved(node["value"]))
    return Write(write.buffer, tuple(map(moved, write.subscripts)), ex.replace(write.value, table))


def _sizes(node: Node) -> tuple[Size, ...]:
    if node.op == "load":
        return node["subscripts"]
    return (node["value"],) if node.op == "size" else ()


def _names(node: Node) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for size in _sizes(node):
        found |= symbols(size)
    return found
