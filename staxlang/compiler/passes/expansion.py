"""Expansion texts of the operation table (`1/(1 + exp(-x))`) to graph nodes, for engines without a form of the operation."""

from __future__ import annotations

from functools import lru_cache

from staxlang.base.dtypes import DType, concrete, of_python
from staxlang.base.operations import OPERAND_NAMES, OPERATIONS, result_type
from staxlang.base.spans import Source
from staxlang.base.types import TensorType
from staxlang.compiler.graph import GraphError
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting
from staxlang.parser import tree
from staxlang.parser.python import parse_function

_BINARY = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "remainder", "**": "power"}
_LOGIC = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift"}
_COMPARE = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
_UNARY = {"-": "negative", "~": "invert", "not": "logical_not"}

Number = bool | int | float | complex


@lru_cache(maxsize=256)
def parse_text(text: str) -> tree.Expression:
    function = parse_function(Source("<expansion>", f"def expansion():\n    return ({text})\n"))
    (statement,) = function.body
    if not isinstance(statement, tree.Return) or statement.value is None:
        raise GraphError(f"{text!r} is no expression")
    return statement.value


def expand(rewriting: Rewriting, text: str, node: Node) -> Node:
    """The text's value with the node's operands for its names, in the node's type."""
    names = dict(zip(OPERAND_NAMES[len(node.operands)], node.operands, strict=True))
    made = _Expansion(rewriting, names).value(parse_text(text))
    if not isinstance(made, Node):
        return rewriting.constant(made, node.type)
    return rewriting.cast(made, node.type.dtype)


class _Expansion:
    def __init__(self, rewriting: Rewriting, names: dict[str, Node]) -> None:
        self.rewriting, self.names = rewriting, names
        self.shape = next(iter(names.values())).type.shape

    def value(self, expression: tree.Expression) -> Node | Number:
        if isinstance(expression, tree.Name):
            return self.names[expression.id]
        if isinstance(expression, tree.Constant) and isinstance(expression.value, (bool, int, float, complex)):
            return expression.value
        if isinstance(expression, tree.Unary):
            operand = self.value(expression.operand)
            if not isinstance(operand, Node) and expression.op == "-":
                return -operand
            return self.apply(_UNARY[expression.op], [operand])
        if isinstance(expression, tree.Binary):
            row = _BINARY.get(expression.op) or _LOGIC[expression.op]
            return self.apply(row, [self.value(expression.left), self.value(expression.right)])
        if isinstance(expression, tree.Compare) and len(expression.ops) == 1:
            return self.apply(_COMPARE[expression.ops[0]], [self.value(expression.left), self.value(expression.rights[0])])
        if isinstance(expression, tree.Conditional):
            parts = (expression.test, expression.then, expression.otherwise)
            return self.apply("where", [self.value(part) for part in parts])
        if isinstance(expression, tree.Call) and isinstance(expression.function, tree.Name):
            return self.apply(expression.function.id, [self.value(argument) for argument in expression.arguments])
        raise GraphError(f"an expansion cannot hold {expression!r}")

    def apply(self, name: str, operands: list[Node | Number]) -> Node:
        """A row with NumPy's promotion; numbers are weak."""
        row = OPERATIONS[name]
        wanted, result = result_type(row, tuple(self.dtype(operand) for operand in operands))
        made = [self.operand(operand, dtype) for operand, dtype in zip(operands, wanted, strict=True)]
        return self.rewriting.make(name, tuple(made), TensorType(concrete(result), self.shape))

    def dtype(self, operand: Node | Number) -> DType:
        if isinstance(operand, Node):
            return operand.type.dtype
        found = of_python(operand)
        if found is None:
            raise GraphError(f"an expansion cannot hold the number {operand!r}")
        return found

    def operand(self, operand: Node | Number, dtype: DType) -> Node:
        dtype = concrete(dtype)
        if isinstance(operand, Node):
            return self.rewriting.cast(operand, dtype)
        return self.rewriting.constant(dtype.numpy.type(operand).item(), TensorType(dtype, self.shape))
