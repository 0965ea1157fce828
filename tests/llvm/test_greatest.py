"""Exponentials of elements less their greatest: cheaper code where that is so, and only there."""

import numpy as np
import pytest

import staxlang as stax


def shifted(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def logarithm(x):
    m = x.max(axis=-1, keepdims=True)
    return np.log(np.exp(x - m).sum(axis=-1)) + m[..., 0]


def scaled(x):
    y = x * 3
    e = np.exp(y - y.max(axis=-1, keepdims=True))
    return e, e.sum(axis=-1)


def written_between(x):
    m = x.max(axis=-1, keepdims=True)
    x[...] = x * 0.5 + 40
    return np.exp(x - m)


def of_another(x):
    return np.exp(x - x[:, : x.shape[1] // 2].max(axis=-1, keepdims=True))


def turned(x):
    return np.exp(x.max(axis=-1, keepdims=True) - x)


def one_factor(kernel, x):
    """Whether the program's exponentials scale by one factor."""
    return "lshr" not in kernel.show("llvm", x)


def rows(dtype, shape):
    x = np.random.default_rng(3).uniform(-30, 30, shape).astype(dtype)
    x[1], x[2, ::3], x[3, 1] = -np.inf, -np.inf, np.nan
    x[4, 0], x[5] = np.inf, np.linspace(-120, 0, shape[1]) if dtype is np.float32 else np.linspace(-760, 0, shape[1])
    return x


@pytest.mark.parametrize("shape", [(7, 3), (8, 65), (9, 1000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("program", [shifted, logarithm, scaled, written_between, of_another, turned])
def test_against_numpy(program, dtype, shape):
    """Rows of infinities, of NaN, down to subnormal results; arrays that are written to between the greatest and its use."""
    kernel, x = stax.kernel(program), rows(dtype, shape)
    kernel(x.copy())
    mine, theirs = x.copy(), x.copy()
    got = kernel(mine)
    with np.errstate(all="ignore"):
        expected = program(theirs)
    tiny = np.finfo(dtype).smallest_subnormal
    for one, other in zip(*((v if isinstance(v, tuple) else (v,)) for v in (got, expected)), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=3e-6 if dtype is np.float32 else 1e-14, atol=2 * tiny)
    np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0


def test_only_where_it_is_known():
    x = rows(np.float32, (8, 64))
    if "zmm" in stax.kernel(shifted).show("asm", x):
        pytest.skip("one instruction scales")
    known = {program.__name__: one_factor(stax.kernel(program), x) for program in (shifted, logarithm, written_between, of_another, turned)}
    assert known == {"shifted": True, "logarithm": True, "written_between": False, "of_another": False, "turned": False}
