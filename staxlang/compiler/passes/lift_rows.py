"""How each operation is lifted over the index symbols that its operands depend on."""

from __future__ import annotations

from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Interval, Size, bounds
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, GraphError
from staxlang.compiler.node import Node
from staxlang.compiler.passes.lift import Lifted, Lifting, Row, lift_graph
from staxlang.typecheck.views import index


def lift_definitions(graph: Graph) -> Graph:
    """Definitions by index notation as operations on tensors."""
    return lift_graph(graph, LIFT_ROWS)


# ---- one element for each point ----


def lift_pointwise(lifting: Lifting, node: Node) -> Lifted:
    """Rows of the operation table, casts and copies: operands over all the symbols that one of them depends on."""
    operands = [lifting.done[operand] for operand in node.operands]
    names = lifting.symbols_of(operands)
    made = [lifting.aligned(one, names) for one in operands]
    if not names:
        return Lifted(lifting.remake(node, made), ())
    type = TensorType(node.type.dtype, (*lifting.extents(names), *node.type.shape))
    return Lifted(lifting.make(node.op, tuple(made), type, **dict(node.attributes)), names)


def lift_guard(lifting: Lifting, node: Node) -> Lifted:
    """Reads that the condition protects give a fill outside of their array, so both sides may be computed."""
    operands = [lifting.done[operand] for operand in node.operands]
    names = lifting.symbols_of(operands)
    condition, value, otherwise = [lifting.aligned(one, names) for one in operands]
    type = TensorType(node.type.dtype, (*lifting.extents(names), *node.type.shape))
    return Lifted(lifting.make("where", (condition, value, otherwise), type), names)


def lift_size(lifting: Lifting, node: Node) -> Lifted:
    """A number made of indices: a view of the numbers from its least to its greatest value."""
    value: Size = node["value"]
    names = lifting.symbols_of([value])
    if not names:
        return Lifted(node, ())
    reach = bounds(value, {name: Interval(box.low, box.low + box.extent - 1) for name, box in lifting.boxes.items()}, lifting.facts)
    if reach.low is None or reach.high is None:
        raise GraphError(f"the number {value} has no bounds")
    shape = lifting.extents(names)
    line = lifting.make("iota", (), TensorType(node.type.dtype, (reach.high - reach.low + 1,)), axis=0)
    made = lifting.view(line, shape, (lifting.shifted(value - reach.low, names),))
    if reach.low != 0:
        least = lifting.view(lifting.make("size", (), node.type, value=reach.low), shape, ())
        made = lifting.pointwise("add", made, least)
    return Lifted(made, names)


def lift_iota(lifting: Lifting, node: Node) -> Lifted:
    return Lifted(node, ())


# ---- views ----


def lift_view(lifting: Lifting, node: Node) -> Lifted:
    base = lifting.done[node.operands[0]]
    subscripts: tuple[Size, ...] = node["subscripts"]
    names = lifting.symbols_of([base, *subscripts])
    if not names:
        return Lifted(lifting.remake(node, [base.node]), ())
    places = {name: index(axis) for axis, name in enumerate(names)}
    shape = (*lifting.extents(names), *node.type.shape)
    lead = len(base.symbols)
    moved = (*[places[name] for name in base.symbols], *[lifting.shifted(one, names) for one in subscripts])
    axes = [lead + axis for axis, one in enumerate(subscripts) if lifting.symbols_of([one])]
    return Lifted(lifting.read(base.node, shape, moved, axes), names)


# ---- definitions and reductions ----


def lift_define(lifting: Lifting, node: Node) -> Lifted:
    """The body's axes for the defined indices go behind its own, in the order of the subscripts."""
    body = lifting.done[node.operands[0]]
    bound = [name for name, _, _ in node["ranges"]]
    names = tuple([name for name in body.symbols if name not in bound])
    places: dict[str, Size] = {name: index(axis) for axis, name in enumerate(names)}
    own = len(node.type.shape) - len(bound)
    places.update({name: index(len(names) + own + axis) for axis, name in enumerate(bound)})
    subscripts = (*[places[name] for name in body.symbols], *[index(len(names) + axis) for axis in range(own)])
    return Lifted(lifting.view(body.node, (*lifting.extents(names), *node.type.shape), subscripts), names)


def lift_fold(lifting: Lifting, node: Node) -> Lifted:
    body = lifting.done[node.operands[0]]
    bound = [name for name, _, _ in node["ranges"]]
    whole = lifting.symbols_of([body, *[lifting.boxes[name].start for name in bound], *[lifting.boxes[name].stop for name in bound]])
    names = tuple(sorted({*whole, *bound}, key=lifting.order.__getitem__))
    kept = tuple([name for name in names if name not in bound])
    axes = tuple([axis for axis, name in enumerate(names) if name in bound])
    spans = _spans(lifting, [names[axis] for axis in axes], kept)
    type = TensorType(node.type.dtype, (*lifting.extents(kept), *node.type.shape))
    made = lifting.make("reduce", (lifting.aligned(body, names),), type, kind=node["kind"], axes=axes, **spans)
    return Lifted(made, kept)


def _spans(lifting: Lifting, bound: list[str], kept: tuple[str, ...]) -> dict[str, tuple[tuple[Size, Size], ...]]:
    """Which part of each reduced axis counts, where that depends on the other indices."""
    boxes = [lifting.boxes[name] for name in bound]
    if all(box.start == box.low and box.stop == box.low + box.extent for box in boxes):
        return {}
    return {"spans": tuple([(lifting.shifted(b.start - b.low, kept), lifting.shifted(b.stop - b.low, kept)) for b in boxes])}


LIFT_ROWS: dict[str, Row] = {
    **dict.fromkeys(OPERATIONS, lift_pointwise),
    "cast": lift_pointwise,
    "copy": lift_pointwise,
    "assert_index": lift_pointwise,
    "guard": lift_guard,
    "size": lift_size,
    "iota": lift_iota,
    "view": lift_view,
    "define": lift_define,
    "fold": lift_fold,
}
