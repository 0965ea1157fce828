"""What is known after a branch that was taken both ways (only in checking): values joined, names joined, containers joined."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from staxlang.base.sizes import Size, symbol
from staxlang.base.types import TensorType
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.operators import plain_object
from staxlang.typecheck.scalars import Leaf, kind_of
from staxlang.typecheck.values import UNKNOWN, ArrayValue, RangeValue, RecordValue, ScalarValue, Storage, Value


def join(context: EvaluationContext, left: Value, right: Value) -> Value:
    """A value that stands for either of two: their type where they agree, unknown where they do not."""
    if left is right or right is None:
        return left
    if left is None:
        return right
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if type(left) is ArrayValue and type(right) is ArrayValue:
        return _join_arrays(context, left, right)
    kinds = kind_of(left), kind_of(right)
    if kinds[0] is not None and kinds[0] == kinds[1]:
        return _join_numbers(left, right, kinds[0])
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(join(context, one, two) for one, two in zip(left, right, strict=True))
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [join(context, one, two) for one, two in zip(left, right, strict=True)]
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return {key: join(context, left[key], right[key]) for key in left}
    if type(left) is RecordValue and type(right) is RecordValue and left.cls is right.cls and left.fields.keys() == right.fields.keys():
        fields = {name: join(context, left.fields[name], right.fields[name]) for name in left.fields}
        return RecordValue(left.cls, fields, left.ordered, left.path)
    if type(left) is RangeValue and type(right) is RangeValue:
        return RangeValue(*(join(context, getattr(left, part), getattr(right, part)) for part in ("start", "stop", "step")))
    one, two = plain_object(left), plain_object(right)
    return left if one is two and type(left) is type(right) and not isinstance(left, (tuple, list, dict)) and _plain(left) else UNKNOWN


def _plain(value: Value) -> bool:
    return type(value).__name__ in ("StaticValue", "MeaningValue")


def _join_numbers(left: Value, right: Value, kind: str) -> Value:
    one, two = plain_object(left), plain_object(right)
    if type(left) is type(right) and repr(left) == repr(right) and type(left) is not ScalarValue and one == two:
        return left
    return ScalarValue(kind, Leaf("either value", -1, kind, None))


def _join_arrays(context: EvaluationContext, left: ArrayValue, right: ArrayValue) -> Value:
    one, two = left.type, right.type
    if one.dtype is not two.dtype or len(one.shape) != len(two.shape):
        return UNKNOWN
    if left.storage is right.storage and left.subscripts == right.subscripts:
        return left
    shape = tuple(_join_sizes(context, mine, theirs) for mine, theirs in zip(one.shape, two.shape, strict=True))
    type_ = TensorType(one.dtype, shape)
    return ArrayValue(Storage(type_, type_), type_, None, left.scalar and right.scalar)


def _join_sizes(context: EvaluationContext, left: Size, right: Size) -> Size:
    if left == right:
        return left
    context.iterations += 1
    return symbol(f"_{context.iterations}")


class Snapshot:
    """The names and the contents of lists and dicts at a point."""

    __slots__ = ("dicts", "lists", "names")

    def __init__(self, names: list[tuple[dict[str, Value], dict[str, Value]]]) -> None:
        self.names = names
        self.lists: dict[int, tuple[list[Value], list[Value]]] = {}
        self.dicts: dict[int, tuple[dict[Any, Value], dict[Any, Value]]] = {}


def snapshot(frame: Frame) -> Snapshot:
    """What the frame's names, its enclosing functions' and the containers that they hold are now."""
    names: list[tuple[dict[str, Value], dict[str, Value]]] = []
    inside: Frame | None = frame
    while inside is not None:
        names.append((inside.locals, dict(inside.locals)))
        scope = inside.function.scope
        inside = inside.outer if inside.outer is not None else scope if isinstance(scope, Frame) else None
    taken = Snapshot(names)
    for _, values in names:
        for value in values.values():
            _keep(taken, value)
    return taken


def _keep(taken: Snapshot, value: Value) -> None:
    if isinstance(value, (list, dict)):
        if id(value) in taken.lists or id(value) in taken.dicts:
            return
        if isinstance(value, list):
            taken.lists[id(value)] = (value, list(value))
        else:
            taken.dicts[id(value)] = (value, dict(value))
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    if type(value) is RecordValue:
        taken.dicts.setdefault(id(value.fields), (value.fields, dict(value.fields)))
        inside = value.fields.values()
    for item in inside:
        _keep(taken, item)


def restore(frame: Frame, taken: Snapshot) -> None:
    """Put names and containers back to what they were."""
    for current, saved in taken.names:
        current.clear()
        current.update(saved)
    for items, saved_items in taken.lists.values():
        items[:] = saved_items
    for entries, saved_entries in taken.dicts.values():
        entries.clear()
        entries.update(saved_entries)


def join_states(frame: Frame, one: Snapshot, two: Snapshot) -> None:
    """Make the frame's names stand for either of two states."""
    context = frame.context
    lost: set[int] = set()
    for key, (items, mine) in one.lists.items():
        theirs = two.lists[key][1] if key in two.lists else mine
        if len(mine) == len(theirs):
            items[:] = [join(context, left, right) for left, right in zip(mine, theirs, strict=True)]
        else:
            lost.add(key)
    for key, (entries, mine) in one.dicts.items():
        theirs = two.dicts[key][1] if key in two.dicts else mine
        entries.clear()
        entries.update({name: join(context, mine.get(name), theirs.get(name)) for name in {**mine, **theirs}})
    for (current, mine), (_, theirs) in zip(one.names, two.names, strict=True):
        joined = {name: join(context, mine.get(name), theirs.get(name)) for name in {**mine, **theirs}}
        current.clear()
        current.update({name: UNKNOWN if id(value) in lost else value for name, value in joined.items()})
