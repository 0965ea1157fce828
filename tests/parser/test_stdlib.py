"""The standard library against NumPy: every example in a docstring, and every function that NumPy has, value and dtype."""

from __future__ import annotations

import ast
import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from staxlang.parser.library import library_function, library_names
from tests.parser.stdlib_under_numpy import namespace

WORDS = namespace()
RANDOM = np.random.default_rng(7)


def examples(name: str) -> list[tuple[str, str]]:
    function = library_function(name)
    assert function is not None and function.doc, f"{name} has no docstring"
    lines = function.doc.split("\n")
    return [(line[4:], lines[k + 1]) for k, line in enumerate(lines) if line.startswith(">>> ")]


class _Arrays(ast.NodeTransformer):
    """Lists that are arguments become arrays, as they do when a .stx test is run."""

    def visit_List(self, node: ast.List) -> Any:
        return ast.parse(f"_numbers({ast.unparse(node)})", mode="eval").body


def _numbers(value: Any) -> Any:
    try:
        return np.array(value)
    except ValueError:
        return value


TAKE_LISTS = ("block",)  # for which nested lists are not arrays


def evaluate(name: str, text: str) -> Any:
    tree = ast.parse(text, mode="eval")
    tree = tree if name in TAKE_LISTS else _Arrays().visit(tree)
    return eval(
        compile(ast.fix_missing_locations(tree), "example", "eval"),
        WORDS | {"_numbers": _numbers, "true": True, "false": False, "none": None},
    )


@pytest.mark.parametrize("name", [name for name in library_names() if name in WORDS])
def test_example(name: str) -> None:
    found = examples(name)
    assert found, f"{name} has no example"
    for call, expected in found:
        with np.errstate(all="ignore"):
            result = evaluate(name, call)
        wanted = ast.literal_eval(expected.replace("true", "True").replace("false", "False"))
        parts = zip(result, wanted, strict=True) if isinstance(result, tuple) else [(result, wanted)]
        for got, want in parts:
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-15, atol=1e-16)
            assert np.shape(got) == np.shape(want)


def arrays(dtypes: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    for kind, shape in itertools.product(dtypes, shapes):
        values = RANDOM.normal(size=shape) * 3
        if kind in "FD":
            values = values + 1j * RANDOM.normal(size=shape)
        found.append((values > 0 if kind == "?" else values).astype(np.dtype(kind)))
    return found


def same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, tuple):
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
        return
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype, (np.asarray(ours).dtype, np.asarray(theirs).dtype)
    dtype = np.asarray(theirs).dtype
    width = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    loose = {2: 4e-3, 4: 4e-6, 8: 1e-12}[width] if dtype.kind in "fc" else 0
    np.testing.assert_allclose(ours, theirs, rtol=loose, atol=loose / 10, strict=True)


def check(name: str, theirs: Any, *args: Any, **options: Any) -> None:
    with np.errstate(all="ignore"):
        same(WORDS[name](*args, **options), theirs(*args, **options))


