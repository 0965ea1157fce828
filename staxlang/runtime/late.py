"""Modules that a process served by its caches never needs - front end, compiler, llvmlite, the catalogue of errors - loaded at first use."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn


def compilation() -> ModuleType:
    """The whole way from a function to code (imports evaluator, compiler and llvmlite)."""
    return import_module("staxlang.runtime.compilation")


def native() -> ModuleType:
    return import_module("staxlang.runtime.native")


def raise_error(code: str, help: str | None = None, notes: tuple[str, ...] = (), **fields: Any) -> NoReturn:
    """Raise the catalogue's diagnostic `code`."""
    diagnostics = import_module("staxlang.base.diagnostics")
    raise diagnostics.error_of([diagnostics.diagnose(code, notes=notes, help=help, **fields)]) from None


def warn(text: str, stacklevel: int = 2) -> None:
    warnings.warn(text, import_module("staxlang.base.diagnostics").StaxWarning, stacklevel=stacklevel + 1)
