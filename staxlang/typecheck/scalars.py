"""Python numbers known only at the call: formulas of them, and the ways they come to be needed (as tensor, size, truth, static value)."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import BOOL, C128, F64, I64, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, DType
from staxlang.base.sizes import Condition, Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.guards import FrozenScalar, Getter
from staxlang.typecheck.math_rows import MATH_ROWS
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import (
    ArrayValue,
    ScalarValue,
    SizeValue,
    StaticValue,
    Value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.context import EvaluationContext

WEAK_DTYPE: Mapping[str, DType] = {"int": WEAK_INT, "float": WEAK_FLOAT, "complex": WEAK_COMPLEX, "bool": BOOL}
DEFAULT_DTYPE: Mapping[str, DType] = {"int": I64, "float": F64, "complex": C128, "bool": BOOL}
KIND_OF: Mapping[type, str] = {bool: "bool", int: "int", float: "float", complex: "complex"}
_RANK: Mapping[str, int] = {"bool": 0, "int": 1, "float": 2, "complex": 3}


class Leaf:
    """A run-time number as it comes in: an argument, or a captured name (`getter`). `hint` is its value at the call being captured."""

    __slots__ = ("getter", "hint", "kind", "memo", "path", "position", "symbol")

    def __init__(self, path: str, position: int, kind: str, hint: Any, getter: Getter | None = None) -> None:
        self.path = path
        self.position = position
        self.kind = kind
        self.hint = hint
        self.getter = getter
        self.symbol: Size | None = None
        self.memo: tuple[Any, Handle] | None = None

    def __repr__(self) -> str:
        return self.path


class Computed:
    """A row of the operation table on numbers, with Python's meaning."""

    __slots__ = ("memo", "operands", "row")

    def __init__(self, row: str, operands: tuple[Value, ...]) -> None:
        self.row = row
        self.operands = operands
        self.memo: tuple[Any, Handle] | None = None

    def __repr__(self) -> str:
        return f"{self.row}({', '.join(map(repr, self.operands))})"


class Converted:
    """int(), float(), bool(), complex() or .item() of a 0-d tensor: it stays in the program until its value is needed now."""

    __slots__ = ("handle", "span", "type", "what")

    def __init__(self, handle: Handle, type: TensorType, span: Span | None, what: str) -> None:
        self.handle = handle
        self.type = type
        self.span = span
        self.what = what

    def __repr__(self) -> str:
        return self.what


# ---- making ----


def kind_of(value: Value) -> str | None:
    """'bool', 'int', 'float' or 'complex' of a Python number (not of a NumPy scalar or array)."""
    kind = type(value)
    if kind is StaticValue:
        return KIND_OF.get(type(value.value))
    if kind is SizeValue:
        return "int"
    return value.kind if kind is ScalarValue else None


def compute(context: EvaluationContext, row: str, operands: tuple[Value, ...], kind: str) -> Value:
    """A row on Python numbers of which at least one is known only at the call."""
    return ScalarValue(kind, Computed(row, operands))


def result_kind(symbol_text: str, left: str, right: str) -> str | None:
    """The kind of Python's binary operator on two kinds of numbers; None where it does not exist or depends on the values."""
    wide = left if _RANK[left] >= _RANK[right] else right
    if symbol_text in ("+", "-", "*"):
        return "int" if wide == "bool" else wide
    if symbol_text == "/":
        return "complex" if wide == "complex" else "float"
    if symbol_text in ("//", "%"):
        return None if wide == "complex" else "int" if wide == "bool" else wide
    if symbol_text == "**":
        return None if _RANK[wide] <= 1 else wide
    if symbol_text in ("&", "|", "^"):
        return wide if _RANK[wide] <= 1 else None
    if symbol_text in ("<<", ">>"):
        return "int" if _RANK[wide] <= 1 else None
    return "bool"


# ---- as a tensor ----


