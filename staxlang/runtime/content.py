"""Python objects by content: one description in all processes for what means the same to a program, None where there is none."""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import numpy as np

from staxlang.runtime.containers import look_up
from staxlang.runtime.disk import digest

Content = tuple[Any, ...]
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))


def describe(value: Any) -> Content | None:
    """What a value is, without identities, times or places in memory."""
    if isinstance(value, enum.Enum):
        content = describe(value.value)
        return None if content is None else ("enum", type(value).__module__, type(value).__qualname__, value.name, content)
    if type(value) in _PLAIN:
        return ("value", type(value).__name__, repr(value))
    for kind, form in _FORMS:
        if isinstance(value, kind):
            return form(value)
    kind = cast("Any", type(value))
    if kind is tuple or kind is frozenset:
        parts = [describe(item) for item in value]
        if None in parts:
            return None
        return (kind.__name__, *(sorted(map(repr, parts)) if kind is frozenset else parts))
    if kind is slice or kind is range:
        return (kind.__name__, repr(value))
    return _of_ours(value) if kind.__module__.partition(".")[0] == "staxlang" else None


def _of_array_scalar(value: np.generic[Any]) -> Content:
    return ("numpy", value.dtype.str, value.tobytes())


def _of_function(value: FunctionType) -> Content | None:
    text = function_digest(value)
    return None if text is None else ("function", text)


def _of_named(value: Any) -> Content | None:
    """A ufunc, built-in function or class of a library: by the name under which it is found again. A user's class with what it holds."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if module is None and isinstance(value, np.ufunc):
        module = "numpy"
    if look_up(module, name) is not value:
        return None
    if not isinstance(value, type) or value.__module__.partition(".")[0] in _LIBRARIES:
        return ("named", module, name)
    return ("class", module, name, class_digest(value))


def _of_ours(value: Any) -> Content | None:
    """Stax's own objects: kernels by their function, operations and dtypes by name."""
    inner = getattr(value, "__wrapped__", None)
    if isinstance(inner, FunctionType):
        text = function_digest(inner)
        return None if text is None else ("kernel", text, repr(value.settings))
    try:
        reduced: Any = value.__reduce__()
    except TypeError:
        return None
    whole = type(reduced) is not str and len(reduced) == 2  # made by a call, with no state beside it
    return ("ours", type(value).__name__, repr(reduced[1])) if whole else None


def _of_cached(value: Any) -> Content | None:
    function = describe(value.__wrapped__)
    return None if function is None else ("cached", function)


def _of_method(value: MethodType) -> Content | None:
    function = describe(value.__func__)
    return None if function is None else ("method", function)


_FORMS: tuple[tuple[Any, Callable[[Any], Content | None]], ...] = (
    (np.dtype, lambda value: ("dtype", value.str)),
    (np.generic, _of_array_scalar),
    (ModuleType, lambda value: ("module", value.__name__)),
    (FunctionType, _of_function),
    (MethodType, _of_method),
    (type(functools.lru_cache(len)), _of_cached),
    ((type, np.ufunc, BuiltinFunctionType), _of_named),
)


_LIBRARIES = frozenset((*sys.stdlib_module_names, "numpy", "staxlang")) - {"__main__"}


def class_digest(cls: type) -> str:
    """The names that a class and its bases define, with the code of their functions. Other values are compared where they are read."""
    parts: list[str] = []
    for base in cls.__mro__:
        parts.append(f"{base.__module__} {base.__qualname__}")
        if base.__module__.partition(".")[0] not in _LIBRARIES:
            held = dict(base.__dict__)
            parts += [f"{name} {_held_content(held[name])}" for name in sorted(held) if name not in _INCIDENTAL]
    return digest(*parts)


_INCIDENTAL = frozenset(("__dict__", "__weakref__", "__doc__", "__firstlineno__", "__static_attributes__"))


def _held_content(value: Any) -> str:
    """What a class holds under a name: functions by code, members of enumerations by value, other things by kind."""
    if isinstance(value, property):
        return f"property {_held_content(value.fget)}"
    if isinstance(value, functools.cached_property):
        return f"cached property {_held_content(cast('Any', value).func)}"
    inner: Any = getattr(value, "__func__", None) or getattr(value, "__wrapped__", None) or value
    if isinstance(inner, FunctionType):
        return f"{type(value).__name__} {function_digest(inner) or code_digest(inner.__code__)}"
    return repr(describe(value)) if isinstance(value, enum.Enum) else type(value).__name__


def function_digest(function: FunctionType) -> str | None:
    """A function's code, defaults and annotations; not where it stands in its file, nor what its free names hold."""
    defaults = [describe(value) for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())]
    if None in defaults:
        return None
    annotations = {name: repr(value) for name, value in function.__annotations__.items()}
    return digest(code_digest(function.__code__), repr(defaults), repr(tuple(function.__kwdefaults__ or ())), repr(annotations))


def code_digest(code: CodeType) -> str:
    """Code with its structure in lines and columns, relative to its first line: comments and places do not count, all else does."""
    constants = [
        code_digest(value) if isinstance(value, CodeType) else f"{type(value).__name__} {_constant_text(value)}" for value in code.co_consts
    ]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    numbers = (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    return digest(code.co_code, code.co_linetable, *constants, repr(names), repr(numbers))


def _constant_text(value: Any) -> str:
    return repr(sorted(map(repr, cast("Any", value)))) if type(value) is frozenset else repr(value)
