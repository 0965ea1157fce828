"""Rounds that do not depend on each other: claimed only where it is so, computed as Python does, in as few kernels as array code."""

import numpy as np
import pytest

import staxlang as stax
from staxlang.base.sizes import symbol
from staxlang.compiler.loops.dependence import Access, carried, meeting, vector
from staxlang.compiler.loops.kept import is_loop
from staxlang.runtime.stages import Shown
from tests.kept_loops.nests import SIDE, Verdict, draw, function_of, judge

I, J, N, M = (symbol(name) for name in ("loop[0]", "loop[1]", "n", "m"))


def shown(kernel, *given):
    kernel(*given)
    return Shown(kernel, kernel._dispatcher.version_for(given, {}))


def same(function, *given, **settings):
    """The kernel, after it has given what Python gives, bit for bit, with one thread and with two."""
    kernel = stax.kernel(function, unroll_limit=0, **settings)
    wanted = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    want = function(*wanted)
    before = stax.get_num_threads()
    for threads in (1, 2):
        stax.set_num_threads(threads)
        ours = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
        got = kernel(*ours)
        for one, other in zip((got, *ours), (want, *wanted), strict=True):
            np.testing.assert_array_equal(one, other)
    stax.set_num_threads(before)
    assert kernel.stats().route == "native"
    return kernel


# ---- distances -----------------------------------------------------------------------------------------------------


def access(*subscripts, writes=False, ranges=()):
    return Access("a", subscripts, ranges, writes)


@pytest.mark.parametrize(
    ("write", "read", "span"),
    [
        ((I,), (I,), (0, 0)),
        ((I + 1,), (I,), (1, 1)),
        ((I,), (I + 1,), (-1, -1)),
        ((2 * I,), (2 * I + 1,), None),
        ((2 * I,), (2 * I + 4,), (-2, -2)),
        ((N - 1 - I,), (N - I,), (1, 1)),
        ((I, J), (I, J + 1), None),
        ((I, J), (I, N), (0, 0)),
        ((I,), (0,), (None, None)),
        ((I + 1,), (0,), None),
        ((I,), (symbol("$0"),), (None, None)),
        ((I + 40,), (I,), None),
    ],
)
def test_rounds_between_two_accesses(write, read, span):
    found = meeting(access(*write, writes=True), access(*read), "loop[0]", 20)
    assert found == span


def test_rows_of_a_flat_array_do_not_meet():
    j = symbol("i0")
    whole = access(M * I + j, writes=True, ranges=(("i0", M),))
    assert meeting(whole, whole, "loop[0]", N) == (0, 0)
    longer = access(M * I + j, writes=True, ranges=(("i0", M + 1),))
    assert meeting(longer, longer, "loop[0]", N) != (0, 0)


def test_an_extent_that_depends_on_the_round_is_another_one_in_each():
    """`a[i - j]` for j in range(i): element 1 in all rounds but the first."""
    j = symbol("i0")
    one = access(I - j, writes=True, ranges=(("i0", I),))
    assert carried([one], "loop[0]", 5)


def test_a_distance_vector_has_a_number_for_each_loop():
    write = access(I + 1, J + 1, writes=True)
    assert vector(write, access(I, J + 1), (("loop[0]", 9), ("loop[1]", 9))) == ("1", "0")
    assert vector(write, access(0, J), (("loop[0]", 9), ("loop[1]", 9)))[0] == "*"


# ---- drawn nests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_drawn_nests(tmp_path, first):
    verdict = Verdict()
    for seed in range(first, first + 20):
        function = function_of(draw(seed), tmp_path / f"nest_{seed}.py")
        rng = np.random.default_rng(seed)
        given = [*[rng.random(shape) for shape in ((SIDE, SIDE), (SIDE, SIDE), SIDE, SIDE)], 5, 6]
        kernel = same(function, *given)
        judge(shown(kernel, *given).stages.loops, {"n": 5, "m": 6}, verdict)
    assert not verdict.wrong
    assert verdict.claimed > verdict.missed and verdict.dependent


# ---- what loops become ---------------------------------------------------------------------------------------------


def scaled(a, b, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = a[i, j] * 2 + b[j]


def products(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def products_in_place(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def products_by_rows(a, b):
    """Along `j` both the sums and what they are made of lie a row apart: each is added up by itself."""
    c = np.zeros((a.shape[0], b.shape[0]))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[j, k]
    return c


def bodies(p, f):
    for i in range(p.shape[0]):
        x, y = 0.0, 0.0
        for j in range(p.shape[0]):
            dx, dy = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1]
            r = dx * dx + dy * dy + 0.1
            c = 1 / (r * np.sqrt(r))
            x += c * dx
            y += c * dy
        f[i, 0] = x
        f[i, 1] = y


def windows(x, w):
    out = np.zeros((x.shape[0] - 2, x.shape[1] - 2))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.max(x[i : i + 3, j : j + 3] * w)
    return out


def seidel(u):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


def subsequence(a, b):
    t = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            t[i + 1, j + 1] = t[i, j] + 1 if a[i] == b[j] else max(t[i, j + 1], t[i + 1, j])
    return t


def rows_after_rows(a):
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1] - 1):
            a[i, j] = a[i - 1, j + 1] * 0.5 + a[i, j]


def last_of_equals(a, i):
    b = np.zeros(4)
    for k in range(a.shape[0]):
        b[2] = a[k]
    for k in range(a.shape[0]):
        b[i[k]] = a[k]
    return b


