"""Byte-swapped and unaligned arguments: results that view them are views of the caller's memory, of the caller's dtype, never of a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]


def swapped(values: Array) -> Array:
    return values.astype(values.dtype.newbyteorder(">"))


def unaligned(values: Array) -> Array:
    memory = np.zeros(values.nbytes + 1, np.uint8)
    made = memory[1:].view(values.dtype).reshape(values.shape)
    made[...] = values
    return made


def transposed(values: Array) -> Array:
    return swapped(np.ascontiguousarray(values.T)).T


def spaced(values: Array) -> Array:
    wide = swapped(np.zeros((values.shape[0], 2 * values.shape[1])))
    wide[:, ::2] = values
    return wide[:, ::2]


def fields(values: Array) -> Array:
    """Elements with a byte between them: their strides are no whole numbers of elements."""
    records = np.zeros(values.shape, [("mark", "u1"), ("value", values.dtype)])
    records["value"] = values
    return records["value"]


def backwards(values: Array) -> Array:
    return swapped(values[::-1, ::-1].copy())[::-1, ::-1]


def views(x: Array) -> Any:
    return x[1:], x[:, ::-1], [x.T, {"row": x[2]}], x[1, 2:], x


def written(x: Array) -> Any:
    x += 1
    y = x[::2, 1:]
    y *= 3
    return y, x[-1]


def diagonal(x: Array) -> Any:
    return x.diagonal()


def parts(result: Any) -> list[Array]:
    if isinstance(result, np.ndarray):
        return [result]
    return [array for part in (result.values() if isinstance(result, dict) else result) for array in parts(part)]


@pytest.mark.parametrize("function", [views, written])
@pytest.mark.parametrize("lay", [swapped, unaligned, transposed, spaced, fields, backwards])
@pytest.mark.parametrize("compiled", [False, True])
def test_views_of_what_was_converted(lay: Callable[[Array], Array], function: Callable[..., Any], compiled: bool) -> None:
    base = np.arange(20.0).reshape(4, 5)
    kernel = stax.kernel(function)
    if compiled:
        kernel = kernel.lower(base).compile()
    for _ in range(2):
        mine, theirs = lay(base), lay(base)
        got, expected = parts(kernel(mine)), parts(function(theirs))
        assert np.array_equal(mine, theirs)
        for one, other in zip(got, expected, strict=True):
            assert one.dtype == other.dtype and one.strides == other.strides and np.array_equal(one, other)
            assert np.shares_memory(one, mine) and one.flags.writeable == other.flags.writeable
        got[0][...] = -7
        expected[0][...] = -7
        assert np.array_equal(mine, theirs)


def test_a_read_only_view() -> None:
    mine = swapped(np.arange(16.0).reshape(4, 4))
    made = stax.kernel(diagonal)(mine)
    assert np.array_equal(made, diagonal(mine)) and not made.flags.writeable


@pytest.mark.parametrize("lay", [swapped, unaligned])
def test_a_view_of_one_that_shares_memory_with_a_written_one(lay: Callable[[Array], Array]) -> None:
    def f(x: Array, y: Array) -> Any:
        x += 1
        return y[1:]

    mine, theirs = lay(np.arange(8.0)), lay(np.arange(8.0))
    made, expected = stax.kernel(f)(mine[:-1], mine[1:]), f(theirs[:-1], theirs[1:])
    assert np.array_equal(made, expected) and np.array_equal(mine, theirs) and np.shares_memory(made, mine)
