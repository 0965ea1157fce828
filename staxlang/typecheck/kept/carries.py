"""What a loop carries from round to round under a name: how it is held at a round's beginning, and whether a round's end fits it."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from staxlang.base.dtypes import DType
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.operators import plain_object
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.scalars import DEFAULT_DTYPE, Converted, kind_of
from staxlang.typecheck.values import ArrayValue, ScalarValue, SizeValue, StaticValue, Storage, Value, size_value

RANK = {"bool": 0, "int": 1, "float": 2, "complex": 3}
HOLDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


class Number(NamedTuple):
    """A Python number of a kind."""

    kind: str

    @property
    def type(self) -> TensorType:
        return TensorType(DEFAULT_DTYPE[self.kind], ())

    def value(self, call: CallContext, handle: Handle, like: Value) -> Value:
        return ScalarValue(self.kind, Converted(handle, self.type, call.span, "a number that a loop carries"))


class Stepped(NamedTuple):
    """An integer that grows by the same amount in each round (None: to be found out): it needs no memory, it is a size."""

    step: Size | None


class Held(NamedTuple):
    """An array (or a NumPy scalar) of a dtype and shape, in memory of its own in each round."""

    type: TensorType
    scalar: bool

    def value(self, call: CallContext, handle: Handle, like: Value) -> Value:
        made = ArrayValue(Storage(handle, self.type), self.type, None, self.scalar)
        if type(like) is ArrayValue and not self.scalar and (like.readonly or not like.storage.writable):
            made.readonly = True
        return made


Carry = Number | Stepped | Held


class Unfit(Exception):
    """A round leaves a name with a value that the next round cannot begin with. `peel`: from the second round on it may."""

    def __init__(self, reason: str, peel: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.peel = reason, peel


def same(left: Value, right: Value) -> bool:
    """Whether two values are one."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if type(left) is ArrayValue:
        return left.storage is right.storage and left.subscripts == right.subscripts and left.type == right.type
    if type(left) is SizeValue:
        return left.size == right.size
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    one, two = plain_object(left), plain_object(right)
    return type(left) is StaticValue and type(one) is type(two) and (one is two or (one == two and repr(one) == repr(two)))


def first_guess(value: Value, steps: bool) -> Carry | None:
    """What a name that the body binds is likely to carry; None: let a round tell. `steps`: all that the body does to it is to add."""
    kind = kind_of(value)
    if kind == "int":
        return Stepped(None) if steps else Number("int")
    if kind is not None:
        return Number(kind)
    if type(value) is ArrayValue and value.scalar:
        return Held(TensorType(value.dtype, ()), True)
    return None


def between(call: CallContext, before: Value, after: Value) -> Carry:
    """How a name is carried that a round changes from one value to another."""
    kinds = kind_of(before), kind_of(after)
    if kinds[0] is not None and kinds[1] is not None:
        return Number(max(kinds, key=lambda kind: RANK[kind or "bool"]) or "float")
    if type(after) is ArrayValue and type(before) is ArrayValue:
        if before.dtype is after.dtype and _same_shape(call, before, after):
            return Held(TensorType(after.dtype, before.shape), before.scalar and after.scalar)
        raise Unfit(f"{call.describe(before)} becomes {call.describe(after)}", peel=True)
    if kinds[0] is not None and type(after) is ArrayValue and not after.shape:
        if RANK[kinds[0]] <= HOLDS.get(after.dtype.kind, -1):
            return Held(TensorType(after.dtype, ()), after.scalar)
        raise Unfit(f"a number becomes {call.describe(after)}", peel=True)
    if type(before) is ArrayValue and before.scalar and kinds[1] is not None:
        return Held(TensorType(before.dtype, ()), True)
    raise Unfit(f"{call.describe(before)} becomes {call.describe(after)}", peel=True)


def _same_shape(call: CallContext, one: ArrayValue, other: ArrayValue) -> bool:
    return one.rank == other.rank and all(call.same_size(a, b, "a loop carries it") for a, b in zip(one.shape, other.shape, strict=True))


def fits(call: CallContext, carry: Carry, after: Value) -> bool:
    """Whether a round's end is what the carry says."""
    if isinstance(carry, Number):
        kind = kind_of(after)
        return kind is not None and RANK[kind] <= RANK[carry.kind]
    if isinstance(carry, Held):
        if kind_of(after) is not None:
            return carry.scalar and RANK[kind_of(after) or "bool"] <= HOLDS.get(carry.type.dtype.kind, -1)
        if type(after) is not ArrayValue or after.dtype is not carry.type.dtype or len(after.shape) != len(carry.type.shape):
            return False
        return after.scalar >= carry.scalar and all(
            call.same_size(a, b, "a loop carries it") for a, b in zip(after.shape, carry.type.shape, strict=True)
        )
    return True


def handle_of(call: CallContext, carry: Number | Held, value: Value) -> Handle:
    """What a value is as the carried one."""
    dtype: DType = carry.type.dtype
    if kind_of(value) is not None:
        if type(value) is StaticValue:
            return call.constant(value.value, dtype)
        return call.handle(call.cast(call.to_array(value), dtype))
    return call.handle(call.cast(value, dtype))


def stepped_value(before: Value, step: Size, rounds: Size) -> Value:
    """The integer after so many rounds."""
    start: Size = before.size if type(before) is SizeValue else int(before.value)
    return size_value(start + step * rounds)


def start_size(call: CallContext, value: Value) -> Size | None:
    """A Python integer as a size, None where it is none."""
    if type(value) is SizeValue:
        return value.size
    if type(value) is StaticValue and type(value.value) is int:
        return value.value
    return None
