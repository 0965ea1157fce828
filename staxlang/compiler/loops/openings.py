"""Reductions of several results are opened into plain ones, one after the other, where the data stay in cache between them."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I32, I64, DType, integer_bounds
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.node import Node

FINDING = frozenset(("argmin", "argmax"))


def open_moments(body: Node, ex: Expressions) -> Node:
    """Welford's mean and sum of squared deviations as two sums, one after the other: this form is exacter, and has no divisions."""
    table: dict[Node, Node] = {}
    for node in ex.reduces(body):
        if node["kind"] == "welford":
            operand = ex.replace(node.operands[0], table)
            table[node] = moments(operand, node["ranges"], node["part"], node.type, ex)
    return ex.replace(body, table) if table else body


def moments(operand: Node, ranges: tuple[Range, ...], part: str, dtype: DType, ex: Expressions) -> Node:
    count = ex.cast(ex.size(extent_of(ranges)), dtype)
    total = ex.make("reduce", (operand,), dtype, kind="sum", ranges=ranges, part=None)
    mean = ex.make("divide", (total, count), dtype)
    if part == "mean":
        return mean
    away = ex.make("subtract", (operand, mean), dtype)
    return ex.make("reduce", (ex.make("multiply", (away, away), dtype),), dtype, kind="sum", ranges=ranges, part=None)


def open_positions(body: Node, outer: set[str], ex: Expressions) -> Node:
    """argmin and argmax as the least (greatest) value, then the first place that has it: two quick walks instead of a slow one.

    One walk along one axis, over values as wide as the numbers of places that go with them, is quick as it is.
    """
    table: dict[Node, Node] = {}
    for node in ex.reduces(body):
        ranges: tuple[Range, ...] = node["ranges"]
        operand = ex.replace(node.operands[0], table)
        if node["kind"] not in FINDING or operand.type.kind == "c" or any(name in outer for name, _ in ranges):
            continue
        if len(ranges) == 1 and operand.type.bits in (32, 64):
            continue
        extent = extent_of(ranges)
        counted = I32 if isinstance(extent, int) and extent < 1 << 31 else I64
        if operand.type is BOOL:
            table[node] = ex.cast(_first_truth(operand, node["kind"] == "argmax", ranges, counted, ex), node.type)
            continue
        best = ex.make("reduce", (operand,), operand.type, kind=best_kind(node["kind"]), ranges=ranges, part=None)
        table[node] = ex.cast(_first_place(matches(operand, best, ex), ranges, counted, ex), node.type)
    return ex.replace(body, table) if table else body


def _first_place(condition: Node, ranges: tuple[Range, ...], counted: DType, ex: Expressions) -> Node:
    """The first place where the condition holds; the greatest integer where there is none."""
    place = ex.cast(ex.size(position_of(ranges)), counted)
    none = ex.const(integer_bounds(counted)[1], counted)
    found = ex.make("where", (condition, place, none), counted)
    return ex.make("reduce", (found,), counted, kind="min", ranges=ranges, part=None)


def is_search(value: Node) -> bool:
    """Whether a value whose least one is wanted is a place where some condition holds, the greatest integer where it does not."""
    if value.op != "where" or value.type.kind != "i":
        return False
    none = value.operands[2]
    return none.op == "const" and none["value"] == integer_bounds(none.type)[1]


def _first_truth(operand: Node, wanted: bool, ranges: tuple[Range, ...], counted: DType, ex: Expressions) -> Node:
    """The first place that is true (false); 0 where all are equal."""
    found = _first_place(operand if wanted else ex.make("logical_not", (operand,), BOOL), ranges, counted, ex)
    none = ex.const(integer_bounds(counted)[1], counted)
    return ex.make("where", (ex.make("equal", (found, none), BOOL), ex.const(0, counted), found), counted)


def best_kind(kind: str) -> str:
    """The reduction that gives the value at the place that argmin or argmax finds."""
    return "min" if kind == "argmin" else "max"


def matches(value: Node, best: Node, ex: Expressions) -> Node:
    """Whether a value is the best one. Where there is a NaN, that is the best one, and nothing equals it."""
    same = ex.make("equal", (value, best), BOOL)
    if value.type.kind not in "fc":
        return same
    return ex.make("logical_or", (same, ex.make("not_equal", (value, value), BOOL)), BOOL)


def position_of(ranges: tuple[Range, ...]) -> Size:
    """The number of a point in row-major order."""
    place: Size = 0
    for name, extent in ranges:
        place = place * extent + symbol(name)
    return place


def truth(value: Node, ex: Expressions) -> Node:
    """A value as a bool: whether it is not zero."""
    if value.type is BOOL:
        return value
    return ex.make("not_equal", (value, ex.const(0, value.type)), BOOL)
