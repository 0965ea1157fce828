"""Python objects that a program reads from around it - globals, closures, attributes - become values here, with how to read them again."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
import enum
import functools
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from staxlang.base.dtypes import DType, from_numpy
from staxlang.base.sizes import Size, substitute, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.parser.library import NAMESPACES, namespace_names
from staxlang.parser.source import SourceUnavailable, function_source
from staxlang.typecheck import names
from staxlang.typecheck.arguments import ArrayLeaf
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.guards import Capture, Getter, plain_attribute
from staxlang.typecheck.notation import size_of_dim
from staxlang.typecheck.problems import Problem
from staxlang.typecheck.python_modules import PYTHON_ROWS
from staxlang.typecheck.scalars import DEFAULT_DTYPE, KIND_OF, Leaf
from staxlang.typecheck.surface.mapping import VECTORIZED
from staxlang.typecheck.values import (
    ArrayValue,
    BoundMethod,
    FunctionValue,
    MeaningValue,
    NamespaceValue,
    ObjectValue,
    PartialValue,
    RecordValue,
    ScalarValue,
    StaticValue,
    Storage,
    Value,
    size_value,
)

_BY_VALUE = (str, bytes, bool, type(None), type(Ellipsis), np.generic, np.dtype, DType, enum.Enum, range, frozenset, type(NotImplemented))
_ARRAY_NAMES = ("__dlpack__", "__array_interface__")
STABLE_MODULES = frozenset(
    ("numpy", "math", "operator", "staxlang", "builtins", "cmath", "functools", "itertools", "dataclasses", "enum", "typing", "collections")
)
"""Modules whose contents are taken as they are: their names are not read again at each call."""


class PythonScope:
    """The closure, globals and builtins around a Python function. `getter` is how the function itself is reached, None for the kernel."""

    __slots__ = ("function", "getter")

    def __init__(self, function: FunctionType, getter: Getter | None = None) -> None:
        self.function = function
        self.getter = getter

    def lookup(self, name: str, context: EvaluationContext) -> Value | None:
        function = self.function
        free = function.__code__.co_freevars
        if name in free:
            index = free.index(name)
            cell = (function.__closure__ or ())[index]
            getter = Getter("closure", name, cell) if self.getter is None else self.getter.step("closure", index)
            try:
                return lift(context, cell.cell_contents, getter, None)
            except ValueError:  # the cell is empty
                return None
        namespace = function.__globals__
        if name in namespace:
            return lift(context, namespace[name], Getter("global", name, namespace), None)
        found = getattr(builtins, name, None)
        return None if found is None else _builtin(found)


class LibraryScope:
    """The words that a .stx function may use without importing them, its own module's and the standard library's functions.

    `namespace` is that of a function of the library which has one: its own names come first. `inside` the library its namespaces are known
    by their names (`random.uniform`); modules of users import them.
    """

    __slots__ = ("inside", "namespace")

    def __init__(self, namespace: str = "", inside: bool = False) -> None:
        self.namespace = namespace
        self.inside = inside

    def lookup(self, name: str, context: EvaluationContext) -> Value | None:
        own = context.library(f"{self.namespace}.{name}") if self.namespace else None
        if own is not None:
            return own
        meaning = names.word(name)
        if meaning is not None:
            return MeaningValue(meaning)
        found = context.library(name) or names.word_constant(name)
        if found is not None:
            return found
        if self.inside and name in NAMESPACES:
            return NamespaceValue(name, lambda own: context.library(f"{name}.{own}"), lambda: namespace_names(name))
        plain = getattr(builtins, name, None)
        return None if plain is None else _builtin(plain)


def _builtin(found: Any) -> Value:
    meaning = PYTHON_ROWS.get(found) or names.resolve(found)
    return StaticValue(found) if meaning is None else MeaningValue(meaning, found)


def lift(context: EvaluationContext, value: Any, getter: Getter, span: Span | None) -> Value:
    """A captured Python object as a value. What was used of it is remembered: as an input, a scalar, or a content guard."""
    known = context.captured.get(getter)
    if known is None:
        known = context.captured[getter] = _lift(context, value, getter, span)
    return known


def _lift(context: EvaluationContext, value: Any, getter: Getter, span: Span | None) -> Value:
    kind = type(value)
    if kind is int and not -(1 << 63) <= value < 1 << 63:  # no machine integer holds it: by its value
        context.content(getter, "value", value, span)
        return StaticValue(value)
    if kind in KIND_OF and kind is not bool:
        return _number(context, value, getter, span)
    if isinstance(value, np.ndarray):
        return _array(context, value, getter, span)
    if isinstance(value, ModuleType):
        context.content(getter, "identity", value, span)
        return StaticValue(value) if is_stable(value) else ObjectValue(value, Getter("module", getter.name, value))
    if isinstance(value, _BY_VALUE):
        context.content(getter, "value", value, span)
        return StaticValue(value)
    declared = size_of_dim(value)
    if declared is not None:
        context.content(getter, "identity", value, span)
        return _declared_size(context, declared, span)
    if kind is np.vectorize:
        return _vectorized(context, value, getter, span)
    known = known_object(value)
    if known is not None:
        context.content(getter, "identity", value, span)
        return known
    if kind is FunctionType:
        context.content(getter, "code", value, span)
        return function_value(value, getter, span)
    wrapped = _wrapped(value)
    if wrapped is not None:
        context.content(getter, "identity", value, span)
        return _held(context, wrapped, getter.step("attribute", "__wrapped__"), span)
    if kind is MethodType:
        context.content(getter, "method", value.__func__, span)
        receiver = lift(context, value.__self__, getter.step("attribute", "__self__"), span)
        return BoundMethod(lift(context, value.__func__, getter.step("attribute", "__func__"), span), receiver)
    if kind is functools.partial:
        return _partial(context, value, getter, span)
    if isinstance(value, type):
        context.content(getter, "identity", value, span)
    elif any(hasattr(kind, name) for name in _ARRAY_NAMES):
        given, help = f"a {kind.__module__}.{kind.__qualname__}", "pass it as an argument, or let the name hold a NumPy array of its memory"
        context.fail("unsupported-argument", span, path=str(getter), given=given, help=help)
    else:
        context.content(getter, "type", kind, span)
    return ObjectValue(value, getter)


def known_object(value: Any) -> Value | None:
    """A function, class or constant that the language knows, or that is a constant itself; by identity."""
    try:
        meaning = PYTHON_ROWS.get(value)
    except TypeError:  # not hashable
        return None
    if meaning is None:
        meaning = names.resolve(value)
    if meaning is not None:
        return MeaningValue(meaning, value)
    if isinstance(value, type) and value.__module__.partition(".")[0] in STABLE_MODULES:
        return StaticValue(value)
    return StaticValue(value) if isinstance(value, BuiltinFunctionType) else None


def _vectorized(context: EvaluationContext, value: Any, getter: Getter, span: Span | None) -> Value:
    """A function under `np.vectorize`, made outside of the kernel."""
    context.content(getter, "identity", value, span)
    function = lift(context, value.pyfunc, getter.step("attribute", "pyfunc"), span)
    options = [StaticValue(one) for one in (value.otypes, tuple(value.excluded) or None, value.signature)]
    return PartialValue(MeaningValue(VECTORIZED), [function, *options], {})


def is_stable(module: ModuleType) -> bool:
    """Is it a module whose contents are taken as they are? A .stx file may have the name of one."""
    return "__stx__" not in module.__dict__ and module.__name__.partition(".")[0] in STABLE_MODULES


def _wrapped(value: Any) -> FunctionType | None:
    """The Python function inside a kernel, or inside a cache of functools."""
    kind = type(value)
    if kind.__module__.partition(".")[0] != "staxlang" and kind.__name__ != "_lru_cache_wrapper":
        return None
    inner = getattr(value, "__wrapped__", None)
    return inner if type(inner) is FunctionType else None


def _declared_size(context: EvaluationContext, size: Size, span: Span | None) -> Value:
    """A symbol of `stax.dims` in a body: the size that the annotations bind it to."""
    for name in sorted(symbols(size)):
        if name not in context.rigid and name not in context.declared:
            context.fail("unbound-size", span, name=name)
    return size_value(substitute(size, context.declared))


def _number(context: EvaluationContext, value: Any, getter: Getter, span: Span | None) -> Value:
    """A captured number is a run-time scalar, read again at each call."""
    kind = KIND_OF[type(value)]
    position = context.take_position()
    context.captures.append(Capture(getter, kind, position, TensorType(DEFAULT_DTYPE[kind], ()), span))
    return ScalarValue(kind, Leaf(str(getter), position, kind, value, getter))


def _array(context: EvaluationContext, value: np.ndarray[Any, Any], getter: Getter, span: Span | None) -> Value:
    """A captured array is an input, read again at each call; one array reached in two ways is one storage, by a guard."""
    first = context.storages.get(id(value))
    if first is not None:
        context.content(getter, "same", first.source.getter, span)
        return ArrayValue(first, TensorType(first.type.dtype, first.type.shape))
    dtype = from_numpy(value.dtype)
    if dtype is None:
        context.fail("unsupported-array", span, given=str(value.dtype), path=str(getter))
    if type(value) is not np.ndarray:
        context.fail("unsupported-subclass", span, given=type(value).__name__, path=str(getter))
    type_ = context.capture_type(value, dtype, getter)
    position = context.take_position()
    context.captures.append(Capture(getter, "array", position, type_, span))
    leaf = ArrayLeaf(str(getter), position, getter)
    handle = context.recorder.record("input", (), {"position": position, "path": str(getter)}, type_, span)
    storage = Storage(handle, type_, leaf, bool(value.flags.writeable))
    context.storages[id(value)] = storage
    context.note_origins(type_.shape, f"captured array {getter}", None, leaf)
    return ArrayValue(storage, TensorType(dtype, type_.shape))


def _partial(context: EvaluationContext, value: Any, getter: Getter, span: Span | None) -> Value:
    context.content(getter, "type", functools.partial, span)
    context.content(getter.step("attribute", "args"), "length", len(value.args), span)
    context.content(getter.step("attribute", "keywords"), "keys", tuple(value.keywords), span)
    function = lift(context, value.func, getter.step("attribute", "func"), span)
    at_args, at_keywords = getter.step("attribute", "args"), getter.step("attribute", "keywords")
    args = [lift(context, item, at_args.step("item", index), span) for index, item in enumerate(value.args)]
    kwargs = {name: lift(context, item, at_keywords.step("item", name), span) for name, item in value.keywords.items()}
    return PartialValue(function, args, kwargs)


# ---- functions ----


def function_value(function: FunctionType, getter: Getter | None = None, span: Span | None = None) -> FunctionValue:
    """A Python function by its source. Raises a Problem where there is none, or where it is a generator or coroutine."""
    stx = function.__dict__.get("__stx__")
    if stx is not None:  # what stands for a definition of a .stx file
        return stx
    try:
        source = function_source(function)
    except SourceUnavailable as missing:
        raise Problem(missing.diagnostic(span)) from None
    return FunctionValue(source, PythonScope(function, getter), {}, python=function)


def default_of(context: EvaluationContext, function: FunctionValue, name: str) -> Value | None:
    """A parameter's default: evaluated where the function was defined, or read from the Python function."""
    if name in function.defaults:
        return function.defaults[name]
    python = function.python
    if python is None:
        return None
    keyword = python.__kwdefaults__ or {}
    scope = function.scope
    getter = scope.getter if isinstance(scope, PythonScope) else None
    holder: Getter = getter if getter is not None else Getter("object", python.__name__, python)
    if name in keyword:
        return lift(context, keyword[name], holder.step("kwdefault", name), None)
    code: CodeType = python.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = python.__defaults__ or ()
    index = positional.index(name) - (len(positional) - len(defaults)) if name in positional else -1
    return lift(context, defaults[index], holder.step("default", index), None) if index >= 0 else None


