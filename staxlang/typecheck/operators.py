"""Python's operators on abstract values: between numbers by Python's rules, with an array by the operation table, else by the object."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.base.deferred import deferred
from staxlang.base.dtypes import BOOL, I64, DType, numpy_or_own
from staxlang.base.sizes import Condition, compare, floordiv
from staxlang.base.types import TensorType
from staxlang.typecheck import binding, names, pointwise, scalars
from staxlang.typecheck.guards import Getter
from staxlang.typecheck.problems import plain_advice
from staxlang.typecheck.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    ArrayValue,
    BoundMethod,
    FunctionValue,
    MeaningValue,
    ObjectValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    StaticValue,
    Value,
    size_value,
)

if TYPE_CHECKING:
    from staxlang.typecheck import divisors
    from staxlang.typecheck.context import CallContext
else:
    divisors = deferred("staxlang.typecheck.divisors")

BINARY_ROWS: Mapping[str, str] = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "remainder", "**": "power",
    "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift",
}  # fmt: skip
COMPARE_ROWS: Mapping[str, str] = {
    "==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
}  # fmt: skip
UNARY_ROWS: Mapping[str, str] = {"-": "negative", "+": "positive", "~": "invert"}

_PYTHON: Mapping[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_UNARY_PYTHON: Mapping[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
METHODS: Mapping[str, str] = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "&": "and", "|": "or", "^": "xor",
    "<<": "lshift", ">>": "rshift", "@": "matmul",
}  # fmt: skip
_COMPARE_METHODS: Mapping[str, str] = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_REFLECTED: Mapping[str, str] = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), frozenset, range, enum.Enum, np.dtype, DType, type, slice)
MAX_STATIC_BITS = 1 << 16
"""Static integers larger than this, and strings longer, are a mistake rather than a constant."""


# ---- binary ----


def binary(call: CallContext, op: str, left: Value, right: Value) -> Value:
    """`left op right`."""
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    one = type(left)
    two = type(right)
    if one is ArrayValue or two is ArrayValue:
        left, right = _of_sequences(call, op, left, right)
        one, two = type(left), type(right)
    if (one is ArrayValue or two is ArrayValue) and pointwise.is_numeric(left) and pointwise.is_numeric(right):
        if op == "@":
            return matmul(call, left, right)
        if op == "**" and one is ArrayValue and left.dtype is BOOL and not left.scalar and _is_two(call, right):
            return call.pointwise("square", (left,))
        return call.pointwise(BINARY_ROWS[op], (left, right))
    if one is StaticValue and two is StaticValue:
        return _static_binary(call, op, left.value, right.value)
    kinds = scalars.kind_of(left), scalars.kind_of(right)
    if kinds[0] is not None and kinds[1] is not None and op != "@":
        if one is not ScalarValue and two is not ScalarValue:
            made = _size_binary(call, op, left, right)
            if made is not None:
                return made
        return _scalar_binary(call, op, left, right, kinds[0], kinds[1])
    if op != "@" and pointwise.is_numeric(left) and pointwise.is_numeric(right):  # a static NumPy scalar with a run-time number
        return call.pointwise(BINARY_ROWS[op], (left, right))
    return _object_binary(call, op, left, right)


def _is_two(call: CallContext, exponent: Value) -> bool:
    """Whether it is Python's number 2. NumPy squares an array then: of booleans that makes i8, any other power i64."""
    if scalars.kind_of(exponent) != "int" or type(exponent) is ArrayValue:
        return False
    if type(exponent) is StaticValue:
        return type(exponent.value) is int and exponent.value == 2
    return call.decide(Condition("==", binding.as_size(call, exponent, "an exponent"), 2), "it is the exponent of booleans") is True


def matmul(call: CallContext, left: Value, right: Value) -> Value:
    return _numpy(call, np.matmul, left, right)


def _numpy(call: CallContext, function: Any, *args: Value) -> Value:
    meaning = names.resolve(function)
    if meaning is None:
        raise LookupError(f"{function.__name__} has no meaning")
    return meaning.apply(call, list(args), {}, call.span)


