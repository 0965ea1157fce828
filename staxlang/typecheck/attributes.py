"""`value.name`: of arrays by names.py, of records and objects as stored (methods bound, properties inlined), of modules, of containers."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import enum
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from staxlang.base.dtypes import DType
from staxlang.base.suggestions import closest
from staxlang.typecheck import binding, captures, containers, names, scalars
from staxlang.typecheck.guards import Getter, plain_attribute
from staxlang.typecheck.values import (
    NONE,
    UNKNOWN,
    ArrayValue,
    BoundMethod,
    FunctionValue,
    MeaningValue,
    NamespaceValue,
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

_OPEN = (np.dtype, DType, np.finfo, np.iinfo, enum.Enum, ModuleType, type, slice, range)
"""Static objects whose attributes may be read with getattr: none of them runs user code."""


def attribute(call: CallContext, value: Value, name: str) -> Value:
    """`value.name`; a diagnostic where there is no such attribute."""
    found = find(call, value, name)
    if found is None:
        missing(call, value, name)
    return found


def find(call: CallContext, value: Value, name: str) -> Value | None:
    """`value.name`, None where there is none."""
    kind = type(value)
    if kind is ArrayValue:
        return _of_array(call, value, name)
    if value is UNKNOWN:
        return UNKNOWN
    if kind is RecordValue:
        return _of_record(call, value, name)
    if isinstance(value, ObjectValue):
        return _of_object(call, value, name)
    if kind is StaticValue:
        return _of_static(call, value, name)
    if kind is MeaningValue:
        return _of_known(value, name)
    if kind is ScalarValue or kind is SizeValue:
        return _of_number(call, value, name)
    if kind is FunctionValue:
        return StaticValue(value.name) if name in ("__name__", "__qualname__") else None
    if kind is NamespaceValue:
        return value.find(name)
    if kind is PartialValue:
        return {"func": value.function, "args": tuple(value.args), "keywords": dict(value.kwargs)}.get(name)
    if kind is RangeValue:
        return {"start": value.start, "stop": value.stop, "step": value.step}.get(name)
    if kind is SliceValue:
        part = {"start": value.lower, "stop": value.upper, "step": value.step}
        return (part[name] or NONE) if name in part else None
    return containers.method(call, value, name)


def _of_array(call: CallContext, value: ArrayValue, name: str) -> Value | None:
    meaning = names.attribute(name)
    if meaning is not None:
        return meaning.apply(call, [value], {}, call.span)
    meaning = names.method(name)
    return None if meaning is None else BoundMethod(MeaningValue(meaning), value)


def _of_record(call: CallContext, value: RecordValue, name: str) -> Value | None:
    found = value.fields.get(name)
    if found is not None:
        return found
    if value.ordered:
        if name in ("_asdict", "_replace"):
            return BoundMethod(MeaningValue(containers.Builtin(name, _asdict if name == "_asdict" else _replaced)), value)
        if name == "_fields":
            return tuple(StaticValue(field) for field in value.fields)
        found = containers.method(call, value, name)
        if found is not None:
            return found
    try:
        stored = plain_attribute(value.cls, name)
    except AttributeError:
        return StaticValue(value.cls) if name == "__class__" else None
    getter = Getter("object", value.cls.__name__, value.cls)
    return _inlined_property(call, captures.bound_attribute(call.context, value, value.cls, stored, name, getter, call.span))


def _of_object(call: CallContext, value: ObjectValue, name: str) -> Value | None:
    owner = value.object
    if type(owner) in (tuple, list, dict, set) or (isinstance(owner, tuple) and hasattr(owner, "_fields")):
        if type(owner) in (list, dict, set) and name in containers.CHANGING | {"add", "discard"}:
            containers.refuse_change(call, value)
        return find(call, call.context.container(call, value), name)
    if name == "__class__":
        return ObjectValue(type(owner), Getter("object", type(owner).__name__, type(owner)))
    if name == "__name__" and isinstance(owner, (type, ModuleType)):
        return StaticValue(owner.__name__)
    found = captures.attribute_of(call.context, value, name, call.span)
    return _inlined_property(call, found)


def _inlined_property(call: CallContext, found: Value | None) -> Value | None:
    """A property comes as a tuple of one bound method (see captures): its value is what that gives."""
    if type(found) is tuple and len(found) == 1 and type(found[0]) is BoundMethod:
        return call.call(found[0], [])
    return found


def _of_static(call: CallContext, value: StaticValue, name: str) -> Value | None:
    owner = value.value
    if isinstance(owner, np.generic):
        return _of_array(call, call.to_array(value), name)
    if isinstance(owner, ModuleType):
        found = getattr(owner, name, _ABSENT)
        return None if found is _ABSENT else _of_module(call, owner, name, found)
    if isinstance(owner, enum.Enum) and name not in ("name", "value"):
        stored = type(owner).__dict__.get(name)
        if stored is None or isinstance(stored, enum.Enum):
            return None
        getter = Getter("object", type(owner).__name__, type(owner))
        return _inlined_property(call, captures.bound_attribute(call.context, value, type(owner), stored, name, getter, call.span))
    if (isinstance(owner, _OPEN) and not name.startswith("__")) or name == "__name__":
        found = getattr(owner, name, _ABSENT)
        if found is not _ABSENT:
            return captures.lift(call.context, found, Getter("object", repr(owner), owner).step("attribute", name), call.span) if callable(
                found
            ) else containers.lowered(found)
        return None
    return containers.method(call, value, name)


def _of_module(call: CallContext, module: ModuleType, name: str, found: Any) -> Value:
    """A name of NumPy, math, ...: what it means, or the constant that it is. Such modules do not change."""
    if isinstance(found, (int, float, complex, str, tuple, np.dtype, DType, ModuleType, type(None))) or found is None:
        return containers.lowered(found)
    known = captures.known_object(found)
    if known is not None:
        return known
    if isinstance(found, type) or callable(found):
        return StaticValue(found)
    return captures.lift(call.context, found, Getter("module", module.__name__, module).step("attribute", name), call.span)


def _of_known(value: MeaningValue, name: str) -> Value | None:
    """np.add.reduce, np.float32.__name__, dict.fromkeys: an attribute of an object that the language knows."""
    if value.object is None:
        return None
    found = getattr(value.object, name, _ABSENT)
    if found is _ABSENT:
        return None
    if isinstance(found, (str, int, float)):
        return StaticValue(found)
    meaning = names.resolve(found)
    if meaning is None:
        meaning = names.resolve_attribute(value.object, name)
    return StaticValue(found) if meaning is None else MeaningValue(meaning, found)


def _of_number(call: CallContext, value: Value, name: str) -> Value | None:
    """Attributes and methods of a Python number known at the call."""
    kind = scalars.kind_of(value)
    if name == "real":
        return value if kind != "complex" else ScalarValue("float", scalars.Computed("real", (value,)))
    if name == "imag":
        return StaticValue(0 if kind == "int" else 0.0) if kind != "complex" else ScalarValue("float", scalars.Computed("imag", (value,)))
    if name == "conjugate":
        return MeaningValue(containers.Builtin(name, lambda call, args, kwargs: _conjugate(value, kind)))
    if hasattr({"int": int, "float": float, "complex": complex, "bool": bool}[kind or "int"], name):
        return containers.method(call, StaticValue(binding.static(call, value, f"`.{name}` is asked for")), name)
    return None


def _conjugate(value: Value, kind: str | None) -> Value:
    return value if kind != "complex" else ScalarValue("complex", scalars.Computed("conjugate", (value,)))


def _asdict(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return dict(args[0].fields)


def _replaced(call: CallContext, args: list[Value], kwargs: dict[str, Value]) -> Value:
    record = args[0]
    for name in kwargs:
        if name not in record.fields:
            missing(call, record, name)
    return RecordValue(record.cls, {**record.fields, **kwargs}, record.ordered)


def assign(call: CallContext, value: Value, name: str, new: Value) -> None:
    """`value.name = new`."""
    if value is UNKNOWN:
        return
    if type(value) is RecordValue and not value.ordered and value.path is None:
        parameters = getattr(value.cls, "__dataclass_params__", None)
        if parameters is not None and parameters.frozen:
            call.error("frozen-field", cls=value.cls.__name__, name=name)
        value.fields[name] = new
        return
    if (type(value) is RecordValue and value.path is not None) or isinstance(value, ObjectValue):
        owner = str(value.getter) if isinstance(value, ObjectValue) else value.path
        call.error("captured-mutation", what=call.text(), name=owner)
    call.error("not-writable", what=f"the attribute `{name}` of {call.describe(value)}")


def missing(call: CallContext, value: Value, name: str) -> None:
    """The diagnostic for an attribute that is not there, with the nearest names that are."""
    if type(value) is ArrayValue or (type(value) is StaticValue and isinstance(value.value, ModuleType)):
        if names.word(name) is not None or call.context.library(name) is not None:
            call.error("unknown-attribute", what=f"{call.text(0)} ({call.describe(value)})", name=name, help=f"did you mean `stax.{name}`?")
    near = closest(name, _known_names(value))
    advice = None if near is None else f"did you mean `.{near}`?"
    call.error("unknown-attribute", what=f"{call.text(0)} ({call.describe(value)})", name=name, help=advice)


def _known_names(value: Value) -> list[str]:
    kind = type(value)
    if kind is NamespaceValue:
        return list(value.names())
    if kind is ArrayValue:
        return [name for name in dir(np.ndarray) if not name.startswith("_")]
    if kind is RecordValue:
        return [*value.fields, *(name for name in dir(value.cls) if not name.startswith("_"))]
    if kind is StaticValue or kind is MeaningValue:
        owner = value.value if kind is StaticValue else value.object
        return [name for name in dir(owner) if not name.startswith("_")] if isinstance(owner, (ModuleType, str, np.dtype)) else []
    if isinstance(value, ObjectValue):
        return [*getattr(value.object, "__dict__", {}), *(name for name in dir(type(value.object)) if not name.startswith("_"))]
    table = containers.LIST_METHODS if isinstance(value, list) else containers.DICT_METHODS if isinstance(value, dict) else {}
    return list(table)


_ABSENT = object()