# ---- looking into objects ----


def attribute_of(context: EvaluationContext, value: ObjectValue, name: str, span: Span | None) -> Value | None:
    """What `object.name` is, as stored: fields lifted, methods bound, class attributes and properties (`None`: there is no such name).

    A property comes as in `bound_attribute`.
    """
    owner = value.object
    if isinstance(owner, enum.EnumMeta):
        member = owner._member_map_.get(name)  # pyright: ignore[reportPrivateUsage]
        return None if member is None else lift(context, member, value.getter.step("attribute", name), span)
    try:
        stored = plain_attribute(owner, name)
    except AttributeError:
        return None
    getter = value.getter
    if isinstance(owner, (type, ModuleType)):
        if isinstance(stored, staticmethod):
            return _held(context, stored.__func__, getter.step("class", name), span)
        if isinstance(stored, classmethod):
            return BoundMethod(_held(context, stored.__func__, getter.step("class", name), span), value)
        return lift(context, stored, getter.step("attribute", name), span)
    return bound_attribute(context, value, type(owner), stored, name, getter, span)


def bound_attribute(
    context: EvaluationContext, receiver: Value, cls: type, stored: Any, name: str, getter: Getter, span: Span | None
) -> Value:
    """An attribute found in a class, as seen from an instance; `getter` reaches the instance or its class.

    A property comes as a tuple of one bound method, for the caller to inline.
    """
    place = getter.step("class", name)
    inner = _wrapped(stored) if not isinstance(stored, (staticmethod, classmethod)) else None
    function = stored if isinstance(stored, FunctionType) else inner
    if function is not None and not _own(receiver, name):
        return BoundMethod(_held(context, function, place, span), receiver)
    if isinstance(stored, staticmethod):
        return _held(context, stored.__func__, place, span)
    if isinstance(stored, classmethod):
        return BoundMethod(_held(context, stored.__func__, place, span), ObjectValue(cls, Getter("object", cls.__name__, cls)))
    if isinstance(stored, (property, functools.cached_property)):
        getting = stored.fget if isinstance(stored, property) else stored.func
        if isinstance(getting, FunctionType):
            return (BoundMethod(_held(context, getting, place, span), receiver),)
    return lift(context, stored, getter.step("attribute", name), span)