AXES: list[Any] = [None, 0, -1, (0, 1)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_means(name: str, axis: Any, keepdims: bool) -> None:
    theirs = getattr(np, name)
    for x in arrays("?bilefdFD", (3, 4), (2, 3, 4), (1, 1), (0, 3)):
        check(name, theirs, x, axis, keepdims=keepdims)
        check(name, theirs, x, axis=axis, keepdims=keepdims, where=RANDOM.random(x.shape) > 0.4)
        if name != "mean":
            check(name, theirs, x, axis=axis, keepdims=keepdims, ddof=1)
            check(name, theirs, x, axis=axis, keepdims=keepdims, ddof=40)
    for x in arrays("if", (3, 4)):
        check(name, theirs, x, axis=axis, dtype=np.float64)
        out = np.empty(np.shape(theirs(x, axis=axis)))
        assert WORDS[name](x, axis=axis, out=out) is out
        same(out, np.asarray(theirs(x, axis=axis), dtype=np.float64))
        if name != "mean":
            check(name, theirs, x, axis=axis, mean=np.mean(x, axis=axis, keepdims=True), correction=1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"])
@pytest.mark.parametrize("axis", AXES)
def test_without_nan(name: str, axis: Any) -> None:
    theirs = getattr(np, name)
    for x in arrays("?ilfd" + ("D" if name not in ("nanmax", "nanmin") else ""), (3, 4), (2, 3, 2)):
        if x.dtype.kind in "fc":
            x[RANDOM.random(x.shape) < 0.3] = np.nan
            x[0] = np.nan
        check(name, theirs, x, axis)
        check(name, theirs, x, axis, keepdims=True)
        if name in ("nanvar", "nanstd"):
            check(name, theirs, x, axis, ddof=1)
        if name in ("nansum", "nanmax", "nanmin"):
            check(name, theirs, x, axis, initial=2)


def test_running_sums_without_nan() -> None:
    for x in arrays("ifd", (3, 4)):
        if x.dtype.kind == "f":
            x[1, 2] = np.nan
        for axis in (None, 0, 1):
            check("nancumsum", np.nancumsum, x, axis)
            check("nancumprod", np.nancumprod, x, axis)


@pytest.mark.filterwarnings("ignore")
def test_average() -> None:
    for x in arrays("ilfdD", (3, 4)):
        check("average", np.average, x)
        check("average", np.average, x, axis=1, keepdims=True, returned=True)
        check("average", np.average, x, weights=RANDOM.random((3, 4)))
        check("average", np.average, x, axis=0, weights=RANDOM.random(3), returned=True)
        check("average", np.average, x, axis=-1, weights=np.arange(1, 5), keepdims=True)


def test_sequences() -> None:
    for start, stop in [(0, 1), (2.5, -1), (np.float32(1), np.float32(2)), (np.array([1, 2]), 5), (np.arange(3.0), np.ones((2, 3)))]:
        for num in (0, 1, 2, 7):
            for endpoint in (True, False):
                check("linspace", np.linspace, start, stop, num, endpoint=endpoint)
                if np.ndim(start) or np.ndim(stop):
                    check("linspace", np.linspace, start, stop, num, endpoint=endpoint, axis=-1)
        check("linspace", np.linspace, start, stop, 6, retstep=True)
        check("logspace", np.logspace, start, stop, 6)
    check("linspace", np.linspace, 0, 10, 4, dtype=int)
    check("linspace", np.linspace, 0, 5e-324, 3)
    check("geomspace", np.geomspace, 1, 256, 9)
    check("geomspace", np.geomspace, -4.0, -1000, 5, endpoint=False)
    for name in ("bartlett", "hanning", "hamming", "blackman"):
        for count in (0, 1, 2, 7, 16):
            check(name, getattr(np, name), count)


def test_grids() -> None:
    x, y, z = np.arange(3.0), np.arange(4), np.arange(2.0)
    for indexing, sparse in itertools.product(["xy", "ij"], [False, True]):
        for vectors in [(x,), (x, y), (x, y, z)]:
            check("meshgrid", np.meshgrid, *vectors, indexing=indexing, sparse=sparse)


def test_matrices() -> None:
    for x in arrays("?ifD", (3, 4), (2, 3, 3)):
        for k in (-4, -1, 0, 2):
            check("tril", np.tril, x, k)
            check("triu", np.triu, x, k)
            check("trace", np.trace, x, k)
        for k in range(-3, 5):
            check("rot90", np.rot90, x, k)
            check("rot90", np.rot90, x, k, (1, 0))
        check("fliplr", np.fliplr, x)
        check("flipud", np.flipud, x)
        check("append", np.append, x, x)
        check("append", np.append, x, x, axis=1)
    for x in arrays("?ifD", (4,)):
        for k in (-2, 0, 3):
            check("diag", np.diag, x, k)
            check("diagflat", np.diagflat, x, k)
        check("vander", np.vander, x)
        check("vander", np.vander, x, 3, increasing=True)
    check("diag", np.diag, np.ones((3, 4)), 1)
    check("tri", np.tri, 3, 5, 1)
    check("tri", np.tri, 3, dtype=np.int32)
    check("trace", np.trace, np.ones((2, 3, 4)), axis1=1, axis2=2, dtype=np.float32)


def test_products() -> None:
    for kind in "ifD":
        (a, b), (m, n), (v, w) = arrays(kind, (3,), (4,)), arrays(kind, (3, 4), (2, 4)), arrays(kind, (4,), (4,))
        check("outer", np.outer, a, b)
        check("outer", np.outer, m, b)
        check("inner", np.inner, v, w)
        check("inner", np.inner, m, n)
        check("inner", np.inner, m, v)
        check("inner", np.inner, m, np.asarray(2, kind))
        check("vdot", np.vdot, m, m + 1)
        if hasattr(np, "vecdot"):
            check("vecdot", np.vecdot, m, v)
            check("vecdot", np.vecdot, m, m, axis=0)
        if hasattr(np, "matvec"):
            check("matvec", np.matvec, m, v)
            check("vecmat", np.vecmat, a, m)
        check("kron", np.kron, a, b)
        check("kron", np.kron, m, n)
        check("kron", np.kron, a, m)
        three, other, two = arrays(kind, (2, 3), (2, 3), (2, 2))
        check("cross", np.cross, three, other)
        check("cross", np.cross, three.T.copy(), other.T.copy(), axis=0)
        if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # where NumPy has it still
            with warnings.catch_warnings(action="ignore"):
                check("cross", np.cross, two, three)
        square = arrays(kind, (3, 3))[0]
        for power in (0, 1, 2, 5):
            check("matrix_power", np.linalg.matrix_power, square, power)


def test_norms() -> None:
    inf = np.inf
    for x in arrays("ifdD", (3, 4), (2, 3, 4), (5,)):
        for order in (None, 1, 2, 3, 0, inf, -inf, 2.5, -1):
            check("norm", np.linalg.norm, x, order, axis=-1)
            check("norm", np.linalg.norm, x, order, axis=0, keepdims=True)
            if order is not None:
                check("vector_norm", np.linalg.vector_norm, x, ord=order)
                check("vector_norm", np.linalg.vector_norm, x, axis=(0,) if x.ndim == 1 else (0, 1), keepdims=True, ord=order)
        check("norm", np.linalg.norm, x)
        check("norm", np.linalg.norm, x, keepdims=True)
        if x.ndim > 1:
            for order in (None, "fro", 1, -1, inf, -inf):
                check("norm", np.linalg.norm, x, order, axis=(0, 1))
                check("norm", np.linalg.norm, x, order, axis=(-1, 0), keepdims=True)
            check("matrix_norm", np.linalg.matrix_norm, x, ord=1)
    for order in (2, -2, "nuc"):
        check("norm", np.linalg.norm, np.arange(6.0).reshape(2, 3), order)


@pytest.mark.filterwarnings("ignore")
def test_covariance() -> None:
    for x in arrays("ifD", (3, 6)):
        weights = np.arange(1, 7)
        check("cov", np.cov, x)
        check("cov", np.cov, x, rowvar=False, bias=True)
        check("cov", np.cov, x[0], x[1], ddof=0)
        check("cov", np.cov, x, fweights=weights)
        check("cov", np.cov, x, fweights=weights, aweights=weights / 3, ddof=1)
        check("cov", np.cov, x, aweights=weights, ddof=0)
        check("cov", np.cov, x[0])
        check("cov", np.cov, x, dtype=np.complex64 if x.dtype.kind == "c" else np.float32)
        check("corrcoef", np.corrcoef, x) if x.dtype.kind != "c" else None
        check("corrcoef", np.corrcoef, x[0])


SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 2.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e308, 0.3])


