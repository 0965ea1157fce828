"""What the loop IR's reductions and checks mean, on NumPy scalars: the functions that printed loop programs call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from staxlang.base.externs import find_extern
from staxlang.base.operations import OPERATIONS

Scalar = Any
OPERATION: dict[str, Callable[..., Any]] = {name: row.reference for name, row in OPERATIONS.items()}


def neutral(kind: str, dtype: np.dtype[Any]) -> Scalar:
    """The value of a reduction over nothing."""
    if kind in ("sum", "count", "any"):
        return dtype.type(0)
    if kind in ("prod", "all"):
        return dtype.type(1)
    if dtype.kind == "b":
        return np.bool_(kind == "min")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return dtype.type(limits.max if kind == "min" else limits.min)
    end = np.inf if kind == "min" else -np.inf
    return dtype.type(complex(end, end) if dtype.kind == "c" else end)


def _count(total: Scalar, value: Scalar) -> Scalar:
    return total + np.int64(bool(value))


COMBINE_ROWS: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "any": np.logical_or,
    "all": np.logical_and,
    "count": _count,
}


def reduce_values(kind: str, dtype: np.dtype[Any], values: Iterable[Scalar], part: str | None = None) -> Scalar:
    """The values combined one by one, in order."""
    if kind in ("argmin", "argmax"):
        state: tuple[Scalar, Scalar] = (np.int64(0), None)
        for position, value in enumerate(values):
            state = arg_step(kind, state, value, position)
        return state[0]
    if kind == "welford":
        moments: tuple[Scalar, Scalar, int] = (dtype.type(0), dtype.type(0), 0)
        for value in values:
            moments = welford_step(moments, value)
        return moments[0] if part == "mean" else moments[1]
    if kind == "logsumexp":
        pair: tuple[Scalar, Scalar] = (dtype.type(-np.inf), dtype.type(0))
        for value in values:
            pair = logsumexp_step(pair, value)
        return logsumexp_value(pair)
    combine = COMBINE_ROWS[kind]
    total = neutral(kind, dtype)
    for value in values:
        total = combine(total, value)
    return total


def arg_step(kind: str, state: tuple[Scalar, Scalar], value: Scalar, position: int) -> tuple[Scalar, Scalar]:
    """(position, value) of the extreme so far: the first one wins, a NaN wins over numbers."""
    _, best = state
    if best is None:
        return np.int64(position), value
    if best != best:
        return state
    better = value < best if kind == "argmin" else value > best
    return (np.int64(position), value) if better or value != value else state


def welford_step(state: tuple[Scalar, Scalar, int], value: Scalar) -> tuple[Scalar, Scalar, int]:
    """(mean, sum of squared deviations, how many) with one more value (Welford 1962)."""
    mean, m2, count = state
    count += 1
    delta = value - mean
    mean = mean + delta / mean.dtype.type(count)
    return mean, m2 + delta * (value - mean), count


def logsumexp_step(state: tuple[Scalar, Scalar], value: Scalar) -> tuple[Scalar, Scalar]:
    """(maximum, sum of exp(x - maximum)) with one more value."""
    top, total = state
    new = np.maximum(top, value)
    if np.isinf(new) and new < 0:
        return new, total
    return new, total * np.exp(top - new) + np.exp(value - new)


def logsumexp_value(state: tuple[Scalar, Scalar]) -> Scalar:
    return state[0] + np.log(state[1])


def at(array: np.ndarray[Any, Any], *subscripts: Any) -> Scalar:
    """An element; a negative subscript is out of range here, it does not count from the end."""
    return array[place(array, *subscripts)]


def place(array: np.ndarray[Any, Any], *subscripts: Any) -> tuple[int, ...]:
    if any(s < 0 for s in subscripts):
        raise IndexError(f"subscripts {tuple(map(int, subscripts))} of an array of shape {array.shape}")
    return tuple(map(int, subscripts))


def counting() -> Iterator[int]:
    """0, 1, 2, ..: rounds of a loop whose end only its data knows."""
    return count()


def checked_index(value: Scalar, extent: int, what: str) -> Scalar:
    if not 0 <= value < extent:
        raise IndexError(f"{what} {int(value)} is out of bounds for an axis of {extent}")
    return value


def strided_view(array: np.ndarray[Any, Any], shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> np.ndarray[Any, Any]:
    """A view by element strides, from the element `offset` elements after the array's first."""
    if 0 in shape:
        return np.empty(shape, array.dtype)
    size = array.itemsize
    start = as_strided(array, (1,), (0,)) if offset == 0 else as_strided(array, (2,), (offset * size,))[1:]
    return as_strided(start, shape, tuple(s * size for s in strides))


def extern(name: str, options: Sequence[tuple[str, Any]], outs: Sequence[np.ndarray[Any, Any]], operands: Sequence[Any]) -> None:
    """An extern operation's eager meaning, its results put where they belong."""
    row = find_extern(name)
    if row is None:
        raise LookupError(f"no extern operation is called {name!r}")
    for out, result in zip(outs, row.run(tuple(map(np.array, operands)), tuple(options)), strict=True):
        out[...] = result


def settle(places: Sequence[np.ndarray[Any, Any]], values: Sequence[np.ndarray[Any, Any]]) -> None:
    """Each place gets a value, though the values lie in these places, in another order."""
    for place, value in zip(places, list(map(np.array, values)), strict=True):
        place[...] = value


class Memory:
    """The array interface of memory that another array owns, taken over with another dtype and shape."""

    def __init__(self, owner: np.ndarray[Any, Any], dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (owner.ctypes.data, False),
            "typestr": f"V{dtype.itemsize}",
            "shape": shape,
            "strides": tuple(s * dtype.itemsize for s in strides),
        }


def over(owner: np.ndarray[Any, Any], dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """An array that starts where `owner` starts."""
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(Memory(owner, dtype, shape, strides)).view(dtype)
