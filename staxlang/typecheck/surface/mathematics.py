"""Python's math module: on numbers known now it is Python's own; on numbers known at the call, a row of the table in double precision."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from staxlang.base.dtypes import F64
from staxlang.base.operations import OPERATIONS
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.math_rows import MATH_ROWS
from staxlang.typecheck.scalars import PYTHON_ROWS, Computed, Converted, kind_of
from staxlang.typecheck.surface.arguments import sequence_items
from staxlang.typecheck.values import ArrayValue, ScalarValue, StaticValue, Value, size_value

_TRUTHS = frozenset(("isnan", "isinf", "isfinite"))
_INTEGRAL = frozenset(("floor", "ceil", "trunc"))
_INTEGERS = frozenset(("gcd", "lcm"))


class MathMeaning:
    """A function of math that is a row."""

    __slots__ = ("function", "name", "row")

    def __init__(self, name: str, row: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.row = row
        self.function = function

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        if kwargs:
            call.error("unknown-keyword", function=self.name, name=next(iter(kwargs)))
        values = [number(call, self.name, value) for value in args]
        if all(isinstance(value, StaticValue) for value in values):
            return evaluated(call, self.function, [value.value for value in values])
        if self.row == "log" and len(values) == 2:
            return _ratio(call, values)
        if len(values) != OPERATIONS[self.row].arity:
            return self._folded(call, values)
        return self._row(values)

    def _row(self, values: list[Value]) -> Value:
        kinds = [kind_of(value) for value in values]
        if self.row in _TRUTHS:
            return ScalarValue("bool", Computed(self.row, tuple(values)))
        if self.row in _INTEGRAL:
            if kinds[0] in ("int", "bool"):
                return values[0]
            return ScalarValue("int", Computed("cast", (ScalarValue("float", Computed(self.row, tuple(values))),)))
        return ScalarValue("int" if self.row in _INTEGERS else "float", Computed(self.row, tuple(values)))

    def _folded(self, call: CallContext, values: list[Value]) -> Value:
        """gcd, lcm and hypot take any number of arguments."""
        if self.row not in ("gcd", "lcm", "hypot") or not values:
            call.error("wrong-arity", operation=self.name, expected=OPERATIONS[self.row].arity, given=len(values))
        result = values[0]
        if len(values) == 1:
            row = "fabs" if self.row == "hypot" else "absolute"
            return ScalarValue("float" if self.row == "hypot" else "int", Computed(row, (result,)))
        for value in values[1:]:
            result = self._row([result, value])
        return result

    def __repr__(self) -> str:
        return f"meaning {self.name}"


class StaticMathMeaning:
    """A function of math that needs its arguments now: they are frozen."""

    __slots__ = ("function", "name")

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.function = function

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        given = [call.static(value, f"an argument of `{self.name}`") for value in args]
        return evaluated(call, self.function, given, {key: call.static(value, key) for key, value in kwargs.items()})

    def __repr__(self) -> str:
        return f"meaning {self.name}"


def evaluated(call: CallContext, function: Callable[..., Any], values: list[Any], options: dict[str, Any] | None = None) -> Value:
    """A function of math on known values, with Python's own errors."""
    try:
        result = function(*values, **(options or {}))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        call.error("static-error", error=f"{type(error).__name__}: {error}")
    return tuple(map(StaticValue, result)) if isinstance(result, tuple) else StaticValue(result)


def number(call: CallContext, name: str, value: Value) -> Value:
    """A Python number; of an array of one element, its element as a float (as `float(x)` gives it)."""
    if not isinstance(value, ArrayValue):
        if kind_of(value) is None and not (isinstance(value, StaticValue) and call.is_numeric(value)):
            if isinstance(value, StaticValue):
                return value
            call.error("bad-argument", argument="an argument", operation=name, expected="a number", given=call.describe(value))
        return value
    for extent in value.shape:
        if not call.same_size(extent, 1, f"`{name}` takes a number"):
            help = f"`np.{_NUMPY_NAMES.get(name, name.partition('.')[2])}` takes arrays"
            call.error("not-a-scalar", what=f"`{name}`", type=call.describe(value), help=help)
    flat = call.view(value, (), (0,) * value.rank) if value.rank else value
    handle = call.handle(call.cast(flat, F64))
    return ScalarValue("float", Converted(handle, TensorType(F64, ()), call.span, call.text()))


_NUMPY_NAMES = {"math.asin": "arcsin", "math.acos": "arccos", "math.atan": "arctan", "math.atan2": "arctan2", "math.pow": "power"}


def _ratio(call: CallContext, values: list[Value]) -> Value:
    """log(x, base)."""
    logs = [
        ScalarValue("float", Computed("log", (value,))) if not isinstance(value, StaticValue) else _log(call, value) for value in values
    ]
    return ScalarValue("float", Computed("divide", tuple(logs)))


def _log(call: CallContext, value: StaticValue) -> Value:
    return evaluated(call, math.log, [value.value])


class MathSumMeaning:
    """math.fsum, math.prod: of a sequence."""

    __slots__ = ("function", "name", "row")

    def __init__(self, name: str, function: Callable[..., Any], row: str) -> None:
        self.name = name
        self.function = function
        self.row = row

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        if not args:
            call.error("missing-argument", function=self.name, name="iterable")
        items = sequence_items(call, args[0])
        if items is None:
            items = call.items(args[0], f"the argument of `{self.name}`")
        values = [number(call, self.name, item) for item in items]
        if all(isinstance(value, StaticValue) for value in values):
            return evaluated(call, self.function, [[value.value for value in values]], {k: call.static(v, k) for k, v in kwargs.items()})
        result = kwargs.get("start", StaticValue(1) if self.row == "multiply" else StaticValue(0.0))
        for value in values:
            result = self._step(call, result, value)
        return result

    def _step(self, call: CallContext, left: Value, right: Value) -> Value:
        kinds = kind_of(left) or "float", kind_of(right) or "float"
        integral = kinds[0] in ("int", "bool") and kinds[1] in ("int", "bool")
        if self.row == "multiply" and integral and not isinstance(left, ScalarValue) and not isinstance(right, ScalarValue):
            return size_value(call.size(left, "a factor") * call.size(right, "a factor"))
        if isinstance(left, StaticValue) and isinstance(right, StaticValue):
            return StaticValue(PYTHON_ROWS[self.row](left.value, right.value))
        kind = "complex" if "complex" in kinds else "int" if integral else "float"
        return ScalarValue(kind, Computed(self.row, (left, right)))

    def __repr__(self) -> str:
        return f"meaning {self.name}"


MATH_FUNCTIONS: dict[str, str] = {
    spelling.partition(".")[2]: name
    for name, operation in OPERATIONS.items()
    for spelling in operation.spellings
    if spelling.startswith("math.") and name in MATH_ROWS
} | {"pow": "float_power"}
"""By name in math: the row."""
