"""A call's items to the evaluator's abstract arguments: which extents are constants and which symbols, and how arrays are laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.records import NamedTuple
from staxlang.base.settings import Settings
from staxlang.base.sizes import Size, symbol, symbols
from staxlang.base.types import TensorType
from staxlang.runtime.evidence import Evidence, decide
from staxlang.runtime.headers import dtype_name
from staxlang.runtime.planning import LEAF_KINDS, stride_pattern, strides_in_elements
from staxlang.runtime.signature import Array, Item, class_of
from staxlang.typecheck import arguments as abstract
from staxlang.typecheck.values import ArrayValue, Storage, Value


class Arguments(NamedTuple):
    """Abstract arguments by parameter, the array types by leaf position, the hints of their symbols, and what was seen where."""

    values: dict[str, Value]
    types: dict[int, TensorType]
    hints: dict[str, int]
    seen: Evidence


class SizePolicy:
    """Decides for one capture which extents and strides are symbols: those that have been seen with a second value."""

    def __init__(
        self, evidence: Evidence, settings: Settings, shapes: Mapping[str, Sequence[Size | None]], hints: Mapping[str, int]
    ) -> None:
        """`shapes` are declared ones by path, over symbols whose values `hints` gives."""
        self.evidence = evidence
        self.settings = settings
        self.shapes = shapes
        self.hints: dict[str, int] = dict(hints)
        self.seen: Evidence = {}

    def _size(self, path: str, rank: int, what: str, axis: int, value: int, signed: bool = False) -> Size:
        policy = "evidence" if signed and self.settings.sizes == "symbolic" else self.settings.sizes
        if not decide(self.seen, self.evidence, (path, rank, what, axis), value, policy):
            return value
        name = f"{path}.{what}[{axis}]"
        self.hints[name] = value
        return symbol(name, signed)

    def type_of(self, path: str, array: Array, dtype: DType) -> TensorType:
        rank = array.ndim
        said = self.shapes.get(path) or (None,) * rank
        shape = tuple(
            self._size(path, rank, "shape", axis, extent) if declared is None else declared
            for axis, (extent, declared) in enumerate(zip(array.shape, said, strict=True))
        )
        if array.flags.c_contiguous:
            return TensorType(dtype, shape)
        strides = strides_in_elements(array)
        plain = stride_pattern(array.shape, strides, shape)
        numbers = [
            self._size(path, rank, "strides", axis, stride, signed=stride < 0) if _is_free(plain[axis], stride) else plain[axis]
            for axis, stride in enumerate(strides)
        ]
        return TensorType(dtype, shape, stride_pattern(array.shape, strides, shape, numbers))


def _is_free(size: Size, stride: int) -> bool:
    """Whether a stride is a number of its own rather than a product of extents or one of the small ones that mean something."""
    return isinstance(size, int) and stride not in (0, 1, -1)


def _names(size: Size) -> frozenset[str]:
    return frozenset() if isinstance(size, int) else symbols(size)


def dtype_of(value: Any) -> DType:
    name = dtype_name(value.dtype)
    assert name is not None  # refused before (signature.py)
    return DTYPES[name]


def abstract_arguments(values: dict[str, Any], items: Sequence[Item], policy: SizePolicy, share: bool) -> Arguments:
    """`share`: arrays that are one object become one storage (needed where it is written to)."""
    build = _Builder(items, policy, share)
    made = {item.path: build.value(index) for index, item in enumerate(items) if item.parent < 0}
    return Arguments({name: made[name] for name in values}, build.types, policy.hints, policy.seen)


class _Builder:
    def __init__(self, items: Sequence[Item], policy: SizePolicy, share: bool) -> None:
        self.items = items
        self.policy = policy
        self.share = share
        self.types: dict[int, TensorType] = {}
        self.children: dict[int, list[int]] = {}
        self.positions: dict[int, int] = {}
        self._arrays: dict[int, ArrayValue] = {}
        for index, item in enumerate(items):
            self.children.setdefault(item.parent, []).append(index)
            if item.kind in LEAF_KINDS:
                self.positions[index] = len(self.positions)

    def value(self, index: int) -> Value:
        item = self.items[index]
        kind = item.kind
        if kind in ("array", "numpy scalar"):
            return self._array(index, item)
        if kind in LEAF_KINDS:
            return abstract.scalar_argument(item.path, kind, self.positions[index], item.value)
        if kind == "static":
            return abstract.static_argument(item.value)
        if kind == "object":
            return self._object(index, item)
        parts = [(self.items[child].step[1], self.value(child)) for child in self.children.get(index, ())]
        if kind == "tuple":
            return abstract.tuple_argument([part for _, part in parts])
        if kind == "list":
            return abstract.list_argument([part for _, part in parts])
        if kind == "dict":
            return abstract.dict_argument(dict(parts))
        given: Any = item.value
        names: list[str] = list(given._fields) if isinstance(given, tuple) else [name for name, _ in parts]  # pyright: ignore
        fields = {name: part for name, (_, part) in zip(names, parts, strict=True)}
        return abstract.record_argument(class_of(item.value), fields, item.path)

    def _array(self, index: int, item: Item) -> ArrayValue:
        position = self.positions[index]
        array = np.asarray(item.value)
        first = self._arrays.get(id(item.value)) if self.share and item.kind == "array" else None
        type_ = first.storage.type if first is not None else self.policy.type_of(item.path, array, dtype_of(item.value))
        self.types[position] = type_
        if first is not None:
            return first
        hints = {name: self.policy.hints[name] for size in type_.shape + (type_.layout or ()) for name in _names(size)}
        if item.kind == "numpy scalar":
            storage = Storage(None, type_, abstract.ArrayLeaf(item.path, position, None, hints), False)
            return ArrayValue(storage, type_, None, True)
        made = abstract.array_argument(item.path, type_, position, bool(array.flags.writeable), hints)
        self._arrays[id(item.value)] = made
        return made

    def _object(self, index: int, item: Item) -> Value:
        steps: list[tuple[str, Any]] = []
        at = index
        while self.items[at].parent >= 0:
            kind, key = self.items[at].step
            steps.append(("item" if kind == "key" else kind, key))
            at = self.items[at].parent
        return abstract.object_argument(self.items[at].path, item.value, reversed(steps))