def handle(context: EvaluationContext, scalar: ScalarValue, span: Span | None) -> Handle:
    """The number as a 0-d value of its default dtype (bool, i64, f64, c128)."""
    formula = scalar.formula
    if type(formula) is Converted:
        return formula.handle
    recorder = context.recorder
    if formula.memo is not None and formula.memo[0] is recorder:
        return formula.memo[1]
    dtype = DEFAULT_DTYPE[scalar.kind]
    type_ = TensorType(dtype, ())
    if type(formula) is Leaf:
        made = recorder.record("scalar", (), {"position": formula.position, "path": formula.path}, type_, span)
    else:
        made = _computed_handle(context, formula, type_, span)
    formula.memo = (recorder, made)
    return made


def _computed_handle(context: EvaluationContext, formula: Computed, result: TensorType, span: Span | None) -> Handle:
    recorder = context.recorder
    if formula.row == "cast":
        operand = formula.operands[0]
        source = number_handle(context, operand, span)
        return recorder.record("cast", (source,), {}, result, span)
    kinds = [kind_of(operand) or "float" for operand in formula.operands]
    dtype = result.dtype
    if formula.row in COMPARISON_ROWS:
        dtype = DEFAULT_DTYPE[max(kinds, key=lambda kind: _RANK[kind])]
    elif formula.row == "where":
        parts = [number_handle(context, operand, span) for operand in formula.operands]
        return recorder.record("where", tuple(parts), {}, result, span)
    elif formula.row in ("absolute", "real", "imag") and kinds[0] == "complex":
        dtype = C128
    elif formula.row == "logical_not":
        dtype = BOOL
    operands = tuple(_in_dtype(context, operand, kind, dtype, span) for operand, kind in zip(formula.operands, kinds, strict=True))
    return recorder.record(formula.row, operands, {}, result, span)


def number_handle(context: EvaluationContext, value: Value, span: Span | None) -> Handle:
    """Any Python number, static or not, as a 0-d value of its default dtype."""
    if type(value) is ScalarValue:
        return handle(context, value, span)
    recorder = context.recorder
    if type(value) is SizeValue:
        return recorder.record("size", (), {"value": value.size}, TensorType(I64, ()), span)
    number = value.value
    dtype = DEFAULT_DTYPE[KIND_OF[type(number)]]
    return recorder.record("constant", (), {"value": _fitting(context, number, dtype, span)}, TensorType(dtype, ()), span)


def _in_dtype(context: EvaluationContext, value: Value, kind: str, dtype: DType, span: Span | None) -> Handle:
    type_ = TensorType(dtype, ())
    if type(value) is StaticValue:
        number = _fitting(context, value.value, dtype, span)
        return context.recorder.record("constant", (), {"value": number}, type_, span)
    source = number_handle(context, value, span)
    return source if DEFAULT_DTYPE[kind] is dtype else context.recorder.record("cast", (source,), {}, type_, span)


def _fitting(context: EvaluationContext, number: Any, dtype: DType, span: Span | None) -> Any:
    """The number in the class of a dtype's numbers. An integer beyond 64 bits is exact only among numbers that are all known."""
    try:
        made = _PYTHON_CLASS.get(dtype.kind, bool)(number)
    except OverflowError:
        made = None
    if made is None or (dtype.kind == "i" and not -(1 << 63) <= made < 1 << 63):
        value = str(number) if number.bit_length() < 100 else f"an integer of {len(str(number))} digits"
        advice = "integers that are known at the call only have 64 bits: compute with floats, or make them constants"
        context.fail("integer-overflow", span, value=value, dtype=dtype.name, help=advice)
    return made


# ---- as a value needed now ----


def freeze(context: EvaluationContext, scalar: ScalarValue, span: Span | None, why: str) -> Any:
    """The Python number at this call; None in checking."""
    formula = scalar.formula
    if type(formula) is Leaf:
        return _freeze_leaf(context, formula, span, why)
    if type(formula) is Converted:
        value = context.gate(formula.handle, formula.type, formula.span, formula.what)
        return None if value is None else _PYTHON_KIND[scalar.kind](value)
    values: list[Any] = []
    for operand in formula.operands:
        value = number_now(context, operand, span, why)
        if value is None:
            return None
        values.append(value)
    try:
        return _PYTHON_KIND[scalar.kind](values[0]) if formula.row == "cast" else PYTHON_ROWS[formula.row](*values)
    except ZeroDivisionError:
        context.fail("division-by-zero", span, operation=formula.row)
    except (ArithmeticError, ValueError) as error:
        context.fail("static-value", span, error=f"{type(error).__name__}: {error}")


