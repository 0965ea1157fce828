"""Arrays that change places from round to round: addresses are exchanged, nothing is copied; the same by every engine."""

import copy

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.oracle import to_python
from staxlang.runtime.reference import run_graph
from staxlang.runtime.stages import Shown
from tests.kept_loops.test_trials import agree

LENGTH = 200
BYTES = 8 * LENGTH


def exchanged(u, n):
    u, v = u.copy(), np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = (u[:-2] + u[2:]) * 0.5
        u, v = v, u
    return u, v


def made_anew(u, n):
    old = u
    for _ in range(n):
        new = u.copy()
        new[1:-1] = (u[:-2] + u[2:]) * 0.5
        old = u
        u = new
    return u, old


def three_in_turn(a, n):
    a, b, c = a.copy(), a * 2, a * 3
    for _ in range(n):
        c[1:] = a[:-1] + b[1:]
        a, b, c = b, c, a
    return a, b, c


def overwritten(u, n):
    u = u * 1.0
    w = np.empty_like(u)
    for _ in range(n):
        w[:] = np.roll(u, 1) * 0.5 + u
        u, w = w, u
    return u


def swept(u, n):
    """Each round reads what it overwrites, at other places: it writes into a second array that has the same border."""
    for _ in range(n):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return u


def swept_with_borders(u, n):
    for _ in range(n):
        old = u.copy()
        u[1:-1] = old[1:-1] - 0.1 * (old[2:] - old[:-2])
        u[0] = 1
        u[-1] = u[-2]
    return u


def reversed_each_round(u, n):
    for _ in range(n):
        u = u[::-1] * 1.5
    return u


def few_reversed_each_round(u, n):
    """So small that it is copied: what a round reads of it, it has read before it writes."""
    v = u[:9] * 2
    for _ in range(n):
        v = v[::-1] * 0.5
    return v


def until_it_settles(u, n):
    v, rounds = u.copy(), 0
    while True:
        new = v.copy()
        new[1:-1] = 0.5 * (v[2:] + v[:-2])
        change = np.abs(new - v).max()
        v = new
        rounds += 1
        if change < 1e-2 or rounds > n:
            break
    return v, rounds


def inside_of_another(u, n):
    """The loop inside leaves its arrays exchanged, and what lies behind it makes temporaries of its own."""
    u, v = u.copy(), np.ones_like(u)
    for i in range(n):
        for _ in range(i % 3):
            v[1:-1] = (u[2:] + u[:-2]) * 0.5
            u, v = v, u
        w = np.cumsum(v)
        u = u + np.cumsum(w)[::-1] * 1e-3
        v[0] = w[3]
    return u, v


def local_to_a_round(x, n):
    """Arrays that only a round knows are exchanged in it an odd number of times; the next round makes them in the same memory."""
    s = np.zeros_like(x)
    for i in range(n):
        a, b = x * i, x + i
        for _ in range(i):
            b[1:] = a[:-1] + 1
            a, b = b, a
        c = np.cumsum(a)
        s = s * 0.5 + np.cumsum(c)[::-1] + b
    return s


def pairs_of_two_kinds(u, n):
    u, v = u.copy(), u * 2
    k, m = np.arange(200), np.arange(200)[::-1].copy()
    for i in range(n):
        v[1:] = u[:-1]
        m[i % 200 :] = k[: 200 - i % 200]
        u, v, k, m = v, u, m, k
    return u, v, k, m


def chosen_between(u, n):
    u, v = u.copy(), u * 2
    for i in range(n):
        v[0] = i
        if u[0] > 2:
            u, v = v, u
        u[1] += 1
    return u, v


# The most that a round reads and writes of arrays of that length; what is copied before the rounds.
PROGRAMS = [
    (exchanged, 2, 1), (made_anew, 4, None), (three_in_turn, 3, 1), (overwritten, 2, 1), (swept, 2, 1), (swept_with_borders, 2.1, 1),
    (reversed_each_round, 2, 1), (few_reversed_each_round, None, None), (until_it_settles, None, 2), (inside_of_another, None, None),
    (local_to_a_round, None, None), (pairs_of_two_kinds, 4, 9), (chosen_between, None, None),
]  # fmt: skip
X = np.random.default_rng(3).random(LENGTH)


