"""Calls: operations by their meaning, functions inlined, classes made into records, composites kept whole."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from importlib import import_module
from types import FunctionType
from typing import Any

from staxlang.base.diagnostics import Note
from staxlang.base.dtypes import BF16
from staxlang.base.recursion import make_room
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.parser import tree
from staxlang.typecheck import branches, captures, memory_order, names, operators, pointwise, scalars
from staxlang.typecheck.captures import default_of
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.counts import chooser_of
from staxlang.typecheck.frames import RETURN, Frame, Rules
from staxlang.typecheck.guards import Getter
from staxlang.typecheck.joins import join
from staxlang.typecheck.problems import Unknowable, plain_advice
from staxlang.typecheck.recorder import Handle, Opened, Recorder
from staxlang.typecheck.surface.dtypes import DTypeMeaning
from staxlang.typecheck.values import (
    NEVER,
    NONE,
    UNKNOWN,
    ArrayValue,
    BoundMethod,
    FunctionValue,
    MeaningValue,
    ObjectValue,
    PartialValue,
    RecordValue,
    ScalarValue,
    StaticValue,
    Value,
    known,
)


def invoke(call: CallContext, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`function(*args, **kwargs)`."""
    kind = type(function)
    if kind is MeaningValue:
        return _operation(call, function, args, kwargs)
    if kind is FunctionValue:
        return inline(call, function, args, kwargs)
    if kind is BoundMethod:
        return invoke(call, function.function, [function.receiver, *args], kwargs)
    if kind is PartialValue:
        return invoke(call, function.function, [*function.args, *args], {**function.kwargs, **kwargs})
    if function is UNKNOWN:
        return UNKNOWN
    if isinstance(function, ObjectValue):
        if isinstance(function.object, type):
            return _instance(call, function.object, function.getter, args, kwargs)
    elif kind is StaticValue and isinstance(function.value, type):
        cls = function.value
        if issubclass(cls, enum.Enum) or dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
            return _instance(call, cls, Getter("object", cls.__name__, cls), args, kwargs)
    method = operators.class_method(function, "__call__")
    if method is not None:
        return invoke(call, method, [function, *args], kwargs)
    found = operators.plain_object(function)
    refused = names.refused(found)
    if refused is not None:
        return refused.apply(call, args, kwargs, call.span)
    if callable(found) or (isinstance(function, ObjectValue) and callable(function.object)):
        owner = getattr(args[0], "object", None) if args else None
        advice = plain_advice(owner, call.operation_text().rpartition(".")[0])
        call.error("unknown-call", name=call.operation_text(), span=_function_span(call), help=advice)
    call.error("not-callable", what=f"{call.operation_text()} ({call.describe(function)})", span=_function_span(call))


def _function_span(call: CallContext) -> Any:
    return call.tree.function.span if type(call.tree) is tree.Call and not (call.frame and call.frame.library) else None


