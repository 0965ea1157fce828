"""Pointwise loops whose conditions hold but for a few places at the ends of an axis: borders of their own, an inside without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from staxlang.base.dtypes import BOOL
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size, linear_in, maximum, minimum, symbol
from staxlang.compiler.loops.assemble import Write
from staxlang.compiler.loops.expressions import Expressions, replace_symbols, subexpressions
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.node import Node

# A border is no wider than this, and an axis of known extent is so many times as long as its borders.
WIDEST = 64
LONGER = 4
# Code of larger bodies is not repeated.
MOST_COST = 400

Part = tuple[list[Write], tuple[Range, ...]]
_COMPARISONS = {"less": (1, 0, 1), "less_equal": (0, 0, 1), "greater": (1, 1, 0), "greater_equal": (0, 1, 0)}


class Border(NamedTuple):
    """A comparison that is false for the first `low` places of an index, or for the last `high`, and true for the rest."""

    low: int
    high: int


def parts_of(writes: Sequence[Write], ranges: tuple[Range, ...], ex: Expressions) -> list[Part]:
    """The points in parts, each point once: the borders of each axis, outermost first, then what is inside of all."""
    values = [write.value for write in writes]
    written = {write.buffer for write in writes}
    guarded = any(node.op == "guard" for node in subexpressions(values))
    if not guarded or sum([ex.cost(value) for value in values]) > MOST_COST:
        return [(list(writes), ranges)]
    if any(load["buffer"] in written for value in values for load in ex.loads(value)):
        return [(list(writes), ranges)]
    made: list[Part] = []
    inside, left = list(writes), ranges
    for axis, (name, extent) in enumerate(ranges):
        names = [one for one, _ in ranges]
        borders = _borders([write.value for write in inside], name, extent, names)
        low = max([border.low for border in borders.values()], default=0)
        high = max([border.high for border in borders.values()], default=0)
        if not low + high or (isinstance(extent, int) and extent < LONGER * (low + high)):
            continue
        within = maximum(extent - low - high, 0)
        if low:
            made.append((inside, _with(left, axis, minimum(low, extent))))
        if high:
            made.append((_moved(inside, name, low + within, ex), _with(left, axis, extent - low - within)))
        true = ex.const(True, BOOL)
        table = {node: true for node, border in borders.items() if border.low <= low and border.high <= high}
        inside = _moved([Write(w.buffer, w.subscripts, decided(w.value, table, ex)) for w in inside], name, low, ex)
        left = _with(left, axis, within)
    return [*made, (inside, left)]


def _with(ranges: tuple[Range, ...], axis: int, extent: Size) -> tuple[Range, ...]:
    return (*ranges[:axis], (ranges[axis][0], extent), *ranges[axis + 1 :])


def _moved(writes: Sequence[Write], name: str, start: Size, ex: Expressions) -> list[Write]:
    """The writes with an index that begins at a place."""
    if start == 0:
        return list(writes)
    mapping: dict[str, Size] = {name: symbol(name) + start}
    memo: dict[Node, Node] = {}
    return [
        Write(w.buffer, tuple([replace_symbols(one, mapping) for one in w.subscripts]), ex.substitute(w.value, mapping, memo))
        for w in writes
    ]


def _borders(values: Sequence[Node], name: str, extent: Size, names: Iterable[str]) -> dict[Node, Border]:
    """The comparisons that an index decides but for a few places at an end of its range."""
    found: dict[Node, Border] = {}
    for node in subexpressions(values):
        if node.op in _COMPARISONS and all(operand.op in ("size", "const") for operand in node.operands):
            border = _border(node, name, extent, names)
            if border is not None:
                found[node] = border
    return found


def _border(node: Node, name: str, extent: Size, names: Iterable[str]) -> Border | None:
    strict, less, more = _COMPARISONS[node.op]
    surplus = node.operands[more]["value"] - node.operands[less]["value"] - strict  # true where it is not negative
    parts = linear_in(surplus, tuple(names))
    if parts is None or set(parts[0]) != {name}:
        return None
    step, rest = parts[0][name], parts[1]
    if step not in (1, -1):
        return None
    count = -rest if step == 1 else extent - 1 - rest
    if not isinstance(count, int) or count > WIDEST:
        return None
    return Border(max(count, 0), 0) if step == 1 else Border(0, max(count, 0))


def decided(node: Node, table: dict[Node, Node], ex: Expressions) -> Node:
    """The expression with some conditions replaced, and without the branches that they do not take."""
    memo: dict[Node, Node] = {}

    def visit(one: Node) -> Node:
        found = table.get(one) or memo.get(one)
        if found is None:
            operands = tuple([visit(operand) for operand in one.operands])
            found = memo[one] = ex.simpler(one if operands == one.operands else ex.with_operands(one, operands))
        return found

    return visit(node)
