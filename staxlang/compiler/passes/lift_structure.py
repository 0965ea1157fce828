"""Structural operations lifted over index symbols: their own axes stand behind those of the symbols."""

from __future__ import annotations

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType
from staxlang.compiler.graph import GraphError, topological
from staxlang.compiler.node import Node
from staxlang.compiler.passes.decompose import inline
from staxlang.compiler.passes.lift import Lifted, Lifting, Row, bound_ranges
from staxlang.typecheck.shapes import gathered_shape
from staxlang.typecheck.views import index, indices


def _whole(lifting: Lifting, node: Node) -> tuple[tuple[str, ...], list[Node], TensorType]:
    """The symbols of an operation's operands, these over all of them, and the type of the result."""
    operands = [lifting.done[operand] for operand in node.operands]
    names = lifting.symbols_of(operands)
    type = TensorType(node.type.dtype, (*lifting.extents(names), *node.type.shape))
    return names, [lifting.aligned(one, names) for one in operands], type


def lift_reduce(lifting: Lifting, node: Node) -> Lifted:
    names, operands, type = _whole(lifting, node)
    if not names:
        return Lifted(lifting.remake(node, operands), ())
    axes = tuple([axis + len(names) for axis in node["axes"]])
    return Lifted(lifting.make("reduce", tuple(operands), type, kind=node["kind"], axes=axes), names)


def lift_along_axis(lifting: Lifting, node: Node) -> Lifted:
    """Scans and concatenations."""
    names, operands, type = _whole(lifting, node)
    attributes = {**dict(node.attributes), "axis": node["axis"] + len(names)}
    return Lifted(lifting.make(node.op, tuple(operands), type, **attributes) if names else lifting.remake(node, operands), names)


def lift_pad(lifting: Lifting, node: Node) -> Lifted:
    base, fill = [lifting.done[operand] for operand in node.operands]
    if fill.symbols:
        raise GraphError(f"the fill of {node!r} depends on index symbols")
    if not base.symbols:
        return Lifted(lifting.remake(node, [base.node, fill.node]), ())
    type = TensorType(node.type.dtype, (*lifting.extents(base.symbols), *node.type.shape))
    none = (0,) * len(base.symbols)
    made = lifting.make("pad", (base.node, fill.node), type, low=(*none, *node["low"]), high=(*none, *node["high"]))
    return Lifted(made, base.symbols)


def lift_contract(lifting: Lifting, node: Node) -> Lifted:
    """Symbols of both operands are batch axes, those of one of them free axes of it."""
    a, b = [lifting.done[operand] for operand in node.operands]
    names = lifting.symbols_of([a, b])
    if not names:
        return Lifted(lifting.remake(node, [a.node, b.node]), ())
    batch, contracted = node["batch"], node["contracted"]
    shared = [name for name in names if name in a.symbols and name in b.symbols]
    left, only_a = _arranged(lifting, a, shared, batch)
    right, only_b = _arranged(lifting, b, shared, batch)
    free_a = left.type.shape[len(shared) + batch : len(left.type.shape) - contracted]
    free_b = right.type.shape[len(shared) + batch : len(right.type.shape) - contracted]
    type = TensorType(node.type.dtype, (*left.type.shape[: len(shared) + batch], *free_a, *free_b))
    made = lifting.make("contract", (left, right), type, batch=len(shared) + batch, contracted=contracted)
    own = len(node.type.shape)
    places: dict[str, Size] = {name: index(axis) for axis, name in enumerate(names)}
    middle = batch + len(free_a) - len(only_a)  # of the node's own axes, those before b's free ones
    subscripts = (
        *[places[name] for name in shared], *[index(len(names) + k) for k in range(batch)],
        *[places[name] for name in only_a], *[index(len(names) + k) for k in range(batch, middle)],
        *[places[name] for name in only_b], *[index(len(names) + k) for k in range(middle, own)],
    )  # fmt: skip
    return Lifted(lifting.view(made, (*lifting.extents(names), *node.type.shape), subscripts), names)


def _arranged(lifting: Lifting, one: Lifted, shared: list[str], batch: int) -> tuple[Node, list[str]]:
    """An operand as [shared symbols, batch, its other symbols, its other axes], and which the other symbols are."""
    others = [name for name in one.symbols if name not in shared]
    rank, own = len(one.symbols), one.node.type.shape[len(one.symbols) :]
    order = [*[one.symbols.index(name) for name in shared], *range(rank, rank + batch)]
    order += [*[one.symbols.index(name) for name in others], *range(rank + batch, rank + len(own))]
    subscripts: list[Size] = [0] * len(order)
    for place, axis in enumerate(order):
        subscripts[axis] = index(place)
    return lifting.view(one.node, tuple([one.node.type.shape[axis] for axis in order]), tuple(subscripts)), others


