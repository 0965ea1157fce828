"""Comparing a kernel with the plain function it was made of: values, dtypes, kinds of containers, aliasing and in-place effects."""

import copy

import numpy as np


def same(got, expected, rtol=1e-5):
    """Equal in type, dtype, shape and value."""
    assert type(got) is type(expected), (type(got), type(expected))
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other, rtol)
    elif isinstance(expected, dict):
        assert list(got) == list(expected)
        for key in expected:
            same(got[key], expected[key], rtol)
    elif hasattr(expected, "__dataclass_fields__"):
        for name in expected.__dataclass_fields__:
            same(getattr(got, name), getattr(expected, name), rtol)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, expected.dtype, got.shape, expected.shape)
        if expected.dtype.kind in "fc":
            np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-6)
        else:
            np.testing.assert_array_equal(got, expected)
    elif isinstance(expected, float):
        assert got == expected or abs(got - expected) <= rtol * abs(expected) or (got != got and expected != expected)
    else:
        assert got == expected


def check(kernel, *args, calls=2, route="native", native=True, **kwargs):
    """Call the kernel (several times: the first compiles, later ones go through the native entry) and the plain function; all agrees,
    what they did to their arguments included. `native`: the last call was served by native code, nothing of it by Python."""
    for number in range(calls):
        mine, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
        before = native_hits(kernel)
        got = kernel(*mine[0], **mine[1])
        after = native_hits(kernel)
        with np.errstate(all="ignore"):
            expected = kernel.__wrapped__(*theirs[0], **theirs[1])
        same(got, expected)
        same(mine, theirs)
        if number and native and route == "native":
            assert after == before + 1, kernel.explain_misses()
    assert kernel.stats().route == route
    return got


def native_hits(kernel):
    """Calls that native code has served."""
    return kernel._dispatcher.native_hits