@pytest.mark.parametrize(("function", "arrays", "copies"), PROGRAMS, ids=lambda one: getattr(one, "__name__", ""))
def test_exchanges(function, arrays, copies):
    """NumPy's results and arguments after even and odd numbers of rounds, by one version; no copies in the rounds."""
    kernel = stax.kernel(function, branches="inside")
    for n in (30, 31, 7, 2):
        theirs, ours = X.copy(), X.copy()
        agree(kernel(ours, n), function(theirs, n))
        agree(ours, theirs)
    report = kernel.explain(X.copy(), 40)
    assert kernel.stats().route == "native" and kernel.stats().versions == 1
    if arrays is not None:
        (loop,) = [one for one in report.kernels if one.name == "loop"]
        assert loop.bytes <= 40 * arrays * BYTES
    if copies is not None:
        assert not [one for one in report.copies if "round" in one] and len(report.copies) <= copies, report.copies


@pytest.mark.parametrize("function", [one for one, _, _ in PROGRAMS], ids=lambda one: one.__name__)
@pytest.mark.parametrize("n", [6, 7])
def test_exchanges_by_every_engine(function, n):
    kernel = stax.kernel(function, branches="inside")
    kernel(X.copy(), n)
    shown = Shown(kernel, kernel._dispatcher.version_for((X, n), {}))
    graph, scalars, sizes = shown.stages.loops, [n], {"n": n}
    source = kernel._dispatcher.version_for((X, n), {}).source.graph
    want = run_graph(source, wanted := [X.copy()], scalars[: len(source.scalars)], sizes)
    for value in (graph, shown.stages.schedule):
        space = {}
        exec(compile(to_python(value), "<loops>", "exec"), space)
        got = space["program"](given := [X.copy()], scalars, sizes)
        agree((list(map(np.asarray, got)), given), (list(map(np.asarray, want)), wanted))
    got = execute(shown.stages.schedule, given := [X.copy()], scalars, sizes)
    agree((list(map(np.asarray, got)), given), (list(map(np.asarray, want)), wanted))


def test_strided_arguments_are_swept():
    """An argument whose elements lie apart does not change places with memory that is dense."""
    kernel = stax.kernel(swept)
    base, other = np.arange(2.0 * LENGTH) ** 2 % 7, np.arange(2.0 * LENGTH) ** 2 % 7
    kernel(base[::2], 5)
    swept(other[::2], 5)
    agree(base, other)


def test_large_arrays_change_places_on_several_threads():
    kernel = stax.kernel(exchanged)
    u = np.random.default_rng(1).random((300, 400))
    agree(kernel(copy.copy(u), 9), exchanged(u, 9))


# ---- arguments that are exchanged, and written under the name that stands for them -------------------------------------


def with_a_local_array(x, n):
    z = np.zeros_like(x)
    for i in range(n):
        x[i % 5] = z[0] + i
        x, z = z, x
    return x, z


def swept_in_turn(u, v, n):
    for _ in range(n):
        v[1:-1] = (u[:-2] + u[2:]) * 0.5
        u, v = v, u
    return u


def three_arguments(u, v, w, n):
    for i in range(n):
        v[1:] = u[:-1] + w[1:] * 0.1
        w[3] = i
        u, v, w = v, w, u
    u[0] = 77
    return u.sum(), v


def as_long_as(u, v, n):
    rounds = 0
    while u[5] < n:
        v[:] = u + 1
        u, v = v, u
        rounds += 1
    v[2] = 5
    return rounds


def only_read(u, v, n):
    s = 0.0
    for i in range(n):
        s += u[i % 7] * 0.5
        u, v = v, u
    return s, u, v


def with_a_third_name(u, v, n):
    t = u
    for i in range(n):
        t[0] += 1
        v[i % 3] = 2
        u, v = v, u
    return u, v


def in_a_loop(u, v, n):
    for i in range(n):
        for j in range(i % 4):
            v[j % 9] = u[j % 5] + 1
            u, v = v, u
        u[0] -= 1
    return u, v


