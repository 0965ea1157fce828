"""Loops that stay in the program: what NumPy gives, one compilation for any number of rounds, the same by every engine."""

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.oracle import to_python
from staxlang.runtime.reference import run_graph
from staxlang.runtime.stages import Shown


def grow(x, n):
    for i in range(n):
        x = x * 1.01 + i
    return x


def total(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 3]
    return s


def jacobi(a, b, n):
    for _ in range(n):
        b[1:-1] = 0.33 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33 * (b[:-2] + b[1:-1] + b[2:])


def heat(u, n):
    for _ in range(n):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def swapped(u, n):
    u, v = u.copy(), np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = (u[:-2] + u[2:]) * 0.5
        u, v = v, u
    return u, v


def fibonacci(x, n):
    a, b = x[0], x[1]
    for _ in range(n):
        a, b = b, (a + b) * 0.5
    return a, b


def cholesky(a, n):
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def doubled(x, n):
    while x.sum() < n * 100.0:
        x = x * 2
    return x


def newton(x, n):
    err, rounds = 1.0, 0
    while err > 1e-10:
        y = 0.5 * (x + 2 / x)
        err = np.abs(y - x).max()
        x = y
        rounds += 1
    return x, rounds


def left_by_break(x, n):
    for i in range(n):  # noqa: B007
        x = x + 1
        if x.sum() > 50:
            break
    return x, i


def left_by_return(x, n):
    for _ in range(n):
        x = x + 1
        if x.sum() > 50:
            return x * 2
    return x


def with_else(x, n):
    for _ in range(n):
        x = x + 1
        if x[0] > 20:
            break
    else:
        x = -x
    return x


def continued(x, n):
    s = 0.0
    for i in range(n):
        if x[i % 5] > 0.5:
            continue
        s = s + x[i % 5] * i
    return s


def checksum(x, n):
    crc = 0xFFFFFFFF
    for i in range(n):
        crc ^= int(x[i % 10] * 255)
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xEDB88320
            else:
                crc >>= 1
    return crc ^ 0xFFFFFFFF


def counted_down(x, n):
    i = n
    while i > 0:
        x = x + i
        i -= 2
    return x


def rows(x, n):
    s = np.zeros(2)
    for row in x.reshape(5, 2):
        s = s * 0.5 + row * n
    return s


def by_data(x, n):
    y = np.zeros(4)
    ends = (np.arange(5) * 2).astype(np.int64)
    for i in range(4):
        s = 0.0
        for j in range(ends[i], ends[i + 1]):
            s += x[j] * n
        y[i] = s
    return y


def triangle(x, n):
    out = np.zeros((6, 6))
    for i in range(6):
        for j in range(i, 6):
            out[i, j] = x[i] * x[j] + n
    return out


def first_round_differs(x, n):
    best = None
    for i in range(n):
        value = (x * i).sum()
        best = value if best is None else max(best, value)
    return best


def left_behind(x, n):
    for i in range(n):
        t = x * i
        last = i
    return t, last


def masked(x, n):
    z = np.zeros_like(x)
    count = np.zeros(x.shape, np.int64)
    for k in range(n):
        m = z < 2.0
        z[m] = z[m] * z[m] + x[m]
        count[m] = k
    return z, count


def exchanged(x, n):
    """The argument and a local array change places, and one of them is written."""
    z = np.zeros_like(x)
    for i in range(n):
        x[i % 5] = z[0] + i
        x, z = z, x
    return x, z


def written_after(x, n):
    y = x
    for i in range(n):
        y = y + i
        z = y
    z[0] = 100
    return y, z


def perhaps_the_same(x, n):
    y = x
    for i in range(n):
        if x[i % 10] > 0.5:
            y = y * 0.5
    return y


def another_name(x, n):
    y = x
    for i in range(n):
        x[i % 10] = i
        y = y * 1
    return x, y


def generations(x, n):
    """Each round makes its array anew, element by element, from the one before."""
    g = (x * 8).astype(np.int64)
    for _ in range(n):
        new = np.zeros_like(g)
        for i in range(g.shape[0]):
            if g[i - 1] > 3:
                new[i] = g[i] + 1
            else:
                new[i] = g[i - 1] - g[i]
        g = new % 8
    return g


def nested_else(x, n):
    c = 0
    for _ in range(n):
        for j in range(n):
            if j == 9:
                break
        else:
            c += 100
            continue
        c += 1
    return c


def without_end(x, n):
    i = 0
    while True:
        i += 3
        if i > n:
            return i


def outer_products(x, n):
    a = np.outer(x, x) + np.eye(10) * 9
    for k in range(9):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def reused_counter(x, n):
    s = 0
    i = 0
    for i in range(n):
        for i in range(i):  # noqa: B007, B020
            s += 1
        s += i
    return s, i