def test_elementwise() -> None:
    for x in (SPECIAL, SPECIAL.astype(np.float32)):
        for name in ("modf", "sinc", "angle", "nan_to_num", "isposinf", "isneginf", "isreal", "iscomplex", "frexp", "fix"):
            if name == "sinc":
                x = x[np.abs(x) < 1e30]
            check(name, getattr(np, name), x)
        ours, theirs = WORDS["modf"](x), np.modf(x)
        for one, other in zip(ours, theirs, strict=True):
            assert np.array_equal(np.signbit(one), np.signbit(other)) or np.isnan(x).any()
    check("nan_to_num", np.nan_to_num, SPECIAL, nan=3.0, posinf=7.0, neginf=-7.0)
    check("nan_to_num", np.nan_to_num, np.arange(3))
    check("angle", np.angle, np.array([1 + 1j, -1, -1j, 0]), deg=True)
    check("angle", np.angle, np.array([1, -1, 0]))
    check("sinc", np.sinc, np.arange(-3, 4))
    check("sinc", np.sinc, np.array([1e-5 + 1j, 0]))
    for a, b in [(np.array([7, -7, 8]), 3), (np.array([7.5, -7.5]), -2.0), (np.array([5, 250], np.uint8), np.uint8(7))]:
        check("divmod", np.divmod, a, b)


