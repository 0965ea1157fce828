"""Fourier transforms in kernels against NumPy's, bit for bit: dtypes, sizes, axes, scalings, strides, what is refused."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.parser.library import namespace_names
from staxlang.runtime import operations
from tests.index_notation.everywhere import in_all_forms
from tests.stdlib.against_numpy import COMPLEX, FLOATS, INTEGERS, compiled, draw, examples

NAMES = namespace_names("fft")
EXAMPLES = examples("fft")
ALONG = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
GRIDS = ("fftn", "ifftn", "rfftn", "irfftn")
PLANES = ("fft2", "ifft2", "rfft2", "irfft2")
Array = np.ndarray[Any, Any]


def equal(got: Any, want: Any, what: str) -> None:
    assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape, what
    np.testing.assert_array_equal(got, want, what)


def agree(texts: list[str], **arrays: Any) -> None:
    """The texts in one kernel give what they give in Python; what NumPy refuses is refused."""
    wanted: dict[str, Any] = {}
    refused: list[str] = []
    for text in texts:
        try:
            with np.errstate(all="ignore"):
                wanted[text] = eval(text, {"np": np, **arrays})
        except (ValueError, TypeError, IndexError, ZeroDivisionError):
            refused.append(text)
    if wanted:
        kernel = compiled("(" + ", ".join(wanted) + ",)", list(arrays), {"np": np})
        for (text, want), got in zip(wanted.items(), kernel(**arrays), strict=True):
            equal(got, want, f"{text} of {arrays}")
        stats = kernel.stats()
        assert stats.route == "native" and stats.fallbacks == 0
    for text in refused:
        with pytest.raises(stax.StaxError) as caught:
            compiled(text, list(arrays), {"np": np})(**arrays)
        assert caught.value.code in (
            "not-accepted",
            "kind-not-accepted",
            "division-not-accepted",
            "position-out-of-range",
            "axis-out-of-range",
        ), (text, caught.value)


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, *COMPLEX))
def test_dtypes(dtype: str) -> None:
    x = draw(dtype, 3, 8)
    agree([f"np.fft.{name}(x)" for name in (*ALONG, *GRIDS, *PLANES)], x=x)


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (64,), (101,), (2, 1), (4, 5), (2, 3, 4), (0, 4)])
def test_shapes(shape: tuple[int, ...]) -> None:
    for dtype in ("f8", "c8"):
        x = draw(dtype, *shape)
        agree([f"np.fft.{name}(x{extra})" for name in ALONG for extra in ("", ", axis=0", ", 5", ", n=12", ", n=1")], x=x)
        agree([f"np.fft.{name}(x)" for name in (*GRIDS, *PLANES)], x=x)


@pytest.mark.parametrize("shape", [(4, 0), (0,)])
def test_empty_axes(shape: tuple[int, ...]) -> None:
    """What is transformed then is zeros. (NumPy's irfft reads beyond the array.)"""
    for dtype in ("f8", "c8"):
        x = draw(dtype, *shape)
        agree([f"np.fft.{name}(x{extra})" for name in ("fft", "ifft", "rfft", "ihfft") for extra in ("", ", axis=0", ", 5", ", n=1")], x=x)
        for function in (stax.fft.irfft, stax.fft.hfft):
            got = function(x, 5)
            assert got.shape == (*shape[:-1], 5) and got.dtype == x.real.dtype and not got.any()
            with pytest.raises(stax.StaxError, match="at least one point"):
                function(x)


@pytest.mark.parametrize("name", ALONG)
def test_options_of_one_axis(name: str) -> None:
    x = draw("f4", 4, 6, 5)
    options = [
        "norm='ortho'",
        "norm='forward'",
        "norm='backward'",
        "axis=1, norm='ortho'",
        "9, 0, 'forward'",
        "n=3, axis=-3",
        "n=0",
        "axis=3",
        "norm='full'",
    ]
    agree([f"np.fft.{name}(x, {one})" for one in options], x=x)
    agree([f"np.fft.{name}(x{one})" for one in ("[::-1, ::2]", ".T", "[:, :, ::-1].swapaxes(0, 1)", "[1:, 2]", " * 2 + 1")], x=x)


@pytest.mark.parametrize("name", (*GRIDS, *PLANES))
def test_options_of_several_axes(name: str) -> None:
    x = draw("f8", 3, 4, 6)
    options = [
        "axes=(0, 2)",
        "axes=(2, 0), norm='ortho'",
        "s=(5, 3), axes=(0, 1)",
        "s=(-1, 8), axes=(1, 2), norm='forward'",
        "axes=(1, 1)",
        "axes=(1,)",
    ]
    agree([f"np.fft.{name}(x, {one})" for one in [*options, "axes=(0, 3)", "s=(1, 2, 3), axes=(0, 1)", "s=(0, 2), axes=(0, 1)"]], x=x)


def test_nothing_to_transform() -> None:
    agree(["np.fft.fftn(x, axes=())", "np.fft.ifftn(x, axes=())"], x=draw("c16", 3, 4))
    agree(["np.fft.fft(x)", "np.fft.rfft(x)"], x=np.float64(2.0))


def test_not_a_number() -> None:
    agree([f"np.fft.{name}(x)" for name in ALONG], x=np.array([1.0, np.nan, np.inf, -2.0]))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies(n: int) -> None:
    agree(
        [f"np.fft.{name}({n}{extra})" for name in ("fftfreq", "rfftfreq") for extra in ("", ", 0.1", ", d=4")] + ["np.fft.fftfreq(0)"],
        x=1.0,
    )
    x = draw("f8", n)
    kernel = compiled("np.fft.fftfreq(x.shape[0], d), np.fft.rfftfreq(x.shape[0], d=d)", ["x", "d"], {"np": np})
    for got, want in zip(kernel(x, 0.3), (np.fft.fftfreq(n, 0.3), np.fft.rfftfreq(n, d=0.3)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15)


@pytest.mark.parametrize("shape", [(1,), (5,), (6,), (3, 4), (0, 3)])
def test_shifts(shape: tuple[int, ...]) -> None:
    for dtype in ("?", "i2", "f4", "c16"):
        agree(
            [f"np.fft.{name}(x{axes})" for name in ("fftshift", "ifftshift") for axes in ("", ", 0", ", axes=(-1,)", ", (0, -1)")],
            x=draw(dtype, *shape),
        )


def test_results_into_an_array() -> None:
    @stax.kernel
    def spectrum(x, out):
        np.fft.fft(x, out=out)
        return np.fft.ihfft(x, out=out[:5])

    x, out = draw("f8", 8), np.zeros(8, complex)
    got = spectrum(x, out)
    want = np.fft.fft(x)
    want[:5] = np.fft.ihfft(x)
    equal(out, want, "out")
    equal(got, want[:5], "what is returned")
    assert spectrum.stats().route == "native" and spectrum.stats().fallbacks == 0


def test_symbolic_sizes() -> None:
    """One program for all sizes."""

    @stax.kernel
    def transforms(x):
        n = x.shape[1]
        return np.fft.rfft(x), np.fft.irfft(np.fft.rfft(x), n), np.fft.fft2(x, s=(2 * n, n), norm="ortho"), np.fft.fft(x, n=n + 3, axis=0)

    compiled_once = transforms.lower(stax.spec(("N", "M"), np.float32)).compile()
    for shape in ((3, 5), (4, 8), (1, 1), (7, 30)):
        x = draw("f4", *shape)
        n = shape[1]
        wanted = (
            np.fft.rfft(x),
            np.fft.irfft(np.fft.rfft(x), n),
            np.fft.fft2(x, s=(2 * n, n), norm="ortho"),
            np.fft.fft(x, n=n + 3, axis=0),
        )
        for got, want in zip(compiled_once(x), wanted, strict=True):
            equal(got, want, str(shape))
    assert compiled_once.engine == "cpu"


@stax.kernel
def fast_convolution(a, b):
    """The full convolution of two real signals along the last axis, by the convolution theorem."""
    n = a.shape[-1] + b.shape[-1] - 1
    size = 1
    while size < n:
        size *= 2
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[..., :n]


def test_convolution() -> None:
    for n, m in ((1, 1), (100, 7), (64, 65)):
        a, b = draw("f8", n), draw("f8", m, seed=1)
        np.testing.assert_allclose(fast_convolution(a, b), np.convolve(a, b), atol=1e-12)
    assert fast_convolution.stats().fallbacks == 0
    report = str(fast_convolution.explain(draw("f8", 2, 100), draw("f8", 7)))
    assert "extern fft.rfft" in report and "extern fft.irfft" in report


def test_a_poisson_equation() -> None:
    """On a periodic square: the transform turns the Laplacian into a product."""

    @stax.kernel
    def solve(f):
        k = 2 * np.pi * np.fft.fftfreq(f.shape[0], 1 / f.shape[0])
        squares = k[:, None] ** 2 + k**2
        return np.fft.ifft2(np.where(squares > 0, np.fft.fft2(f) / np.where(squares > 0, squares, 1), 0)).real

    x = np.arange(32) / 32
    u = np.sin(2 * np.pi * x)[:, None] * np.cos(4 * np.pi * x)
    np.testing.assert_allclose(solve(u * (2 * np.pi) ** 2 * 5), u, atol=1e-13)


def test_every_form_of_the_program() -> None:
    """The captured graph, the optimized one, the loops and their schedule mean the same."""

    @stax.kernel
    def transforms(x):
        return np.fft.fft(x[::-1], 5) + np.fft.ifft(x, 5), np.fft.irfft(x)

    x = draw("f4", 2, 4)
    wanted = (np.fft.fft(x[::-1], 5) + np.fft.ifft(x, 5), np.fft.irfft(x))
    in_all_forms(transforms.lower(stax.spec(x.shape, x.dtype)).captured, [x], wanted)


def test_what_is_no_operand_is_refused() -> None:
    with pytest.raises(stax.StaxError, match="transforms take"):
        stax.kernel(lambda x: np.fft.fft(x)).lower(stax.spec((4,), stax.bf16))
    with pytest.raises(stax.StaxError, match="does not take complex"):
        stax.fft.rfft(np.zeros(4, complex))


def test_libraries_without_python_cannot_have_it(tmp_path: Path) -> None:
    module = stax.load_text("import fft\nkernel spectrum(x: f64[N]):\n    return fft.rfft(x)\n")
    equal(module.spectrum(np.arange(6.0)), np.fft.rfft(np.arange(6.0)), "in .stx")
    with pytest.raises(stax.StaxError, match="runs inside Python"):
        stax.build(module, tmp_path / "libs.so")


# ---- the namespace ----


@pytest.mark.parametrize(("name", "call", "expected"), EXAMPLES, ids=[call for _, call, _ in EXAMPLES])
def test_example(name: str, call: str, expected: str) -> None:
    got = eval(call, {one: getattr(stax.fft, one) for one in NAMES})
    np.testing.assert_array_equal(got, ast.literal_eval(expected))
    assert operations.kernel_of(f"fft.{name}").stats().route == "native"


def test_the_namespace() -> None:
    assert set(dir(stax.fft)) == set(NAMES) >= {*ALONG, *GRIDS, *PLANES} and "fft" in dir(stax)
    with pytest.raises(AttributeError, match=r"did you mean `rfft2`"):
        stax.fft.rftf2  # noqa: B018
    assert stax.fft.fft.__doc__ and "norm" in str(stax.fft.fft.__signature__)
