"""One interned node: what graphs and loop expressions are made of."""

from __future__ import annotations

from typing import Any

from staxlang.base.spans import Span

Attributes = tuple[tuple[str, Any], ...]


class Node:
    """An operation applied to operands. Made only by an `Interner`, so equality is identity.

    `type` is a `TensorType` in a graph and a `DType` in a loop expression.
    Attributes are hashable and sorted by name. Spans are not part of a node's identity (see `Interner.spans`).
    """

    __slots__ = ("__weakref__", "attributes", "number", "op", "operands", "type")

    op: str
    operands: tuple[Node, ...]
    attributes: Attributes
    type: Any
    number: int

    def __getitem__(self, name: str) -> Any:
        for key, value in self.attributes:
            if key == name:
                return value
        raise KeyError(f"{self.op} has no attribute {name!r}")

    def get(self, name: str, default: Any = None) -> Any:
        for key, value in self.attributes:
            if key == name:
                return value
        return default

    def __repr__(self) -> str:
        attributes = "".join(f", {key}={value!r}" for key, value in self.attributes)
        return f"%{self.number} = {self.op}({', '.join(f'%{o.number}' for o in self.operands)}{attributes}): {self.type}"


class Interner:
    """Makes nodes; equal (op, operands, attributes, type) give the same object. Belongs to one compilation."""

    __slots__ = ("_table", "spans")

    def __init__(self) -> None:
        self._table: dict[tuple[Any, ...], Node] = {}
        self.spans: dict[Node, dict[Span, None]] = {}  # in the order in which they came

    def make(self, op: str, operands: tuple[Node, ...] = (), type: Any = None, span: Span | None = None, **attributes: Any) -> Node:
        items = tuple(sorted(attributes.items())) if attributes else ()
        # The classes of attribute values are part of the key: 1, 1.0 and True are equal in Python but are not the same constant.
        key = (op, operands, items, tuple(map(_tag, items)), type)
        node = self._table.get(key)
        if node is None:
            node = Node.__new__(Node)
            node.op, node.operands, node.attributes, node.type, node.number = op, operands, items, type, len(self._table)
            self._table[key] = node
        if span is not None:
            known = self.spans.get(node)
            if known is None:
                self.spans[node] = {span: None}
            else:
                known[span] = None
        return node

    def __len__(self) -> int:
        return len(self._table)


def _tag(item: tuple[str, Any]) -> Any:
    value: object = item[1]
    if isinstance(value, float):
        return value.hex()  # tells 0.0 from -0.0, and makes a NaN equal to itself
    return type(value)
