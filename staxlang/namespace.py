"""What modules like `stax.random` have in common: the functions of a file of the standard library, loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def functions_of(space: str, into: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a namespace's module; what is found is kept in `into`."""

    def get(name: str) -> Any:
        found = None if name.startswith("_") else _operations().operation(f"{space}.{name}")
        if found is None:
            advice = None if name.startswith("_") else import_module("staxlang.base.suggestions").did_you_mean(name, names())
            raise AttributeError(f"module 'staxlang.{space}' has no attribute {name!r}" + (f": {advice}" if advice else ""), name=name)
        into[name] = found
        return found

    def names() -> list[str]:
        return sorted(_operations().NAMESPACE_NAMES[space])

    return get, names


def _operations() -> Any:
    return import_module("staxlang.runtime.outside")
