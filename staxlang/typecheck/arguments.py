"""What the caller passes: constructors of argument values, before any recorder knows of them; `Entry` records them as inputs."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from staxlang.base.types import TensorType
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.guards import Getter
from staxlang.typecheck.scalars import Leaf
from staxlang.typecheck.values import (
    ArgumentDict,
    ArgumentList,
    ArrayValue,
    ObjectValue,
    RecordValue,
    ScalarValue,
    StaticValue,
    Storage,
    Value,
)


class ArrayLeaf:
    """An array argument or captured array: the source of a storage. `path` is in the user's words."""

    __slots__ = ("getter", "hints", "path", "position")

    def __init__(self, path: str, position: int, getter: Getter | None = None, hints: Mapping[str, int] | None = None) -> None:
        self.path = path
        self.position = position
        self.getter = getter
        self.hints = hints or {}


def array_argument(path: str, type: TensorType, position: int, writable: bool = True, hints: Mapping[str, int] | None = None) -> ArrayValue:
    """An array. `hints` gives the values that the symbols of its shape and layout have at the call being captured."""
    storage = Storage(None, type, ArrayLeaf(path, position, None, hints), writable)
    return ArrayValue(storage, TensorType(type.dtype, type.shape))


def scalar_argument(path: str, kind: str, position: int, hint: Any = None) -> ScalarValue:
    """A Python number known at the call. kind: 'int', 'float' or 'complex'; `hint` is its value at the call being captured."""
    return ScalarValue(kind, Leaf(path, position, kind, hint))


def static_argument(value: Any) -> StaticValue:
    """A value that is part of the key: None, bool, str, dtype, NumPy scalar."""
    return StaticValue(value)


def object_argument(name: str, value: Any, steps: Iterable[tuple[str, Any]] = ()) -> Value:
    """Any other object: a function, an instance. The program looks into it; what it reads is captured below the argument's name."""
    return _Unlifted(value, Getter("argument", name, None, tuple(steps)))


def tuple_argument(items: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(items)


def list_argument(items: Iterable[Value]) -> ArgumentList:
    return ArgumentList(items)


def dict_argument(items: Mapping[Any, Value]) -> ArgumentDict:
    return ArgumentDict(items)


def record_argument(cls: type, fields: Mapping[str, Value], path: str) -> RecordValue:
    """A dataclass instance, or a named tuple (a tuple class with `_fields`)."""
    return RecordValue(cls, dict(fields), ordered=issubclass(cls, tuple), path=path)


class _Unlifted(ObjectValue):
    """An object argument before the evaluation has started."""

    __slots__ = ()


def leaves(value: Value) -> Iterable[Value]:
    """The arrays, scalars and objects inside an argument, in order."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif type(value) is RecordValue:
        for item in value.fields.values():
            yield from leaves(item)
    else:
        yield value


def announce(context: EvaluationContext, arguments: Mapping[str, Value]) -> None:
    """Take in the arguments' hints and positions: before anything is evaluated or captured."""
    last = -1
    for value in arguments.values():
        for leaf in leaves(value):
            if type(leaf) is ArrayValue and leaf.storage.source is not None:
                last = max(last, leaf.storage.source.position)
                context.hints.update(leaf.storage.source.hints)
            elif type(leaf) is ScalarValue and type(leaf.formula) is Leaf:
                last = max(last, leaf.formula.position)
    context.next_position = max(context.next_position, last + 1)


class Entry:
    """Records arguments' arrays as inputs and looks at their objects. The arguments themselves are left as they are."""

    __slots__ = ("context", "lift", "storages")

    def __init__(self, context: EvaluationContext, lift: Callable[..., Value]) -> None:
        self.context = context
        self.lift = lift
        self.storages: dict[int, Storage] = {}

    def enter(self, value: Value) -> Value:
        """The value that the program sees."""
        kind = type(value)
        if kind is ArrayValue:
            return self._array(value)
        if kind is _Unlifted:
            return self.lift(self.context, value.object, value.getter, None)
        if kind is tuple:
            return tuple([self.enter(item) for item in value])
        if isinstance(value, list):  # a plain list or dict is the call's own (*args and **kwargs), not the caller's
            return type(value)([self.enter(item) for item in value])
        if isinstance(value, dict):
            return type(value)({key: self.enter(item) for key, item in value.items()})
        if kind is RecordValue:
            return RecordValue(value.cls, {name: self.enter(item) for name, item in value.fields.items()}, value.ordered, value.path)
        if kind is ScalarValue and type(value.formula) is Leaf:
            leaf = value.formula
            return ScalarValue(value.kind, Leaf(leaf.path, leaf.position, leaf.kind, leaf.hint, leaf.getter))
        return value

    def _array(self, value: ArrayValue) -> ArrayValue:
        given = value.storage
        storage = self.storages.get(id(given))
        if storage is None:
            source = given.source
            attributes = {"position": source.position, "path": source.path}
            handle = self.context.recorder.record("input", (), attributes, given.type, None)
            storage = self.storages[id(given)] = Storage(handle, given.type, source, given.writable)
        return ArrayValue(storage, value.type, value.subscripts, value.scalar)
