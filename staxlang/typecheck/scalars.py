"""Python numbers known only at the call: formulas of them, and the ways they come to be needed (as tensor, size, truth, static value)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.base.dtypes import BOOL, C128, F64, I64, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, DType, from_numpy
from staxlang.base.sizes import Condition, Size, floordiv, maximum, minimum, symbol
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.guards import FrozenScalar, Getter, SizeBinding, SizeOrigin
from staxlang.typecheck.math_rows import MATH_ROWS
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import (
    UNKNOWN,
    ArrayValue,
    IteratorValue,
    MeaningValue,
    ObjectValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    SliceValue,
    StaticValue,
    Value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext, EvaluationContext

WEAK_DTYPE: Mapping[str, DType] = {"int": WEAK_INT, "float": WEAK_FLOAT, "complex": WEAK_COMPLEX, "bool": BOOL}
DEFAULT_DTYPE: Mapping[str, DType] = {"int": I64, "float": F64, "complex": C128, "bool": BOOL}
KIND_OF: Mapping[type, str] = {bool: "bool", int: "int", float: "float", complex: "complex"}
_RANK: Mapping[str, int] = {"bool": 0, "int": 1, "float": 2, "complex": 3}


class Leaf:
    """A run-time number as it comes in: an argument, or a captured name (`getter`). `hint` is its value at the call being captured."""

    __slots__ = ("path", "position", "kind", "hint", "getter", "symbol", "memo")

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

    __slots__ = ("row", "operands", "memo")

    def __init__(self, row: str, operands: tuple[Value, ...]) -> None:
        self.row = row
        self.operands = operands
        self.memo: tuple[Any, Handle] | None = None

    def __repr__(self) -> str:
        return f"{self.row}({', '.join(map(repr, self.operands))})"


class Converted:
    """int(), float(), bool(), complex() or .item() of a 0-d tensor: it stays in the program until its value is needed now."""

    __slots__ = ("handle", "type", "span", "what")

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
    return recorder.record("constant", (), {"value": number}, TensorType(DEFAULT_DTYPE[KIND_OF[type(number)]], ()), span)


def _in_dtype(context: EvaluationContext, value: Value, kind: str, dtype: DType, span: Span | None) -> Handle:
    type_ = TensorType(dtype, ())
    if type(value) is StaticValue:
        number = value.value
        number = complex(number) if dtype.kind == "c" else float(number) if dtype.kind == "f" else int(number) if dtype.kind == "i" else number
        return context.recorder.record("constant", (), {"value": number}, type_, span)
    source = number_handle(context, value, span)
    return source if DEFAULT_DTYPE[kind] is dtype else context.recorder.record("cast", (source,), {}, type_, span)


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
        value = _number_now(context, operand, span, why)
        if value is None:
            return None
        values.append(value)
    if formula.row == "cast":
        return _PYTHON_KIND[scalar.kind](values[0])
    return PYTHON_ROWS[formula.row](*values)


def _freeze_leaf(context: EvaluationContext, leaf: Leaf, span: Span | None, why: str) -> Any:
    if leaf.hint is None:
        return None
    if leaf.position not in context.frozen_leaves:
        context.frozen_leaves[leaf.position] = leaf.hint
        context.guards.append(FrozenScalar(leaf.path, leaf.position, leaf.hint, span, why))
        if leaf.symbol is not None:
            context.assume(Condition("==", leaf.symbol, leaf.hint))
    return leaf.hint


def _number_now(context: EvaluationContext, value: Value, span: Span | None, why: str) -> Any:
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
    if hint is not None:
        context.decide(Condition("==", simple, hint), span, why)
    return hint


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
    return None if any(number is None for number in numbers) else PYTHON_ROWS[formula.row](*numbers)


# ---- as a size ----


def as_size(call: CallContext, value: Value, what: str) -> Size:
    """An int-like value as a size expression; what cannot stay one is frozen."""
    kind = type(value)
    if kind is StaticValue:
        number = value.value
        if isinstance(number, (int, np.integer)):
            return int(number)
    elif kind is SizeValue:
        return value.size
    elif kind is ScalarValue and value.kind in ("int", "bool"):
        size = _formula_size(call.context, value, call.span)
        if size is None:
            number = freeze(call.context, value, call.span, what)
            if number is None:
                raise Unknowable
            return int(number)
        return size
    elif kind is ArrayValue and value.dtype.kind in "iu" and not value.shape:
        if value.extent is not None:
            return value.extent
        number = call.context.gate(call.handle(value), TensorType(value.dtype, ()), call.span, call.text())
        if number is None:
            raise Unknowable
        return int(number)
    elif value is UNKNOWN:
        raise Unknowable
    call.error("not-an-integer", what=what, given=call.describe(value))


def _formula_size(context: EvaluationContext, value: Value, span: Span | None) -> Size | None:
    """The size expression of an integer formula; None where it has none."""
    if type(value) is StaticValue:
        return int(value.value) if isinstance(value.value, int) else None
    if type(value) is SizeValue:
        return value.size
    formula = value.formula
    if type(formula) is Leaf:
        return _leaf_symbol(context, formula, span) if formula.kind == "int" else None
    if type(formula) is not Computed or formula.row not in _SIZE_ROWS:
        return None
    operands = [_formula_size(context, operand, span) for operand in formula.operands]
    if any(operand is None for operand in operands):
        return None
    if formula.row in ("floor_divide", "remainder") and isinstance(operands[1], int) and operands[1] == 0:
        return None
    return _SIZE_ROWS[formula.row](*operands)


def _leaf_symbol(context: EvaluationContext, leaf: Leaf, span: Span | None) -> Size:
    if leaf.position in context.frozen_leaves:
        return context.frozen_leaves[leaf.position]
    if leaf.symbol is None:
        name = _symbol_name(context, leaf.path)
        negative = leaf.hint is not None and leaf.hint < 0
        made = symbol(name, signed=negative)
        leaf.symbol = made
        context.sizes.append(SizeBinding(name, leaf.path, leaf.position, leaf.hint))
        context.origins.append(SizeOrigin(made, f"the number {leaf.path}", None))
        if leaf.hint is not None:
            context.hints[name] = leaf.hint
            context.sign_guard(made, negative, span, f"{leaf.path} is used as a size")
    return leaf.symbol


def _symbol_name(context: EvaluationContext, path: str) -> str:
    name = "".join(c if c.isalnum() else "_" for c in path)
    if name[:1] == "i" and name[1:].isdigit():
        name += "_"  # `i0`, `i1`, .. are the subscripts of views
    taken = {binding.symbol for binding in context.sizes} | context.hints.keys() | context.rigid
    while name in taken:
        name += "_"
    return name


# ---- truth and static values ----


def condition_of(context: EvaluationContext, scalar: ScalarValue, span: Span | None) -> Condition | None:
    """A comparison of integers as a condition on sizes; None where it is not one."""
    formula = scalar.formula
    if type(formula) is not Computed or formula.row not in _CONDITION_ROWS:
        return None
    relation, swapped = _CONDITION_ROWS[formula.row]
    if any(kind_of(operand) not in ("int", "bool") for operand in formula.operands):
        return None
    left, right = (_formula_size(context, operand, span) for operand in formula.operands)
    if left is None or right is None:
        return None
    return Condition(relation, right, left) if swapped else Condition(relation, left, right)


def truth(call: CallContext, value: Value, what: str) -> bool | None:
    """bool(value): decided, frozen or gated. None only in checking."""
    kind = type(value)
    context = call.context
    if kind is StaticValue:
        return _static_truth(call, value.value)
    if kind is ArrayValue:
        return _array_truth(call, value, what)
    if kind is ScalarValue:
        condition = condition_of(context, value, call.span)
        if condition is None and value.kind == "int":
            size = _formula_size(context, value, call.span)
            condition = None if size is None else Condition("!=", size, 0)
        if condition is not None:
            return context.decide(condition, call.span, f"`{what}` decides")
        number = freeze(context, value, call.span, f"`{what}` decides")
        return None if number is None else bool(number)
    if kind is SizeValue:
        return context.decide(Condition("!=", value.size, 0), call.span, f"`{what}` decides")
    if value is UNKNOWN:
        return None
    if isinstance(value, (tuple, list, dict, set)):
        return bool(value)
    if kind is RecordValue:
        return bool(value.fields) if value.ordered else _plain_truth(call, value.cls)
    if kind is ObjectValue:
        return _plain_truth(call, type(value.object))
    if kind is RangeValue:
        return context.decide(Condition("<", 0, range_length(call, value)), call.span, f"`{what}` decides")
    return True


def _static_truth(call: CallContext, value: Any) -> bool:
    if value is Ellipsis or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, type(None), frozenset)):
        return bool(value)
    return _plain_truth(call, type(value))


def _plain_truth(call: CallContext, cls: type) -> bool:
    """An object without `__bool__` and `__len__` is true; those two would be user code."""
    if any("__bool__" in base.__dict__ or "__len__" in base.__dict__ for base in cls.__mro__ if base.__module__ != "builtins"):
        call.error("unsupported-method", method="__bool__" if hasattr(cls, "__bool__") else "__len__", cls=cls.__name__)
    return True


def _array_truth(call: CallContext, value: ArrayValue, what: str) -> bool | None:
    for extent in value.shape:
        one = call.decide(Condition("==", extent, 1), f"`{what}` is a truth value")
        if one is None:
            return None
        if not one:
            call.error("ambiguous-truth", what=f"`{what}`", type=call.describe(value))
    flat = call.view(value, (), (0,) * value.rank) if value.rank else value
    read = call.handle(flat)
    if value.dtype is not BOOL:
        zero = call.constant(0, value.dtype)
        read = call.record("not_equal", (read, zero), {}, TensorType(BOOL, ()))
    answer = call.context.gate(read, TensorType(BOOL, ()), call.span, what)
    return None if answer is None else bool(answer)


def static(call: CallContext, value: Value, what: str) -> Any:
    """The Python object that a value is, needed now. Raises Unknowable in checking where only a call can tell."""
    kind = type(value)
    if kind is StaticValue:
        return value.value
    if kind is ScalarValue or kind is SizeValue:
        number = _number_now(call.context, value, call.span, what)
        if number is None:
            raise Unknowable
        return number
    if kind is tuple:
        return tuple(static(call, item, what) for item in value)
    if kind is list:
        return [static(call, item, what) for item in value]
    if kind is dict:
        return {key: static(call, item, what) for key, item in value.items()}
    if kind is ArrayValue and not value.shape:
        number = call.context.gate(call.handle(value), TensorType(value.dtype, ()), call.span, call.text())
        if number is None:
            raise Unknowable
        return value.dtype.numpy.type(number)
    if kind is RecordValue and value.ordered:
        return tuple(static(call, item, what) for item in value.fields.values())
    if kind is SliceValue:
        return slice(*(None if part is None else static(call, part, what) for part in (value.lower, value.upper, value.step)))
    if kind is RangeValue:
        return range(*(static_int(call, part, what) for part in (value.start, value.stop, value.step)))
    if kind is IteratorValue:
        return tuple(static(call, item, what) for item in value.items)
    if kind is MeaningValue and value.object is not None:
        return value.object
    if value is UNKNOWN:
        raise Unknowable
    call.error("not-static", what=what, given=call.describe(value))


def static_int(call: CallContext, value: Value, what: str) -> int:
    """`static`, and an integer."""
    number = static(call, value, what)
    if not isinstance(number, (int, np.integer)):
        call.error("not-an-integer", what=what, given=call.describe(value))
    return int(number)


def range_length(call: CallContext, value: RangeValue) -> Size:
    """len(range(...)): the step must be static."""
    start, stop = as_size(call, value.start, "range"), as_size(call, value.stop, "range")
    step = static_int(call, value.step, "the step of a range")
    if step == 0:
        call.error("zero-step", what="range")
    distance = stop - start if step > 0 else start - stop
    count = distance if abs(step) == 1 else floordiv(distance + (abs(step) - 1), abs(step))
    return maximum(count, 0)


def numpy_dtype(value: Any) -> DType | None:
    """The DType of a NumPy scalar."""
    return from_numpy(value.dtype) if isinstance(value, np.generic) else None


def _where(test: Any, then: Any, otherwise: Any) -> Any:
    return then if test else otherwise


COMPARISON_ROWS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})

PYTHON_ROWS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "floor_divide": operator.floordiv,
    "remainder": operator.mod, "power": operator.pow, "negative": operator.neg, "positive": operator.pos, "absolute": abs,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "invert": operator.invert,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "logical_not": operator.not_,
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge, "where": _where, "minimum": min, "maximum": max, "conjugate": lambda z: z.conjugate(),
    "real": lambda z: z.real, "imag": lambda z: z.imag, "rint": round,
    **MATH_ROWS,
}  # fmt: skip
"""Python's own meaning of the rows that operators, builtins and `math` use on numbers: for freezing a formula."""

_SIZE_ROWS: Mapping[str, Callable[..., Size]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "negative": operator.neg, "positive": lambda size: size,
    "floor_divide": floordiv, "remainder": lambda a, b: a - b * floordiv(a, b), "minimum": minimum, "maximum": maximum,
}  # fmt: skip

_CONDITION_ROWS: Mapping[str, tuple[str, bool]] = {
    "equal": ("==", False), "not_equal": ("!=", False), "less": ("<", False), "less_equal": ("<=", False),
    "greater": ("<", True), "greater_equal": ("<=", True),
}  # fmt: skip

_PYTHON_KIND: Mapping[str, Callable[[Any], Any]] = {"int": int, "float": float, "complex": complex, "bool": bool}