def test_closeness() -> None:
    for a, b in [
        (SPECIAL, SPECIAL),
        (SPECIAL, SPECIAL + 1e-9),
        (np.arange(4), np.arange(4) + 1),
        (SPECIAL, 1.0),
        (np.float32(1), np.float64(1)),
    ]:
        for equal_nan in (False, True):
            check("isclose", np.isclose, a, b, equal_nan=equal_nan)
            assert bool(WORDS["allclose"](a, b, equal_nan=equal_nan)) == np.allclose(a, b, equal_nan=equal_nan)
            assert bool(WORDS["array_equal"](a, b, equal_nan=equal_nan)) == np.array_equal(a, b, equal_nan=equal_nan)
    assert not WORDS["array_equal"](np.ones(3), np.ones(4))
    assert WORDS["array_equiv"](np.ones(3), np.ones((4, 3)))


def test_select() -> None:
    x = np.arange(6)
    check("select", np.select, [x < 3, x > 4], [x, x**2], 42)
    check("select", np.select, [x < 3, x < 5], [x * 0.5, x], default=1)


@pytest.mark.filterwarnings("ignore")
def test_neighbours() -> None:
    for x in arrays("?ifD", (6,), (4, 5), (3, 4, 5)):
        for axis in range(x.ndim):
            check("diff", np.diff, x, 1, axis)
            check("diff", np.diff, x, n=2, axis=axis)
            if x.dtype.kind != "b":
                check("diff", np.diff, x, axis=axis, prepend=0, append=x)
        if x.dtype.kind == "b":
            continue
        check("ediff1d", np.ediff1d, x)
        check("ediff1d", np.ediff1d, x, to_begin=x.dtype.type(1), to_end=np.array([1, 2], x.dtype))
        for axis in range(x.ndim):
            places = np.sort(RANDOM.random(x.shape[axis]))
            check("trapezoid", np.trapezoid, x, dx=0.5, axis=axis)
            check("trapezoid", np.trapezoid, x, x=places, axis=axis)
            if x.dtype.kind != "i" or x.ndim == 1:
                for order in (1, 2):
                    check("gradient", np.gradient, x, axis=axis, edge_order=order)
                    check("gradient", np.gradient, x, 0.25, axis=axis, edge_order=order)
                    check("gradient", np.gradient, x, places, axis=axis, edge_order=order) if x.dtype.itemsize > 4 else None
        check("gradient", np.gradient, x)
    check("trapezoid", np.trapezoid, np.ones((3, 4)), x=np.arange(12.0).reshape(3, 4) ** 2)


def test_unwrap() -> None:
    phases = np.cumsum(RANDOM.random((3, 40)) * 4, axis=-1) % (2 * np.pi)
    check("unwrap", np.unwrap, phases)
    check("unwrap", np.unwrap, phases, axis=0)
    check("unwrap", np.unwrap, np.array([0, 1, 2, -1, 0]), period=4)
    check("unwrap", np.unwrap, np.array([2, 3, 4, 5, 2, 3, 4, 5]), period=4)
    check("unwrap", np.unwrap, phases, discont=5.0)


def test_polynomials_and_convolutions() -> None:
    for x in arrays("ifD", (5,)):
        check("polyval", np.polyval, [1, 2, 3], x)
        check("polyval", np.polyval, np.array([1.5, -2.0]), x)
        for other in arrays(x.dtype.char, (2,), (5,), (7,)):
            for mode in ("full", "same", "valid"):
                check("convolve", np.convolve, x, other, mode)
                check("correlate", np.correlate, x, other, mode)


