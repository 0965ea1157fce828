"""Programs that were once wrong under a kernel: each kept as found, cut down, beside its plain function."""

import copy
import sys

import numpy as np
import pytest

import staxlang as stax


def agree(function, *args, calls=2):
    """Result types, dtypes, shapes, bits and effects on arguments are NumPy's."""
    kernel = stax.kernel(function)
    for _ in range(calls):
        mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
        got = kernel(*mine)
        with np.errstate(all="ignore"):
            expected = function(*theirs)
        results = list(zip(got, expected, strict=True)) if isinstance(expected, tuple) else [(got, expected)]
        for one, other in results + list(zip(mine, theirs)):
            assert type(one) is type(other), (type(one), type(other))
            if isinstance(other, (np.ndarray, np.generic)):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                np.testing.assert_array_equal(one, other)
            else:
                assert one == other
    assert kernel.stats().route == "native"
    return kernel


def test_power_beside_a_gather():
    def f(x, i):
        return (x[i] ** np.float64(2.7)) * 0 + x[i]

    agree(f, np.arange(1.0, 40.0), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]))


@pytest.mark.parametrize("dtype", ["i4", "u1", "f8", "?"])
@pytest.mark.parametrize(
    "reduction",
    [
        lambda x: x.sum(),
        lambda x: x.prod(),
        lambda x: x.max(keepdims=True),
        lambda x: x.min(),
        lambda x: np.any(x, keepdims=True),
        lambda x: np.nansum(x),
        lambda x: np.round(x, 1) if x.dtype.kind in "iu" else x.all(),
        lambda x: x.round() if x.dtype.kind in "iu" else x.any(),
    ],
)
def test_reductions_of_an_array_without_dimensions_are_scalars(dtype, reduction):
    agree(reduction, np.array(1, dtype))


def test_a_reduction_over_no_axis_has_memory_of_its_own():
    def f(x, y):
        total, greatest, kept = x.sum(axis=()), y.max(), np.min(x, axis=())
        x[...] = 5
        y[...] = 7
        kept[0] = -1
        return total, greatest, kept, x

    agree(f, np.arange(3.0), np.array(2.0))


def test_where_without_dimensions_is_an_array():
    def f(x, y):
        chosen = np.where(x > 0, x, y)
        chosen[...] = chosen + 1
        return chosen, np.where(x != 0, y, 0)

    agree(f, np.array(3), np.array(2, "i2"))


def test_triangles_of_a_vector():
    def f(x):
        return np.triu(x), np.tril(x, -1)

    agree(f, np.arange(4))


def test_what_a_library_function_does_not_take_is_a_value_error():
    @stax.kernel
    def f(x):
        return np.cross(x, x)

    with pytest.raises(ValueError, match="cross takes vectors of 2 or 3 components"):
        f(np.ones((3, 4)))


def test_comparisons_with_python_integers_beyond_the_dtype():
    def f(x, k):
        return x < k, x == k, k <= x, np.not_equal(x, k)

    kernel = stax.kernel(f)
    for dtype in ("u1", "i2", "u8"):
        for k in (1, -1, 70000, 2):
            x = np.arange(3).astype(dtype)
            for one, other in zip(kernel(x, k), f(x, k), strict=True):
                np.testing.assert_array_equal(one, other)
    with pytest.raises(OverflowError):
        stax.kernel(lambda x, k: x + k)(np.arange(3, dtype="u1"), -1)


def test_a_result_without_elements_beside_one_with_some():
    def f(x, z):
        w = x * x
        return w, w + z[1::3]

    agree(f, np.ones((4, 1)), np.ones(1))
    agree(f, np.ones((2, 3, 4, 1)), np.ones(1))


def test_two_written_arguments_that_share_memory_are_refused_in_words():
    @stax.kernel
    def f(a, b):
        a += 1
        b *= 2

    whole = np.arange(5.0)
    f(whole[:2], whole[3:])
    with pytest.raises(ValueError, match="`a` and `b` share memory, and both are written to"):
        f(whole[1:], whole[:-1])
    np.testing.assert_array_equal(whole, [1, 2, 2, 6, 8])


