"""Graphs made by hand for the tests, with the explicit views and casts that the evaluator would record."""

from __future__ import annotations

import numpy as np

from staxlang.base.dtypes import BOOL, I64, DType, promote
from staxlang.base.operations import OPERATIONS, result_type
from staxlang.base.sizes import Facts, symbol
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph
from staxlang.compiler.node import Interner, Node
from staxlang.typecheck import views
from staxlang.typecheck.shapes import infer


class Build:
    """Makes nodes of one graph; `decide` answers size questions from constants only."""

    def __init__(self) -> None:
        self.interner = Interner()
        self.inputs: list[Node] = []
        self.scalars: list[Node] = []

    def make(self, op, operands=(), type=None, **attributes) -> Node:
        if type is None:
            type = infer(op, [o.type for o in operands], attributes)
        return self.interner.make(op, tuple(operands), type, **attributes)

    def input(self, dtype: DType, *shape, layout=None, path=None) -> Node:
        position = len(self.inputs) + len(self.scalars)
        node = self.make("input", (), TensorType(dtype, tuple(shape), layout), position=position, path=path or f"x{position}")
        self.inputs.append(node)
        return node

    def scalar(self, dtype: DType, path=None) -> Node:
        position = len(self.inputs) + len(self.scalars)
        node = self.make("scalar", (), TensorType(dtype, ()), position=position, path=path or f"k{position}")
        self.scalars.append(node)
        return node

    def number(self, value, dtype: DType) -> Node:
        return self.make("constant", (), TensorType(dtype, ()), value=value)

    def constant(self, value, like: Node) -> Node:
        return self.broadcast(self.number(value, like.type.dtype), like.type.shape)

    def array(self, values: np.ndarray, dtype: DType) -> Node:
        data = np.ascontiguousarray(values, dtype.numpy)
        return self.make("constant_array", (), TensorType(dtype, data.shape), data=data.tobytes())

    def iota(self, shape, axis: int) -> Node:
        return self.make("iota", (), TensorType(I64, tuple(shape)), axis=axis)

    def cast(self, node: Node, dtype: DType) -> Node:
        return node if node.type.dtype is dtype else self.make("cast", (node,), TensorType(dtype, node.type.shape))

    def view(self, node: Node, view: views.View) -> Node:
        return self.make("view", (node,), TensorType(node.type.dtype, view.shape), subscripts=view.subscripts)

    def broadcast(self, node: Node, shape) -> Node:
        if node.type.shape == tuple(shape):
            return node
        view = views.broadcast(node.type.shape, tuple(shape), decide)
        assert view is not None, (node.type, shape)
        return self.view(node, view)

    def op(self, name: str, *operands: Node) -> Node:
        """A row with NumPy's promotion and broadcasting."""
        wanted, result = result_type(OPERATIONS[name], tuple(o.type.dtype for o in operands))
        shape = views.broadcast_shapes([o.type.shape for o in operands], decide)
        made = [self.broadcast(self.cast(o, dtype), shape) for o, dtype in zip(operands, wanted, strict=True)]
        return self.make(name, made, TensorType(result, shape))

    def where(self, condition: Node, left: Node, right: Node) -> Node:
        dtype = promote(left.type.dtype, right.type.dtype)
        return self.op("where", self.cast(condition, BOOL), self.cast(left, dtype), self.cast(right, dtype))

    def reduce(self, node: Node, kind: str, axes) -> Node:
        return self.make("reduce", (node,), kind=kind, axes=tuple(axes))

    def keepdims(self, node: Node, axis: int) -> Node:
        return self.view(node, views.expand_dims(node.type.shape, (axis,)))

    def graph(self, *outputs: Node, updates=(), facts=None) -> Graph:
        return Graph(self.interner, tuple(self.inputs), tuple(outputs), tuple(updates), facts=facts or Facts(), scalars=tuple(self.scalars))


def decide(condition) -> bool | None:
    return Facts().decide(condition)


N, M, D = symbol("N"), symbol("M"), symbol("D")


def agree(left, right) -> None:
    """Equal bit for bit but for the sign of zero and NaN payloads; dtypes and shapes too."""
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert one.dtype == other.dtype and one.shape == other.shape, (one.dtype, one.shape, other.dtype, other.shape)
        equal = (one == other) | ((one != one) & (other != other))
        assert equal.all(), (one, other)