def _freeze_leaf(context: EvaluationContext, leaf: Leaf, span: Span | None, why: str) -> Any:
    if leaf.hint is None:
        return None
    if leaf.position not in context.frozen_leaves:
        context.frozen_leaves[leaf.position] = leaf.hint
        context.guards.append(FrozenScalar(leaf.path, leaf.position, leaf.hint, span, why))
        if leaf.symbol is not None:
            context.assume(Condition("==", leaf.symbol, leaf.hint))
    return leaf.hint


def number_now(context: EvaluationContext, value: Value, span: Span | None, why: str) -> Any:
    if type(value) is StaticValue:
        return value.value
    if type(value) is SizeValue:
        return fixed_size(context, value.size, span, why)
    return freeze(context, value, span, why)


def fixed_size(context: EvaluationContext, size: Size, span: Span | None, why: str) -> int | None:
    """The extent at this call, fixed by a shape guard; None in checking."""
    simple = size if isinstance(size, int) else context.facts.simplify(size)
    if isinstance(simple, int):
        return simple
    hint = context.hint(simple)
    if context.loops.among(simple):
        context.fail("loop-value-needed", span, what=why)
    if hint is not None:
        context.decide(Condition("==", simple, hint), span, why)
    elif context.indices.among(simple):
        context.fail("index-decides", span, what=f"`{context.indices.text(simple)}`")
    return hint


def scalar_leaves(value: Value) -> Iterator[Leaf]:
    """The arguments and captured numbers that a number is computed from."""
    formula = value.formula if type(value) is ScalarValue else None
    if type(formula) is Leaf:
        yield formula
    elif type(formula) is Computed:
        for operand in formula.operands:
            yield from scalar_leaves(operand)


def depends_on_data(value: Value) -> bool:
    """Is the value computed from arrays, so that each round would be a data gate?"""
    if type(value) is ArrayValue:
        return True
    if type(value) is not ScalarValue:
        return False
    formula = value.formula
    if type(formula) is Converted:
        return True
    return type(formula) is Computed and any(depends_on_data(operand) for operand in formula.operands)


def peek(context: EvaluationContext, value: Value) -> Any:
    """The Python number at this call, without any dependence on it: for limits and advice only. None where it is not known."""
    kind = type(value)
    if kind is StaticValue:
        return value.value
    if kind is SizeValue:
        return context.hint(value.size)
    formula = value.formula if kind is ScalarValue else None
    if type(formula) is Leaf:
        return formula.hint
    if type(formula) is not Computed or formula.row not in PYTHON_ROWS:
        return None
    numbers = [peek(context, operand) for operand in formula.operands]
    try:
        return None if any(number is None for number in numbers) else PYTHON_ROWS[formula.row](*numbers)
    except (ArithmeticError, ValueError):
        return None


def _where(test: Any, then: Any, otherwise: Any) -> Any:
    return then if test else otherwise


COMPARISON_ROWS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})

PYTHON_ROWS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "floor_divide": operator.floordiv,
    "remainder": operator.mod, "power": operator.pow, "negative": operator.neg, "positive": operator.pos, "absolute": abs,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "invert": operator.invert,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "logical_not": operator.not_,
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge, "where": _where, "minimum": min, "maximum": max, "conjugate": complex.conjugate,
    "real": operator.attrgetter("real"), "imag": operator.attrgetter("imag"), "rint": round,
    **MATH_ROWS,
}  # fmt: skip
"""Python's own meaning of the rows that operators, builtins and `math` use on numbers: for freezing a formula."""

_PYTHON_CLASS: Mapping[str, Callable[[Any], Any]] = {"c": complex, "f": float, "i": int}
_PYTHON_KIND: Mapping[str, Callable[[Any], Any]] = {"int": int, "float": float, "complex": complex, "bool": bool}
