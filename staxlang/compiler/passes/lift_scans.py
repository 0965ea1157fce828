"""Running totals among tensors in pieces: `s[0] = ..`, `s[i] = s[i - 1] + x[i]` is a scan, which has a quicker form than its definition."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I64
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size, SizeExpression, symbol
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import splat
from staxlang.compiler.passes.lift import Lifted, Lifting
from staxlang.typecheck.views import compose, index, indices

_KINDS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}


class Total(NamedTuple):
    """`own[.., 0, ..] = first`, `own[.., i, ..] = own[.., i - 1, ..] op rest`: along which axis; the symbols of each piece by axis."""

    kind: str
    axis: int
    first: Node
    first_names: tuple[str | None, ...]
    rest: Node
    names: tuple[str, ...]


def lift_scan(lifting: Lifting, node: Node) -> Lifted | None:
    """The tensor as a scan; None where it is none, or depends on index symbols from outside."""
    found = _total(lifting, node)
    if found is None:
        return None
    first, rest = lifting.done[found.first], lifting.done[found.rest]
    names = [name for name in found.first_names if name is not None]
    if not set(first.symbols) <= set(names) or not set(rest.symbols) <= set(found.names):
        return None
    shape: tuple[Size, ...] = node["types"][0][1]
    source = _source(lifting, found, first, rest, shape)
    made = lifting.make("scan", (source,), TensorType(node.type.dtype, shape), kind=found.kind, axis=found.axis)
    return Lifted(made, ())


def _total(lifting: Lifting, node: Node) -> Total | None:
    if len(node["owns"]) != 1 or len(node["parts"]) != 2 or node.type.dtype.kind not in "iuf" or node.type.dtype.bits < 32:
        return None
    (_, begin), (_, target) = node["parts"]
    names = [_lone(one) for one in target]
    axis = next((axis for axis, one in enumerate(begin) if one == 0), None)
    order = node["stages"][1][2]
    if axis is None or None in names or order != (names[axis],) or node["stages"][1][4]:
        return None
    first_names = tuple([None if place == axis else _lone(one) for place, one in enumerate(begin)])
    if any(name is None for place, name in enumerate(first_names) if place != axis):
        return None
    first, step = node.operands
    if lifting.making[first] or step.op not in _KINDS:
        return None
    before, rest = step.operands if lifting.making[step.operands[0]] else step.operands[::-1]
    wanted = tuple([one - 1 if place == axis else one for place, one in enumerate(target)])
    if lifting.making[rest] or before.op != "view" or before.operands[0].op != "own" or before["subscripts"] != wanted:
        return None
    found = tuple([name for name in names if name is not None])
    if not _is_whole(lifting, found, [name for name in first_names if name is not None], node["types"][0][1], axis):
        return None
    return Total(_KINDS[step.op], axis, first, first_names, rest, found)


def _lone(size: Size) -> str | None:
    name = str(size) if isinstance(size, SizeExpression) else ""
    return name if name and size == symbol(name) else None


def _is_whole(lifting: Lifting, names: tuple[str, ...], others: list[str], shape: tuple[Size, ...], axis: int) -> bool:
    """Whether the pieces walk all of the other axes, and the axis of the totals from 1 to its end."""
    wanted = [(1 if place == axis else 0, extent) for place, extent in enumerate(shape)]
    if [(lifting.boxes[name].start, lifting.boxes[name].stop) for name in names] != wanted:
        return False
    del wanted[axis]
    return [(lifting.boxes[name].start, lifting.boxes[name].stop) for name in others] == wanted


def _source(lifting: Lifting, found: Total, first: Lifted, rest: Lifted, shape: tuple[Size, ...]) -> Node:
    """What is added up: the first value, then the others, along the axis."""
    axis = found.axis
    begin = tuple([index(found.first_names.index(name)) for name in first.symbols])
    after = tuple([index(found.names.index(name)) - (1 if found.names.index(name) == axis else 0) for name in rest.symbols])
    same = _continued(lifting, first, begin, rest, after, shape, axis)
    if same is not None:
        return same
    others = [place for place, name in enumerate(rest.symbols) if name == found.names[axis]]
    number = splat(first.node)
    if number is not None and others:
        fill = lifting.make("constant", (), TensorType(first.node.type.dtype, ()), value=number)
        return lifting.make("bordered", (rest.node, fill), TensorType(fill.type.dtype, shape), subscripts=after, loose=tuple(others))
    line = lifting.make("iota", (), TensorType(I64, shape), axis=axis)
    zero = lifting.view(lifting.make("constant", (), TensorType(I64, ()), value=0), shape, ())
    begins = lifting.pointwise("equal", line, zero, dtype=BOOL)
    later = lifting.read(rest.node, shape, after, others) if rest.symbols else lifting.view(rest.node, shape, ())
    value = lifting.view(first.node, shape, begin)
    return lifting.make("where", (begins, value, later), TensorType(value.type.dtype, shape))


def _continued(
    lifting: Lifting, first: Lifted, begin: tuple[Size, ...], rest: Lifted, after: tuple[Size, ...], shape: tuple[Size, ...], axis: int
) -> Node | None:
    """The view that gives the first value and the others, where both are views of one array that follow on each other."""
    base, own = _base(rest.node)
    other, theirs = _base(first.node)
    if base is not other:
        return None
    whole = compose(own, after)
    at_first = [0 if place == axis else index(place) for place in range(len(shape))]
    return lifting.view(base, shape, whole) if compose(whole, at_first) == compose(theirs, begin) else None


def _base(node: Node) -> tuple[Node, tuple[Size, ...]]:
    if node.op == "view":
        return node.operands[0], node["subscripts"]
    return node, indices(len(node.type.shape))
