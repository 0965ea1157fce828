"""Lists, tuples and ranges beside arrays are arrays, as in NumPy; what equals no number equals no element."""

import numpy as np
import pytest

import staxlang as stax
from tests.runtime.agreement import same


def updated(x):
    x += [1, 2, 3]
    return x


PROGRAMS = [
    lambda x: x + [1, 2, 3],
    lambda x: (1, 2, 3) - x,
    lambda x: x * [x, x],
    lambda x: x * [[1], [2]],
    lambda x: x / range(1, 4),
    lambda x: x ** [1, 2, 3],
    lambda x: divmod(x, (1, 2, 3)),
    lambda x: x @ [1.0, 2.0, 3.0],
    lambda x: [[1, 2, 3], [4, 5, 6]] @ x,
    lambda x: x.astype("f4") * [1, 2, 3],
    lambda x: x.astype("i1") * [True, False, True],
    lambda x: x == [0, 1, 5],
    lambda x: x != (0, 1, 5),
    lambda x: [0, 1, 5] == x,
    lambda x: x < [1, 1, 1],
    lambda x: [1, 1, 1] >= x,
    lambda x: x == None,  # noqa: E711
    lambda x: None != x,  # noqa: E711
    lambda x: x == "a",
    lambda x: x[0] == [0, 1],
    lambda x: x[1] + (1, 2),
    lambda x: (x[0] is None, x is not None, [1, 2] + [3], (1, 2) * 2),
    updated,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_as_in_numpy(function):
    kernel = stax.kernel(function)
    for _ in range(2):
        mine, theirs = np.arange(3.0), np.arange(3.0)
        same(kernel(mine), function(theirs), 1e-12)
        same(mine, theirs, 0)
    assert kernel.stats().route == "native"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x: x == [1, 2], ValueError),
        (lambda x: x + [1, 2], ValueError),
        (lambda x: x + ["a"], TypeError),
        (lambda x: x[0] * [1, 2], TypeError),
        (lambda x: x + {1, 2}, TypeError),
    ],
)
def test_what_numpy_refuses(function, kind):
    with pytest.raises(kind):
        function(np.arange(3.0))
    with pytest.raises(kind) as caught:
        stax.kernel(function)(np.arange(3.0))
    assert isinstance(caught.value, stax.StaxError)


BIG = 10**30


@pytest.mark.parametrize(
    "function",
    [lambda n: n * BIG, lambda n: BIG + n, lambda n: BIG % n, lambda n: min(n, BIG), lambda n: n < BIG, lambda n: (n * 5 + 3) % 2**64],
)
def test_a_constant_beyond_64_bits_beside_a_number_of_the_call(function):
    with pytest.raises(OverflowError, match="does not fit i64"):
        stax.kernel(function)(7)


@pytest.mark.parametrize("function", [lambda n: n * 2.5 + BIG, lambda n: 2**n, lambda n: (n, BIG, BIG + 1), lambda n: 2 ** (n + 60)])
def test_large_constants_that_are_exact(function):
    assert stax.kernel(function)(7) == function(7)


def test_a_captured_integer_that_grows_beyond_64_bits_and_back():
    global BIG
    kernel = stax.kernel(lambda x: (x + BIG % 1000, BIG))
    before = BIG
    try:
        for value in (5, 10**30 + 7, 10**30 + 8, 6, -(2**63) - 1):
            BIG = value
            same(kernel(np.arange(3.0)), kernel.__wrapped__(np.arange(3.0)), 0)
    finally:
        BIG = before