def _of_sequences(call: CallContext, op: str, left: Value, right: Value) -> tuple[Value, Value]:
    """A sequence beside an array becomes one; a NumPy scalar times a sequence is Python's repetition."""
    for value, other in ((left, right), (right, left)):
        if type(value) is ArrayValue and isinstance(other, (tuple, list, RangeValue)) and not (value.scalar and op == "*"):
            made = _numpy(call, np.asarray, other)
            return (left, made) if other is right else (made, right)
    return left, right


def _static_binary(call: CallContext, op: str, left: Any, right: Any) -> Value:
    if isinstance(left, np.generic) or isinstance(right, np.generic):
        return call.pointwise(BINARY_ROWS[op], (StaticValue(left), StaticValue(right)))
    if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN) or op == "@":
        return no_operator(call, op, StaticValue(left), StaticValue(right))
    if op in ("**", "<<", "*") and _too_large(op, left, right):
        call.error("static-too-large", operation=call.operation_text(op))
    try:
        return StaticValue(_PYTHON[op](left, right))
    except Exception as error:
        return python_error(call, error, op, StaticValue(left), StaticValue(right))


def _too_large(op: str, left: Any, right: Any) -> bool:
    if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)):
        length, count = (len(left), right) if isinstance(left, (str, bytes)) else (len(right), left)
        return op == "*" and isinstance(count, int) and length * count > MAX_STATIC_BITS
    if not (isinstance(left, int) and isinstance(right, int)):
        return False
    if op == "*":
        return left.bit_length() + right.bit_length() > MAX_STATIC_BITS
    return right > 0 and (right if op == "<<" else left.bit_length() * right) > MAX_STATIC_BITS and abs(left) > (op == "**")


def _size_binary(call: CallContext, op: str, left: Value, right: Value) -> Value | None:
    """Integers of which one is a size: a size again where the algebra has the operation; None where it has not."""
    if scalars.kind_of(left) not in ("int", "bool") or scalars.kind_of(right) not in ("int", "bool"):
        return None
    one, two = binding.as_size(call, left, "operand"), binding.as_size(call, right, "operand")
    if op == "+":
        return size_value(one + two)
    if op == "-":
        return size_value(one - two)
    if op == "*":
        return size_value(one * two)
    if op in ("//", "%"):
        divisors.check_divisor(call, op, right if type(right) is SizeValue else size_value(two))
        quotient = floordiv(one, two)
        return size_value(quotient if op == "//" else one - two * quotient)
    if op == "**" and isinstance(two, int) and 0 <= two <= 64:
        return size_value(one**two)
    return None


def _scalar_binary(call: CallContext, op: str, left: Value, right: Value, one: str, two: str) -> Value:
    """Python numbers of which one is known only at the call."""
    kind = scalars.result_kind(op, one, two)
    if kind is None and op == "**":  # int ** int: what kind it gives depends on the exponent's sign
        if _is_power_of_index(call, right):
            type_ = TensorType(I64, ())
            made = call.record("power", (call.handle(call.to_array(left, I64)), call.handle(call.to_array(right, I64))), {}, type_)
            return ScalarValue("int", scalars.Converted(made, type_, call.span, call.operation_text(op)))
        exponent = binding.static(call, right, f"the exponent of `{call.operation_text(op)}`")
        right = StaticValue(exponent)
        if type(left) is StaticValue:
            return _static_binary(call, op, left.value, exponent)
        kind = "int" if exponent >= 0 else "float"
    if kind is None:
        return no_operator(call, op, left, right)
    if op in ("/", "//", "%"):
        divisors.check_divisor(call, op, right)
    return ScalarValue(kind, scalars.Computed(BINARY_ROWS[op], (left, right)))


def _is_power_of_index(call: CallContext, exponent: Value) -> bool:
    """Whether an exponent depends on indices of index notation: no value of it may be negative then."""
    indices = call.context.indices
    size = binding.as_size(call, exponent, "an exponent") if indices.active else 0
    if not indices.among(size):
        return False
    if not indices.searching and not indices.proved(Condition("<=", 0, size), call.context.facts):
        help = "the sign of an exponent decides whether a power of integers is an integer: write a float before it, as in `2.0 ** i`"
        call.error("index-decides", what=f"`{indices.text(size)}`", help=help)
    return True


