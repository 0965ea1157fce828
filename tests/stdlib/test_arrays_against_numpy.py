"""Sequences, matrices, products, neighbours, questions, joining and places, natively, against NumPy over dtypes, axes and odd inputs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from staxlang.typecheck.surface.library import LIBRARY_SPELLINGS
from tests.stdlib.against_numpy import COMPLEX, FLOATS, agree, draw

DTYPES = ("?", "i1", "i4", "u2", *FLOATS, "c16")
NUMBERS = DTYPES[1:]
SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 2.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e308, 0.3])


# ---- sequences ----


def test_sequences() -> None:
    agree(
        "linspace", np.linspace,
        ("f(0, 1)", "f(2.5, -1, 7)", "f(0, 1, 1)", "f(0, 1, 0)", "f(0, 1, 5, endpoint=False)", "f(1, 2, 6, retstep=True)", "f(a, b, 4)",
         "f(a, b, 4, axis=-1)", "f(a, b, 3, axis=1, endpoint=False)", "f(0, 10, 4, dtype=int)", "f(-10, 0, 4, dtype=np.int32)",
         "f(0, 5e-324, 3)", "f(1j, 2, 3)", "f(0, 1, 4, dtype=np.float32)", "f(0, 1, -1)"),
        {"a": draw("f8", 2, 3), "b": draw("f4", 3)}, factor=2,
    )  # fmt: skip
    agree(
        "logspace",
        np.logspace,
        ("f(0, 2)", "f(0, 2, 5)", "f(1, 3, 4, base=2)", "f(a, 2, 3)", "f(0, 1, 4, endpoint=False)"),
        {"a": draw("f8", 3)},
        factor=8,
    )
    agree(
        "geomspace",
        np.geomspace,
        ("f(1, 256, 9)", "f(-4.0, -1000, 5)", "f(1, 1000, 4, endpoint=False)", "f(a, 100.0, 5)"),
        {"a": np.array([1.0, 3.0])},
        factor=8,
    )
    for name in ("bartlett", "hanning", "hamming", "blackman"):
        agree(name, getattr(np, name), ("f(0)", "f(1)", "f(2)", "f(7)", "f(16)"), {"x": draw("f8", 1)}, factor=4)
    agree(
        "eye",
        np.eye,
        ("f(3)", "f(3, 4)", "f(2, 5, 1)", "f(4, k=-2)", "f(3, dtype=np.int8)", "f(3, dtype=bool)", "f(0)"),
        {"x": draw("f8", 1)},
    )
    agree("identity", np.identity, ("f(3)", "f(2, np.complex64)", "f(0)"), {"x": draw("f8", 1)})
    agree("tri", np.tri, ("f(3)", "f(3, 5, 1)", "f(4, 2, -1)", "f(3, dtype=np.int32)", "f(0)"), {"x": draw("f8", 1)})
    agree("indices", np.indices, ("f((2, 3))", "f((2, 3, 4), sparse=True)", "f((3,), dtype=np.int32)", "f((0, 2))"), {"x": draw("f8", 1)})


@pytest.mark.parametrize("dtype", DTYPES)
def test_grids(dtype: str) -> None:
    vectors = {"x": draw(dtype, 3), "y": draw("i4", 4), "z": draw("f4", 2)}
    variants = tuple(
        f"f({names}, indexing='{order}', sparse={sparse})"
        for names in ("x", "x, y", "x, y, z") for order in ("xy", "ij") for sparse in (True, False)
    )  # fmt: skip
    agree("meshgrid", np.meshgrid, (*variants, "f(x, y, indexing='zz')"), vectors)
    agree("ix_", np.ix_, ("f(y)", "f(y, y[:2])", "f(z)"), {"y": vectors["y"], "z": vectors["z"]})


# ---- matrices ----


@pytest.mark.parametrize("dtype", [*DTYPES, "c8"])
def test_matrices(dtype: str) -> None:
    shifts = ("f(x)", "f(x, 1)", "f(x, k=-1)", "f(x, 9)", "f(x, -9)")
    for shape in ((3, 4), (2, 3, 3), (0, 3)):
        arrays = {"x": draw(dtype, *shape)}
        agree("tril", np.tril, shifts, arrays)
        agree("triu", np.triu, shifts, arrays)
        agree("fliplr", np.fliplr, ("f(x)", "f(x[0])"), arrays)
        agree("flipud", np.flipud, ("f(x)", "f(x[:1])"), arrays)
        agree("rot90", np.rot90, ("f(x)", "f(x, 2)", "f(x, -1)", "f(x, 3, (1, 0))", "f(x, 0)", "f(x, axes=(0, 0))"), arrays)
        traces = ("f(x)", "f(x, 1)", "f(x, offset=-1)", "f(x, axis1=1, axis2=0)", "f(x, dtype=np.complex64)", "f(x, 0, 0, 0)")
        agree("trace", np.trace, traces, arrays, terms=4)
    agree("diag", np.diag, shifts, {"x": draw(dtype, 4)})
    agree("diag", np.diag, shifts, {"x": draw(dtype, 3, 5)})
    agree("diagflat", np.diagflat, shifts[:3], {"x": draw(dtype, 2, 2)})
    if dtype != "?":
        agree("vander", np.vander, ("f(x)", "f(x, 3)", "f(x, increasing=True)", "f(x, 0)"), {"x": draw(dtype, 4, scale=1.5)}, factor=4)


@pytest.mark.parametrize("dtype", ["i4", *FLOATS, *COMPLEX])
def test_products(dtype: str) -> None:
    loose: dict[str, Any] = {"factor": 4, "terms": 4}
    arrays = {
        "a": draw(dtype, 3),
        "b": draw(dtype, 3, seed=1),
        "m": draw(dtype, 2, 3),
        "n": draw(dtype, 4, 3, seed=2),
        "s": draw(dtype, 3, 3, scale=1.0),
    }
    agree("outer", np.outer, ("f(a, b)", "f(m, a)", "f(a, 2)"), arrays, **loose)
    agree("inner", np.inner, ("f(a, b)", "f(m, n)", "f(m, a)", "f(m, 2)", "f(a, m.T)"), arrays, **loose)
    agree("vdot", np.vdot, ("f(a, b)", "f(m, m + 1)", "f(a, m)"), arrays, **loose)
    agree("vecdot", np.vecdot, ("f(a, b)", "f(m, a)", "f(m, m, axis=0)", "f(m, n)"), arrays, **loose)
    agree("matvec", np.matvec, ("f(m, a)", "f(n, a)", "f(m, n[:, :2])"), arrays, **loose)
    agree("vecmat", np.vecmat, ("f(a, s)", "f(m, s)", "f(a, m)"), arrays, **loose)
    agree("kron", np.kron, ("f(a, b)", "f(m, n)", "f(a, m)", "f(2, m)"), arrays, **loose)
    agree(
        "cross",
        np.cross,
        ("f(a, b)", "f(m, a)", "f(s, s.T, axis=0)", "f(m, m[::-1])", "f(s, s, axisa=0, axisb=1, axisc=0)"),
        arrays,
        **loose,
    )
    agree("matrix_power", np.linalg.matrix_power, ("f(s, 0)", "f(s, 1)", "f(s, 2)", "f(s, 5)", "f(m, 2)"), arrays, factor=16, terms=4)
    agree("multi_dot", np.linalg.multi_dot, ("f([m, s, s])", "f([a, s, b])", "f([m, n.T])"), arrays, factor=8, terms=4)
    agree("polyval", np.polyval, ("f([1, 2, 3], a)", "f(b, a)", "f([2.5, -1.0], m)", "f(a, 2)"), arrays, **loose)


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8", "c16"])
def test_norms(dtype: str) -> None:
    orders = ("None", "1", "2", "3", "0", "np.inf", "-np.inf", "2.5", "-1")
    vectors = [f"f(x, {order}, axis={axis})" for order in orders for axis in (0, -1)] + [
        "f(x, 1, axis=0, keepdims=True)",
        "f(x)",
        "f(x, keepdims=True)",
    ]
    matrices = [f"f(x, {order}, axis=(0, 1))" for order in ("None", "'fro'", "1", "-1", "np.inf", "-np.inf", "0", "'abc'")]
    arrays = {"x": draw(dtype, 3, 4)}
    if dtype != "?":
        agree("norm", np.linalg.norm, [*vectors, *matrices, "f(x, 'fro', axis=0)", "f(x, axis=(0, 1, 2))"], arrays, factor=8, terms=4)
        agree(
            "norm",
            np.linalg.norm,
            ("f(x)", "f(x, 1)", "f(x, np.inf)", "f(x, -np.inf)", "f(x, 0)"),
            {"x": draw(dtype, 5)},
            factor=8,
            terms=4,
        )
        variants = ("f(x)", "f(x, axis=0)", "f(x, axis=(0, 1), keepdims=True)", "f(x, ord=1)", "f(x, axis=1, ord=np.inf)", "f(x, ord=3)")
        agree("vector_norm", np.linalg.vector_norm, variants, arrays, factor=8, terms=8)
        agree("matrix_norm", np.linalg.matrix_norm, ("f(x)", "f(x, ord=1)", "f(x, keepdims=True, ord=np.inf)"), arrays, factor=8, terms=4)


# ---- elements ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements(dtype: str) -> None:
    arrays = {"x": draw(dtype, 3, 4), "d": draw(dtype, 4, seed=4)}
    for name in ("isreal", "iscomplex", "nan_to_num", "fix", "isposinf", "isneginf", "angle"):
        agree(name, getattr(np, name), ("f(x)", "f(x[0, 0])"), arrays, factor=2)
    agree("angle", np.angle, ("f(x, deg=True)",), arrays, factor=2)
    if dtype not in ("c16", "?"):
        agree(
            "divmod",
            np.divmod,
            ("f(x, 3)", "f(x, d)", "f(7, d)"),
            {**arrays, "d": np.where(arrays["d"] == 0, 1, arrays["d"]).astype(dtype)},
        )
    if dtype in FLOATS:
        agree("modf", np.modf, ("f(x)",), arrays)
        agree("frexp", np.frexp, ("f(x)",), arrays)
    if dtype != "c16":
        agree("sinc", np.sinc, ("f(x)", "f(x[0, 0])"), arrays, factor=8)


@pytest.mark.parametrize("dtype", FLOATS)
def test_elements_far_out(dtype: str) -> None:
    with np.errstate(all="ignore"):
        x = SPECIAL.astype(dtype)
    for name in ("modf", "frexp", "fix", "nan_to_num", "isposinf", "isneginf", "isreal", "angle"):
        agree(name, getattr(np, name), ("f(x)",), {"x": x})
    agree("nan_to_num", np.nan_to_num, ("f(x, nan=3.0, posinf=7.0, neginf=-7.0)", "f(x, posinf=1.0)"), {"x": x})
    agree("nan_to_num", np.nan_to_num, ("f(x)",), {"x": (SPECIAL + 1j * SPECIAL[::-1]).astype("c16")})
    closeness = ("f(x, x)", "f(x, x, equal_nan=True)", "f(x, x * 1.0001)", "f(x, y, rtol=0.1, atol=0.0)", "f(x, 1)")
    agree("isclose", np.isclose, closeness, {"x": x, "y": x[::-1].copy()})
    agree("allclose", np.allclose, closeness, {"x": x, "y": x[::-1].copy()})
    agree("array_equal", np.array_equal, ("f(x, x)", "f(x, x, equal_nan=True)", "f(x, x[:3])", "f(x[:3], x[:3])"), {"x": x})
    agree(
        "array_equiv",
        np.array_equiv,
        ("f(x, x)", "f(x[:3], x[:3])", "f(x[:3], y)", "f(x[:3], x[:2])"),
        {"x": x, "y": np.stack([x[:3]] * 2)},
    )


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8"])
def test_choices(dtype: str) -> None:
    x = draw(dtype, 9)
    agree(
        "select",
        np.select,
        ("f([x < 1, x > 2], [x, x * 2], 42)", "f([x < 1, x < 3], [x * 0.5, x])", "f([x < 1], [x], default=-1.5)", "f([x < 1], [x, x])"),
        {"x": x},
    )
    agree("piecewise", np.piecewise, ("f(x, [x < 1, x >= 2], [1, 2])", "f(x, [x < 1], [3, 4])", "f(x, [x < 1], [1, 2, 3])"), {"x": x})


# ---- neighbours ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_neighbours(dtype: str) -> None:
    arrays = {"x": draw(dtype, 4, 5), "p": np.linspace(0.5, 4, 5) ** 2}
    agree("diff", np.diff, ("f(x)", "f(x, 2)", "f(x, axis=0)", "f(x, n=3, axis=1)", "f(x, 0)", "f(x, 9)", "f(x, axis=4)"), arrays, factor=2)
    if dtype == "?":
        return
    agree("diff", np.diff, ("f(x, prepend=0)", "f(x, append=x)", "f(x, axis=0, prepend=x[:1], append=1)", "f(x, -1)"), arrays, factor=2)
    agree("ediff1d", np.ediff1d, ("f(x)", "f(x, to_begin=x[0, 0])", "f(x, to_end=x[0], to_begin=x[1])", "f(x[0, :1])"), arrays, factor=2)
    agree("trapezoid", np.trapezoid, ("f(x)", "f(x, dx=0.5)", "f(x, axis=0)", "f(x, x=p)", "f(x, p, axis=1)"), arrays, factor=4, terms=4)
    if dtype not in ("i1", "u2"):  # NumPy subtracts narrow integers with overflow in one place and without it in another
        variants = (
            "f(x)",
            "f(x, axis=0)",
            "f(x, 0.25, axis=1)",
            "f(x, p, axis=1)",
            "f(x, axis=1, edge_order=2)",
            "f(x, 2.0, 3.0)",
            "f(x[:1], axis=0)",
        )
        agree("gradient", np.gradient, variants, arrays, factor=16)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_phases(dtype: str) -> None:
    x = np.cumsum(np.abs(draw("f8", 3, 20)), axis=-1) % 6.0
    agree("unwrap", np.unwrap, ("f(x)", "f(x, axis=0)", "f(x, discont=5.0)", "f(x, period=4)"), {"x": x.astype(dtype)}, factor=4, terms=20)


@pytest.mark.parametrize("dtype", ["i4", *FLOATS, "c16"])
def test_overlaps(dtype: str) -> None:
    arrays = {"x": draw(dtype, 6), "y": draw(dtype, 3, seed=1), "one": draw(dtype, 1)}
    modes = tuple(f"f({pair}, '{mode}')" for pair in ("x, y", "y, x", "x, one", "x, x") for mode in ("full", "same", "valid"))
    agree("convolve", np.convolve, (*modes, "f(x, y)", "f(x, y, 'other')"), arrays, factor=4, terms=6)
    agree("correlate", np.correlate, (*modes, "f(x, y)"), arrays, factor=4, terms=6)


# ---- joining ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_joining(dtype: str) -> None:
    arrays = {"v": draw(dtype, 3), "m": draw(dtype, 2, 3), "n": draw("f4", 2, 3, seed=1), "t": draw(dtype, 2, 3, 2)}
    pairs = ("f([v, v])", "f([m, n])", "f((m, m, n))", "f([t, t])", "f([v, m])", "f([v])")
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        agree(name, getattr(np, name), pairs, arrays)
    agree("hstack", np.hstack, ("f([v, v], dtype=np.complex128)", "f([1, 2.5])"), arrays)
    agree("block", np.block, ("f([m, n])", "f([[m, n], [n, m]])", "f(v)", "f([[v], [v]])", "f([1, v])"), arrays)
    agree("append", np.append, ("f(m, v)", "f(m, n, axis=0)", "f(m, n, 1)", "f(m, v, axis=0)"), arrays)
    agree("unstack", np.unstack, ("f(m)", "f(t, axis=1)", "f(t, axis=-1)"), arrays)
    agree(
        "delete",
        np.delete,
        ("f(v, 1)", "f(v, -1)", "f(m, [0, 2], axis=1)", "f(m, slice(0, 2), 1)", "f(m, 3)", "f(v, 7)", "f(v, [])"),
        arrays,
    )
    agree("tile", np.tile, ("f(v, 2)", "f(m, (2, 1))", "f(m, (2, 1, 3))", "f(v, 0)", "f(t, 2)", "f(m, [2, 2])"), arrays)
    agree(
        "roll",
        np.roll,
        ("f(v, 1)", "f(m, -2)", "f(m, 7, 1)", "f(m, (1, 2), (0, 1))", "f(t, 1, axis=(0, 2))", "f(v, 0)", "f(v[:0], 1)", "f(m, 1, 5)"),
        arrays,
    )


# ---- places ----


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "u1"])
def test_places(dtype: str) -> None:
    arrays = {"bins": np.array([0, 1, 2, 4, 7]).astype(dtype), "x": np.abs(draw(dtype, 3, 4))}
    agree(
        "searchsorted", np.searchsorted, ("f(bins, x)", "f(bins, x, 'right')", "f(bins, 2)", "f(bins[:0], x)", "f(bins, x, 'up')"), arrays
    )
    agree(
        "digitize",
        np.digitize,
        ("f(x, bins)", "f(x, bins, right=True)", "f(x, bins[::-1])", "f(x, bins[::-1], True)", "f(x, bins[:1])"),
        arrays,
    )
    values = {**arrays, "y": np.array([3.0, -1.0, 2.0, 0.0, 5.0])}
    agree(
        "interp",
        np.interp,
        ("f(x, bins, y)", "f(x, bins, y, left=-9, right=9.5)", "f(2.5, bins, y)", "f(x, bins[:1], y[:1])", "f(x, bins, y[:2])"),
        values,
        factor=2,
    )


def test_places_of_nan() -> None:
    x, bins = np.array([np.nan, 0.5, -np.inf, np.inf, 9.0]), np.array([0.0, 1.0, 2.0])
    for name in ("searchsorted",):
        agree(name, np.searchsorted, ("f(b, x)", "f(b, x, 'right')"), {"b": bins, "x": x})
    agree("digitize", np.digitize, ("f(x, b)", "f(x, b, True)"), {"b": bins, "x": x})
    agree("interp", np.interp, ("f(x, b, b * 2)", "f(x, b, b * 2, 7, 8)"), {"b": bins, "x": x})


def test_all_of_numpys_functions_are_compared() -> None:
    """Each spelling is named or called in these tests, or in those of the table of NumPy's names."""
    files = [*Path(__file__).parent.glob("test_*.py"), *(Path(__file__).parents[1] / "coverage").glob("*.py")]
    text = "".join(path.read_text() for path in files)
    own = {spelling: spelling.rpartition(".")[2] for spelling in LIBRARY_SPELLINGS}
    found = [re.search(rf"[\"'.]{name}[\"'(]|^{name}:| {name} ", text, re.MULTILINE) for name in own.values()]
    assert [spelling for spelling, match in zip(own, found, strict=True) if match is None] == []
