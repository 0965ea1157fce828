"""Stax: a tensor language for people who write NumPy. Names are loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from staxlang.base.diagnostics import StaxError, StaxWarning
    from staxlang.runtime.kernel import kernel
    from staxlang.typecheck.notation import Tensor, dims

_HOME_ROWS: dict[str, str] = {
    "kernel": "runtime.kernel",
    "Kernel": "runtime.kernel",
    "set_num_threads": "runtime.threads",
    "get_num_threads": "runtime.threads",
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

_ROOMS = frozenset(("base", "parser", "typecheck", "compiler", "runtime", "editor", "importer", "stdlib"))

__all__ = ["StaxError", "StaxWarning", "Tensor", "dims", "kernel"]


def __getattr__(name: str) -> Any:
    home = _HOME_ROWS.get(name)
    if home is not None:
        value = getattr(import_module(f"staxlang.{home}"), name)
    else:  # stax.exp, stax.softmax: the operations and the standard library
        named = not name.startswith("_") and name not in _ROOMS
        value = import_module("staxlang.runtime.outside").operation(name) if named else None
        if value is None:
            raise AttributeError(f"module 'staxlang' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_ROWS})