def _object_binary(call: CallContext, op: str, left: Value, right: Value) -> Value:
    """Sequences, sets and dicts as in Python; else the operator's method of a user's class."""
    if op == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        return (*left, *right)
    if op == "+" and isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, (tuple, list)) and op == "*" and scalars.kind_of(count) in ("int", "bool"):
            times = binding.static_int(call, count, "the number of repetitions")
            if len(sequence) * times > call.context.unroll_limit:
                call.error("static-too-large", operation="*")
            return tuple(sequence) * times if isinstance(sequence, tuple) else list(sequence) * times
    if isinstance(left, dict) and isinstance(right, dict) and op == "|":
        return {**left, **right}
    if type(left) is StaticValue and isinstance(left.value, str) and op == "%":
        return _static_binary(call, op, left.value, binding.static(call, right, "the arguments of a formatted string"))
    name = METHODS[op]
    return _by_method(call, f"__{name}__", f"__r{name}__", left, right) or no_operator(call, op, left, right)


def _by_method(call: CallContext, name: str, reflected: str, left: Value, right: Value) -> Value | None:
    for receiver, method, other in ((left, name, right), (right, reflected, left)):
        function = class_method(receiver, method)
        if function is not None:
            result = call.call(BoundMethod(function, receiver), [other])
            if not (type(result) is StaticValue and result.value is NotImplemented):
                return result
    return None


def class_method(receiver: Value, name: str) -> Value | None:
    """A special method that a user's class defines in Python."""
    cls = receiver.cls if type(receiver) is RecordValue else type(receiver.object) if isinstance(receiver, ObjectValue) else None
    if cls is None:
        return None
    for base in cls.__mro__:
        stored = base.__dict__.get(name)
        if stored is not None:
            if not hasattr(stored, "__code__") or stored.__code__.co_filename.startswith("<string"):  # made by dataclasses
                return None
            return MeaningValue(_Special(stored, Getter("object", cls.__name__, cls).step("class", name)), None)
    return None


class _Special:
    """A special method of a user's class, inlined when it is called."""

    __slots__ = ("function", "getter", "name")

    def __init__(self, function: Any, getter: Getter) -> None:
        self.function = function
        self.getter = getter
        self.name = function.__name__

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Any) -> Value:
        call.context.content(self.getter, "code", self.function, span)
        return call.call(call.context.function(self.function, self.getter, span), args, kwargs)


def no_operator(call: CallContext, op: str, left: Value, right: Value) -> Value:
    advice = [plain_advice(getattr(value, "object", None), call.text(index)) for index, value in enumerate((left, right))]
    call.error("no-operator", operation=op, left=call.describe(left), right=call.describe(right), help=advice[0] or advice[1])


def python_error(call: CallContext, error: Exception, op: str, *operands: Value) -> Value:
    """What Python itself would raise for static values."""
    if isinstance(error, ZeroDivisionError):
        call.error("division-by-zero", operation=op)
    if isinstance(error, TypeError) and len(operands) == 2:
        return no_operator(call, op, *operands)
    call.error("static-value" if isinstance(error, ValueError) else "static-error", error=f"{type(error).__name__}: {error}")


# ---- unary ----


def unary(call: CallContext, op: str, operand: Value) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    if operand is UNKNOWN:
        return UNKNOWN
    if op == "not":
        if call.context.branches.keeps and not call.checking:
            kept = binding.kept_condition(call, operand, call.text(0))
            if kept is not None:
                return call.pointwise("logical_not", (kept,))
        answer = binding.truth(call, operand, call.text(0))
        return UNKNOWN if answer is None else FALSE if answer else TRUE
    kind = type(operand)
    if kind is ArrayValue or (kind is StaticValue and isinstance(operand.value, np.generic)):
        return call.pointwise(UNARY_ROWS[op], (operand,))
    if kind is StaticValue:
        try:
            return StaticValue(_UNARY_PYTHON[op](operand.value)) if isinstance(operand.value, _PLAIN) else _no_unary(call, op, operand)
        except TypeError:
            return _no_unary(call, op, operand)
    if kind is SizeValue:
        return operand if op == "+" else size_value(-operand.size if op == "-" else -operand.size - 1)
    if kind is ScalarValue:
        if op == "~" and operand.kind not in ("int", "bool"):
            return _no_unary(call, op, operand)
        result = "int" if operand.kind == "bool" else operand.kind
        return ScalarValue(result, scalars.Computed(UNARY_ROWS[op], (operand,)))
    function = class_method(operand, {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op])
    return call.call(BoundMethod(function, operand), []) if function is not None else _no_unary(call, op, operand)