def left_and_written(u, v, n):
    for i in range(n):
        v[1:] = u[:-1]
        u, v = v, u
        if u[4] > 1 + 0.5 * i:
            break
    else:
        v[3] = 9
    v[7] = u[4]
    return u


def returned_from_within(u, v, n):
    for i in range(n):
        v[1:-1] = u[2:] * 0.5
        if i > 5:
            return u, v
        u, v = v, u
    return v, u


def left_before_exchanging(u, v, n):
    for i in range(n):
        if u[i % 7] > 2 + i % 3:
            break
        v[1:] = u[:-1] + 0.5
        u, v = v, u
    v[0] = 9
    return u, v


def left_before_and_after(u, v, n):
    i = 0
    while i < n:
        if u[i % 7] < 0.05:
            break
        u, v = v, u
        u[i % 5] += 0.5
        if u[3] > 3:
            break
        i += 1
    v[2] = 7
    return u, i


def another_argument_from_then_on(u, v, n):
    """The second round writes the other argument."""
    w = u.copy()
    for i in range(n):
        w[1:-1] += w[1:-1] * 0.5 + v[2:]
        w[i % 5] = v[i % 7]
        w = v
    return w, u


def an_argument_from_then_on(u, v, n):
    """What is written to the argument later is seen under the other name, too."""
    w, s = u, 0.0
    for _ in range(n):
        s += w[1]
        w = v
    v[0] = 7
    w[2] = 5
    return w, s


def beside_other_values(u, v, n):
    """What the rounds only read has a place of its own among the values that they carry."""
    c = u + v
    for _ in range(n):
        v[1:-1] += 0.1 * (u[2:] - 2 * v[1:-1] + u[:-2])
        v, c = c, v
    return u


ARGUMENTS = [
    left_before_exchanging, left_before_and_after, another_argument_from_then_on, an_argument_from_then_on, beside_other_values,
    with_a_local_array, swept_in_turn, three_arguments, as_long_as, only_read, with_a_third_name, in_a_loop, left_and_written,
    returned_from_within,
]  # fmt: skip


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda one: one.__name__)
def test_arguments_are_exchanged(function):
    """Each array holds in the end what it holds in NumPy, whichever name it was written under."""
    kernel = stax.kernel(function)
    count = function.__code__.co_argcount - 1
    for n in (9, 10, 12, 2):
        theirs, ours = [[X * (k + 1) for k in range(count)] for _ in range(2)]
        agree(kernel(*ours, n), function(*theirs, n))
        agree(ours, theirs)
    assert kernel.stats().route == "native"
    if function not in (with_a_third_name, in_a_loop, returned_from_within):
        assert kernel.stats().versions == 1


@pytest.mark.parametrize("function", [with_a_local_array, swept_in_turn])
def test_exchanged_arguments_are_not_copied(function):
    arrays = [X.copy() for _ in range(function.__code__.co_argcount - 1)]
    report = stax.kernel(function).explain(*arrays, 40)
    (loop,) = [one for one in report.kernels if one.name == "loop"]
    assert not report.copies and loop.bytes <= 40 * 2 * BYTES


def test_a_read_only_argument_may_not_be_written_under_another_name():
    kernel = stax.kernel(swept_in_turn)
    u, v = X.copy(), X.copy()
    u.flags.writeable = False
    with pytest.raises(ValueError, match=r"read-only|overwrite"):
        kernel(u, v, 4)


def test_exchanged_arguments_by_every_engine():
    kernel = stax.kernel(three_arguments)
    for n in (6, 7, 8):
        wanted, first, second = [[X * (k + 1) for k in range(3)] for _ in range(3)]
        version = kernel._dispatcher.version_for((*map(np.copy, wanted), n), {})
        shown, sizes = Shown(kernel, version), {"n": n}
        want = list(map(np.asarray, run_graph(version.source.graph, wanted, [], sizes)))
        space = {}
        exec(compile(to_python(shown.stages.schedule), "<loops>", "exec"), space)
        agree((list(map(np.asarray, space["program"](first, [n], sizes))), first), (want, wanted))
        agree((list(map(np.asarray, execute(shown.stages.schedule, second, [n], sizes))), second), (want, wanted))


