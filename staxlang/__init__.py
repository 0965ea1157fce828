"""Stax: a tensor language for people who write NumPy. Names are loaded when they are first used; `__init__.pyi` has their types."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME_ROWS: dict[str, str] = {
    "kernel": "runtime.kernel",
    "Kernel": "runtime.kernel",
    "set_num_threads": "runtime.threads",
    "get_num_threads": "runtime.threads",
    "spec": "runtime.specs",
    "load": "runtime.modules",
    "load_text": "runtime.modules",
    "build": "runtime.ahead.building",
    "register_extern": "runtime.registering",
    "Lowered": "runtime.lowered",
    "Compiled": "runtime.lowered",
    "StaxError": "base.diagnostics",
    "StaxWarning": "base.diagnostics",
    **dict.fromkeys(
        (
            "Tensor", "Dim", "dims", "float_", "int_", "number", "bool_", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
            "bf16", "f32", "f64", "c64", "c128",
        ),
        "typecheck.notation",
    ),
}  # fmt: skip
"""The names that are no operations: those are found by name in the table and the standard library."""

_NAMESPACES = frozenset(("fft", "random"))
_ROOMS = frozenset((
    "base", "parser", "typecheck", "compiler", "runtime", "command", "editor", "importer", "namespace", "stdlib", "array_api_adapter",
))  # fmt: skip

__all__ = ["StaxError", "StaxWarning", "Tensor", "dims", "kernel"]  # pyright: ignore[reportUnsupportedDunderAll]  (loaded lazily)


def __getattr__(name: str) -> Any:
    home = _HOME_ROWS.get(name)
    if home is not None:
        value = getattr(import_module(f"staxlang.{home}"), name)
    elif name in _NAMESPACES:  # operations in a namespace of their own
        value = import_module(f"staxlang.{name}")
    elif name.startswith("_") or name in _ROOMS:  # what Python itself and `from staxlang import <module>` ask for
        raise AttributeError(f"module 'staxlang' has no attribute {name!r}")
    else:
        value = _operations().operation(name)
        if value is None:
            advice = import_module("staxlang.base.suggestions").did_you_mean(name, __dir__())
            raise AttributeError(f"module 'staxlang' has no attribute {name!r}" + (f": {advice}" if advice else ""), name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    public = (name for name in globals() if not name.startswith("_") or name.startswith("__"))
    return sorted({*public, *_NAMESPACES, *_HOME_ROWS, *_operations().operation_names()} - _ROOMS - {"Any", "annotations", "import_module"})


def _operations() -> Any:
    return import_module("staxlang.runtime.outside")
