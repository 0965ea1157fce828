"""Short reductions over windows - small convolutions, pooling, stencils - written out, so that vectors run along what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from staxlang.base.dtypes import I64
from staxlang.base.sizes import Size, SizeExpression, substitute, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.graph import inherit_spans, topological
from staxlang.compiler.node import Node
from staxlang.compiler.passes.lift import Lifted, Lifting

MOST_POINTS = 32
MOST_NODES = 512  # of all points together
ROWS = {
    "sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and", "count": "add",
}  # fmt: skip


def unrolled(lifting: Lifting, node: Node) -> Lifted | None:
    """The fold with a term for each point; None where a loop is the better form."""
    ranges: tuple[tuple[str, Size, Size], ...] = node["ranges"]
    spans = [range(start, stop) for _, start, stop in ranges if isinstance(start, int) and isinstance(stop, int)]
    if node["kind"] not in ROWS or len(spans) != len(ranges):
        return None
    points = list(product(*spans))
    names = [name for name, _, _ in ranges]
    body = node.operands[0]
    order = topological((body,))
    if not 0 < len(points) <= MOST_POINTS or len(points) * len(order) > MOST_NODES or not _slides(lifting, order, names):
        return None
    if node["kind"] == "sum" and _is_product_of_tensors(lifting, body, names):
        return None
    terms = [_term(lifting, body, dict(zip(names, point, strict=True)), node["kind"]) for point in points]
    whole = lifting.symbols_of(terms)
    return Lifted(_tree(lifting, ROWS[node["kind"]], [lifting.aligned(term, whole) for term in terms]), whole)


def _slides(lifting: Lifting, order: list[Node], names: list[str]) -> bool:
    """Whether an array is read at subscripts in which an index of the fold moves along with another one."""
    for node in order:
        if node.op == "view":
            for one in node["subscripts"]:
                found = symbols(one) & lifting.boxes.keys()
                if len(found) > 1 and not found.isdisjoint(names):
                    return True
    return False


def _is_product_of_tensors(lifting: Lifting, body: Node, names: list[str]) -> bool:
    """A product each factor of which has an index of its own that is kept is a product of matrices."""
    if body.op != "multiply":
        return False
    first, second = [set(lifting.done[operand].symbols).difference(names) for operand in body.operands]
    return bool(first - second) and bool(second - first)


def _term(lifting: Lifting, body: Node, point: Mapping[str, Size], kind: str) -> Lifted:
    memo: dict[Node, Node] = {}
    for node in topological((body,)):
        memo[node] = _at(lifting, node, point, memo)
        lifting.lift(memo[node])
    found = lifting.done[memo[body]]
    if kind != "count":
        return found
    type = TensorType(I64, found.node.type.shape)
    return Lifted(lifting.make("cast", (found.node,), type), found.symbols)


def _at(lifting: Lifting, node: Node, point: Mapping[str, Size], memo: Mapping[Node, Node]) -> Node:
    """The node with the fold's indices at a point."""
    if node.op in ("input", "scalar", "parameter", "constant"):
        return node
    attributes = {key: _placed(value, point) for key, value in node.attributes}
    operands = tuple([memo[operand] for operand in node.operands])
    if operands == node.operands and attributes == dict(node.attributes):
        return node
    if node.op == "size" and isinstance(attributes["value"], int):
        made = lifting.make("constant", (), node.type, value=attributes["value"])
    else:
        made = lifting.make(node.op, operands, node.type, **attributes)
    inherit_spans(node, made, lifting.interner)
    return made


def _placed(value: Any, point: Mapping[str, Size]) -> Any:
    if isinstance(value, SizeExpression):
        return substitute(value, point)
    return tuple([_placed(one, point) for one in value]) if type(value) is tuple else value  # pyright: ignore[reportUnknownVariableType]


def _tree(lifting: Lifting, op: str, terms: list[Node]) -> Node:
    """The terms combined in a balanced tree."""
    while len(terms) > 1:
        pairs = [lifting.pointwise(op, one, other) for one, other in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + (terms[-1:] if len(terms) % 2 else [])
    return terms[0]