def test_a_list_argument_is_called_a_list():
    with pytest.raises(AttributeError, match=r"x \(list\) has no attribute `sum`"):
        stax.kernel(lambda x: x.sum())([1.0, 2.0])


def test_a_chain_longer_than_python_s_limit_of_recursion():
    def total(*arrays):
        return sum(arrays)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(700)
    try:
        agree(total, *[np.arange(3.0)] * 150, calls=1)
    finally:
        sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))


@pytest.mark.parametrize("size", [5, 33])
def test_a_sum_over_all_pairs_of_rows(size):
    def f(x):
        greatest = x.max(axis=1, keepdims=True)
        return (x.max(-1) - x.sum(axis=1, keepdims=True)).sum(), (x.max(-1) == greatest).sum()

    agree(f, np.arange(float(size * size)).reshape(size, size) % 7)


def test_a_costly_value_that_another_kept_value_holds():
    def f(x):
        v = np.nan_to_num(x)
        every = np.nextafter(np.isneginf(x <= v), v.imag[0])
        w = (x <= v) * every.all()
        return every**w, w.any(keepdims=True)

    agree(f, np.array([-4.5, 4.5, 0.9, 0.95], "f2"))


@pytest.mark.parametrize("shape", [(3, 15), (1, 1), (40, 700)])
def test_places_of_extremes_in_columns_of_any_size(shape):
    x = np.asfortranarray((np.arange(shape[0] * shape[1]) * 7919 % 1009).reshape(shape))
    for function in (lambda x: x.argmax(), lambda x: x.argmin()):
        assert stax.kernel(sizes="symbolic")(function)(x) == function(x)


@pytest.mark.parametrize("steps", [3, 4, 10])
def test_an_array_that_takes_over_another_s_memory_has_it_from_the_start(steps):
    def heat(u, a):
        u = u.copy()
        for _ in range(steps):
            u[1:-1] += a * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    agree(heat, np.arange(12.0) ** 2 % 7, 0.25)


@pytest.mark.parametrize("sizes", ["static", "symbolic"])
def test_the_first_of_equal_extremes_where_memory_lies_the_other_way(sizes):
    """Equal values in different chunks and in one lane: memory's order is not that of the places."""
    for shape in ((40, 700), (700, 400), (3, 5, 7000)):
        x = np.asfortranarray((np.arange(np.prod(shape)) * 7919 % 11).reshape(shape))
        for function in (lambda x: x.argmax(), lambda x: x.T.argmin(), lambda x: (x * 1.0).argmax()):
            assert stax.kernel(sizes=sizes)(function)(x) == function(x)


def test_a_tail_of_one_round_behind_a_check_of_the_loop_around_it():
    def f(x, i):
        return x[i], x[i, 0], x[i % 5, i % 5].sum()

    agree(f, np.arange(30.0).reshape(6, 5), np.array([0, 5, 2]))


def test_writes_to_no_elements_of_a_broadcast_row():
    def f(x):
        y = np.broadcast_to(x, (3, x.shape[0])).sum(0)[None]
        y[1:0, :] -= y
        return y

    agree(f, np.arange(2.0))


def test_updates_of_no_elements_replace_nothing():
    def f(x):
        rows = x[None]
        rows[:-1, None] += rows
        return (x - rows) / (x * rows + 1), x * 2

    agree(f, np.arange(17.0))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "i8"])
@pytest.mark.parametrize("number", [-1, 300, 2**31, 2**63 - 1, -(2**63), 7])
def test_where_wraps_integers_that_ufuncs_refuse(dtype, number):
    x = np.array([1, 2, 3], dtype)
    agree(lambda x: np.where(x > 1, number, x), x)
    agree(lambda x, n: np.where(x > 1, x, n), x, number)


def test_where_wraps_large_written_integers():
    x = np.array([1, 2, 3], np.int8)
    agree(lambda x: (np.where(x > 1, 2**64 - 1, x), np.where(x > 1, 2**63, x)), x)


def test_numpy_scalars_compare_to_numpys_booleans():
    def f(x):
        a = np.sqrt(2)
        same = (a == a).astype(np.int32)
        if a == np.float64(2) or a != a:
            same = same + 100
        return same, (a != 3).dtype == np.bool_, x

    agree(f, np.arange(3.0))