def _held(context: EvaluationContext, function: FunctionType, place: Getter, span: Span | None) -> FunctionValue:
    """A function that a class holds: another one in its place is another program."""
    context.content(place, "code", function, span)
    return function_value(function, place, span)


def _own(receiver: Value, name: str) -> bool:
    """Is the attribute in the object's own dict (then a function there is not a method)?"""
    return isinstance(receiver, ObjectValue) and name in getattr(receiver.object, "__dict__", {})


def expand(context: EvaluationContext, value: ObjectValue, span: Span | None) -> Value | None:
    """A captured tuple, list or dict as a container of lifted elements; None for any other object."""
    owner, getter = value.object, value.getter
    kind = type(owner)
    if kind in (tuple, list):
        context.content(getter, "length", len(owner), span)
        return tuple(lift(context, item, getter.step("item", index), span) for index, item in enumerate(owner))
    if kind is dict:
        context.content(getter, "keys", tuple(owner), span)
        return {key: lift(context, item, getter.step("item", key), span) for key, item in owner.items()}
    if kind is set:
        context.content(getter, "value", owner, span)
        return StaticValue(frozenset(owner))
    if isinstance(owner, tuple) and hasattr(kind, "_fields"):
        items = {name: lift(context, owner[index], getter.step("item", index), span) for index, name in enumerate(kind._fields)}
        return RecordValue(kind, items, ordered=True, path=str(getter))
    return None
