"""How each operation is lifted over the index symbols that its operands depend on."""

from __future__ import annotations

from staxlang.base.dtypes import DType
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Condition, Size, SizeExpression, symbol
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, GraphError
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import splat
from staxlang.compiler.passes.lift import Lifted, Lifting, Row, lift_graph
from staxlang.compiler.passes.lift_pieces import lift_pieces
from staxlang.compiler.passes.lift_structure import STRUCTURE_ROWS
from staxlang.compiler.passes.lift_unrolled import unrolled
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


def lift_where(lifting: Lifting, node: Node) -> Lifted:
    """A read in range exactly where the condition holds, with a number elsewhere, is the read with that number for its border."""
    made = lift_pointwise(lifting, node)
    condition, value, otherwise = node.operands
    read = lifting.done[value].node
    fill = splat(otherwise)
    if read.op != "bordered" or fill is None or made.symbols != lifting.done[value].symbols:
        return made
    if not is_in_range(lifting, condition, value):
        return made
    other = lifting.make("constant", (), TensorType(node.type.dtype, ()), value=fill)
    return Lifted(lifting.make("bordered", (read.operands[0], other), read.type, **dict(read.attributes)), made.symbols)


def is_in_range(lifting: Lifting, condition: Node, read: Node) -> bool:
    """Whether a condition says no more than that a view's subscripts lie in its base. (It does not say less: that has been proved.)"""
    said = conditions_of(condition)
    if said is None or read.op != "view":
        return False
    facts, ranges = lifting.facts, lifting.intervals()
    try:
        for box in lifting.boxes.items():
            facts = facts.assume(Condition("<=", box[1].start, symbol(box[0]))).assume(Condition("<", symbol(box[0]), box[1].stop))
        for subscript, extent in zip(read["subscripts"], read.operands[0].type.shape, strict=True):
            facts = facts.assume(Condition("<=", 0, subscript)).assume(Condition("<", subscript, extent))
    except ValueError:  # there is nothing to read
        return False
    return all(facts.decide(one) is True or facts.decide(one, ranges) is True for one in said)


_RELATIONS = {
    "less": ("<", False), "less_equal": ("<=", False), "greater": ("<", True), "greater_equal": ("<=", True),
    "equal": ("==", False), "not_equal": ("!=", False),
}  # fmt: skip


def conditions_of(node: Node) -> list[Condition] | None:
    """The conditions on sizes of which a condition is the conjunction; None where it holds anything else."""
    if node.op == "logical_and":
        parts = [conditions_of(operand) for operand in node.operands]
        return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
    if node.op not in _RELATIONS:
        return None
    left, right = map(_size_of, node.operands)
    if left is None or right is None:
        return None
    relation, swapped = _RELATIONS[node.op]
    return [Condition(relation, right, left) if swapped else Condition(relation, left, right)]


def _size_of(node: Node) -> Size | None:
    value: object = node["value"] if node.op in ("size", "constant") else None
    return value if isinstance(value, (int, SizeExpression)) else None


def lift_size(lifting: Lifting, node: Node) -> Lifted:
    """A number made of indices."""
    value: Size = node["value"]
    names = lifting.symbols_of([value])
    if not names:
        return Lifted(node, ())
    type = TensorType(node.type.dtype, lifting.extents(names))
    return Lifted(lifting.make("place", (), type, value=lifting.shifted(value, names)), names)


def lift_comparison(lifting: Lifting, node: Node) -> Lifted:
    """Numbers made of indices: the ranges may decide it."""
    said = conditions_of(node)
    if said is not None:
        answer = lifting.facts.decide(said[0], lifting.intervals())
        if answer is not None:
            return Lifted(lifting.make("constant", (), node.type, value=answer), ())
    return lift_pointwise(lifting, node)


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
    """A reduction; where ranges depend on other indices of the same reduction, one after the other, the dependent ones first."""
    written_out = unrolled(lifting, node)
    if written_out is not None:
        return written_out
    bound = [name for name, _, _ in node["ranges"]]
    last = [name for name in bound if lifting.depends(name).isdisjoint(bound)]
    kind: str = node["kind"]
    body = lifting.done[node.operands[0]]
    if len(last) == len(bound):
        return _reduced(lifting, body, kind, node.type.dtype, node.type.shape, bound)
    if kind in ("argmin", "argmax"):
        raise GraphError(f"{node!r} counts positions in ranges that depend on each other")
    levels: list[list[str]] = []
    left = bound
    while left:
        levels.append([name for name in left if lifting.depends(name).isdisjoint(left)])
        left = [name for name in left if name not in levels[-1]]
    for names in reversed(levels):
        body = _reduced(lifting, body, kind, node.type.dtype, node.type.shape, names)
        kind = "sum" if kind == "count" else kind
    return body


def _reduced(lifting: Lifting, body: Lifted, kind: str, dtype: DType, own: tuple[Size, ...], bound: list[str]) -> Lifted:
    whole = lifting.symbols_of([body, *[lifting.boxes[name].start for name in bound], *[lifting.boxes[name].stop for name in bound]])
    names = tuple(sorted({*whole, *bound}, key=lifting.order.__getitem__))
    kept = tuple([name for name in names if name not in bound])
    axes = tuple([axis for axis, name in enumerate(names) if name in bound])
    spans = _spans(lifting, [names[axis] for axis in axes], kept)
    type = TensorType(dtype, (*lifting.extents(kept), *own))
    return Lifted(lifting.make("reduce", (lifting.aligned(body, names),), type, kind=kind, axes=axes, **spans), kept)


def _spans(lifting: Lifting, bound: list[str], kept: tuple[str, ...]) -> dict[str, tuple[tuple[Size, Size], ...]]:
    """Which part of each reduced axis counts, where that depends on the other indices."""
    boxes = [lifting.boxes[name] for name in bound]
    if all(box.start == box.low and box.stop == box.low + box.extent for box in boxes):
        return {}
    return {"spans": tuple([(lifting.shifted(b.start - b.low, kept), lifting.shifted(b.stop - b.low, kept)) for b in boxes])}


LIFT_ROWS: dict[str, Row] = {
    **dict.fromkeys(OPERATIONS, lift_pointwise),
    **dict.fromkeys(_RELATIONS, lift_comparison),
    "where": lift_where,
    "cast": lift_pointwise,
    "copy": lift_pointwise,
    "assert_index": lift_pointwise,
    "size": lift_size,
    "iota": lift_iota,
    "view": lift_view,
    "define": lift_define,
    "fold": lift_fold,
    "pieces": lift_pieces,
    **STRUCTURE_ROWS,
}
