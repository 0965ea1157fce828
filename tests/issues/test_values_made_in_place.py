"""Values that are made in the memory of what they are made from, and read again in the same kernel: by sums, rows, turned blocks."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import staxlang as stax

READERS = (
    "return c + 1", "return c, c + 1", "return c * 2 + 1, c, c.sum(1)", "x[...] = c + 1; return c", "y += c; x -= c * 2",
    "return c.sum(1), c.sum(0), c.max()", "r = c + 1; z -= 1; return r, c", "r = c * c; z -= r.T; return r, c * 2",
    "return c - c.max(1, keepdims=True), c.argmax(0)", "return np.cumsum(c, 1), c", "return c[:, ::-1] * 2 + 1, c",
    "return c.T * 2 + 1, c", "s = c.sum(); z += 1; return s, c.sum(), c.std(0), c.mean(1)", "x[-1] = c.max(0)",
    "z += np.cumsum(x, axis=1).T; return c, z.sum(0)",
)  # fmt: skip


@pytest.mark.parametrize("sizes", ["evidence", "symbolic"])
@pytest.mark.parametrize("shape", [(4, 4), (33, 50), (300, 70)])
@pytest.mark.parametrize("reader", READERS)
def test_a_turned_update_in_place(reader: str, shape: tuple[int, int], sizes: str) -> None:
    lines = ["def f(x, y):", "    c = x + y", "    c[:, 0] = c[:, 3] * 0.5 + x[0, 0]", "    z = c.T", "    z *= 0.5"]
    text = "\n".join([*lines, *(f"    {part.strip()}" for part in reader.split(";"))]) + "\n"
    name = f"<in place {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    function = space["f"]
    x = np.random.default_rng(0).normal(size=shape)
    mine, theirs = [x.copy(), x * 2 + 1], [x.copy(), x * 2 + 1]
    kernel = stax.kernel(sizes=sizes)(function)
    got, expected = kernel(*mine), function(*theirs)
    got, expected = (one if isinstance(one, tuple) else () if one is None else (one,) for one in (got, expected))
    for one, other in zip((*got, *mine), (*expected, *theirs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert kernel.stats().route == "native"


def test_turned_blocks_of_an_argument() -> None:
    def f(x):
        a = x * 1
        x[2, 0] -= 1
        c = x.T
        c += np.cumsum(a, axis=1)

    for size in (4, 40, 200):
        mine, theirs = np.arange(1.0 * size * size).reshape(size, size), np.arange(1.0 * size * size).reshape(size, size)
        stax.kernel(sizes="symbolic")(f)(mine)
        f(theirs)
        assert np.array_equal(mine, theirs)


def turned_copy(x):
    for row in x:
        row *= x[:2].sum()
    c = x.T
    c[...] = x + x[::-1] * 1.5


def turned_again_and_again(x):
    for row in x:
        row += x[0].max()
        x.T[...] -= x[::-1] - x[1, 0]
    for k in range(4):
        x[k] += x[k, ::-1]


def diagonal(x):
    c = x + 1
    np.fill_diagonal(c, 5)
    x -= c.T
    return c * 2, c.sum(0), c


@pytest.mark.parametrize("function", [turned_copy, turned_again_and_again, diagonal])
@pytest.mark.parametrize("size", [4, 50])
def test_memory_that_is_written_twice(function, size: int) -> None:
    base = np.random.default_rng(1).integers(-3, 4, (size, size)).astype(float) / 4
    mine, theirs = base.copy(), base.copy()
    got, expected = stax.kernel(function)(mine), function(theirs)
    np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    for one, other in zip(got or (), expected or (), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
