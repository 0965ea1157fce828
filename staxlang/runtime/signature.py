"""The objects of a call, flattened: each array, number, constant and container with its path in the user's words. Arrays are made fit."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from staxlang.base.records import NamedTuple
from staxlang.runtime import late
from staxlang.runtime.headers import dtype_name

# Subclasses of ndarray that mean nothing of their own for arithmetic.
_PLAIN_SUBCLASSES = (np.memmap,)
STATIC = (type(None), bool, str, bytes, type(Ellipsis), np.dtype, enum.Enum, slice, range)
NUMBERS = {int: "int", float: "float", complex: "complex"}

Array = np.ndarray[Any, Any]


class Item(NamedTuple):
    """One object of a call.

    kind: array, numpy scalar, int, float, complex, static, object, or a container: tuple, list, dict, record.
    `parent` is the index of the container (-1: a parameter), `step` how it is reached from there (see entry_plan.py).
    """

    kind: str
    value: Any
    path: str
    parent: int
    step: tuple[Any, ...]


class Prepared(NamedTuple):
    """A call's parameters, their items, and arrays of the caller that stand there as converted copies: (the copy, the caller's)."""

    values: dict[str, Any]
    items: list[Item]
    copies: list[tuple[Array, Array]]

    def replace(self, replaced: dict[int, Array]) -> Prepared:
        """The call with other arrays in the place of some (by the id of those)."""
        return prepare({name: _exchanged(value, replaced) for name, value in self.values.items()})


def prepare(values: dict[str, Any]) -> Prepared:
    """Flatten a call. Byte-swapped and unaligned arrays are replaced by native copies; what no kernel takes is an error here."""
    walk = _Walk()
    fit = {name: walk.visit(value, name, -1, ("parameter", name)) for name, value in values.items()}
    return Prepared(fit, walk.items, walk.copies)


def class_of(value: Any) -> Any:
    """type(value), without a narrowed type for what follows."""
    return cast("Any", type(value))


def is_container(kind: Any) -> bool:
    """Tuples, lists, dicts themselves; named tuples and dataclasses."""
    return kind in (tuple, list, dict) or hasattr(kind, "__dataclass_fields__") or hasattr(kind, "_make")


class _Walk:
    def __init__(self) -> None:
        self.items: list[Item] = []
        self.copies: list[tuple[Array, Array]] = []
        self._fit: dict[int, Array] = {}
        self._open: list[int] = []

    def visit(self, value: Any, path: str, parent: int, step: tuple[Any, ...]) -> Any:
        """Adds the items of a value; gives the value with its arrays made fit (itself where nothing had to be done)."""
        kind = class_of(value)
        if kind is np.ndarray:
            return self._array(value, path, parent, step)
        number = NUMBERS.get(kind)
        if number == "int" and not -(1 << 63) <= value < 1 << 63:
            number = "static"  # no machine integer holds it: by its value
        if number is not None:
            return self._leaf(number, value, path, parent, step)
        if issubclass(kind, STATIC):
            return self._leaf("static", value, path, parent, step)
        if issubclass(kind, np.generic):
            return self._leaf("static" if dtype_name(value.dtype) is None else "numpy scalar", value, path, parent, step)
        if issubclass(kind, np.ndarray):
            return self._subclass(value, path, parent, step)
        if is_container(kind):
            return self._container(value, path, parent, step)
        if not issubclass(kind, type) and (hasattr(value, "__dlpack__") or hasattr(value, "__array__")):
            advice = f"pass a NumPy array: `np.asarray({path})`"
            late.raise_error("unsupported-argument", path=path, given=f"a {kind.__module__}.{kind.__qualname__}", help=advice)
        return self._leaf("object", value, path, parent, step)

    def _leaf(self, kind: str, value: Any, path: str, parent: int, step: tuple[Any, ...]) -> Any:
        self.items.append(Item(kind, value, path, parent, step))
        return value

    def _array(self, value: Array, path: str, parent: int, step: tuple[Any, ...]) -> Array:
        if dtype_name(value.dtype) is None:
            late.raise_error("unsupported-array", path=path, given=str(value.dtype))
        fit = value
        if not (value.dtype.isnative and value.flags.aligned and _steps_fit(value)):
            known = self._fit.get(id(value))
            fit = value.astype(value.dtype.newbyteorder("="), order="C", copy=True) if known is None else known
            if known is None:
                fit.flags.writeable = value.flags.writeable
                self._fit[id(value)] = fit
                self.copies.append((fit, value))
        self.items.append(Item("array", fit, path, parent, step))
        return fit

    def _subclass(self, value: Array, path: str, parent: int, step: tuple[Any, ...]) -> Array:
        if type(value) not in _PLAIN_SUBCLASSES:
            late.raise_error("unsupported-subclass", path=path, given=type(value).__qualname__)
        return self._array(value.view(np.ndarray), path, parent, step)

    def _container(self, value: Any, path: str, parent: int, step: tuple[Any, ...]) -> Any:
        if id(value) in self._open:
            late.raise_error("unsupported-argument", path=path, given="a container that holds itself")
        self._open.append(id(value))
        index = len(self.items)
        kind = type(value).__name__ if type(value) in (tuple, list, dict) else "record"
        self.items.append(Item(kind, value, path, parent, step))
        parts = [(key, item, self.visit(item, part, index, way)) for key, item, part, way in parts_of(value, kind, path)]
        self._open.pop()
        if any(given is not fit for _, given, fit in parts):
            value = rebuilt(value, kind, parts)
            self.items[index] = Item(kind, value, path, parent, step)
        return value


def _steps_fit(array: Array) -> bool:
    """Whether all strides are whole numbers of elements."""
    size = array.itemsize
    return array.flags.c_contiguous or all(stride % size == 0 for stride in array.strides)


def parts_of(value: Any, kind: str, path: str) -> Iterator[tuple[Any, Any, str, tuple[Any, ...]]]:
    """(key, element, its path, its step) of a container."""
    if kind == "dict":
        for key, item in value.items():
            yield key, item, f"{path}[{key!r}]", ("key", key)
    elif kind != "record":
        for index, item in enumerate(value):
            yield index, item, f"{path}[{index}]", ("item", index)
    elif isinstance(value, tuple):
        for index, (name, item) in enumerate(zip(value._fields, value, strict=True)):  # pyright: ignore  (a named tuple)
            yield name, item, f"{path}.{name}", ("item", index)
    else:
        for name in class_of(value).__dataclass_fields__:
            yield name, getattr(value, name), f"{path}.{name}", ("attribute", name)


def _exchanged(value: Any, replaced: dict[int, Array]) -> Any:
    if id(value) in replaced:
        return replaced[id(value)]
    if not is_container(class_of(value)):
        return value
    kind = type(value).__name__ if type(value) in (tuple, list, dict) else "record"
    parts = [(key, item, _exchanged(item, replaced)) for key, item, _, _ in parts_of(value, kind, "")]
    return rebuilt(value, kind, parts) if any(item is not fit for _, item, fit in parts) else value


def rebuilt(value: Any, kind: str, parts: list[tuple[Any, Any, Any]]) -> Any:
    """The container with fit arrays in their places."""
    fits = [fit for _, _, fit in parts]
    cls = class_of(value)
    if kind in ("tuple", "list"):
        return cls(fits)
    if kind == "dict":
        return {key: fit for key, _, fit in parts}
    if hasattr(cls, "_make"):
        return cls._make(fits)
    made: Any = object.__new__(cls)
    for key, _, fit in parts:
        object.__setattr__(made, key, fit)
    return made