def lift_gather(lifting: Lifting, node: Node) -> Lifted:
    """Symbols of source and indices become indexed axes of the source, whose index is the place itself."""
    source, *indexes = [lifting.done[operand] for operand in node.operands]
    names = lifting.symbols_of([source, *indexes])
    if not names:
        return Lifted(lifting.remake(node, [source.node, *[one.node for one in indexes]]), ())
    within = lifting.symbols_of(indexes)
    lead, rank, position = len(source.symbols), len(node.operands[1].type.shape), node["position"]
    shape = (*lifting.extents(within), *node.operands[1].type.shape)
    axes: list[int] = []
    chosen: list[Node] = []
    for axis, name in enumerate(source.symbols):
        if name in within:
            axes.append(axis)
            chosen.append(lifting.make("iota", (), TensorType(I64, shape), axis=within.index(name)))
    axes += [lead + axis for axis in node["axes"]]
    chosen += [lifting.aligned(one, within) for one in indexes]
    type = TensorType(node.type.dtype, gathered_shape(source.node.type.shape, axes, shape, 0))
    made = lifting.make("gather", (source.node, *chosen), type, axes=tuple(axes), position=0)
    places: dict[str, Size] = {name: index(axis) for axis, name in enumerate(names)}
    own = [index(len(names) + k) for k in range(len(node.type.shape))]
    subscripts = (
        *[places[name] for name in within], *own[position : position + rank],
        *[places[name] for name in source.symbols if name not in within], *own[:position], *own[position + rank :],
    )  # fmt: skip
    return Lifted(lifting.view(made, (*lifting.extents(names), *node.type.shape), subscripts), names)


def lift_scatter(lifting: Lifting, node: Node) -> Lifted:
    names, (base, value, *indexes), type = _whole(lifting, node)
    if not names:
        return Lifted(lifting.remake(node, [base, value, *indexes]), ())
    lead, rank, position = len(names), len(node.operands[2].type.shape), node["position"]
    shape = indexes[0].type.shape
    iotas = [lifting.make("iota", (), TensorType(I64, shape), axis=axis) for axis in range(lead)]
    own = len(value.type.shape) - lead
    # The value's axes: those of the symbols, of the indices, then the rest.
    order = [*range(lead), *range(lead + position, lead + position + rank)]
    order += [axis for axis in range(lead, lead + own) if axis not in order]
    subscripts: list[Size] = [0] * len(order)
    for place, axis in enumerate(order):
        subscripts[axis] = index(place)
    moved = lifting.view(value, tuple([value.type.shape[axis] for axis in order]), tuple(subscripts))
    axes = (*range(lead), *[lead + axis for axis in node["axes"]])
    made = lifting.make("scatter", (base, moved, *iotas, *indexes), type, axes=axes, position=0, mode=node["mode"])
    return Lifted(made, names)


def lift_update(lifting: Lifting, node: Node) -> Lifted:
    operands = [lifting.done[operand] for operand in node.operands]
    names = lifting.symbols_of([*operands, *node["subscripts"]])
    base, value = [lifting.aligned(one, names) for one in operands]
    if not names:
        return Lifted(lifting.remake(node, [base, value]), ())
    subscripts = (*indices(len(names)), *[lifting.shifted(one, names) for one in node["subscripts"]])
    type = TensorType(node.type.dtype, (*lifting.extents(names), *node.type.shape))
    shape = (*lifting.extents(names), *node["shape"])
    return Lifted(lifting.make("update", (base, value), type, subscripts=subscripts, shape=shape), names)


def lift_composite(lifting: Lifting, node: Node) -> Lifted:
    """Kept whole where it depends on no symbol, else its body is lifted."""
    operands = [lifting.done[operand] for operand in node.operands]
    if not lifting.symbols_of(operands) and not bound_ranges((node,)):
        return Lifted(lifting.remake(node, [one.node for one in operands]), ())
    body = inline(node)
    for inner in topological((body,)):
        lifting.lift(inner)
    return lifting.done[body]


STRUCTURE_ROWS: dict[str, Row] = {
    "reduce": lift_reduce,
    "scan": lift_along_axis,
    "concatenate": lift_along_axis,
    "pad": lift_pad,
    "contract": lift_contract,
    "gather": lift_gather,
    "scatter": lift_scatter,
    "update": lift_update,
    "composite": lift_composite,
}