def _no_unary(call: CallContext, op: str, operand: Value) -> Value:
    call.error("no-unary-operator", operation=op, operand=call.describe(operand))


# ---- comparisons ----


def comparison(call: CallContext, op: str, left: Value, right: Value) -> Value:
    """One comparison: a static bool, a run-time bool or an array of bool; UNKNOWN where only a call can tell."""
    if op in ("is", "is not"):
        return _identity(op, left, right)
    if op in ("in", "not in"):
        return _membership(call, op, left, right)
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    one = type(left)
    two = type(right)
    if one is ArrayValue or two is ArrayValue:
        left, right = _of_sequences(call, op, left, right)
        one, two = type(left), type(right)
        array, other = (left, right) if one is ArrayValue else (right, left)
        if pointwise.is_numeric(other):
            return call.pointwise(COMPARE_ROWS[op], (left, right))
        if op in ("==", "!=") and not array.scalar and type(other) is StaticValue and isinstance(other.value, (str, bytes, type(None))):
            return pointwise.everywhere(call, op == "!=", array.shape)  # NumPy compares each element
    kinds = scalars.kind_of(left), scalars.kind_of(right)
    if kinds[0] is not None and kinds[1] is not None:
        if one is StaticValue and two is StaticValue:
            return _compare_plain(call, op, left, right)
        if one is ScalarValue or two is ScalarValue or kinds[0] not in ("int", "bool") or kinds[1] not in ("int", "bool"):
            return ScalarValue("bool", scalars.Computed(COMPARE_ROWS[op], (left, right)))
        return _decided(call, op, left, right)
    function = _compare_method(call, op, left, right)
    if function is not None:
        return function
    if pointwise.is_numeric(left) and pointwise.is_numeric(right):  # a NumPy scalar among them
        return call.pointwise(COMPARE_ROWS[op], (left, right))
    if op in ("==", "!="):
        same = equal(call, left, right)
        return UNKNOWN if same is None else TRUE if same is (op == "==") else FALSE
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return StaticValue(_PYTHON[op](binding.static(call, left, "a comparison"), binding.static(call, right, "a comparison")))
    if one is StaticValue and two is StaticValue:
        return _compare_plain(call, op, left, right)
    return no_operator(call, op, left, right)


def _compare_plain(call: CallContext, op: str, left: Value, right: Value) -> Value:
    if not isinstance(left.value, _PLAIN) or not isinstance(right.value, _PLAIN):
        return no_operator(call, op, left, right)
    try:
        return TRUE if _PYTHON[op](left.value, right.value) else FALSE
    except TypeError:
        return no_operator(call, op, left, right)


def _decided(call: CallContext, op: str, left: Value, right: Value) -> Value:
    """Integers, one of them a size."""
    condition = compare(op, binding.as_size(call, left, "operand"), binding.as_size(call, right, "operand"))
    answer = call.decide(condition, f"`{call.text()}`")
    if answer is None:  # in checking: a branch or an assertion may still take it as a fact
        return ScalarValue("bool", scalars.Computed(COMPARE_ROWS[op], (left, right)))
    return TRUE if answer else FALSE


def _compare_method(call: CallContext, op: str, left: Value, right: Value) -> Value | None:
    name = _COMPARE_METHODS[op]
    if type(left) is not RecordValue and not isinstance(left, ObjectValue) and type(right) is not RecordValue:
        if not isinstance(right, ObjectValue):
            return None
    return _by_method(call, f"__{name}__", f"__{_COMPARE_METHODS[_REFLECTED[op]]}__", left, right)


