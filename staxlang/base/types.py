"""Types of values pass through here: what the checker infers, what graph nodes carry, what hovers show."""

from __future__ import annotations

from staxlang.base.dtypes import DType
from staxlang.base.records import record
from staxlang.base.sizes import Size


@record
class TensorType:
    """dtype and shape of an array; `layout` (element strides) only of inputs, None where row-major or not decided."""

    dtype: DType
    shape: tuple[Size, ...]
    layout: tuple[Size, ...] | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        strides = "" if self.layout is None else f" strides ({', '.join(map(str, self.layout))})"
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]{strides}"


class _Unknown:
    """The type of what the checker cannot know: it agrees with everything, so that one gap gives no cascade of errors."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Unknown"

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
Unknown = _Unknown


@record
class ScalarType:
    """A Python number given at the call; its dtype is weak, or BOOL."""

    dtype: DType

    def __str__(self) -> str:
        return self.dtype.name


@record
class StaticType:
    """A Python value known when compiling: its class' name and its text."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.text}" if self.text else self.kind


@record
class TupleType:
    items: tuple[Type, ...]

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.items))
        return f"({inside},)" if len(self.items) == 1 else f"({inside})"


@record
class FunctionType:
    """Parameters by name, and the result; `sizes` are the symbols that a call binds."""

    parameters: tuple[tuple[str, Type], ...]
    result: Type
    sizes: tuple[str, ...] = ()

    def __str__(self) -> str:
        inside = ", ".join(name if type is UNKNOWN else f"{name}: {type}" for name, type in self.parameters)
        return f"({inside}) -> {self.result}"


Type = TensorType | ScalarType | StaticType | TupleType | FunctionType | _Unknown


def tensor(dtype: DType, *shape: Size) -> TensorType:
    """`tensor(F32, n, 128)` is `TensorType(F32, (n, 128))`."""
    return TensorType(dtype, shape)


def dense_strides(shape: tuple[Size, ...], order: tuple[int, ...]) -> tuple[Size, ...]:
    """Element strides of an array without gaps whose axes lie in an order, innermost first.

    >>> dense_strides((4, 3, 2), (0, 1, 2)), dense_strides((4, 3, 2), (2, 0, 1))
    ((1, 4, 12), (2, 8, 1))
    """
    strides: list[Size] = [0] * len(shape)
    step: Size = 1
    for axis in order:
        strides[axis] = step
        step = step * (shape[axis] if shape[axis] != 0 else 1)
    return tuple(strides)


def row_major_strides(shape: tuple[Size, ...]) -> tuple[Size, ...]:
    """Element strides of a C-contiguous array; an extent that is known to be 0 counts as 1, as in NumPy.

    >>> row_major_strides((4, 3, 2))
    (6, 2, 1)
    """
    strides: list[Size] = []
    step: Size = 1
    for extent in reversed(shape):
        strides.append(step)
        step = step if extent == 0 else step * extent
    return tuple(reversed(strides))


def element_count(shape: tuple[Size, ...]) -> Size:
    """The product of the extents; 1 for a 0-d array."""
    count: Size = 1
    for extent in shape:
        count = count * extent
    return count