def test_numbers_of_rows() -> None:
    for x in arrays("fd", (4, 6), (2, 3, 5)):
        shifted = np.exp(x - x.max(-1, keepdims=True))
        same(WORDS["softmax"](x), shifted / shifted.sum(-1, keepdims=True))
        same(WORDS["log_softmax"](x, axis=0), x - np.log(np.exp(x).sum(0, keepdims=True)))
        same(WORDS["logsumexp"](x, axis=1), np.log(np.exp(x).sum(1)))
        same(WORDS["logsumexp"](x, keepdims=True), np.log(np.exp(x).sum(keepdims=True)))
        same(WORDS["layer_norm"](x), (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5))
        same(WORDS["rms_norm"](x, weight=np.ones(x.shape[-1], x.dtype) * 2), 2 * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6))
    half = np.array([[60000.0, 60000.0, 1.0]], np.float16)
    assert WORDS["softmax"](half).dtype == np.float16
    assert WORDS["layer_norm"](half).dtype == np.float16 and np.isfinite(WORDS["layer_norm"](half)).all()


def test_stable_far_out() -> None:
    """Where the textbook form overflows or cancels."""
    far = np.array([-1000.0, -800.0, -100.0, 0.0, 100.0, 800.0, 1000.0])
    softmax, logsumexp, log_sigmoid = WORDS["softmax"], WORDS["logsumexp"], WORDS["log_sigmoid"]
    assert np.isfinite(softmax(far)).all() and softmax(far).sum() == 1
    assert logsumexp(far) == 1000
    assert logsumexp(np.array([-np.inf, -np.inf])) == -np.inf
    assert logsumexp(np.array([0.0, 5.0]), b=np.array([1.0, 0.0])) == 0
    np.testing.assert_allclose(log_sigmoid(far), [-1000, -800, -100, -np.log(2), -np.exp(-100), 0, 0], rtol=1e-12)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(WORDS["selu"](far), np.where(far >= 0, 1.0507009873554805 * far, -1.7580993408473766))
    np.testing.assert_allclose(WORDS["log_cosh_loss"](far, 0 * far, "none"), np.abs(far) - np.where(far == 0, 0, np.log(2)), atol=1e-12)
    np.testing.assert_allclose(WORDS["binary_cross_entropy_with_logits"](far, np.ones(7), reduction="none"), np.maximum(-far, 0), atol=0.7)
    assert WORDS["relu"](np.array([np.nan]))[0] != WORDS["relu"](np.array([np.nan]))[0]


def test_joining() -> None:
    for x in arrays("?ifD", (3,), (3, 4), (2, 3, 4)):
        for name in ("hstack", "vstack", "dstack"):
            check(name, getattr(np, name), [x, x])
        if x.ndim < 3:
            check("column_stack", np.column_stack, [x, x])
        for shift in (0, 1, -2, 7):
            check("roll", np.roll, x, shift)
            check("roll", np.roll, x, shift, 0)
        check("roll", np.roll, x, (1, 2), (0, x.ndim - 1))
        for reps in (2, (2, 1), (2, 1, 3), 0):
            check("tile", np.tile, x, reps)
    check("hstack", np.hstack, [1.0, 2.0])
    check("vstack", np.vstack, [1.0, 2.0])
    for rows, columns, k in [(3, None, 0), (3, 4, 1), (2, 5, -1)]:
        check("eye", np.eye, rows, columns, k)
    check("identity", np.identity, 3, np.int32)
    check("indices", np.indices, (2, 3))
    check("indices", np.indices, (2, 3, 4), sparse=True)


@pytest.mark.filterwarnings("ignore")
def test_places_in_a_row() -> None:
    bins = np.array([-2.0, -0.5, 0.0, 1.0, 3.0])
    x = np.array([-9.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.9, 3.0, 4.0, np.nan])
    for side in ("left", "right"):
        check("searchsorted", np.searchsorted, bins, x, side)
        check("searchsorted", np.searchsorted, bins, 0.5, side)
    for right in (False, True):
        check("digitize", np.digitize, x, bins, right)
        check("digitize", np.digitize, x[:-1], bins[::-1], right)
    values = np.array([1.0, 4.0, -2.0, 0.0, 8.0])
    check("interp", np.interp, x, bins, values)
    check("interp", np.interp, x, bins, values, left=-1, right=7.5)
    check("interp", np.interp, 0.25, bins, values)
    check("interp", np.interp, x[:-1], np.array([1.0]), np.array([5.0]))


def test_piecewise() -> None:
    x = np.linspace(-2, 2, 9)
    check("piecewise", np.piecewise, x, [x < 0, x >= 1], [-1, lambda v: v * v])
    check("piecewise", np.piecewise, x, [x < 0, x >= 1], [lambda v: -v, 2, lambda v: v + 1])
