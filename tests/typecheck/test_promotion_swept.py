"""Every ufunc and operator, every dtype, every kind of Python number on either side: the dtype of the result is NumPy's."""

import linecache
import warnings

import numpy as np
import pytest

import staxlang as stax

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
NUMBERS = ("True", "2", "3", "2.0", "0.5", "2j")
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=")
EXPONENTS = (
    "0", "1", "2", "3", "2.0", "0.5", "True", "2 + 0j", "np.int64(2)", "np.int8(2)", "np.array(2)", "np.array([2, 2])", "len(x)", "k", "m",
)  # fmt: skip
REDUCTIONS = ("sum", "prod", "max", "mean", "var", "std", "cumsum", "cumprod", "argmax", "any", "all", "ptp")


def expressions():
    for name in sorted(dir(np)):
        ufunc = getattr(np, name)
        if not isinstance(ufunc, np.ufunc) or ufunc.signature is not None or ufunc.nout != 1:
            continue
        if ufunc.nin == 1:
            yield f"np.{name}(x)"
        else:
            for number in NUMBERS:
                yield from (f"np.{name}(x, {number})", f"np.{name}({number}, x)")
    for operator in OPERATORS:
        for number in NUMBERS:
            yield from (f"x {operator} {number}", f"({number}) {operator} x")
    for number in NUMBERS:
        yield from (f"np.where(x, x, {number})", f"np.where(x, {number}, x)", f"np.full_like(x, {number})", f"np.append(x, {number})")
        yield from (f"np.clip(x, 0, {number})", f"x[0] + {number}", f"x[0] ** {number}")
        yield from (f"np.where(x, {number}, {other})" for other in NUMBERS)
    yield from (f"{base} ** ({exponent})" for base in ("x", "x[:0]", "x[0]", "x.sum()") for exponent in EXPONENTS)
    yield from (f"np.{name}(x)" for name in REDUCTIONS)


def function_of(text):
    name = f"<promotion {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def accepted(array):
    """The expressions that NumPy computes for an array."""
    space = {"np": np, "x": array, "k": 2, "m": 3}
    for text in expressions():
        try:
            eval(text, space)
        except (TypeError, ValueError, OverflowError):
            continue
        yield text


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_dtype_is_numpy_s(dtype):
    array = np.ones(2, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        texts = list(dict.fromkeys(accepted(array)))
        assert len(texts) > 150
        function = function_of("def f(x, k, m):\n    return [\n" + "".join(f"        {text},\n" for text in texts) + "    ]\n")
        got = stax.kernel(function, engine="reference")(array, 2, 3)
        expected = function(array, 2, 3)
    wrong = {
        text: (np.asarray(one).dtype, np.asarray(other).dtype)
        for text, one, other in zip(texts, got, expected, strict=True)
        if np.asarray(one).dtype != np.asarray(other).dtype or not np.allclose(one, other, rtol=1e-2, equal_nan=True)
    }
    assert wrong == {}


def test_the_square_of_booleans():
    kernel = stax.kernel(lambda x, k: x**k)
    x = np.array([True, False, True])
    for k in (2, 3, 2, 0, 1, 2.0, 2):
        made = kernel(x, k)
        assert made.dtype == (x**k).dtype and np.array_equal(made, x**k)
    assert kernel.stats().route == "native" and kernel.stats().versions <= 4