def while_leaves_an_argument(u, v, n):
    w, s = u, u[0] * 0
    while s < n:
        s += w[1] + 1
        w = v
    v[0] = 7
    w[2] = 5
    return w, s


def for_over_data_leaves_an_argument(u, v, n):
    w, s = u, u[0] * 0
    for _ in range(int(u[0]) + n):
        s += w[1]
        w = v
    v[0] = 7
    w[2] = 5
    return w, s


def while_leaves_a_part(u, v, n):
    w, s = u[1:], u[0] * 0
    while s < n:
        s += w[1] + 1
        w = v[1:]
    v[3] = 7
    u[1] += w[2]
    return w.sum(), s


def while_leaves_a_local_array(u, v, n):
    a, w, s = u.copy(), v, u[0] * 0
    while s < n:
        s += w[1] + 1
        w = a
    w[0] = 7
    v[1] = 3
    return w.sum(), a


def without_a_round_the_argument(u, v, n):
    w, s = u, u[0] * 0
    while s < n:
        s += w[1] + 1
        w = w * 0.5
    u[3] = 7
    w[2] += 1
    return w.sum()


def two_names_of_one_new_array(u, v, n):
    w, x, s = u, v, u[0] * 0
    while s < n:
        s += w[1] + x[1] + 1
        t = u * 2 + v
        w = t
        x = t
    w[3] = 1
    return w.sum(), x.sum()


def one_of_two_by_turns(u, v, n):
    a, b, s = u.copy(), v.copy(), u[0] * 0
    while s < n:
        s += a[1] + b[1] + 1
        if s > 2:
            a, b = b, a
    a[3] = 7
    return a.sum(), b


def written_by_a_later_loop(u, v, n):
    w, s, z = u, u[0] * 0, v[::2]
    while s < n:
        s += w[1] + 1
        w = v
    z[1] = 3
    for i in range(n):
        v[i] = i
    return w.sum(), w[2:]


def inside_of_another_loop(u, v, n):
    s = u[0] * 0
    for _ in range(n):
        w, s = u, u[0] * 0
        while s < n:
            s += w[1] + 1
            w = v
        v[3] += 7
        w[2] += 1
    return s


LEFT = [
    while_leaves_an_argument, for_over_data_leaves_an_argument, while_leaves_a_part, while_leaves_a_local_array,
    without_a_round_the_argument, two_names_of_one_new_array, one_of_two_by_turns, written_by_a_later_loop, inside_of_another_loop,
]  # fmt: skip


@pytest.mark.parametrize("function", LEFT, ids=lambda one: one.__name__)
def test_what_a_loop_leaves_is_the_array(function):
    """Writes after the loop are seen under either name, with and without a round."""
    kernel = stax.kernel(function)
    for n in (5, 0, 1, 2):
        theirs, ours = [[X * (k + 1) for k in range(2)] for _ in range(2)]
        agree(kernel(*ours, n), function(*theirs, n))
        agree(ours, theirs)
    assert kernel.stats().route == "native"


def left_by_a_branch(u, v, n):
    w, s = u, u[0] * 0
    while s < n:
        s += w[1] + 1
        if w[2] > 0.5:
            w = v
    s += w[0]
    v[3] = 7
    return w if n else s


def one_may_be_the_other(u, v, n):
    a, b, s = u.copy(), v.copy(), u[0] * 0
    while s < n:
        s += a[1] + b[1] + 1
        if s > 2:
            b = a
    a[3] = 7
    return b + n


@pytest.mark.parametrize(("function", "name"), [(left_by_a_branch, "w"), (one_may_be_the_other, "b")])
def test_what_may_have_been_written_since_is_not_read(function, name):
    with pytest.raises(TypeError, match=rf"(?s)`s < n`.*`{name}` may be an array .* written to .*{name} = {name}.copy\(\)"):
        stax.kernel(function)(X.copy(), X * 2, 4)
