"""Python's operator module on abstract values: its functions are the operators themselves."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from staxlang.typecheck import containers, operators
from staxlang.typecheck.containers import Builtin, arity
from staxlang.typecheck.in_place import in_place
from staxlang.typecheck.values import Value

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext


def _binary(name: str, symbol: str) -> Builtin:
    def run(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
        arity(call, args, kwargs, f"operator.{name}", 2, 2)
        return operators.binary(call, symbol, *args)

    return Builtin(f"operator.{name}", run)


def _in_place(name: str, symbol: str) -> Builtin:
    def run(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
        arity(call, args, kwargs, f"operator.{name}", 2, 2)
        return in_place(call, symbol, *args)

    return Builtin(f"operator.{name}", run)


def _comparison(name: str, symbol: str) -> Builtin:
    def run(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
        arity(call, args, kwargs, f"operator.{name}", 2, 2)
        left, right = (args[1], args[0]) if name == "contains" else (args[0], args[1])
        return operators.comparison(call, symbol, left, right)

    return Builtin(f"operator.{name}", run)


def _unary(name: str, symbol: str) -> Builtin:
    def run(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
        arity(call, args, kwargs, f"operator.{name}", 1, 1)
        return operators.unary(call, symbol, args[0])

    return Builtin(f"operator.{name}", run)


def _getitem(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    arity(call, args, kwargs, "operator.getitem", 2, 2)
    return containers.subscript(call, *args)


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and_": "&", "or_": "|",
    "xor": "^", "lshift": "<<", "rshift": ">>", "concat": "+",
}  # fmt: skip
_IN_PLACE = {
    "iadd": "+", "isub": "-", "imul": "*", "itruediv": "/", "ifloordiv": "//", "imod": "%", "ipow": "**", "imatmul": "@", "iand": "&",
    "ior": "|", "ixor": "^", "ilshift": "<<", "irshift": ">>",
}  # fmt: skip
_COMPARISONS = {
    "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "is_": "is", "is_not": "is not", "contains": "in",
}  # fmt: skip
_UNARY = {"neg": "-", "pos": "+", "invert": "~", "inv": "~", "not_": "not"}

OPERATOR_ROWS: dict[Any, Builtin] = {
    **{getattr(operator, name): _binary(name, symbol) for name, symbol in _BINARY.items()},
    **{getattr(operator, name): _in_place(name, symbol) for name, symbol in _IN_PLACE.items()},
    **{getattr(operator, name): _comparison(name, symbol) for name, symbol in _COMPARISONS.items()},
    **{getattr(operator, name): _unary(name, symbol) for name, symbol in _UNARY.items()},
    operator.getitem: Builtin("operator.getitem", _getitem),
}
