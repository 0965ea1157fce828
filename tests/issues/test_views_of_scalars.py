"""Views of NumPy scalars that a kernel is given: NumPy makes an array of the scalar first, whose memory is its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax

SCALARS = (np.float64(2.5), np.float32(1.5), np.int8(3), np.bool_(True), np.complex64(1 + 2j), np.uint64(7), np.float16(0.5))


def written(k: Any) -> Any:
    y = np.atleast_1d(k)
    y[0] = 1
    return y, k


def written_as_an_array(k: Any) -> Any:
    y = np.asarray(k)
    y[...] = 1
    return y, k


FUNCTIONS = (
    lambda k: k.reshape(-1), lambda k: np.atleast_1d(k), lambda k: np.atleast_2d(k), lambda k: k[None], lambda k: k[...], lambda k: k[()],
    lambda k: np.asarray(k), lambda k: np.array(k), lambda k: np.broadcast_to(k, (3,)), lambda k: np.ravel(k), lambda k: k.T,
    lambda k: np.expand_dims(k, 0), lambda k: (k.reshape(1), k.reshape(1)), lambda k: k[None, None][0], lambda k: np.ascontiguousarray(k),
    lambda k: [k, k.copy(), np.copy(k)], lambda k: (k, k[None] * k), lambda k: np.stack([k, k]), written, written_as_an_array,
)  # fmt: skip


def leaves(result: Any) -> list[Any]:
    return [leaf for part in result for leaf in leaves(part)] if isinstance(result, (tuple, list)) else [result]


def over(function: Any, scalar: Any) -> Any:
    return lambda: function(scalar)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("captured", [False, True])
def test_a_view_of_a_scalar_is_an_array_of_its_own(function: Any, captured: bool) -> None:
    for scalar in SCALARS:
        kernel = stax.kernel(over(function, scalar) if captured else function)
        for _ in range(3):
            got = leaves(kernel() if captured else kernel(scalar))
            for one, other in zip(got, leaves(function(scalar)), strict=True):
                assert type(one) is type(other) and one.dtype == other.dtype and np.array_equal(one, other)
                assert not isinstance(one, np.ndarray) or one.flags.writeable == other.flags.writeable
        assert kernel.stats().route == "native"
        if not captured:
            assert kernel.stats().hits == 2


def test_a_captured_scalar_is_read_again() -> None:
    scalar = np.float64(1.0)

    @stax.kernel
    def shifted(x: Any) -> Any:
        return x + np.atleast_1d(scalar)

    assert shifted(np.ones(2)).tolist() == [2.0, 2.0]
    scalar = np.float64(5.0)
    assert shifted(np.ones(2)).tolist() == [6.0, 6.0]
