"""dtypes as values: np.float32(x), np.dtype, finfo and iinfo, questions about dtypes, `.dtype` and what arrays say of their bytes."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from staxlang.base.dtypes import DType, as_dtype, concrete, promote
from staxlang.base.spans import Span
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.reshaping import product
from staxlang.typecheck.surface.arguments import array_of, named_dtype, number_or_array
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.values import ArrayValue, MeaningValue, ScalarValue, SizeValue, StaticValue, Value, size_value


class DTypeMeaning:
    """A scalar type (np.float32, stax.f32) called: a conversion."""

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, dtype: DType) -> None:
        self.name = name
        self.dtype = dtype

    def apply(self, call: CallContext, args: list[Value], kwargs: dict[str, Value], span: Span | None) -> Value:
        if kwargs:
            call.error("unknown-keyword", function=self.name, name=next(iter(kwargs)))
        if len(args) > 1:
            call.error("too-many-arguments", function=self.name, expected=1, given=len(args))
        if not args:
            return StaticValue(self.dtype.numpy.type(0))
        value = number_or_array(call, args[0])
        if isinstance(value, StaticValue):
            return self._static(call, value.value)
        return call.cast(value, self.dtype)

    def _static(self, call: CallContext, number: Any) -> Value:
        try:
            return StaticValue(self.dtype.numpy.type(number))
        except OverflowError:
            call.error("integer-overflow", value=str(number), dtype=self.dtype.name)
        except TypeError as error:
            call.error("static-error", error=str(error))

    def __repr__(self) -> str:
        return f"meaning {self.name}"


@spelled("np.dtype")
def dtype_object(call: CallContext, dtype: Value, align: Value = StaticValue(False), copy: Value = StaticValue(False)) -> Value:
    return StaticValue(named_dtype(call, dtype).numpy)


@spelled("attribute.dtype", "word.dtype")
def dtype_attribute(call: CallContext, a: Value) -> Value:
    return StaticValue(concrete(call.type_of(a).dtype).numpy)


@spelled("attribute.itemsize")
def itemsize(call: CallContext, a: Value) -> Value:
    return StaticValue(array_of(call, a).dtype.itemsize)


@spelled("attribute.nbytes")
def nbytes(call: CallContext, a: Value) -> Value:
    array = array_of(call, a)
    return size_value(product(array.shape) * array.dtype.itemsize)


@spelled("np.finfo", "word.finfo")
def finfo(call: CallContext, dtype: Value) -> Value:
    found = _dtype_or_value(call, dtype)
    if found.kind not in "fc":
        call.error("dtype-mismatch", operation="finfo", expected="a floating-point dtype", given=found.name)
    return StaticValue(np.finfo(found.numpy))


@spelled("np.iinfo", "word.iinfo")
def iinfo(call: CallContext, type: Value) -> Value:
    found = _dtype_or_value(call, type)
    if found.kind not in "iu":
        call.error("dtype-mismatch", operation="iinfo", expected="an integer dtype", given=found.name)
    return StaticValue(np.iinfo(found.numpy))


def _dtype_or_value(call: CallContext, value: Value) -> DType:
    if isinstance(value, (ArrayValue, ScalarValue, SizeValue)):
        return concrete(call.type_of(value).dtype)
    if isinstance(value, StaticValue) and isinstance(value.value, (bool, int, float, complex, np.generic)):
        return concrete(call.type_of(value).dtype)
    return named_dtype(call, value)


def _weak_dtype(call: CallContext, value: Value) -> DType:
    """Of an operand of result_type: arrays and numbers by what they are, dtypes by name."""
    if call.is_numeric(value):
        return call.type_of(value).dtype
    return named_dtype(call, value)


@spelled("np.result_type", "word.result_type")
def result_type(call: CallContext, *arrays_and_dtypes: Value) -> Value:
    if not arrays_and_dtypes:
        call.error("missing-argument", function="np.result_type", name="arrays_and_dtypes")
    return StaticValue(concrete(promote(*(_weak_dtype(call, value) for value in arrays_and_dtypes))).numpy)


@spelled("np.promote_types")
def promote_types(call: CallContext, type1: Value, type2: Value, /) -> Value:
    return StaticValue(promote(named_dtype(call, type1), named_dtype(call, type2)).numpy)


@spelled("np.common_type")
def common_type(call: CallContext, *arrays: Value) -> Value:
    """The scalar type of floats that hold all of them; integers count as f64."""
    kinds = [array_of(call, value).dtype for value in arrays]
    for dtype in kinds:
        if dtype.kind == "b":
            call.error("dtype-mismatch", operation="common_type", expected="arrays of numbers", given="bool")
    return StaticValue(np.common_type(*(np.empty(0, dtype.numpy) for dtype in kinds)))


@spelled("np.min_scalar_type")
def min_scalar_type(call: CallContext, a: Value, /) -> Value:
    if isinstance(a, ArrayValue):
        return StaticValue(a.dtype.numpy)
    return StaticValue(np.min_scalar_type(call.static(a, "a")))


@spelled("np.can_cast")
def can_cast(call: CallContext, from_: Value, to: Value, casting: Value = StaticValue("safe")) -> Value:
    source = from_.dtype.numpy if isinstance(from_, ArrayValue) else _static_type(call, from_)
    return StaticValue(np.can_cast(source, _static_type(call, to), call.static(casting, "casting")))


@spelled("np.issubdtype")
def issubdtype(call: CallContext, arg1: Value, arg2: Value) -> Value:
    return StaticValue(np.issubdtype(_static_type(call, arg1), _static_type(call, arg2)))


@spelled("np.isdtype")
def isdtype(call: CallContext, dtype: Value, kind: Value) -> Value:
    return StaticValue(np.isdtype(named_dtype(call, dtype).numpy, call.static(kind, "kind")))


def _static_type(call: CallContext, value: Value) -> Any:
    """A dtype or one of NumPy's abstract scalar types, as the object itself."""
    given = value.object if isinstance(value, MeaningValue) else call.static(value, "dtype")
    found = as_dtype(given) if not (isinstance(given, type) and issubclass(given, np.generic)) else None
    return given if found is None else found.numpy


def _kind_question(test: Callable[[DType], bool]) -> Callable[[CallContext, Value], Value]:
    def answer(call: CallContext, x: Value) -> Value:
        return StaticValue(test(concrete(call.type_of(number_or_array(call, x)).dtype)))

    return answer


iscomplexobj = spelled("np.iscomplexobj", "word.iscomplexobj")(_kind_question(lambda dtype: dtype.kind == "c"))
isrealobj = spelled("np.isrealobj", "word.isrealobj")(_kind_question(lambda dtype: dtype.kind != "c"))
