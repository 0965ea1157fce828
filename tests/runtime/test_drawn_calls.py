"""Drawn sequences of calls of one kernel: shapes, layouts, dtypes, numbers, containers change from call to call, answers never do."""

import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import staxlang as stax
from tests.runtime.agreement import same

QUIET = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
DTYPES = ("f4", "f8", "i4", "i8", "u1", "?", "c16", ">f4")


def arithmetic(x, y, k=2):
    z = x * k + y
    return z, z.sum(), x.shape


def containers(xs, options):
    total = xs[0] * options["scale"]
    for x in xs[1:]:
        total = total + x
    if options["mode"] == "sum":
        return total.sum(), options["mode"]
    return {"total": total, "parts": [xs[0], total[..., :1]]}


def branching(x, limit):
    if x.sum() > limit:
        if x.max() > 2 * limit:
            return x * 2
        return x + limit
    return x.T, x.min()


def writing(x, y):
    x[1:] += y[:-1]
    y *= 2
    return x, y.sum()


def laid_out(base, layout):
    """The array's elements in another memory layout."""
    if layout == "transposed":
        return np.ascontiguousarray(base.T).T
    if layout == "strided":
        wide = np.zeros((*base.shape[:-1], 2 * base.shape[-1] + 1), base.dtype) if base.ndim else base
        if base.ndim:
            wide[..., ::2][..., : base.shape[-1]] = base
            return wide[..., ::2][..., : base.shape[-1]]
    if layout == "reversed" and base.ndim:
        return np.ascontiguousarray(base[::-1])[::-1]
    if layout == "read-only":
        base = base.copy()
        base.flags.writeable = False
    return base


class Drawn:
    """An array to be made anew for each call, always in its layout (deepcopy would make it contiguous)."""

    def __init__(self, base, layout):
        self.base, self.layout = base, layout

    def __repr__(self):
        return f"Drawn({self.base!r}, {self.layout!r})"


def made(value, known):
    """The objects of a call; what is one drawn array is one array."""
    if isinstance(value, Drawn):
        if id(value) not in known:
            known[id(value)] = laid_out(value.base.copy(), value.layout)
        return known[id(value)]
    if isinstance(value, (tuple, list)):
        return type(value)(made(part, known) for part in value)
    if isinstance(value, dict):
        return {key: made(part, known) for key, part in value.items()}
    return value


@st.composite
def arrays(draw, shapes, dtypes=DTYPES):
    shape, dtype = draw(st.sampled_from(shapes)), np.dtype(draw(st.sampled_from(dtypes)))
    count = int(np.prod(shape))
    values = (np.arange(count) * draw(st.integers(1, 5)) % 7 - 3).reshape(shape)
    base = (values % 2 if dtype.kind == "b" else abs(values) if dtype.kind == "u" else values).astype(dtype)
    return Drawn(base, draw(st.sampled_from(("plain", "transposed", "strided", "reversed", "read-only"))))


NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from((0.5, -1.5, 2.0)), st.booleans(), st.sampled_from((np.float32(1.5), np.int8(2))))
MATRICES = [(3, 4), (4, 3), (1, 4), (0, 4), (5, 5), (3, 1)]


def agree(kernel, plain, args, kwargs=None, rtol=1e-4):
    """One call of each on copies of the same objects; results, effects and errors are the same."""
    mine, theirs = made((args, kwargs or {}), {}), made((args, kwargs or {}), {})
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            expected = plain(*theirs[0], **theirs[1])
        except (ValueError, TypeError) as error:
            expected = error
        try:
            got = kernel(*mine[0], **mine[1])
        except stax.StaxError as error:
            assert isinstance(expected, Exception), error
            return
    assert not isinstance(expected, Exception), (expected, got)
    same(got, expected, rtol)
    same(mine, theirs, rtol)


def served(kernel):
    """Every call ends up somewhere: the counts add up, and nothing ran under NumPy."""
    stats = kernel.stats()
    assert stats.route == "native" and stats.fallbacks == 0 and stats.calls >= stats.hits + stats.misses
    assert stats.versions <= 64


@QUIET
@given(st.lists(st.tuples(arrays(MATRICES), arrays([(4,), (1,), (3, 1), ()]), NUMBERS, st.booleans()), min_size=1, max_size=8))
def test_arithmetic(calls):
    kernel = stax.kernel(max_versions=64)(arithmetic)
    for x, y, k, by_name in [*calls, *calls]:
        agree(kernel, arithmetic, (x, y), {"k": k}) if by_name else agree(kernel, arithmetic, (x, y, k))
    served(kernel)


OPTIONS = st.fixed_dictionaries({"scale": NUMBERS, "mode": st.sampled_from(("sum", "all"))})
LISTS = st.one_of(
    st.lists(arrays([(3, 4), (1, 4), (4,)], ("f4", "f8", "i8")), min_size=1, max_size=3),
    st.tuples(arrays([(3, 4)], ("f8",)), arrays([(3, 4), (4,)], ("f8",))),
)


@QUIET
@given(st.lists(st.tuples(LISTS, OPTIONS), min_size=1, max_size=6))
def test_containers(calls):
    kernel = stax.kernel(max_versions=64)(containers)
    for xs, options in [*calls, *calls]:
        agree(kernel, containers, (xs, options))
    served(kernel)


@QUIET
@given(st.lists(st.tuples(arrays([(3, 4), (4, 3), (2, 2)], ("f8", "i8", "f4")), st.integers(-6, 9)), min_size=1, max_size=10))
def test_branches(calls):
    kernel = stax.kernel(max_versions=64)(branching)
    for x, limit in [*calls, *calls]:
        agree(kernel, branching, (x, limit))
    served(kernel)


@QUIET
@given(
    st.lists(
        st.tuples(arrays([(3, 4), (5, 4)], ("f8", "f4", "i8")), arrays([(3, 4), (5, 4)], ("f8", "f4", "i8")), st.booleans()),
        min_size=1,
        max_size=6,
    )
)
def test_writing(calls):
    kernel = stax.kernel(max_versions=64)(writing)
    for x, y, alias in [*calls, *calls]:
        agree(kernel, writing, (x, x) if alias else (x, y))
    served(kernel)


@QUIET
@given(st.lists(st.tuples(arrays(MATRICES, ("f4", "f8")), st.sampled_from((0, 1, -1))), min_size=3, max_size=10))
def test_few_versions_are_kept(calls):
    def total(x, axis):
        return x.sum(axis=axis) + 1

    kernel = stax.kernel(max_versions=2)(total)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stax.StaxWarning)
        for x, axis in [*calls, *calls]:
            agree(kernel, total, (x, axis))
    assert kernel.stats().versions <= 2
