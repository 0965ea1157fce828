"""Builtin functions that ask what an object is: isinstance, type, getattr and their like, on abstract values."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.typecheck import operators
from staxlang.typecheck.containers import arity
from staxlang.typecheck.guards import plain_attribute
from staxlang.typecheck.problems import Unknowable
from staxlang.typecheck.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    ArrayValue,
    BoundMethod,
    FunctionValue,
    MeaningValue,
    ObjectValue,
    PartialValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    SliceValue,
    StaticValue,
    Value,
)

if TYPE_CHECKING:
    from staxlang.typecheck.context import CallContext

Arguments = list[Value]
Keywords = dict[str, Value]


def python_class(call: CallContext, value: Value) -> type:
    """type(value), as the program under NumPy would see it."""
    kind = type(value)
    if kind is ArrayValue:
        return value.type.dtype.numpy.type if value.scalar else np.ndarray
    if kind is StaticValue:
        return type(value.value)
    if kind is ScalarValue:
        return {"int": int, "float": float, "complex": complex, "bool": bool}[value.kind]
    if kind is SizeValue:
        return int
    if kind is RecordValue:
        return value.cls
    if isinstance(value, ObjectValue):
        return type(value.object)
    if kind is RangeValue:
        return range
    if kind is SliceValue:
        return slice
    if kind is FunctionValue or kind is BoundMethod or kind is PartialValue:
        return type(python_class)
    if kind is MeaningValue:
        return type(value.object) if value.object is not None else type(python_class)
    return next(cls for cls in (tuple, list, dict, object) if isinstance(value, cls))


def _isinstance(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "isinstance", 2, 2)
    if args[0] is UNKNOWN:
        return UNKNOWN
    classes = _classes(call, args[1])
    cls = python_class(call, args[0])
    return TRUE if any(base in classes or _registered(cls, base, classes) for base in cls.__mro__) else FALSE


def _registered(cls: type, base: type, classes: tuple[type, ...]) -> bool:
    """Abstract classes of the standard library (numbers.Number, collections.abc.Sequence): they answer without user code."""
    return base is object and any(known.__module__ in _ABSTRACT_MODULES and issubclass(cls, known) for known in classes)


_ABSTRACT_MODULES = frozenset({"numbers", "collections.abc", "typing"})


def _classes(call: CallContext, value: Value) -> tuple[type, ...]:
    if isinstance(value, tuple):
        return tuple(cls for part in value for cls in _classes(call, part))
    found = operators.plain_object(value)
    parts = getattr(found, "__args__", None)
    if parts is not None and not isinstance(found, type):  # int | float
        return tuple(part for part in parts if isinstance(part, type))
    if not isinstance(found, type):
        call.error("bad-argument", argument="the second argument", operation="isinstance", expected="a class", given=call.describe(value))
    return (found,)


def _issubclass(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "issubclass", 2, 2)
    (cls,) = _classes(call, args[0])
    return TRUE if any(base in _classes(call, args[1]) for base in cls.__mro__) else FALSE


def _type(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "type", 1, 1)
    return args[0] if args[0] is UNKNOWN else StaticValue(python_class(call, args[0]))


def _getattr(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "getattr", 2, 3)
    name = call.static(args[1], "an attribute's name")
    if len(args) == 3 and not _has(call, args[0], name):
        return args[2]
    return call.context.attribute(call, args[0], name)


def _hasattr(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "hasattr", 2, 2)
    return TRUE if _has(call, args[0], call.static(args[1], "an attribute's name")) else FALSE


def _has(call: CallContext, value: Value, name: str) -> bool:
    if value is UNKNOWN:
        raise Unknowable
    if type(value) is RecordValue and name in value.fields:
        return True
    owner = value.object if isinstance(value, ObjectValue) else python_class(call, value)
    try:
        plain_attribute(owner, name)
    except AttributeError:
        return False
    return True


def _callable(call: CallContext, args: Arguments, kwargs: Keywords) -> Value:
    arity(call, args, kwargs, "callable", 1, 1)
    value = args[0]
    if isinstance(value, (FunctionValue, BoundMethod, PartialValue, MeaningValue)):
        return TRUE
    return TRUE if isinstance(operators.plain_object(value), type) or operators.class_method(value, "__call__") is not None else FALSE


OBJECT_ROWS: Mapping[str, Callable[[Any, Arguments, Keywords], Value]] = {
    "isinstance": _isinstance, "issubclass": _issubclass, "type": _type, "getattr": _getattr, "hasattr": _hasattr, "callable": _callable,
}  # fmt: skip