def equal(call: CallContext, left: Value, right: Value) -> bool | None:
    """`left == right` of values that are not both numbers or arrays; None where only a call can tell."""
    if left is UNKNOWN or right is UNKNOWN:
        return None
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        if isinstance(left, tuple) is not isinstance(right, tuple) or len(left) != len(right):
            return False
        return _all_equal(call, list(zip(left, right, strict=True)))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and _all_equal(call, [(left[key], right[key]) for key in left])
    if type(left) is RecordValue and type(right) is RecordValue:
        return left.cls is right.cls and _all_equal(call, list(zip(left.fields.values(), right.fields.values(), strict=True)))
    one, two = plain_object(left), plain_object(right)
    if one is not _NO_OBJECT and two is not _NO_OBJECT:
        return _equal_objects(one, two)
    if pointwise.is_numeric(left) and pointwise.is_numeric(right):
        return binding.truth(call, comparison(call, "==", left, right), call.text())
    if type(left) is RangeValue and type(right) is RangeValue:
        return binding.static(call, left, "a range") == binding.static(call, right, "a range")
    if isinstance(left, ObjectValue) and isinstance(right, ObjectValue):
        return left.object is right.object
    return left is right


def _equal_objects(one: Any, two: Any) -> bool:
    if isinstance(one, (np.dtype, DType)) or isinstance(two, (np.dtype, DType)):
        one, two = _numpy_dtype(one), _numpy_dtype(two)
    return one is two or (isinstance(one, (*_PLAIN, np.generic)) and isinstance(two, (*_PLAIN, np.generic)) and bool(one == two))


def _numpy_dtype(value: Any) -> Any:
    if isinstance(value, DType):
        return numpy_or_own(value)
    try:
        return np.dtype(value) if isinstance(value, (str, type, np.dtype)) else value
    except TypeError:
        return value


def _all_equal(call: CallContext, pairs: list[tuple[Value, Value]]) -> bool | None:
    unknown = False
    for left, right in pairs:
        answer = left is right or equal(call, left, right)  # Python looks at identity first
        if answer is False:
            return False
        unknown = unknown or answer is None
    return None if unknown else True


_NO_OBJECT = object()


def plain_object(value: Value) -> Any:
    """The Python object that a static value or a known function is; `_NO_OBJECT` for anything else."""
    if type(value) is StaticValue:
        return value.value
    if type(value) is MeaningValue and value.object is not None:
        return value.object
    if type(value) is MeaningValue and isinstance(own := getattr(value.meaning, "dtype", None), DType):
        return numpy_or_own(own)  # the word of a dtype in .stx
    return value.object if isinstance(value, ObjectValue) and isinstance(value.object, type) else _NO_OBJECT


def _identity(op: str, left: Value, right: Value) -> Value:
    """`is`: of None, booleans, classes and functions by the object; of arrays and containers by the abstract value itself."""
    one, two = plain_object(left), plain_object(right)
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if one is not _NO_OBJECT and two is not _NO_OBJECT:
        same = one is two or (type(one) is type(two) and isinstance(one, (int, str)) and one == two)
    elif type(left) is FunctionValue and type(right) is FunctionValue:
        same = left is right or (left.python is not None and left.python is right.python)
    else:
        same = left is right
    return TRUE if same is (op == "is") else FALSE


def _membership(call: CallContext, op: str, left: Value, right: Value) -> Value:
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if isinstance(right, ObjectValue):
        right = call.context.container(call, right)
    if isinstance(right, dict):
        found: bool | None = binding.static(call, left, "a key") in right
    elif type(right) is StaticValue and isinstance(right.value, (str, bytes, frozenset, range)):
        found = binding.static(call, left, "the left side of `in`") in right.value
    else:
        found = False
        for item in call.items(right, "the right side of `in`"):
            same = left is item or equal(call, left, item)
            if same:
                found = True
                break
            found = None if same is None else found
    return UNKNOWN if found is None else TRUE if found is (op == "in") else FALSE
