"""A capture to an EntryPlan: places for arguments and captured objects with their guards, slots for the objects that entries refer to."""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from staxlang.base.sizes import Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.compiler.llvm.entry_plan import Place
from staxlang.runtime.signature import Item, class_of
from staxlang.typecheck.guards import Capture, ContentGuard, FrozenScalar, Getter, SizeBinding, step_text

_IDENTITY = (type(None), bool, type(Ellipsis), np.dtype, enum.Enum, type, ModuleType)


class PlanBuilder:
    """Gathers places and slots. `leaf_places` maps leaf positions (of arguments, then of captures) to places."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.slots: list[Any] = []
        self.leaf_places: dict[int, int] = {}
        self._slot_of: dict[int, int] = {}
        self._place_of: dict[tuple[Any, ...], int] = {}
        self._objects: list[Any] = []  # the object at each place, in the call being captured

    # ---- slots ----

    def slot(self, value: Any) -> int:
        """The number of an object in the entry's table."""
        number = self._slot_of.get(id(value))
        if number is None:
            number = self._slot_of[id(value)] = len(self.slots)
            self.slots.append(value)
        return number

    # ---- places ----

    def _place(self, parent: int, step: tuple[Any, ...], value: Any, path: str, check: tuple[Any, ...] = ("any",)) -> int:
        key = (parent, *step)
        number = self._place_of.get(key)
        if number is None:
            number = self._place_of[key] = len(self.places)
            self.places.append(Place(parent, step, check, path))
            self._objects.append(value)
        return number

    def _require(self, place: int, check: tuple[Any, ...], span: Span | None = None) -> None:
        """Set what the object at a place must be; a stronger demand replaces a weaker one, a second equal one is none."""
        before = self.places[place].check
        if before == check or (before[0] != "any" and check[0] == "type"):
            return
        if before[0] not in ("any", "type"):
            place = self._twin(place)
        self.places[place] = self.places[place]._replace(check=check, asked=(span.line, "") if span is not None else (0, ""))

    def _twin(self, place: int) -> int:
        """The same object once more, for a second demand on it."""
        self.places.append(self.places[place]._replace(check=("any",)))
        self._objects.append(self._objects[place])
        return len(self.places) - 1

    # ---- the function ----

    def add_function(self, function: FunctionType) -> None:
        """The kernel's own function still has the code that it had."""
        place = self._place(-1, ("slot", self.slot(function)), function, function.__name__)
        self._require(place, ("function", self.slot(function), self.slot(function.__code__)))

    # ---- arguments ----

    def add_items(self, items: Sequence[Item], types: dict[int, TensorType], written: frozenset[int]) -> None:
        """Places of a call's objects. `types` gives the type of each array item (by its position among the leaves)."""
        numbers: list[int] = []
        position = 0
        for item in items:
            parent = numbers[item.parent] if item.parent >= 0 else -1
            step = item.step
            if step[0] in ("key", "attribute"):
                step = (step[0], self.slot(step[1]))
            place = self._place(parent, step, item.value, item.path)
            numbers.append(place)
            if item.kind in LEAF_KINDS:
                self.leaf_places[position] = place
                self._leaf(place, item, types.get(position), position in written)
                position += 1
            else:
                self._container(place, item, [i for i in items if i.parent == len(numbers) - 1])

    def _leaf(self, place: int, item: Item, type_: TensorType | None, written: bool) -> None:
        if item.kind == "array":
            assert type_ is not None
            self._require(place, ("array", type_.dtype.name, type_.shape, type_.layout, written))
        elif item.kind == "numpy scalar":
            assert type_ is not None
            self._require(place, ("numpy scalar", type_.dtype.name, self.slot(type(item.value))))
        else:
            self._require(place, (item.kind,))

    def _container(self, place: int, item: Item, parts: list[Item]) -> None:
        value = item.value
        if item.kind in ("tuple", "list"):
            self._require(place, (item.kind, len(value)))
        elif item.kind == "dict":
            self._require(place, ("dict", tuple(self.slot(part.step[1]) for part in parts)))
        elif item.kind == "record":
            self._require(place, ("type", self.slot(type(value))))
        elif item.kind == "static":
            self._require(place, self._static(value))

    def _static(self, value: Any) -> tuple[Any, ...]:
        if type(value) is str:
            return ("text", self.slot(value))
        return ("same" if isinstance(value, _IDENTITY) else "equal", self.slot(value))

    def aliases(self, items: Sequence[Item]) -> None:
        """Arrays that are one object stay one object."""
        first: dict[int, int] = {}
        position = -1
        for item in items:
            position += item.kind in LEAF_KINDS
            if item.kind == "array":
                place = self.leaf_places[position]
                known = first.setdefault(id(item.value), place)
                if known != place:  # the first place's guards are guards on the same object
                    self.places[place] = self.places[place]._replace(check=("alias", known))
                    self.leaf_places[position] = known

    # ---- captured objects ----

    def at(self, getter: Getter, arguments: dict[str, Any]) -> int:
        """The place that a getter reads."""
        path = getter.name
        value = Getter(getter.root, getter.name, getter.holder).read(arguments)
        place = self._place(-1, self._root(getter), value, path)
        for kind, key in getter.steps:
            before = value
            value = Getter("object", getter.name, before, ((kind, key),)).read(arguments)
            path += step_text(kind, key)
            place = self._step(place, kind, key, before, value, path)
        return place

    def _root(self, getter: Getter) -> tuple[Any, ...]:
        if getter.root == "global":
            return ("global", self.slot(getter.holder), self.slot(getter.name))
        if getter.root == "closure":
            return ("cell", self.slot(getter.holder))
        if getter.root == "argument":
            return ("parameter", getter.name)
        return ("slot", self.slot(getter.holder))

    def _step(self, place: int, kind: str, key: Any, before: Any, value: Any, path: str) -> int:
        if kind == "closure":  # the function is held fast by its own guard, and a function's cells never change
            return self._place(-1, ("cell", self.slot(before.__closure__[key])), value, path)
        if kind == "class":
            return self._of_class(place, before, key, value, path)
        if kind == "default":
            return self._place(place, ("default", -1, len(before.__defaults__), key % len(before.__defaults__)), value, path)
        if kind == "kwdefault":
            return self._place(place, ("kwdefault", -1, self.slot(sys.intern(key))), value, path)
        if kind == "attribute":
            return self._place(place, ("attribute", self.slot(key)), value, path)
        if issubclass(class_of(before), dict):
            self._require(place, ("type", self.slot(type(before))))
            return self._place(place, ("key", self.slot(key)), value, path)
        if type(before) in (tuple, list):
            self._require(place, (type(before).__name__, len(before)))
        else:
            self._require(place, ("type", self.slot(type(before))))
        return self._place(place, ("item", key if key >= 0 else len(before) + key), value, path)

    def _of_class(self, place: int, owner: Any, name: str, value: Any, path: str) -> int:
        """A function that a class holds - plainly, for the class, in a property or the like - as it is reached from the class, or from an
        instance, which may have got an attribute of that name since."""
        if not isinstance(owner, type):
            cls = class_of(owner)
            if cls.__getattribute__ is object.__getattribute__ and _in_class(cls, name, value):
                return self._reached(place, owner, name, value, path)
            owner, place = cls, self._place(-1, ("slot", self.slot(cls)), cls, cls.__name__)
        held = getattr(owner, name)
        for part in ("fget", "func", "__wrapped__"):
            if not isinstance(held, MethodType) and held is not value and getattr(held, part, None) is value:
                place = self._place(place, ("attribute", self.slot(name)), held, path)
                return self._place(place, ("attribute", self.slot(part)), value, f"{path}.{part}")
        return self._reached(place, owner, name, value, path)

    def _reached(self, place: int, owner: Any, name: str, value: Any, path: str) -> int:
        """A function by the name under which an object has it, bound or not."""
        held = getattr(owner, name)
        step = "method" if isinstance(held, MethodType) and held.__func__ is value else "attribute"
        return self._place(place, (step, self.slot(name)), value, path)

    def add_capture(self, capture: Capture, arguments: dict[str, Any], written: bool) -> None:
        place = self.at(capture.getter, arguments)
        type_ = capture.type
        if capture.kind == "array":
            self._require(place, ("array", type_.dtype.name, type_.shape, type_.layout, written))
        else:
            self._require(place, (capture.kind,))
        self.leaf_places[capture.position] = place

    def add_content(self, guard: ContentGuard, arguments: dict[str, Any]) -> None:
        place = self.at(guard.getter, arguments)
        value = self._objects[place]
        kind, span = guard.kind, guard.span
        if kind == "same":
            self._require(place, ("alias", self.at(guard.expected, arguments)), span)
        elif kind == "code":
            assert isinstance(value, FunctionType)
            self._require(place, ("function", self.slot(value), self.slot(value.__code__)), span)
        elif kind == "identity":
            self._require(place, ("same", self.slot(value)), span)
        elif kind == "value":
            self._require(place, self._static(value), span)
        elif kind == "type":
            self._require(place, ("type", self.slot(type(value))), span)
        elif kind == "method":
            self._require(place, ("type", self.slot(MethodType)), span)
            function = self._place(place, ("attribute", self.slot("__func__")), value.__func__, f"{guard.getter}.__func__")
            self._require(function, ("same", self.slot(value.__func__)), span)
        elif kind == "length":
            self._require(place, (type(value).__name__, len(value)) if type(value) in (tuple, list) else self._static(value), span)
        elif kind == "keys":
            self._require(place, ("dict", tuple(self.slot(key) for key in value)), span)
        else:
            raise LookupError(f"no guard on content is called {kind!r}")

    # ---- numbers ----

    def freeze(self, frozen: FrozenScalar) -> None:
        place = self.leaf_places[frozen.position]
        kind = type(frozen.value).__name__
        asked = (frozen.span.line, frozen.why) if frozen.span is not None else (0, "")
        self.places[place] = self.places[place]._replace(check=("frozen", kind, frozen.value), asked=asked)

    def symbol(self, binding: SizeBinding) -> tuple[str, int]:
        return binding.symbol, self.leaf_places[binding.position]