def _operation(call: CallContext, function: MeaningValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    meaning = function.meaning
    if not call.context.checking:
        return meaning.apply(call, args, kwargs, call.span)
    if not all(map(known, args)) or not all(map(known, kwargs.values())):
        return UNKNOWN
    try:
        return meaning.apply(call, args, kwargs, call.span)
    except Unknowable:
        return UNKNOWN


# ---- functions ----


def inline(call: CallContext, function: FunctionValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Evaluate a function's body in a frame of its own."""
    caller: Frame = call.frame
    if function.library and function.name in names.KNOWN_COMPOSITES:
        kept = _composite(call, function, args, kwargs)
        if kept is not None:
            return kept
    frame = Frame(call.context, caller.rules, function, caller, call.span)
    if call.context.checking:
        frame.statics = _statics(args, kwargs)
        if _recurs(frame):
            return UNKNOWN
    if frame.depth > call.context.depth_limit:
        call.error("recursion-limit", function=function.name, limit=str(call.context.depth_limit))
    if frame.depth % 16 == 0:  # inlined calls nest the evaluator's own: a deep recursion of the user's must meet our limit, not Python's
        make_room(2000)
    bind_arguments(call, frame, function, args, kwargs)
    if function.header is None:
        return run(frame)
    headers = _headers()
    headers.enter(call, frame, inlined=True)
    value = run(frame)
    headers.leave(call, frame, value)
    return value


def _statics(args: list[Value], kwargs: dict[str, Value]) -> list[Any]:
    """The constants among arguments and how containers are built, each with its place."""
    found: list[Any] = []
    for name, value in (*enumerate(args), *kwargs.items()):
        if type(value) is StaticValue and isinstance(value.value, (int, float, str, type(None))):
            found.append((name, value.value))
        elif isinstance(value, (list, tuple)):
            found.append((name, _structure(value)))
    return found


def _structure(value: Value) -> Any:
    """The shape of nested lists and tuples: a recursion that goes down into them comes to an end."""
    return tuple([_structure(item) for item in value]) if isinstance(value, (list, tuple)) else None


def _recurs(frame: Frame) -> bool:
    """In checking: is the function being evaluated already, for the same constants? Then nothing that is known ends the recursion."""
    outer = frame.caller
    while outer is not None:
        if outer.function.tree is frame.function.tree and outer.statics == frame.statics:
            return True
        outer = outer.caller
    return False


def _headers() -> Any:
    """What headers of .stx say is tested by a module that most processes never need."""
    return import_module("staxlang.typecheck.headers")


def run(frame: Frame) -> Value:
    """What the body of a frame's function returns."""
    signal = None
    for statement in frame.function.tree.body:
        signal = frame.execute(statement)
        if signal is not None:
            break
    if not frame.context.checking:
        value = frame.returned if signal is RETURN else NONE
        value = branches.meet_returns(frame, value) if frame.ways else value
        return NONE if value is NEVER else value
    results = frame.results if signal is RETURN else [*frame.results, NONE]
    value = results[0]
    for other in results[1:]:
        value = join(frame.context, value, other)
    return value


def bind_arguments(call: CallContext, frame: Frame, function: FunctionValue, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Parameters to values, with Python's rules."""
    bound = frame.locals
    position, count = 0, len(args)
    left = dict(kwargs) if kwargs else kwargs
    keyword_rest: str | None = None
    for parameter in function.tree.parameters:
        name, kind = parameter.name, parameter.kind
        if kind == "varargs":
            bound[name] = tuple(args[position:])
            position = count
        elif kind == "varkeywords":
            keyword_rest = name
        elif kind != "keyword" and position < count:
            bound[name] = args[position]
            position += 1
            if left and name in left and kind != "positional-only":
                call.error("duplicate-argument", function=function.name, name=name)
        elif left and name in left and kind != "positional-only":
            bound[name] = left.pop(name)
        else:
            value = _default(call, function, parameter)
            if value is None:
                misplaced = kind == "positional-only" and name in left
                _signature_error(call, function, "positional-only" if misplaced else "missing-argument", name=name)
            bound[name] = value
    if position < count:
        most = sum(1 for parameter in function.tree.parameters if parameter.kind in ("positional", "positional-only"))
        _signature_error(call, function, "too-many-arguments", expected=str(most), given=str(count))
    if keyword_rest is not None:
        bound[keyword_rest] = dict(left)
    elif left:
        _signature_error(call, function, "unknown-keyword", name=next(iter(left)))


def _signature_error(call: CallContext, function: FunctionValue, code: str, **fields: Any) -> None:
    notes = [] if function.library else [Note(function.tree.span, f"`{function.name}` is defined here")]
    call.error(code, function=function.name, notes=notes, **fields)


def _default(call: CallContext, function: FunctionValue, parameter: tree.Parameter) -> Value | None:
    value = default_of(call.context, function, parameter.name)
    if value is None and parameter.default is not None:  # a library function: its defaults are static expressions
        value = Frame(call.context, call.frame.rules, function, call.frame, call.span).evaluate(parameter.default)
    return value


# ---- composites ----


def _composite(call: CallContext, function: FunctionValue, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A library function that the compiler knows: recorded whole, its body in a region. None where its arguments do not allow that."""
    context = call.context
    outer = Frame(context, call.frame.rules, function, call.frame, call.span)
    bind_arguments(call, outer, function, args, kwargs)
    operands: dict[str, Value] = {}
    attributes: dict[str, Any] = {}
    for name, value in outer.locals.items():
        if name == "out" and type(value) is ArrayValue:  # what is written does not leave a region
            return None
        if type(value) is ArrayValue or type(value) is ScalarValue:
            operands[name] = value
        elif not _attribute(call, attributes, name, value):
            return None
    arrays = [value for value in operands.values() if type(value) is ArrayValue]
    if not arrays or any(chooser_of(context, extent) is not None for value in arrays for extent in value.shape):
        return None  # what a mask chooses is reduced under the mask, which needs what the function consists of
    handles = tuple(call.handle(value) for value in operands.values())
    types = tuple(_operand_type(value) for value in operands.values())
    structure: list[Value] = []

    def open(recorder: Recorder, parameters: tuple[Handle, ...]) -> Opened:
        frame = Frame(context, call.frame.rules, function, call.frame, call.span)
        frame.locals.update(outer.locals)
        for (name, value), parameter, type_ in zip(operands.items(), parameters, types, strict=True):
            frame.locals[name] = _parameter(call, value, parameter, type_)
        before, live = context.recorder, context.branches.live
        context.recorder, context.branches.live = recorder, None
        try:
            result = run(frame)
            structure.append(result)
            parts = result if isinstance(result, tuple) else (result,)
            if not all(type(part) is ArrayValue for part in parts):
                raise LookupError(f"the library's {function.name} must return arrays")
            return tuple((call.handle(part), TensorType(part.type.dtype, part.type.shape)) for part in parts)
        finally:
            context.recorder, context.branches.live = before, live

    results = context.recorder.composite(function.name, handles, attributes, types, call.span, open)
    shape = structure[0]
    parts = shape if isinstance(shape, tuple) else (shape,)
    made = tuple(
        call.array(handle, TensorType(part.type.dtype, part.type.shape), part.scalar, memory_order.kept(call, (part,), part.rank))
        for handle, part in zip(results, parts, strict=True)
    )
    return made if isinstance(shape, tuple) else made[0]


def _attribute(call: CallContext, attributes: dict[str, Any], name: str, value: Value) -> bool:
    """A static argument as an attribute; False where it is none, or cannot be part of a node's identity."""
    if isinstance(value, (tuple, list)):
        if not all(type(item) is StaticValue for item in value):
            return False
    elif type(value) is not StaticValue and type(value) is not MeaningValue:
        return False
    plain = _known_object(value) if type(value) is MeaningValue else call.static(value, name)
    if plain is None and type(value) is MeaningValue:
        return False
    plain = tuple(plain) if isinstance(plain, list) else plain
    if isinstance(plain, FunctionType):
        return False
    try:
        hash(plain)
    except TypeError:
        return False
    attributes[name] = plain
    return True


def _known_object(value: MeaningValue) -> Any:
    """The Python object of a known function or dtype: of a dtype's word the scalar type that `np.float32` is in Python."""
    if value.object is None and type(value.meaning) is DTypeMeaning and value.meaning.dtype is not BF16:
        return value.meaning.dtype.numpy.type
    return value.object


def _operand_type(value: Value) -> TensorType:
    if type(value) is ArrayValue:
        return TensorType(value.type.dtype, value.type.shape)
    return TensorType(scalars.DEFAULT_DTYPE[value.kind], ())


def _parameter(call: CallContext, value: Value, handle: Handle, type_: TensorType) -> Value:
    """An operand as the composite's body sees it."""
    if type(value) is ScalarValue:
        return ScalarValue(value.kind, scalars.Converted(handle, type_, call.span, "a number inside a composite"))
    made = pointwise.fresh(handle, type_)
    made.scalar = value.scalar
    if type(value) is ArrayValue:
        made.storage.order = memory_order.kept(call, (value,), value.rank)
    return made


# ---- classes ----


def _instance(call: CallContext, cls: type, getter: Getter, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`Class(...)` of a dataclass, a named tuple, an enumeration, or a class with an `__init__` in Python."""
    if issubclass(cls, enum.Enum):
        return _member(call, cls, args)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(call, cls, args, kwargs)
    init = next((base.__dict__["__init__"] for base in cls.__mro__ if "__init__" in base.__dict__), None)
    if isinstance(init, FunctionType) and not init.__code__.co_filename.startswith("<string"):
        record = RecordValue(cls, {})
        call.context.content(getter.step("class", "__init__"), "code", init, call.span)
        inline(call, captures.function_value(init, getter.step("class", "__init__"), call.span), [record, *args], kwargs)
        return record
    if dataclasses.is_dataclass(cls):
        return _dataclass(call, cls, getter, args, kwargs)
    if init is object.__init__ and not args and not kwargs and cls.__new__ is object.__new__:
        return RecordValue(cls, {})
    call.error("unknown-call", name=cls.__name__, span=_function_span(call))


def _member(call: CallContext, cls: type[enum.Enum], args: list[Value]) -> Value:
    value = call.static(args[0], f"the value of a {cls.__name__}") if len(args) == 1 else None
    for member in cls:
        if member.value == value:
            return StaticValue(member)
    call.error("static-value", error=f"ValueError: {value!r} is not a valid {cls.__name__}")


def _named_tuple(call: CallContext, cls: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    fields: Mapping[str, Any] = cls._field_defaults
    values = _fields(call, cls.__name__, cls._fields, args, kwargs)
    for name in cls._fields:
        if name not in values:
            if name not in fields:
                call.error("missing-argument", function=cls.__name__, name=name)
            place = Getter("object", cls.__name__, cls).step("attribute", "_field_defaults").step("item", name)
            values[name] = captures.lift(call.context, fields[name], place, call.span)
    return RecordValue(cls, {name: values[name] for name in cls._fields}, ordered=True)


def _fields(call: CallContext, cls: str, order: tuple[str, ...], args: list[Value], kwargs: dict[str, Value]) -> dict[str, Value]:
    """Positional and keyword arguments of a generated constructor."""
    if len(args) > len(order):
        call.error("too-many-arguments", function=cls, expected=str(len(order)), given=str(len(args)))
    values = dict(zip(order, args, strict=False))
    for name, value in kwargs.items():
        if name in values:
            call.error("duplicate-argument", function=cls, name=name)
        values[name] = value
    return values


def _dataclass(call: CallContext, cls: Any, getter: Getter, args: list[Value], kwargs: dict[str, Value]) -> Value:
    fields = [field for field in cls.__dataclass_fields__.values() if field._field_type is dataclasses._FIELD]  # type: ignore[attr-defined]
    order = tuple(field.name for field in fields if field.init and not field.kw_only)
    known_names = {field.name for field in fields if field.init}
    for name in kwargs:
        if name not in known_names:
            call.error("unknown-keyword", function=cls.__name__, name=name)
    values = _fields(call, cls.__name__, order, args, kwargs)
    made: dict[str, Value] = {}
    for field in fields:
        if field.name in values:
            made[field.name] = values[field.name]
        elif field.default is not dataclasses.MISSING:
            made[field.name] = captures.lift(call.context, field.default, getter.step("attribute", field.name), call.span)
        elif field.default_factory is not dataclasses.MISSING:
            place = getter.step("attribute", "__dataclass_fields__").step("item", field.name).step("attribute", "default_factory")
            made[field.name] = invoke(call, captures.lift(call.context, field.default_factory, place, call.span), [], {})
        elif field.init:
            call.error("missing-argument", function=cls.__name__, name=field.name)
    record = RecordValue(cls, made)
    after = next((base.__dict__["__post_init__"] for base in cls.__mro__ if "__post_init__" in base.__dict__), None)
    if isinstance(after, FunctionType):
        call.context.content(getter.step("class", "__post_init__"), "code", after, call.span)
        inline(call, captures.function_value(after, getter.step("class", "__post_init__"), call.span), [record], {})
    return record


def start(rules: Rules, context: Any, function: FunctionValue, arguments: Mapping[str, Value]) -> tuple[Value, Span | None]:
    """Evaluate the kernel's own function with its parameters bound by name; gives its result and the place of its last `return`."""
    frame = Frame(context, rules, function, None, None)
    frame.locals.update(arguments)
    if function.header is None:
        return run(frame), frame.returned_at
    call = CallContext(context, function.tree.span, None, frame)
    headers = _headers()
    headers.enter(call, frame, inlined=False)
    value = run(frame)
    headers.leave(call, frame, value)
    return value, frame.returned_at
