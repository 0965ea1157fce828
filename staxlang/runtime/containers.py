"""Callables that make a result's lists, dicts, ranges and records of their parts. Equal ones can be made again from their recipe."""

from __future__ import annotations

import sys
from typing import Any


class ListMaker:
    def __call__(self, *items: Any) -> list[Any]:
        return list(items)

    def recipe(self) -> tuple[Any, ...] | None:
        return ()

    @staticmethod
    def of(recipe: tuple[Any, ...]) -> ListMaker:
        return ListMaker()


class RangeMaker:
    def __call__(self, *parts: Any) -> range:
        return range(*parts)

    def recipe(self) -> tuple[Any, ...] | None:
        return ()

    @staticmethod
    def of(recipe: tuple[Any, ...]) -> RangeMaker:
        return RangeMaker()


class DictMaker:
    def __init__(self, keys: tuple[Any, ...]) -> None:
        self.keys = keys

    def __call__(self, *values: Any) -> dict[Any, Any]:
        return dict(zip(self.keys, values, strict=True))

    def recipe(self) -> tuple[Any, ...] | None:
        return self.keys if all(type(key) in (str, int, float, bool, bytes, type(None)) for key in self.keys) else None

    @staticmethod
    def of(recipe: tuple[Any, ...]) -> DictMaker:
        return DictMaker(recipe)


class RecordMaker:
    """A dataclass instance without its `__init__`, or a named tuple."""

    def __init__(self, cls: Any, names: tuple[str, ...], ordered: bool) -> None:
        self.cls, self.names, self.ordered = cls, names, ordered

    def __call__(self, *values: Any) -> Any:
        if self.ordered:
            return self.cls._make(values)
        made = object.__new__(self.cls)
        for name, value in zip(self.names, values, strict=True):
            object.__setattr__(made, name, value)
        return made

    def recipe(self) -> tuple[Any, ...] | None:
        module, name = self.cls.__module__, self.cls.__qualname__
        return (module, name, self.names, self.ordered) if look_up(module, name) is self.cls else None

    @staticmethod
    def of(recipe: tuple[Any, ...]) -> RecordMaker:
        module, name, names, ordered = recipe
        return RecordMaker(look_up(module, name), names, ordered)


def look_up(module: Any, name: Any) -> Any:
    """The object of that qualified name in a loaded module; None where there is none."""
    found: Any = sys.modules.get(module) if isinstance(module, str) else None
    for part in name.split(".") if isinstance(name, str) else ():
        found = getattr(found, part, None)
    return found


MAKERS = {maker.__name__: maker for maker in (ListMaker, RangeMaker, DictMaker, RecordMaker)}
