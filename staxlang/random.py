"""`stax.random`: random numbers with explicit keys, the functions of staxlang/stdlib/random.stx; loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    found = None if name.startswith("_") else _operations().operation(f"random.{name}")
    if found is None:
        advice = None if name.startswith("_") else import_module("staxlang.base.suggestions").did_you_mean(name, __dir__())
        raise AttributeError(f"module 'staxlang.random' has no attribute {name!r}" + (f": {advice}" if advice else ""), name=name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(_operations().NAMESPACE_NAMES["random"])


def _operations() -> Any:
    return import_module("staxlang.runtime.outside")
