"""Options of ufuncs and reductions against NumPy: `dtype=`, `casting=`, `order=`, `out=` of another dtype, masks, starts, axes; what is
refused, as the same kind of exception."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.stdlib.against_numpy import agree_in_numpy, compiled, draw

Array = np.ndarray[Any, Any]
CASTING = ("no", "equiv", "safe", "same_kind", "unsafe")
LOOPS = ("sqrt", "absolute", "negative", "isnan", "rint", "bitwise_count", "logical_not", "invert", "arccosh")
PAIRS = ("add", "divide", "floor_divide", "maximum", "less", "logical_and", "bitwise_or", "ldexp", "float_power", "hypot")


@pytest.mark.parametrize("dtype", ("?", "i2", "u1", "f4", "c16"))
def test_loops_that_are_asked_for(dtype: str) -> None:
    """`dtype=` names a loop, or there is none; `casting=` says what operands may be converted to it."""
    x, y = np.abs(draw(dtype, 3)), np.abs(draw(dtype, 3, seed=1))
    wanted = ("bool", "np.int16", "np.uint8", "np.float32", "float", "np.complex64")
    texts = [f"np.{name}(x, dtype={one})" for name in LOOPS for one in wanted]
    texts += [f"np.{name}(x, y, dtype={one})" for name in PAIRS for one in wanted if "pow" not in name or "int" not in one]
    texts += [f"np.{name}(x, casting={rule!r})" for name in ("sqrt", "negative", "isnan", "logical_not") for rule in CASTING]
    texts += [f"np.add(x, {other}, casting={rule!r})" for other in ("y", "i", "True") for rule in CASTING]
    agree_in_numpy(texts, 4.0, x=x, y=y, i=np.array([1, 2, 3]))


def test_numbers_beside_loops() -> None:
    texts = [
        "np.sqrt(2, casting='no')",
        "np.negative(2, casting='no')",
        "np.add(1.5, 2, dtype=np.float32)",
        "np.add(1.5, 1, dtype=np.int32)",
    ]
    texts += [
        "np.sign(-129, dtype=np.uint64)",
        "np.add(x, 2j, dtype=np.float32)",
        "np.greater(np.int8(3), 70000)",
        "np.add(x, 1, casting='equiv')",
    ]
    agree_in_numpy(
        [*texts, "np.logical_and(np.float64(0.5), 2j)", "np.add(x, 1, casting='no')", "np.add(x, 1, casting='any')"], x=draw("f4", 3)
    )


@pytest.mark.parametrize("order", "CFAK")
def test_order_of_results(order: str) -> None:
    c = draw("f8", 3, 4)
    given = {"c": c, "f": np.asfortranarray(c), "p": np.ascontiguousarray(draw("f8", 2, 3, 4).transpose(2, 0, 1)).transpose(1, 2, 0)}
    for text in ("np.exp(c{})", "np.exp(f{})", "np.add(f, f{})", "np.add(c, f{})", "np.negative(p{})", "np.isnan(f{})"):
        call = text.format(f", order={order!r}")
        got = compiled(call, list(given), {"np": np})(**given)
        assert got.strides == eval(call, {"np": np, **given}).strides, call


REDUCED = ("sum", "prod", "max", "min", "mean", "var", "any", "all", "ptp", "median", "nansum", "nanmax", "nanmean", "cumsum", "argmax")


@pytest.mark.parametrize("into", ("?", "i4", "u1", "f4", "f8", "c16"))
def test_reductions_into_another_dtype(into: str) -> None:
    """What is reduced is converted whatever it is; what comes last in NumPy's function as a ufunc is not."""
    for dtype in ("f8", "i2", "?"):
        x = np.abs(draw(dtype, 3, 4, scale=2.0)) + np.array(1, dtype)
        for name in (*REDUCED, "std", "quantile", "cumulative_sum", "trace"):
            first = "np.quantile(x, 0.5" if name == "quantile" else f"np.{name}(x"
            for more, shape in ((", axis=0", (4,)), ("", ())):
                if (name == "ptp" and dtype == "?") or (name == "trace" and more) or ("cum" in name and not more):
                    continue
                shape = (3, 4) if "cum" in name else shape
                agree_in_numpy([f"{first}{more}, out=o)"], 8.0, 5, x=x, o=np.zeros(shape, into))


