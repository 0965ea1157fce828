"""Binding times: how a value comes to be needed as a size, as a truth value, or as a Python object now."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.base.dtypes import BOOL, I64
from staxlang.base.sizes import Condition, Size, floordiv, is_subscript_name, maximum, minimum, modulo, symbol
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck.counts import counted_size, sign_guard
from staxlang.typecheck.guards import SizeBinding, SizeOrigin
from staxlang.typecheck.origins import source_text
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import Computed, Converted, Leaf, freeze, kind_of, number_now, scalar_leaves
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
        size = formula_size(call.context, value, call.span, True)
        if size is None:
            if call.context.loops.active:
                call.error("loop-value-needed", what=what)
            number = freeze(call.context, value, call.span, what)
            if number is None:
                raise Unknowable
            return int(number)
        return size
    elif kind is ArrayValue and value.dtype.kind in "iu" and not value.shape:
        if value.extent is not None:
            return value.extent
        size = _data_size(call.context, call.handle(call.cast(value, I64)), call.span, source_text(call))
        if size is None:
            call.context.fail("gate-in-region", call.span, what=f"`{call.text()}`")
        return size
    elif value is UNKNOWN:
        raise Unknowable
    call.error("not-an-integer", what=what, given=call.describe(value))


def formula_size(context: EvaluationContext, value: Value, span: Span | None, data: bool = False) -> Size | None:
    """The size expression of an integer formula; None where it has none. `data`: numbers of arrays become counted sizes."""
    if type(value) is StaticValue:
        return int(value.value) if isinstance(value.value, int) else None
    if type(value) is SizeValue:
        return value.size
    formula = value.formula
    if type(formula) is Leaf:
        return _leaf_symbol(context, formula, span) if formula.kind == "int" else None
    if type(formula) is Converted and data and value.kind == "int":
        return _data_size(context, formula.handle, formula.span, formula.what)
    if type(formula) is not Computed or formula.row not in _SIZE_ROWS:
        return None
    operands = [formula_size(context, operand, span, data) for operand in formula.operands]
    if any(operand is None for operand in operands):
        return None
    if formula.row in ("floor_divide", "remainder") and isinstance(operands[1], int) and operands[1] == 0:
        return None
    return _SIZE_ROWS[formula.row](*operands)


def _data_size(context: EvaluationContext, handle: Handle, span: Span | None, what: str) -> Size | None:
    """An integer of the data as a counted size; None where every round of a loop, or a branch, has its own."""
    known = context.counts.of.get(handle)
    if known is not None:
        return known
    if context.branches.live is not None or context.recorder.closed(handle) is None:
        return None
    return counted_size(context, handle, span, what, f"the number `{what}`")


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
            sign_guard(context, made, negative, span, f"{leaf.path} is used as a size")
    return leaf.symbol


def _symbol_name(context: EvaluationContext, path: str) -> str:
    """The number's path in the user's words, unless it cannot name a size or is taken."""
    name = path
    try:
        symbol(name)
    except ValueError:
        name = "".join(c if c.isalnum() else "_" for c in path)
    if is_subscript_name(name):
        name += "_"
    taken = {binding.symbol for binding in context.sizes} | context.hints.keys() | context.rigid
    while name in taken:
        name += "_"
    return name


# ---- truth and static values ----

MAX_CONDITIONS = 4
"""Conditions on one number that are kept as shape guards; at the next its value is frozen."""



def condition_of(context: EvaluationContext, scalar: ScalarValue, span: Span | None, data: bool = False) -> Condition | None:
    """A comparison of integers as a condition on sizes; None where it is not one. `data`: numbers of arrays are sizes too."""
    formula = scalar.formula
    if type(formula) is not Computed or formula.row not in _CONDITION_ROWS:
        return None
    relation, swapped = _CONDITION_ROWS[formula.row]
    if any(kind_of(operand) not in ("int", "bool") for operand in formula.operands):
        return None
    left, right = (formula_size(context, operand, span, data) for operand in formula.operands)
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
        condition = condition_of(context, value, call.span, True)
        if condition is None and value.kind == "int":
            size = formula_size(context, value, call.span, True)
            condition = None if size is None else Condition("!=", size, 0)
        if condition is not None and not _asked_often(context, value):
            return _decided(call, condition, what)
        number = freeze(context, value, call.span, f"`{what}` decides")
        return None if number is None else bool(number)
    if kind is SizeValue:
        return _decided(call, Condition("!=", value.size, 0), what)
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


def _decided(call: CallContext, condition: Condition, what: str) -> bool | None:
    answer = call.context.decide(condition, call.span, f"`{what}` decides")
    indices = call.context.indices
    if answer is None and (call.context.loops.among(condition.left) or call.context.loops.among(condition.right)):
        call.error("loop-value-needed", what=f"`{what}`")
    if answer is None and (indices.among(condition.left) or indices.among(condition.right)):
        call.error("index-decides", what=f"`{what}`")
    return answer


def _asked_often(context: EvaluationContext, scalar: ScalarValue) -> bool:
    """Does the program keep asking about a number, as a recursion over it does? Then its value says it all, in one guard."""
    often = False
    for leaf in scalar_leaves(scalar):
        count = context.asked[leaf.position] = context.asked.get(leaf.position, 0) + 1
        often = often or count > MAX_CONDITIONS
    return often


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
    read = _array_condition(call, value, what)
    answer = None if read is None else call.context.gate(read, TensorType(BOOL, ()), call.span, what)
    return None if answer is None else bool(answer)


def _array_condition(call: CallContext, value: ArrayValue, what: str) -> Handle | None:
    """The truth of an array of one element as a 0-d bool. None only in checking, where its size is not known."""
    for extent in value.shape:
        one = call.decide(Condition("==", extent, 1), f"`{what}` is a truth value")
        if one is None:
            return None
        if not one:
            call.error("ambiguous-truth", what=f"`{what}`", type=call.describe(value))
    read = call.handle(call.view(value, (), (0,) * value.rank) if value.rank else value)
    if value.dtype is BOOL:
        return read
    return call.record("not_equal", (read, call.constant(0, value.dtype)), {}, TensorType(BOOL, ()))


def kept_condition(call: CallContext, value: Value, what: str, always: bool = False) -> ArrayValue | None:
    """The 0-d bool of a condition that stays in the program here (`always`: wherever it stands). None: it is decided when compiling.

    Conditions on sizes are decided in any case: what they choose may differ in shape.
    """
    context = call.context
    if not (always or context.branches.keeps):
        return None
    kind = type(value)
    if kind is ArrayValue:
        read = _array_condition(call, value, what)
    elif kind is ScalarValue and (always or not _is_decided_condition(context, value, call.span)):
        read = call.handle(value)
        if value.kind != "bool":
            dtype = call.type_of(call.to_array(value)).dtype
            read = call.record("not_equal", (read, call.constant(0, dtype)), {}, TensorType(BOOL, ()))
    else:
        return None
    return None if read is None else call.array(read, TensorType(BOOL, ()))


def truth_array(call: CallContext, value: Value, what: str) -> Value:
    """The truth of a value as a 0-d bool of the program: of what is known when compiling, too."""
    kept = kept_condition(call, value, what, always=True)
    if kept is not None:
        return kept
    known = call.truth(value, what)
    return UNKNOWN if known is None else call.array(call.constant(known, BOOL), TensorType(BOOL, ()))


def is_bool(value: Value) -> bool:
    """A bool: Python's, or one of NumPy's scalars and arrays."""
    return kind_of(value) == "bool" or (type(value) is ArrayValue and value.dtype is BOOL and not value.shape)


def bool_array(call: CallContext, value: Value) -> Value:
    """A bool as a 0-d array; anything else as it is."""
    if not is_bool(value) or type(value) is ArrayValue:
        return value
    return call.array(call.handle(value), TensorType(BOOL, ()))


def _is_decided_condition(context: EvaluationContext, value: ScalarValue, span: Span | None) -> bool:
    """A condition on sizes, but for one that holds in some rounds of a loop around and not in others."""
    if not _is_condition_on_sizes(context, value, span):
        return False
    if not context.loops.active:
        return True
    condition = condition_of(context, value, span)
    if condition is None:
        size = formula_size(context, value, span)
        condition = None if size is None else Condition("!=", size, 0)
    if condition is None or not (context.loops.among(condition.left) or context.loops.among(condition.right)):
        return True
    return context.loops.decide(condition, context.facts) is not None


def _is_condition_on_sizes(context: EvaluationContext, value: ScalarValue, span: Span | None) -> bool:
    return condition_of(context, value, span) is not None or (value.kind == "int" and formula_size(context, value, span) is not None)


def static(call: CallContext, value: Value, what: str) -> Any:
    """The Python object that a value is, needed now. Raises Unknowable in checking where only a call can tell."""
    kind = type(value)
    if kind is StaticValue:
        return value.value
    if kind is ScalarValue or kind is SizeValue:
        number = number_now(call.context, value, call.span, what)
        if number is None:
            raise Unknowable
        return number
    if kind is tuple:
        return tuple(static(call, item, what) for item in value)
    if isinstance(value, list):  # an argument's list is of a class of its own, and so is its dict
        return [static(call, item, what) for item in value]
    if isinstance(value, dict):
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
    found = unpacked(call, value)
    if found is not value:
        return static(call, found, what)
    call.error("not-static", what=what, given=call.describe(value))


def unpacked(call: CallContext, value: Value) -> Value:
    """A captured tuple or list as its elements, guarded by content; anything else as it is."""
    if not isinstance(value, ObjectValue):
        return value
    kind = type(value.object)
    if kind is not tuple and kind is not list and not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return value
    found = call.context.container(call, value)
    return list(found) if kind is list else found


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


def _same(size: Size) -> Size:
    return size


def _negated(size: Size) -> Size:
    return -size


_SIZE_ROWS: Mapping[str, Callable[..., Size]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "negative": _negated,
    "positive": _same, "floor_divide": floordiv, "remainder": modulo, "minimum": minimum, "maximum": maximum,
}  # fmt: skip

_CONDITION_ROWS: Mapping[str, tuple[str, bool]] = {
    "equal": ("==", False), "not_equal": ("!=", False), "less": ("<", False), "less_equal": ("<=", False),
    "greater": ("<", True), "greater_equal": ("<=", True),
}  # fmt: skip
