"""Arrays repeated along their axes: whole rounds are loops of their own, contiguous in memory, without a division for each element."""

from __future__ import annotations

import numpy as np
import pytest

import staxlang as stax


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
@pytest.mark.parametrize("reps", [(2,), (2, 3), (3, 1), (2, 1, 4), (1, 5)])
@pytest.mark.parametrize("shape", [(40, 64), (3, 33), (100, 31), (1, 40), (0, 40), (64,)])
def test_tiles(dtype: str, reps: tuple[int, ...], shape: tuple[int, ...]) -> None:
    x = (np.arange(np.prod(shape)).reshape(shape) % 251).astype(dtype)
    assert np.array_equal(stax.kernel(lambda x: np.tile(x, reps))(x), np.tile(x, reps))
    beside = stax.kernel(lambda x: np.tile(x, reps) * x.shape[0] + x.max(initial=0))(x)
    assert np.array_equal(beside, np.tile(x, reps) * x.shape[0] + x.max(initial=0))


def test_for_any_sizes() -> None:
    kernel = stax.kernel(lambda x: np.tile(x, (2, 3)) + 1)
    for shape in ((40, 64), (41, 70), (300, 200), (33, 7), (1, 33), (7, 1), (0, 5)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        assert np.array_equal(kernel(x), np.tile(x, (2, 3)) + 1)
        assert shape[0] < 7 or shape[1] < 7 or kernel.stats().compilations <= 2


@pytest.mark.parametrize("x", [np.ones((300, 200), np.uint8), np.ones((300, 200))])
def test_no_element_is_gathered(x: np.ndarray) -> None:
    kernel = stax.kernel(lambda x: np.tile(x, (2, 2)))
    assert "gather" not in kernel.show("llvm", x)


def test_rounds_and_the_place_in_them_beside_each_other() -> None:
    def program(x, w):
        return np.tile(x, 4) * np.repeat(w, 64) + np.arange(256)

    x, w = np.arange(64.0), np.arange(4.0)
    assert np.array_equal(stax.kernel(program)(x, w), program(x, w))
