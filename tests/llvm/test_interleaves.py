"""Stores that lie between one another, as of repeat and of stack along the last axis: whole vectors, values as NumPy's."""

import numpy as np
import pytest

import staxlang as stax

DTYPES = ("f4", "f8", "u1", "i2", "?", "c8", "f2")
# One element, less than a vector, whole vectors of each width, and one past them.
SIZES = (1, 3, 4, 8, 31, 32, 33, 64, 100, 4099)


def repeat_2(x):
    return np.repeat(x, 2)


def repeat_3(x):
    return np.repeat(x, 3)


def repeat_8(x):
    return np.repeat(x, 8)


def repeat_20(x):
    return np.repeat(x, 20)


def repeat_and_add(x):
    return np.repeat(x, 3) + np.arange(3 * len(x)).astype(x.dtype)


def repeat_rows(x):
    return np.repeat(np.stack([x, x, x], axis=1), 3, axis=0)


def repeat_columns(x):
    return np.repeat(np.stack([x, x], axis=1), 2, axis=1)


def stack_2(x):
    return np.stack([x, x + x], axis=1)


def stack_3(x):
    return np.stack([x, x + x, x[::-1]], axis=-1)


def stack_4(x):
    return np.stack([x, x + x, x, x * x], axis=1)


def stack_5(x):
    return np.stack([x, x + x, x * x, x + x + x, x * x * x], axis=1)


def swapped(x):
    y = np.zeros((len(x), 2), x.dtype)
    y[:, 1] = x
    y[:, 0] = x + x
    return y


REPEATS = (repeat_2, repeat_3, repeat_8, repeat_20, repeat_and_add, repeat_rows, repeat_columns)
STACKS = (stack_2, stack_3, stack_4, stack_5, swapped)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", REPEATS + STACKS, ids=lambda one: one.__name__)
def test_values(program):
    for dtype in DTYPES:
        kernel = stax.kernel(program)
        for n in SIZES:
            x = np.random.default_rng(n).integers(0, 2 if dtype == "?" else 5, n).astype(dtype)
            for _ in range(2):
                got, expected = kernel(x), program(x)
                assert got.dtype == expected.dtype and np.array_equal(got, expected), (dtype, n)
        assert kernel.stats().route == "native"


@pytest.mark.parametrize(("program", "count"), [(repeat_2, 2), (repeat_3, 3), (repeat_8, 8), (stack_2, 2), (stack_3, 3), (stack_4, 4)])
def test_neighbours_are_stored_as_whole_vectors(program, count):
    for isa, lanes in (("avx2", 8), ("sse2", 4)):
        text = stax.kernel(program, isa=isa).show("llvm", np.zeros(4096, np.float32))
        assert f"store <{count * lanes} x float>" in text
        assert "masked.scatter" not in text and " sdiv " not in text and "masked.gather" not in text


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "i8", "c8"])
@pytest.mark.parametrize("step", [2, 3, 7])
def test_stores_at_a_distance(dtype, step):
    """Lanes that lie apart are stored one by one where the machine has no scatter: no address is taken out of a vector."""

    def spread(x):
        y = np.zeros((x.shape[0] + 3) * 7, x.dtype)
        y[3::step][: x.shape[0]] = x
        y[-1 :: -step][: x.shape[0] // 3] = x[: x.shape[0] // 3]
        return y

    kernel = stax.kernel(spread)
    for n in (5, 64, 1001):
        x = (np.random.default_rng(n).random(n) * 9 - 4).astype(dtype)
        got, expected = kernel(x), spread(x)
        assert got.dtype == expected.dtype and np.array_equal(got, expected)
    assert kernel.stats().route == "native"