def test_out_of_another_shape() -> None:
    x = draw("f8", 3, 4)
    for name in (*REDUCED[:-1], "std", "nanstd"):
        o = np.zeros((3, 4) if name != "cumsum" else (2, 3, 4))
        agree_in_numpy([f"np.{name}(x, axis=1, out=o)", f"np.{name}(x, axis=0, out=o)"], x=x, o=o)


def test_masks_of_reductions() -> None:
    given = {
        "x": draw("f8", 3, 4),
        "m": draw("?", 3, 4, seed=1),
        "row": draw("?", 4, seed=2),
        "deep": draw("?", 2, 3, 4),
        "one": draw("f8", 1, 4),
    }
    names = ("sum", "prod", "max", "min", "mean", "any", "nansum", "nanmax", "add.reduce", "logical_or.reduce", "hypot.reduce")
    start = {"max": ", initial=-9", "min": ", initial=9", "nanmax": ", initial=-9"}
    texts = [f"np.{name}(x, where={m}{start.get(name, '')})" for name in names for m in ("m", "row", "deep", "m[:2]")]
    texts += [f"np.{name}(one, where=m{start.get(name, '')})" for name in names] + ["np.max(x, where=m)", "np.nanmin(x, where=m)"]
    agree_in_numpy(texts, 4.0, 12, **given)


def test_starts_and_axes() -> None:
    texts = [f"np.{name}(x, initial=1j)" for name in ("sum", "prod", "max", "min", "nansum")] + [
        "np.sum(x, initial=2)",
        "np.sum(c, initial=1j)",
    ]
    texts += [
        f"np.{name}(z, axis={k})" for name in ("median", "quantile", "argmin", "sum") for k in (0, -1, 1, (0, 0)) if name != "quantile"
    ]
    texts += [
        "np.quantile(z, 0.5, axis=0)",
        "np.cumulative_sum(x)",
        "np.cumulative_sum(x, axis=(0,))",
        "np.cumulative_prod(x, axis=(0, 1))",
    ]
    texts += ["np.rot90(x, 1, (0, 3))", "np.insert(x, 1, 5, axis=3)", "np.linalg.vector_norm(x, axis=(0, 3))", "np.quantile(c, 0.5)"]
    texts += ["np.isposinf(c)", "np.std(v, dtype=int)", "np.std(x, axis=0, dtype=int)", "np.nanmean(x, dtype=int)", "np.i0(c)"]
    texts += [
        "np.average(x, weights=[[0, 0]] * 2)",
        "np.average(v, weights=[1, -1, 0])",
        "np.average(v, weights=[1, 2, 0])",
        "np.average(x, weights=v)",
    ]
    agree_in_numpy(texts, 4.0, 4, x=draw("f8", 2, 2), v=draw("f8", 3), c=draw("c16", 3), z=np.array(2.5))


def test_memory_order_of_reductions() -> None:
    f = np.asfortranarray(draw("f8", 3, 4))
    for text in ("np.sum(f, axis=())", "np.max(f, axis=())", "np.any(f, axis=())", "np.cumulative_sum(f, axis=1, include_initial=True)",
                 "np.cumulative_sum(f, axis=0)", "np.count_nonzero(f, axis=())"):  # fmt: skip
        assert compiled(text, ["f"], {"np": np})(f=f).strides == eval(text, {"np": np, "f": f}).strides, text


def test_memory_order_of_transforms_and_their_like() -> None:
    f = np.asfortranarray(draw("f8", 3, 4))
    p = np.ascontiguousarray(draw("f8", 4, 2, 3)).transpose(1, 2, 0)
    texts = ["fft(f)", "fft(f, axis=0)", "rfft(f)", "ifft(p, axis=0)", "irfft(f)", "hfft(f)", "fftn(p)", "rfftn(p)", "irfft2(p)"]
    for text in [*(f"np.fft.{one}" for one in texts), "np.gradient(p, axis=0)", "np.round(i)", "np.imag(f)", "np.isreal(f)"]:
        given = {"f": f, "p": p, "i": f.astype(int)}
        got, want = compiled(text, list(given), {"np": np})(**given), eval(text, {"np": np, **given})
        assert got.strides == want.strides and np.allclose(got, want), text