def _in_class(cls: Any, name: str, value: Any) -> bool:
    """Whether a class holds a function plainly, or as a static or class method: the access runs no code of the user's."""
    stored: Any = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
    return stored is value or (class_of(stored) in (staticmethod, classmethod) and stored.__func__ is value)


LEAF_KINDS = frozenset(("array", "numpy scalar", "int", "float", "complex"))


def strides_in_elements(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
    return tuple(stride // array.itemsize for stride in array.strides)


def overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether two elements may lie at one place: an axis steps less than what the axes with smaller steps span."""
    span = array.itemsize
    for stride, extent in sorted((abs(stride), extent) for stride, extent in zip(array.strides, array.shape, strict=True)):
        if extent > 1:
            if stride < span:
                return array.size > 0
            span = stride * extent
    return False


def stride_pattern(
    extents: Sequence[int], strides: Sequence[int], sizes: Sequence[Size], numbers: Sequence[Size] | None = None
) -> tuple[Size, ...]:
    """A layout as sizes: from the smallest stride up, one that spans the axis before it becomes that product, another stays its number.

    `numbers` stands in for strides that are not such products (a symbol where the number keeps changing).
    """
    result: list[Size] = list(numbers if numbers is not None else strides)
    order = sorted(range(len(extents)), key=lambda axis: (abs(strides[axis]), -axis))
    span, product = 1, 1  # the stride that continues what is below, as number and as size
    for axis in order:
        if extents[axis] <= 1:
            continue
        if strides[axis] == span:
            result[axis] = product
        elif strides[axis] in (0, 1, -1):
            result[axis] = strides[axis]
        if strides[axis]:
            span, product = abs(strides[axis]) * extents[axis], _absolute(result[axis], strides[axis]) * sizes[axis]
    for axis, extent in enumerate(extents):
        if extent <= 1:
            result[axis] = 1
    return tuple(result)


def _absolute(stride: Size, actual: int) -> Size:
    return stride if actual >= 0 else -1 * stride