def total(a, b):
    s = 1.5
    for k in range(a.shape[0]):
        s += a[k] * b[k]
    return s


def smoothed(u, v, steps):
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = v[i, j]


rng = np.random.default_rng(3)
SQUARE, OTHER = rng.random((37, 37)), rng.random((37, 37))
WORDS = rng.integers(0, 3, (2, 40))
PROGRAMS = [
    (scaled, 0, (SQUARE, OTHER[0], OTHER)),
    (products, 0, (SQUARE, OTHER)),
    (products_in_place, 0, (SQUARE, OTHER)),
    (products_by_rows, 0, (SQUARE, OTHER)),
    (bodies, 0, (SQUARE[:, :2].copy(), OTHER[:, :2].copy())),
    (windows, 0, (SQUARE, OTHER[:3, :3].copy())),
    (seidel, 0, (SQUARE,)),
    (subsequence, 0, tuple(WORDS)),
    (rows_after_rows, 0, (SQUARE,)),
    (last_of_equals, 2, (SQUARE[0], np.arange(37) % 4)),
    (total, 0, (SQUARE[0], OTHER[0])),
    (smoothed, 1, (SQUARE, OTHER, 5)),
]


@pytest.mark.parametrize(("function", "left", "given"), PROGRAMS, ids=[one[0].__name__ for one in PROGRAMS])
def test_a_nest_is_computed_as_written_and_opened(function, left, given):
    """`left`: the loops that stay."""
    kernel = same(function, *given)
    assert sum(map(is_loop, shown(kernel, *map(np.copy, given)).stages.schedule.steps)) == left


def test_vectors_run_along_what_lies_near():
    texts = [stax.kernel(one).show("llvm", SQUARE, OTHER) for one in (products_in_place, products_by_rows)]
    vectors = [" x double> " in text and "fmul <" in text for text in texts]
    assert vectors == [True, False]


@pytest.mark.parametrize("function", [scaled, products, seidel, rows_after_rows])
def test_the_reason_is_told(function):
    kernel = stax.kernel(function)
    (given,) = [one[2] for one in PROGRAMS if one[0] is function]
    notes = "\n".join(kernel.explain(*map(np.copy, given)).notes)
    told = {
        scaled: "has independent rounds",
        products: "runs in order: t0 is read in one round and written in another",
        seidel: "distance (1, 0)",
        rows_after_rows: "distance (1, -1)",
    }[function]
    assert told in notes, notes


# ---- rounds that threads share -------------------------------------------------------------------------------------


def sparse_product(data, indices, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
    return y


def escapes(w, h, most):
    out = np.zeros((h, w), np.int64)
    for i in range(h):
        for j in range(w):
            cr, ci = -2.0 + 3.0 * j / w, -1.0 + 2.0 * i / h
            zr, zi, k = 0.0, 0.0, 0
            while k < most and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[i, j] = k
    return out


def collatz(n):
    """Each round has an array of its own, larger than what is kept for all rounds together."""
    longest = np.zeros(len(n), np.int64)
    for i in range(len(n)):
        k = n[i]
        while k > 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            longest[i] += 1
    return longest


def sparse():
    starts = np.cumsum(np.r_[0, rng.integers(0, 30, 900)])
    return rng.random(starts[-1]), rng.integers(0, 900, starts[-1]), starts, rng.random(900)


SHARED = [(sparse_product, sparse()), (escapes, (60, 50, 40)), (collatz, (np.arange(1500),))]


@pytest.mark.parametrize(("function", "given"), SHARED, ids=[one[0].__name__ for one in SHARED])
def test_threads_share_independent_rounds(function, given):
    kernel = stax.kernel(function)
    want = function(*given)
    before = stax.get_num_threads()
    stax.set_num_threads(4)
    for _ in range(5):
        np.testing.assert_array_equal(kernel(*given), want)
    stax.set_num_threads(before)
    assert ".rounds." in kernel.show("llvm", *given)
    assert "its rounds are independent: threads share them" in "\n".join(kernel.explain(*given).notes)


def histogram(a, bins):
    out = np.zeros(bins)
    for i in range(len(a)):
        k = 0
        while k < a[i]:
            k += 1
        out[k] += 1
    return out


def test_rounds_that_write_at_places_of_data_stay_in_order():
    kernel = stax.kernel(histogram)
    given = rng.integers(0, 8, 9000), 9
    np.testing.assert_array_equal(kernel(*given), histogram(*given))
    assert ".rounds." not in kernel.show("llvm", *given)


@pytest.mark.parametrize("first", [0, 1])
def test_the_earliest_failure_of_shared_rounds_is_told(first):
    """Of two checks that fail in different rounds the one that Python would have met."""
    data, indices, starts, x = sparse()
    starts, indices = starts.copy(), indices.copy()
    if first:  # row 4 reads past the end of data, row 500 of x
        indices[starts[500] : starts[501] + 1] = 900
        starts[:5], starts[5] = len(data), len(data) + 1
    else:  # row 2 past the end of x, the last one past the end of data
        indices[starts[2] : starts[3] + 1] = 900
        starts[-1] += 7
    kernel = stax.kernel(sparse_product)
    with pytest.raises(IndexError) as wanted:
        sparse_product(data, indices, starts, x)
    stax.set_num_threads(4)
    for _ in range(5):
        with pytest.raises(IndexError) as told:
            kernel(data, indices, starts, x)
        size = str(len(data)) if first else "900"
        assert size in str(told.value) and size in str(wanted.value)
    stax.set_num_threads(2)
