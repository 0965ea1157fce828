"""Normalization: constants to the right, identities away, views of views composed. Each rule keeps value, dtype, shape and aliasing.

`x * 0` has no rule: it keeps NaN and infinities. `x + 0` loses the sign of a negative zero, which is accepted.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from staxlang.base.dtypes import F32, F64, can_cast
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Condition, Facts, Size, index_range, linear_in
from staxlang.compiler.node import Node
from staxlang.compiler.passes.chains import writes_constant_place
from staxlang.compiler.passes.constants import is_number, is_splat, splat
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.compiler.passes.updates import element_of_part, overwritten_update, updates_of_branches
from staxlang.typecheck.views import compose, index_name, indices

_SIMPLE_POWERS: dict[Any, str] = {0.5: "sqrt", -1.0: "reciprocal"}
_MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


def constant_right(rewriting: Rewriting, node: Node) -> Node | None:
    left, right = node.operands
    if is_splat(left) and not is_splat(right):
        return rewriting.make(_MIRRORED.get(node.op, node.op), (right, left), node.type)
    return None


def add_zero(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if is_number(node.operands[1], 0) else None


def subtract_zero(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if is_number(node.operands[1], 0) else None


def times_one(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if is_number(node.operands[1], 1) else None


def divided_by_one(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if is_number(node.operands[1], 1) else None


def power_one(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if is_number(node.operands[1], 1) else None


def simple_power(rewriting: Rewriting, node: Node) -> Node | None:
    """x**2, x**0.5, x**-1: with one exponent for all elements NumPy computes these by square, sqrt and reciprocal too. Complex numbers it
    multiplies for each whole exponent below 100; integers are the same either way. A product of three is as near to a real x**3 as
    `power` is (1.5 ULP), and much cheaper."""
    base, exponent = node.operands
    kind, number = node.type.dtype.kind, splat(exponent)
    row = "square" if is_number(exponent, 2) else _SIMPLE_POWERS.get(number) if kind == "f" else None
    if row is not None:
        return rewriting.make(row, (base,), node.type)
    whole = range(3, 100) if kind in "iuc" else (3,) if node.type.dtype in (F32, F64) else ()
    return _multiplied(rewriting, base, int(number.real)) if number in whole else None


def _multiplied(rewriting: Rewriting, base: Node, exponent: int) -> Node:
    """The product of so many factors, by squares."""
    result, square = None, base
    while True:
        if exponent & 1:
            result = square if result is None else rewriting.make("multiply", (result, square), base.type)
        exponent >>= 1
        if not exponent:
            return result if result is not None else base
        square = rewriting.make("square", (square,), base.type)


def whole_division_by_one(rewriting: Rewriting, node: Node) -> Node | None:
    integral = node.type.dtype.kind in "iu"
    return node.operands[0] if integral and is_number(node.operands[1], 1) else None


def twice_undone(rewriting: Rewriting, node: Node) -> Node | None:
    """--x, ~~x, not not b, conj(conj(z))."""
    inner = node.operands[0]
    return inner.operands[0] if inner.op == node.op and inner.operands[0].type.dtype is node.type.dtype else None


def same_branches(rewriting: Rewriting, node: Node) -> Node | None:
    _, left, right = node.operands
    return left if left is right else None


def identity_copy(rewriting: Rewriting, node: Node) -> Node | None:
    """A copy is an identity; between an input and an output it stays, as the driver keeps outputs from becoming inputs."""
    return node.operands[0]


def cast_to_own_dtype(rewriting: Rewriting, node: Node) -> Node | None:
    operand = node.operands[0]
    return operand if operand.type.dtype is node.type.dtype else None


def cast_there_and_back(rewriting: Rewriting, node: Node) -> Node | None:
    """A cast to a wider dtype that holds every value, and back."""
    inner = node.operands[0]
    if inner.op != "cast":
        return None
    source = inner.operands[0]
    return source if source.type.dtype is node.type.dtype and can_cast(source.type.dtype, inner.type.dtype) else None


def view_of_view(rewriting: Rewriting, node: Node) -> Node | None:
    inner = node.operands[0]
    if inner.op != "view":
        return None
    return rewriting.view(inner.operands[0], node.type.shape, compose(inner["subscripts"], node["subscripts"]))


def whole_view(rewriting: Rewriting, node: Node) -> Node | None:
    made = rewriting.view(node.operands[0], node.type.shape, node["subscripts"])
    if made is node and node.type.shape == node.operands[0].type.shape and node["subscripts"] == indices(len(node.type.shape)):
        return node.operands[0]  # of an input with a layout: the value is the same
    return made if made is not node else None


def tight_border(rewriting: Rewriting, node: Node) -> Node | None:
    """Axes along which no subscript leaves the base have no border; a view that has none is a plain one."""
    base, shape = node.operands[0], node.type.shape
    ranges = {index_name(axis): index_range(extent) for axis, extent in enumerate(shape)}
    decide = rewriting.facts.decide
    loose = tuple([
        axis for axis in node["loose"]
        if decide(Condition("<=", 0, node["subscripts"][axis]), ranges) is not True
        or decide(Condition("<", node["subscripts"][axis], base.type.shape[axis]), ranges) is not True
    ])  # fmt: skip
    if loose == node["loose"] or any(extent == 0 for extent in shape):
        return None
    if not loose:
        return rewriting.view(base, shape, node["subscripts"])
    return rewriting.make("bordered", node.operands, node.type, subscripts=node["subscripts"], loose=loose)


def view_of_update(rewriting: Rewriting, node: Node) -> Node | None:
    """Reading back what was just written; reading beside it, through as many updates as are beside it."""
    source = node.operands[0]
    shape: tuple[Size, ...] = node.type.shape
    subscripts: tuple[Size, ...] = node["subscripts"]
    while source.op == "update":
        if source["subscripts"] == subscripts and source["shape"] == shape:
            return source.operands[1]
        if subscripts and isinstance(subscripts[0], int) and writes_constant_place(source):
            writer = rewriting.chains.last_writer(source, subscripts[0])
            if writer is not source:
                source = writer
                continue
        if not beside(source, subscripts, shape, rewriting.facts):
            break
        source = source.operands[0]
    return rewriting.view(source, shape, subscripts) if source is not node.operands[0] else None


def beside(update: Node, subscripts: tuple[Size, ...], shape: tuple[Size, ...], facts: Facts) -> bool:
    """Whether a view reads nothing that an update wrote."""
    written: tuple[Size, ...] = update["subscripts"]
    for one, other in zip(written, subscripts, strict=True):
        if isinstance(one, int) and isinstance(other, int):
            if one != other:
                return True
        elif _apart(one, update["shape"], other, shape, facts):
            return True
    return False


def _apart(one: Size, one_shape: tuple[Size, ...], other: Size, other_shape: tuple[Size, ...], facts: Facts) -> bool:
    """Whether two subscripts into one axis, over the indices of two shapes, are never equal: other residues, or ranges side by side."""
    first, second = _progression(one, one_shape), _progression(other, other_shape)
    if first is None or second is None:
        return False
    (start, step, last), (start2, step2, last2) = first, second
    difference, divisor = start - start2, gcd(step, step2)
    if divisor > 1 and isinstance(difference, int) and difference % divisor:
        return True
    return facts.decide(Condition("<", last, start2)) is True or facts.decide(Condition("<", last2, start)) is True


def _progression(subscript: Size, shape: tuple[Size, ...]) -> tuple[Size, int, Size] | None:
    """(least, step, greatest) of a subscript that grows with one index at most."""
    found = linear_in(subscript, [index_name(axis) for axis in range(len(shape))])
    if found is None or len(found[0]) > 1:
        return None
    for name, step in found[0].items():
        extent = shape[int(name[1:])]
        return (found[1], step, found[1] + step * (extent - 1)) if isinstance(step, int) and step > 0 else None
    return found[1], 0, found[1]


def empty_update(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if 0 in node["shape"] else None


def whole_update(rewriting: Rewriting, node: Node) -> Node | None:
    base, value = node.operands
    shape = base.type.shape
    return value if node["shape"] == shape and node["subscripts"] == indices(len(shape)) else None


def lone_concatenate(rewriting: Rewriting, node: Node) -> Node | None:
    """Parts of extent 0 fall away; one part is no concatenation."""
    axis = node["axis"]
    parts = tuple([o for o in node.operands if o.type.shape[axis] != 0]) or node.operands[:1]
    if len(parts) == 1:
        return parts[0]
    return rewriting.make("concatenate", parts, node.type, axis=axis) if len(parts) < len(node.operands) else None


def nested_concatenate(rewriting: Rewriting, node: Node) -> Node | None:
    axis = node["axis"]
    if not any(o.op == "concatenate" and o["axis"] == axis for o in node.operands):
        return None
    parts: list[Node] = []
    for operand in node.operands:
        parts.extend(operand.operands if operand.op == "concatenate" and operand["axis"] == axis else (operand,))
    return rewriting.make("concatenate", tuple(parts), node.type, axis=axis)


def empty_pad(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if not any(w != 0 for w in (*node["low"], *node["high"])) else None


def no_axes(rewriting: Rewriting, node: Node) -> Node | None:
    """A reduction over no axes of what has the result's dtype already."""
    return node.operands[0] if not node["axes"] and node["kind"] in ("sum", "prod", "min", "max", "any", "all", "welford_mean") else None