def pairs(x, n):
    s = 0.0
    for k, (a, b) in enumerate(zip(x, x[::-1])):
        s += a * b * k
    return s * n


def before_the_loop(x, n):
    t = 5
    for i in range(1, n - 6):
        t = x[i % 10] * 2
    return t


def untouched(x, n):
    for _ in range(n):
        pass
    return x + 1


PROGRAMS = [
    grow, total, jacobi, heat, swapped, fibonacci, cholesky, doubled, newton, left_by_break, left_by_return, with_else, continued, checksum,
    counted_down, rows, by_data, triangle, first_round_differs, left_behind, masked, untouched, written_after, perhaps_the_same,
    another_name, generations, nested_else, without_end, outer_products, reused_counter, pairs, before_the_loop,
]  # fmt: skip
X = np.random.default_rng(5).random(10)


def arguments(function, n):
    if function is jacobi:
        return X.copy(), X.copy(), n
    if function is cholesky:
        square = np.random.default_rng(1).random((12, 12))
        return square @ square.T + 12 * np.eye(12), n
    return X.copy(), n


def same(got, want):
    assert type(got) is type(want) or np.isscalar(want), (got, want)
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, two in zip(got, want, strict=True):
            same(one, two)
    elif want is not None:
        assert np.asarray(got).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_program(function):
    """Results and arguments are NumPy's; another number of rounds needs no other version; the route is native."""
    kernel = stax.kernel(function)
    for n in (30, 41, 7):
        wanted, given = arguments(function, n), arguments(function, n)
        want, got = function(*wanted), kernel(*given)
        same(got, want)
        for mine, theirs in zip(given, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    stats = kernel.stats()
    assert stats.route == "native" and stats.versions == (2 if function is before_the_loop else 1), stats  # without a round it is another


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_every_engine(function):
    """The graph by NumPy, the loop program and the schedule as Python text, and the strict machine: the same values."""
    kernel = stax.kernel(function)
    given = arguments(function, 9)
    kernel(*arguments(function, 9))
    version = kernel._dispatcher.version_for(given, {})
    shown = Shown(kernel, version)
    graph = version.source.graph
    arrays = [array for array in given if isinstance(array, np.ndarray)][: len(graph.inputs)]
    scalars = [] if not graph.scalars else [9]
    sizes = {"n": 9}

    def run(by):
        inputs = [np.array(array) for array in arrays]
        return by(inputs), inputs

    want = run(lambda inputs: run_graph(graph, inputs, scalars, sizes))
    space = {}
    for text in (to_python(shown.stages.loops), to_python(shown.stages.schedule)):
        exec(compile(text, "<loops>", "exec"), space)
        check(run(lambda inputs: space["program"](inputs, scalars, sizes)), want)
    check(run(lambda inputs: execute(shown.stages.schedule, inputs, scalars, sizes)), want)


def check(got, want):
    for mine, theirs in zip((*got[0], *got[1]), (*want[0], *want[1]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-300)


def test_compilation_does_not_grow_with_the_rounds():
    """The program's text is the same for 40 rounds and for 4 million of them."""


    def few(x):
        for i in range(400):
            x = x * 0.5 + i
        return x

    def many(x):
        for i in range(4_000_000):
            x = x * 0.5 + i
        return x

    texts = [stax.kernel(function).show("llvm", np.ones(3)) for function in (few, many)]
    assert abs(len(texts[0]) - len(texts[1])) < 100


def test_a_sweep_makes_no_copies():
    """Two arrays that are swept in turns: each round reads one and writes the other, and nothing is copied within a round."""
    report = stax.kernel(jacobi).explain(X.copy(), X.copy(), 100)
    assert not [one for one in report.copies if "round" in one], report


def test_an_index_out_of_range_in_a_round():
    @stax.kernel
    def f(x, n):
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    assert f(X, 10) == pytest.approx(X.sum())
    with pytest.raises(IndexError):
        f(X, 11)
    assert f(X, 10) == pytest.approx(X.sum())


def test_arrays_that_change_places():
    """The argument is written under the name that stands for it in a round: the same version for any number of rounds."""
    kernel = stax.kernel(exchanged)
    for n in (6, 7, 40):
        mine, theirs = X.copy(), X.copy()
        same(kernel(mine, n), exchanged(theirs, n))
        np.testing.assert_array_equal(mine, theirs)
    assert kernel.stats().versions == 1


def test_arrays_that_perhaps_change_places():
    """The same, by a condition."""

    def f(a, b, n):
        for i in range(n):
            if a[0] > i:
                a, b = b, a
            a[0] += 1.5
        return a, b

    kernel = stax.kernel(f, branches="inside")
    for n in (2, 6):
        mine, theirs = (np.arange(3.0) + 5, np.arange(3.0)), (np.arange(3.0) + 5, np.arange(3.0))
        same(kernel(*mine, n), f(*theirs, n))
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


def test_arguments_that_overlap():
    """What one round writes, a later one reads: arguments in one memory are noticed."""

    @stax.kernel
    def f(a, b, n):
        for _ in range(n):
            a[1:] = b[:-1] + 1

    u = np.arange(12.0)
    with pytest.raises(ValueError, match="overlap"):
        f(u[2:], u[:-2], 5)
    np.testing.assert_array_equal(u, np.arange(12.0))


def test_short_loops_are_unrolled():
    """A few rounds of a small body are optimized as one."""

    @stax.kernel
    def f(x):
        for k in range(5):
            x = x * 2 + k
        return x

    assert " loop(" not in f.show("graph", X)
    np.testing.assert_array_equal(f(X), f.__wrapped__(X))


MODE, OFFSET = "up", 1.0


def shifted(x):
    return x + OFFSET


def test_what_is_read_from_around(monkeypatch):
    """Globals and helpers that only a loop's body reads are noticed when they change, however often the body was evaluated."""

    @stax.kernel
    def f(x, n):
        for _ in range(n):
            if MODE == "up":
                x = shifted(x)
            else:
                x = x * 0.5
        return x

    def check_now():
        np.testing.assert_allclose(f(X, 40), f.__wrapped__(X, 40))

    check_now()
    monkeypatch.setitem(globals(), "OFFSET", 3.0)
    check_now()
    monkeypatch.setitem(globals(), "shifted", lambda x: x - 2)
    check_now()
    monkeypatch.setitem(globals(), "MODE", "down")
    check_now()


def test_a_number_that_becomes_a_size_in_a_round():
    """Its sign is part of the version, also where the body was evaluated more than once."""

    @stax.kernel
    def f(x, k, n):
        s = 0.0
        for i in range(n):
            s += x[k:].sum() * i
        return s

    for k in (1, 3, -1, -2):
        assert f(X, k, 50) == pytest.approx(f.__wrapped__(X, k, 50))
    assert f.stats().versions == 2


def inverse_iteration(a, n):
    v = np.ones(a.shape[0])
    for _ in range(n):
        w = np.linalg.solve(a, v)
        v = w / np.linalg.norm(w)
    return v


def leading_factors(a, n):
    s = 0.0
    for k in range(1, n):
        s += np.linalg.cholesky(a[:k, :k])[k - 1, k - 1]
    return s


def scaled_powers(a, n):
    b = np.eye(a.shape[0])
    for _ in range(n):
        b = b @ a
        b /= np.abs(b).max()
    return b


def sorted_and_transformed(a, n):
    x = a[0]
    for _ in range(n):
        x = np.sort(x)[::-1] * 0.5 + np.fft.fft(x).real * 0.1
    return x


@pytest.mark.parametrize("function", [inverse_iteration, leading_factors, scaled_powers, sorted_and_transformed])
def test_library_calls_in_rounds(function):
    """LAPACK, BLAS, sorting and transforms in a round, of sizes that depend on it."""
    square = np.random.default_rng(2).random((7, 7))
    square = square @ square.T + 7 * np.eye(7)
    kernel = stax.kernel(function)
    np.testing.assert_allclose(kernel(square, 7), function(square, 7), rtol=1e-9)
    assert " loop(" in kernel.show("graph", square, 7) and kernel.stats().route == "native"


def test_a_library_call_that_fails_in_a_round():
    """The program ends there, with NumPy's error; the arguments are as they were."""

    @stax.kernel
    def f(a, n):
        for _ in range(n):
            a[0, 0] -= 1.0
            a[1] = a[0]
            b = np.linalg.inv(a)
        return b

    a = np.eye(3) * 4
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        f(a, 30)
    np.testing.assert_array_equal(a, np.eye(3) * 4)


def test_loops_without_rounds():
    """A name keeps what it was, also of another type; one that only a round binds has no value, as in Python."""

    @stax.kernel
    def kept(x, n):
        t = 1
        for _ in range(n):
            for i in range(1, n):
                t = x[i % 10] * 2
        return t

    @stax.kernel
    def unbound(x, n):
        for i in range(n):
            t = x[i % 10]
        return t

    for n in (5, 2, 1, 0):
        got, want = kept(X, n), kept.__wrapped__(X, n)
        assert got == want and type(got) is type(want)
    assert unbound(X, 5) == X[4]
    with pytest.raises(UnboundLocalError):
        unbound(X, 0)
