"""What a kernel returns: the abstract result becomes a structure of outputs, views of arguments, numbers and constants, aliasing kept."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from staxlang.base.records import record
from staxlang.base.sizes import Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType, element_count
from staxlang.typecheck import pointwise, scalars, views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.kept.scope import refuse_stale
from staxlang.typecheck.memory_order import Order
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import Leaf
from staxlang.typecheck.values import (
    ArrayValue,
    IteratorValue,
    MeaningValue,
    ObjectValue,
    RangeValue,
    RecordValue,
    ScalarValue,
    SizeValue,
    StaticValue,
    Storage,
    Value,
)


@record
class OutputArray:
    """An array whose memory is the program's output number `output`: all of it, or a view. `scalar`: a NumPy scalar, not an array.

    Leaves that name one output share its memory, as the program shared it; leaves of different outputs never do (though two outputs may
    be one node of the graph, or an input's). Of a view, `subscripts` say which element of the output each of its elements is, and
    `placement` the same for memory: its first element and its strides, in elements. Both are None where it is all of the output.
    `order`: it is all of the output, which holds its axes in that order, innermost first (then `placement` is there, too).
    """

    output: int
    type: TensorType
    subscripts: tuple[Size, ...] | None = None
    scalar: bool = False
    placement: tuple[Size, tuple[Size, ...]] | None = None
    writable: bool = True
    order: Order | None = None


@record
class InputArray:
    """An argument or captured array by its position: the same object, or (with subscripts, placement) a view of it, after the updates."""

    position: int
    type: TensorType
    subscripts: tuple[Size, ...] | None = None
    placement: tuple[Size, tuple[Size, ...]] | None = None
    writable: bool = True


@record
class OutputNumber:
    """A Python number: the 0-d output as bool, int, float or complex."""

    output: int
    kind: str


@record
class InputNumber:
    """A number given at the call, by its position, as it came."""

    position: int


@record
class SizeResult:
    """A Python int that is a size."""

    size: Size


@record
class StaticResult:
    """A constant: None, bool, str, number, dtype, NumPy scalar, ..."""

    value: Any


@record
class RangeResult:
    parts: tuple[Result, Result, Result]


@record
class ObjectResult:
    """A Python object that the kernel was given or captured, returned as it is: reached by its getter."""

    getter: Any


@record
class RecordResult:
    """An instance of a dataclass (made without running its `__init__`) or of a named tuple (`ordered`)."""

    cls: type
    fields: tuple[tuple[str, Result], ...]
    ordered: bool


Result = (
    OutputArray | InputArray | OutputNumber | InputNumber | SizeResult | StaticResult | RangeResult | ObjectResult | RecordResult
    | tuple[Any, ...] | list[Any] | dict[Any, Any]
)  # fmt: skip


def leaves(result: Result) -> Iterable[Any]:
    """The leaves of a result's structure, in order."""
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from leaves(part)
    elif isinstance(result, dict):
        for part in result.values():
            yield from leaves(part)
    elif isinstance(result, RecordResult):
        for _, part in result.fields:
            yield from leaves(part)
    else:
        yield result


def sizes_of(leaf: Any) -> tuple[Size, ...]:
    """The sizes that a leaf of a result speaks of."""
    if isinstance(leaf, SizeResult):
        return (leaf.size,)
    if not isinstance(leaf, (OutputArray, InputArray)):
        return ()
    start, strides = leaf.placement or (0, ())
    return (*leaf.type.shape, start, *strides)


class Results:
    """Gathers a program's outputs while its result is taken apart."""

    __slots__ = ("_buffers", "_made", "_uses", "call", "outputs")

    def __init__(self, call: CallContext) -> None:
        self.call = call
        self.outputs: list[tuple[Handle, TensorType]] = []
        self._uses: dict[int, int] = {}
        self._buffers: dict[int, int] = {}
        self._made: dict[int, Result] = {}

    def take(self, value: Value, span: Span | None) -> Result:
        """The result's structure; its arrays and numbers become outputs."""
        self._count(value, set(), span)
        return self._part(value, span)

    def _count(self, value: Value, inside: set[int], span: Span | None) -> None:
        """How many results look at each storage."""
        if isinstance(value, (tuple, list, dict)):
            if id(value) in inside:
                self.call.error("unsupported-return", span=span, given="a container that contains itself")
            for item in value.values() if isinstance(value, dict) else value:
                self._count(item, inside | {id(value)}, span)
        elif type(value) is RecordValue:
            for item in value.fields.values():
                self._count(item, inside, span)
        elif type(value) is ArrayValue:
            key = id(value.storage)
            self._uses[key] = self._uses.get(key, 0) + 1

    def _part(self, value: Value, span: Span | None) -> Result:
        kind = type(value)
        if kind is ArrayValue:
            return self._array(value)
        if kind is tuple:
            return tuple([self._part(item, span) for item in value])
        if isinstance(value, list):
            return [self._part(item, span) for item in value]
        if isinstance(value, dict):
            return {key: self._part(item, span) for key, item in value.items()}
        if kind is StaticValue:
            return StaticResult(set(value.value) if type(value.value) is frozenset else value.value)
        if kind is ScalarValue:
            return self._number(value)
        if kind is SizeValue:
            return SizeResult(value.size)
        if kind is RecordValue:
            return RecordResult(value.cls, tuple([(name, self._part(item, span)) for name, item in value.fields.items()]), value.ordered)
        if kind is RangeValue:
            return RangeResult((self._part(value.start, span), self._part(value.stop, span), self._part(value.step, span)))
        if isinstance(value, ObjectValue):
            return ObjectResult(value.getter)
        if kind is MeaningValue and value.object is not None:
            return StaticResult(value.object)
        given = "an iterator; make it a list" if kind is IteratorValue else f"a {self.call.describe(value)} made inside it"
        self.call.error("unsupported-return", span=span, given=given)

    def _number(self, value: ScalarValue) -> Result:
        formula = value.formula
        if type(formula) is Leaf and formula.kind == value.kind and formula.position >= 0:
            return InputNumber(formula.position)
        handle = scalars.handle(self.call.context, value, self.call.span)
        return OutputNumber(self._output(handle, TensorType(scalars.DEFAULT_DTYPE[value.kind], ())), value.kind)

    def _output(self, handle: Handle, type_: TensorType) -> int:
        self.outputs.append((handle, type_))
        return len(self.outputs) - 1

    def _array(self, value: ArrayValue) -> Result:
        storage = value.storage
        type_ = TensorType(value.type.dtype, value.type.shape)
        if value.scalar:
            return OutputArray(self._output(self.call.handle(value), type_), type_, None, True)
        placed = pointwise.placement(self.call, value)
        view = placed if value.subscripts is not None or storage.order is not None else None
        if storage.source is not None and placed is not None:
            shown = placed if value.viewing or value.readonly else view
            return InputArray(storage.source.position, type_, value.subscripts, shown, not value.readonly)
        shared = self._uses[id(storage)] > 1
        whole = value.subscripts is None or element_count(value.type.shape) == element_count(storage.type.shape)
        if placed is None or not (shared or whole):
            return OutputArray(self._output(self.call.handle(value), type_), type_, None, False, None, not value.readonly)
        buffer = self._buffers.get(id(storage))
        if buffer is None:
            buffer = self._buffers[id(storage)] = self._stored(storage)
        order = storage.order if value.subscripts is None else None
        return OutputArray(buffer, type_, _subscripts(value), False, view, not value.readonly, order)

    def _stored(self, storage: Storage) -> int:
        """The output that is a storage, with its axes in their order in memory."""
        dtype, shape, order = storage.type.dtype, storage.type.shape, storage.order
        refuse_stale(self.call, storage)
        if order is None:
            return self._output(storage.handle, TensorType(dtype, shape))
        outer = order[::-1]
        lying = TensorType(dtype, tuple([shape[axis] for axis in outer]))
        subscripts = tuple([views.index(outer.index(axis)) for axis in range(len(shape))])
        return self._output(self.call.record("view", (storage.handle,), {"subscripts": subscripts}, lying), lying)


def _subscripts(value: ArrayValue) -> tuple[Size, ...] | None:
    """Which element of its output each element of an array is."""
    order = value.storage.order
    if order is None:
        return value.subscripts
    own = value.subscripts if value.subscripts is not None else views.indices(value.rank)
    return tuple([own[axis] for axis in order[::-1]])