_RIGHT = Rule("constant-right", constant_right)

NORMALIZE_ROWS: dict[str, tuple[Rule, ...]] = {
    name: (_RIGHT,) for name, row in OPERATIONS.items() if row.arity == 2 and "commutative" in row.flags
}
NORMALIZE_ROWS.update(dict.fromkeys(_MIRRORED, (_RIGHT,)))
for _name, _rules in {
    "add": (Rule("add-zero", add_zero),),
    "subtract": (Rule("subtract-zero", subtract_zero),),
    "multiply": (Rule("times-one", times_one),),
    "divide": (Rule("divided-by-one", divided_by_one),),
    "floor_divide": (Rule("divided-by-one", whole_division_by_one),),
    "power": (Rule("power-one", power_one), Rule("simple-power", simple_power)),
    "negative": (Rule("twice-undone", twice_undone),),
    "invert": (Rule("twice-undone", twice_undone),),
    "logical_not": (Rule("twice-undone", twice_undone),),
    "conjugate": (Rule("twice-undone", twice_undone),),
    "where": (Rule("same-branches", same_branches), Rule("updates-of-branches", updates_of_branches)),
    "copy": (Rule("copy", identity_copy),),
    "positive": (Rule("copy", identity_copy),),
    "cast": (Rule("cast-to-own-dtype", cast_to_own_dtype), Rule("cast-there-and-back", cast_there_and_back)),
    "view": (Rule("view-of-view", view_of_view), Rule("whole-view", whole_view), Rule("view-of-update", view_of_update)),
    "update": (
        Rule("empty-update", empty_update),
        Rule("whole-update", whole_update),
        Rule("overwritten-update", overwritten_update),
        Rule("element-of-part", element_of_part),
    ),
    "concatenate": (Rule("lone-concatenate", lone_concatenate), Rule("nested-concatenate", nested_concatenate)),
    "pad": (Rule("empty-pad", empty_pad),),
    "bordered": (Rule("tight-border", tight_border),),
    "reduce": (Rule("no-axes", no_axes),),
}.items():
    NORMALIZE_ROWS[_name] = (*NORMALIZE_ROWS.get(_name, ()), *_rules)
