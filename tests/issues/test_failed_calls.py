"""A call that fails has changed nothing of the caller's; arguments that share memory give NumPy's answer or are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]


def set_places(x: Array, i: Array) -> None:
    x[i] = 7


def add_to_places(x: Array, i: Array) -> None:
    x[i] += 3


def remainder_of_places(x: Array, i: Array) -> None:
    x[i] %= x[i]


def add_each(x: Array, i: Array) -> None:
    np.add.at(x, i, 2)


def write_then_read(x: Array, i: Array) -> Any:
    x += 1
    return x[i]


def read_then_write(x: Array, i: Array) -> Any:
    found = x[i] * 2
    x[:3] = 0
    return found.sum()


def several_writes(x: Array, i: Array) -> None:
    x[i] = 2
    x *= 2
    x[i + 1] = 9


def index_from_what_was_written(x: Array, i: Array) -> None:
    x += i[0].astype(x.dtype)
    x[x.astype(np.int64)] = 5


def index_of_an_index(x: Array, i: Array) -> None:
    x[i[i]] -= 1


def negative_exponent(x: Array, i: Array) -> Any:
    x += 1
    return i**i


PROGRAMS = (
    set_places, add_to_places, remainder_of_places, add_each, write_then_read, read_then_write, several_writes,
    index_from_what_was_written, index_of_an_index, negative_exponent,
)  # fmt: skip
INDICES = ([0, 1, 1, 4], [-11, 1], [1, 0, 10], [10], [9, 2, 2], [-10, -1], [-11], [2, 3], [1, 2, 10, 3, 3], [0, 0, -11], [])


def _outcome(function: Callable[..., Any], *args: Any) -> tuple[Any, type[Exception] | None]:
    try:
        with np.errstate(all="ignore"):
            return function(*args), None
    except (IndexError, ValueError) as problem:
        return None, IndexError if isinstance(problem, IndexError) else ValueError


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1"])
def test_a_failed_check_leaves_arguments_alone(program: Callable[..., Any], dtype: str) -> None:
    kernel = stax.kernel(program)
    for index in INDICES:
        if program is index_from_what_was_written and not index:
            continue
        before = np.arange(1, 11).astype(dtype)
        i = np.array(index, np.int64)
        theirs, ours, own = before.copy(), before.copy(), i.copy()
        wanted, problem = _outcome(program, theirs, i)
        found, raised = _outcome(kernel, ours, own)
        assert raised is problem, index
        assert np.array_equal(own, i)
        np.testing.assert_array_equal(ours, before if problem else theirs)
        if problem is None and wanted is not None:
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("place", [0, -1, 70_000])
def test_a_failed_check_of_a_large_call(place: int) -> None:
    kernel = stax.kernel(add_to_places)
    x = np.arange(200_000.0)
    i = np.random.default_rng(1).integers(-200_000, 200_000, 150_000)
    i[place] = 200_000
    before = x.copy()
    for _ in range(2):
        with pytest.raises(IndexError):
            kernel(x, i)
        assert np.array_equal(x, before)
    i[place] = -200_000
    before[i] += 3
    kernel(x, i)
    assert np.array_equal(x, before)


def test_a_failed_check_leaves_every_argument_alone() -> None:
    @stax.kernel
    def f(x: Array, y: Array, i: Array) -> Any:
        y += x
        x[1:] = x[:-1] * 2
        y[i] = x[i]
        return x.sum()

    x, y = np.arange(5.0), np.ones(5)
    with pytest.raises(IndexError):
        f(x, y, np.array([0, 5]))
    assert np.array_equal(x, np.arange(5.0))
    assert np.array_equal(y, np.ones(5))
    assert f(x, y, np.array([0, 4])) == 12.0
    assert np.array_equal(y, [0.0, 2.0, 3.0, 4.0, 6.0])


# ---- arguments that share memory ----


def read_after_write(a: Array, b: Array) -> Any:
    a += 1
    return a * b


def read_before_write(a: Array, b: Array) -> Any:
    product = a * b
    a += b
    return product


def write_by_elements(a: Array, b: Array) -> None:
    for k in range(3):
        a[k] += b[k]


def give_back(a: Array, b: Array) -> Any:
    a *= 2
    return b[1:]


def give_back_both(a: Array, b: Array) -> Any:
    a[:] = b + 1
    return b, a[::-1], b[::-1]


def write_both(a: Array, b: Array) -> None:
    a += 1
    b *= 2


SHARING = (read_after_write, read_before_write, write_by_elements, give_back, give_back_both, write_both)
VIEWS: tuple[tuple[str, Callable[[Array], tuple[Array, Array]]], ...] = (
    ("ahead", lambda w: (w[1:], w[:-1])),
    ("behind", lambda w: (w[:-1], w[1:])),
    ("reversed", lambda w: (w, w[::-1])),
    ("halves", lambda w: (w[: len(w) // 2], w[len(w) // 2 :])),
    ("interleaved", lambda w: (w[::2], w[1::2])),
    ("interleaved backwards", lambda w: (w[1::2], w[::-2][::-1] if len(w) % 2 else w[::2])),
)
APART = ("halves", "interleaved", "interleaved backwards")


@pytest.mark.parametrize("program", SHARING, ids=lambda one: one.__name__)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2"])
def test_arguments_that_share_memory(program: Callable[..., Any], dtype: str) -> None:
    kernel = stax.kernel(program)
    for name, views in VIEWS:
        for length in (8, 100, 40_000):
            theirs = (np.arange(length) % 7).astype(dtype)
            ours, before = theirs.copy(), theirs.copy()
            wanted = program(*views(theirs))
            for _ in range(2):
                np.copyto(ours, before)
                try:
                    found = kernel(*views(ours))
                except ValueError as problem:
                    assert name not in APART, "nothing is shared"
                    assert program not in (read_before_write, give_back, give_back_both)
                    assert "memory" in str(problem)
                    assert np.array_equal(ours, before)
                    continue
                assert np.array_equal(ours, theirs)
                for one, other in zip(*[part if isinstance(part, tuple) else (part,) for part in (found, wanted)], strict=True):
                    np.testing.assert_array_equal(one, other)


def test_arguments_of_the_other_byte_order_that_share_memory() -> None:
    w = np.arange(6.0).astype(">f8")
    before, theirs = w.copy(), w.copy()
    for program in (read_after_write, write_both):
        with pytest.raises(ValueError, match="memory"):
            stax.kernel(program)(w[1:], w[:-1])
        assert np.array_equal(w, before)
    wanted = read_before_write(theirs[1:], theirs[:-1])
    assert np.array_equal(stax.kernel(read_before_write)(w[1:], w[:-1]), wanted)
    assert np.array_equal(w, theirs)


def test_refused_sharing_names_both_arguments() -> None:
    kernel = stax.kernel(read_after_write)
    w = np.ones(6)
    assert np.array_equal(kernel(w[:3], w[3:]), [2.0, 2.0, 2.0])
    before = kernel.stats().compilations
    for _ in range(2):
        with pytest.raises(ValueError, match="overlap in memory and one of them is written to"):
            kernel(w[1:4], w[:3])
    assert kernel.stats().compilations == before


# ---- programs of several kernels and library calls ----


def product_in_place(x: Array, y: Array, i: Array) -> Any:
    x[:] = x @ y
    y[i] += x[i].var(axis=0)
    return x.mean()


def exchanged(x: Array, y: Array, i: Array) -> None:
    kept = x.copy()
    x[:] = y
    y[:] = kept
    y[i] = 1


def scaled(x: Array, y: Array, i: Array) -> Any:
    x /= (x - x.mean()).std()
    y[i] *= x[i].sum(axis=0)
    return x.max(axis=1)


@pytest.mark.parametrize("program", [product_in_place, exchanged, scaled], ids=lambda one: one.__name__)
@pytest.mark.parametrize("size", [3, 64, 300])
def test_larger_programs_fail_before_they_write(program: Callable[..., Any], size: int) -> None:
    kernel = stax.kernel(program)
    random = np.random.default_rng(size)
    for index in ([0, 1], [size, 0], [0, -size - 1], [1, 1]):
        x, y, i = random.random((size, size)), random.random((size, size)), np.array(index)
        theirs, ours = (x.copy(), y.copy()), (x.copy(), y.copy())
        wanted, problem = _outcome(program, *theirs, i)
        found, raised = _outcome(kernel, *ours, i)
        assert raised is problem
        for own, other in zip(ours, (x, y) if problem else theirs, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-12, atol=0 if problem else 1e-12)
        if problem is None and wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
