"""What is known of a .stx file when it is read - consts, defaults - as forms that a store can keep: a process need not compute them again.

A form is a tuple: ("value", x) ("numpy", dtype, bytes) ("tuple", forms) ("list", forms) ("dict", keys, forms) ("word", name) of .stx
("library", name) of a function there, ("own", name) of a definition of the module.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES
from staxlang.typecheck import notation
from staxlang.typecheck.named_operations import named_operation
from staxlang.typecheck.values import ArgumentDict, ArgumentList, FunctionValue, MeaningValue, StaticValue, Value

Form = tuple[Any, ...]
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


class Unstorable(Exception):
    """A value that has no form: it is computed in each process."""


def form_of(value: Value, own: Mapping[int, str]) -> Form:
    """The form of a static value; `own` gives the names of the module's definitions by the id of their values."""
    if isinstance(value, StaticValue):
        if type(value.value) in _PLAIN:
            return ("value", value.value)
        if isinstance(value.value, np.generic) and not value.value.dtype.hasobject:
            return ("numpy", value.value.dtype.str, value.value.tobytes())
    elif isinstance(value, (tuple, list)):
        return ("tuple" if isinstance(value, tuple) else "list", [form_of(item, own) for item in value])
    elif isinstance(value, dict):
        keys = list(value)
        if all(type(key) in _PLAIN for key in keys):
            return ("dict", keys, [form_of(item, own) for item in value.values()])
    elif isinstance(value, MeaningValue):
        name = value.meaning.name
        if value.object is None and _names().word(name) is value.meaning:
            return ("word", name)
    elif isinstance(value, FunctionValue):
        if value.library:
            return ("library", value.name)
        if id(value) in own:
            return ("own", own[id(value)])
    raise Unstorable


def value_of(form: Form, definition: Callable[[str], Value]) -> Value:
    """The static value that a form is of. `definition` gives the module's own by name."""
    kind, content = form[0], form[1]
    if kind == "value":
        return StaticValue(content)
    if kind == "numpy":
        return StaticValue(np.frombuffer(form[2], content)[0])
    if kind == "tuple":
        return tuple([value_of(item, definition) for item in content])
    if kind == "list":
        return ArgumentList([value_of(item, definition) for item in content])
    if kind == "dict":
        return ArgumentDict(zip(content, [value_of(item, definition) for item in form[2]], strict=True))
    if kind == "word":
        return MeaningValue(_names().word(content))
    return import_module("staxlang.typecheck.evaluator").library(content) if kind == "library" else definition(content)


def plain_of(form: Form, definition: Callable[[str], Any]) -> Any:
    """The Python object that a form is of: operations and dtypes as `stax.*` has them, of the module's own what `definition` gives."""
    kind, content = form[0], form[1]
    if kind == "value":
        return content
    if kind == "numpy":
        return np.frombuffer(form[2], content)[0]
    if kind in ("tuple", "list"):
        parts = [plain_of(item, definition) for item in content]
        return tuple(parts) if kind == "tuple" else parts
    if kind == "dict":
        return dict(zip(content, [plain_of(item, definition) for item in form[2]], strict=True))
    if kind == "word" and content in DTYPES:
        return getattr(notation, "bool_" if content == "bool" else content)
    return definition(content) if kind == "own" else named_operation(content)


def _names() -> Any:
    """The meanings of words (imports the evaluator)."""
    return import_module("staxlang.typecheck.names")
