"""Means, variances and their relatives, natively, against NumPy: dtypes, axes, keepdims, ddof, masks, empty arrays, NaN."""

from __future__ import annotations

import numpy as np
import pytest

from tests.stdlib.against_numpy import COMPLEX, FLOATS, INTEGERS, agree, draw

AXES = (
    "f(x)",
    "f(x, axis=0)",
    "f(x, -1, keepdims=True)",
    "f(x, axis=(0, 1))",
    "f(x, axis=(), keepdims=True)",
    "f(x, axis=5)",
    "f(x, axis=(0, 0))",
)
DTYPES = (*INTEGERS, *FLOATS, *COMPLEX)


@pytest.mark.parametrize("dtype", DTYPES)
def test_mean(dtype: str) -> None:
    variants = (*AXES, "f(x, axis=1, where=m)", "f(x, where=m[0])", "f(x, axis=0, dtype=np.complex128)", "f(x, 0, np.float32)")
    agree("mean", np.mean, variants, {"x": draw(dtype, 5, 7), "m": draw("?", 5, 7, seed=1)}, terms=8)
    agree("mean", np.mean, AXES, {"x": draw(dtype, 3, 4, 2)}, terms=8)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_variances(name: str, dtype: str) -> None:
    variants = (
        *AXES, "f(x, ddof=1)", "f(x, axis=0, ddof=1, keepdims=True)", "f(x, axis=1, ddof=5)", "f(x, axis=1, ddof=7)", "f(x, 1, where=m)",
        "f(x, axis=0, correction=1)", "f(x, axis=0, mean=x.mean(axis=0, keepdims=True))", "f(x, axis=0, dtype=np.float64)",
    )  # fmt: skip
    agree(name, getattr(np, name), variants, {"x": draw(dtype, 5, 7), "m": draw("?", 5, 7, seed=1)}, factor=4, terms=8)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f4", "f8", "c16"])
def test_of_nothing(name: str, dtype: str) -> None:
    variants = ("f(x)", "f(x, axis=0)", "f(x, axis=1)", "f(x, axis=1, keepdims=True)")
    for shape in ((0, 3), (3, 0), (0, 0)):
        agree(name, getattr(np, name), variants, {"x": draw(dtype, *shape)})


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nancumsum", "nancumprod"])
@pytest.mark.parametrize("dtype", [*FLOATS, "c16", "i4", "u1", "?"])
def test_without_nan(name: str, dtype: str) -> None:
    if name in ("nanmax", "nanmin") and dtype == "c16":
        return  # complex numbers have no order here
    x = draw(dtype, 4, 6, nan=dtype[0] in "fc", scale=1.5)
    if dtype[0] in "fc":
        x[:, 2] = np.nan
        x[1] = np.nan
    cumulative = name.startswith("nancum")
    variants = ["f(x)", "f(x, axis=0)", "f(x, axis=-1)", "f(x, axis=3)"]
    if not cumulative:
        variants += ["f(x, axis=(0, 1))", "f(x, axis=1, keepdims=True)"]
    if name in ("nansum", "nanprod"):
        variants += ["f(x, axis=0, initial=2)", "f(x, axis=0, where=m)", "f(x, dtype=np.complex128)"]
    elif name in ("nanmax", "nanmin"):
        variants += ["f(x, axis=0, initial=1)", "f(x, axis=0, initial=1, where=m)"]
    elif name in ("nanvar", "nanstd"):
        variants += ["f(x, axis=0, ddof=1)", "f(x, axis=1, ddof=3)", "f(x, axis=0, where=m)"]
    agree(name, getattr(np, name), variants, {"x": x, "m": draw("?", 4, 6, seed=2)}, factor=4, terms=24)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanmax"])
def test_of_nothing_without_nan(name: str) -> None:
    for shape in ((0, 3), (3, 0)):
        agree(name, getattr(np, name), ("f(x)", "f(x, axis=0)", "f(x, axis=1)"), {"x": draw("f8", *shape)})


@pytest.mark.parametrize("dtype", ["i4", *FLOATS, "c16"])
def test_average(dtype: str) -> None:
    variants = (
        "f(x)", "f(x, axis=0)", "f(x, axis=1, keepdims=True)", "f(x, weights=w)", "f(x, axis=0, weights=w, returned=True)",
        "f(x, axis=1, weights=w[0])", "f(x, axis=-1, weights=w[0], keepdims=True, returned=True)", "f(x, weights=w[0])",
        "f(x, axis=0, weights=w[0])", "f(x, axis=(0, 1), weights=w)", "f(x, returned=True)",
    )  # fmt: skip
    agree("average", np.average, variants, {"x": draw(dtype, 4, 6), "w": np.abs(draw("f8", 4, 6, seed=5)) + 0.5}, factor=4, terms=8)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_covariances(dtype: str) -> None:
    variants = (
        "f(x)", "f(x, rowvar=False)", "f(x, bias=True)", "f(x, ddof=0)", "f(x[0])", "f(x[0], x[1])", "f(x, fweights=k)",
        "f(x, aweights=a)", "f(x, fweights=k, aweights=a, ddof=0)", "f(x, dtype=np.float32)", "f(x[:, :1])",
    )  # fmt: skip
    arrays = {"x": draw(dtype, 3, 8), "k": np.arange(1, 9), "a": np.linspace(0.5, 2, 8)}
    if dtype == "c16":
        variants = variants[:9]
    agree("cov", np.cov, variants, arrays, factor=8, terms=8)
    if dtype != "c16":
        agree("corrcoef", np.corrcoef, ("f(x)", "f(x, rowvar=False)", "f(x[0], x[1])"), {"x": arrays["x"]}, factor=8, terms=8)
