"""Modules that most processes never need: loaded when something of theirs is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Deferred:
    """Stands for a module that may not be loaded yet; its names are looked up in it each time, and set in it."""

    __slots__ = ("_name",)

    _name: str

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(import_module(self._name), name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)

    def __repr__(self) -> str:
        return f"<deferred module {self._name}>"


def deferred(name: str) -> Any:
    """The module of that name, to be bound at the top of another in the place of an import.

    A first call loads some two hundred modules, at a quarter of a millisecond each; what serves a subject of its own - external
    routines, index notation - need not be among them. Type checkers see an ordinary import beside it, under `if TYPE_CHECKING`.

    >>> deferred("math").sqrt(4.0)
    2.0
    """
    return _Deferred(name)
