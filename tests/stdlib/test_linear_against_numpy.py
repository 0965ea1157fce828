"""Linear algebra in kernels against NumPy's: values, dtypes, batches, strides, empty arrays, what fails.

Both call the same routines of LAPACK in double precision, so that results are NumPy's bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang import Tensor, f64
from tests.index_notation.everywhere import in_all_forms
from tests.stdlib.against_numpy import agree, same

Array = np.ndarray[Any, Any]
N, K = stax.dims("N K")
DTYPES = ("f4", "f8", "c8", "c16")
SHAPES = [(1, 1), (5, 5), (3, 4, 4), (2, 3, 2, 2), (2, 0, 3, 3), (0, 0), (4, 0, 0), (40, 40)]


def matrices(seed: int, shape: tuple[int, ...], dtype: str) -> Array:
    generator = np.random.default_rng((seed, *shape))
    values: Any = generator.standard_normal(shape)
    if dtype.startswith("c"):
        values = values + 1j * generator.standard_normal(shape)
    return (values * 4 if dtype.startswith("i") else values).astype(dtype)


def positive(seed: int, shape: tuple[int, ...], dtype: str) -> Array:
    m = matrices(seed, shape, dtype)
    return m @ np.conj(np.swapaxes(m, -1, -2)) + np.eye(shape[-1], dtype=dtype) * shape[-1]


def agree_exactly(function: Any, *arrays: Array) -> Any:
    """As a kernel the function gives NumPy's results bit for bit, natively, and leaves the arrays alone. The kernel is returned."""
    kernel = stax.kernel(function)
    given = [array.copy() for array in arrays]
    results, wanted = kernel(*arrays), function(*arrays)
    assert kernel.stats().route == "native" and kernel.stats().fallbacks == 0
    same(results, wanted, function.__name__, factor=0.0)
    for one, array in zip(given, arrays, strict=True):
        assert np.array_equal(one, array, equal_nan=True)
    return kernel


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_cholesky(shape: tuple[int, ...], dtype: str) -> None:
    a = positive(1, shape, dtype)
    texts = ("f(a)", "f(a, upper=True)", "f(a.swapaxes(-1, -2))", "f(a[::-1])" if len(shape) > 2 else "f(a + 0)", "f(a) @ np.ones(a.shape)")
    agree("cholesky", np.linalg.cholesky, texts, {"a": a}, factor=50, terms=shape[-1] + 1)


@pytest.mark.parametrize("dtype", (*DTYPES, "i4", "?"))
@pytest.mark.parametrize("shape", SHAPES)
def test_inverses_and_determinants(shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(2, shape, dtype)
    if dtype in ("i4", "?"):  # (singular otherwise now and then)
        a = (np.tri(shape[-1]) + np.zeros(shape)).astype(dtype)

    def all_of_them(a: Array) -> Any:
        return np.linalg.inv(a), np.linalg.det(a), np.linalg.slogdet(a), np.linalg.inv(a).shape

    agree_exactly(all_of_them, a)


SYSTEMS = [
    ((3, 3), (3,)), ((3, 3), (3, 2)), ((3, 3), (3, 0)), ((4, 3, 3), (3, 2)), ((4, 3, 3), (3,)), ((3, 3), (4, 3, 2)),
    ((1, 4, 3, 3), (5, 1, 3, 2)), ((0, 0), (0,)), ((0, 0), (0, 2)), ((0, 3, 3), (3, 2)), ((30, 30), (30, 7)), ((1, 1), (1,)),
]  # fmt: skip


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("f8", "f8"), ("c16", "c16"), ("c8", "f4"), ("f4", "c16"), ("i8", "f4"), ("f8", "?")])
@pytest.mark.parametrize("shapes", SYSTEMS)
def test_systems_of_equations(shapes: tuple[Any, Any], dtypes: tuple[str, str]) -> None:
    a = matrices(3, shapes[0], dtypes[0])
    if dtypes[0] == "i8":
        a = a + 20 * np.eye(shapes[0][-1], dtype=a.dtype)
    b = matrices(4, shapes[1], dtypes[1])

    def solved(a: Array, b: Array) -> Any:
        return np.linalg.solve(a, b)

    agree_exactly(solved, a, b)


def test_matrices_as_they_lie_in_memory() -> None:
    """Transposed, strided, from behind, broadcast: nothing is assumed of strides."""

    def solved(a: Array, b: Array) -> Any:
        turned = np.linalg.solve(a.T[::2, ::2], b[::-2, 1:])
        many = np.linalg.solve(np.broadcast_to(a[:3, :3], (4, 3, 3)), b[:3])
        return turned, many, np.linalg.inv(a[::-1, ::-1]), np.linalg.det(a[1:4, 2:5]), np.linalg.inv(a[:4, :4].T).T

    a, b = matrices(5, (6, 6), "f8"), matrices(6, (6, 4), "f8")
    agree_exactly(solved, a, b)
    agree_exactly(solved, np.asfortranarray(a), matrices(6, (12, 8), "f8")[::2, ::-2])
    frozen = a.copy()
    frozen.flags.writeable = False
    agree_exactly(solved, frozen, b)


def test_sizes_that_change() -> None:
    """One program for all sizes, batches and right sides."""

    @stax.kernel
    def solved(a: Any, b: Any) -> Any:
        return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.slogdet(a)[1]

    for n in (3, 4, 7, 2, 5, 1, 0, 33):
        a, b = matrices(7, (2, n, n), "f8"), matrices(8, (2, n, n + 1), "f8")
        same(solved(a, b), (np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.slogdet(a)[1]), factor=0.0)
    assert solved.stats().versions <= 4 and solved.stats().route == "native"


def test_declared_sizes() -> None:
    @stax.kernel
    def solved(a: Tensor[f64, N, N], b: Tensor[f64, N, K]) -> Tensor[f64, N, K]:
        return np.linalg.solve(a, b)

    for m in (2, 9):
        a, b = matrices(9, (m, m), "f8"), matrices(10, (m, 3), "f8")
        same(solved(a, b), np.linalg.solve(a, b), factor=0.0)
    assert solved.stats().versions == 1


def test_all_forms_of_a_program() -> None:
    """Graph, reference engine, loops, schedules, their texts."""

    @stax.kernel
    def everything(a: Any, b: Any) -> Any:
        sign, logarithm = np.linalg.slogdet(a)
        return np.linalg.solve(a, b.T), np.linalg.inv(a) + 1.0, np.linalg.det(a), sign, logarithm, np.linalg.cholesky(a @ a.T)

    for shapes in (((4, 4), (3, 4)), ((0, 0), (2, 0))):
        arrays = [matrices(12, shape, "f8") for shape in shapes]
        lowered = everything.lower(*[stax.spec(array.shape, array.dtype) for array in arrays])
        in_all_forms(lowered.captured, arrays, everything.__wrapped__(*arrays), True, 1e-12)


def test_named_results() -> None:
    def determinant(a: Array) -> Any:
        found = np.linalg.slogdet(a)
        sign, logarithm = found
        return found.sign * np.exp(found.logabsdet), sign, logarithm, found

    kernel = stax.kernel(determinant)
    a = matrices(11, (4, 4), "f8")
    same(kernel(a), determinant(a), factor=4.0)
    assert type(kernel(a)[3]) is type(np.linalg.slogdet(a)) and kernel(a)[3].logabsdet == np.linalg.slogdet(a).logabsdet


def test_what_is_no_matrix_is_refused() -> None:
    for name in ("cholesky", "inv", "det", "slogdet"):
        theirs = getattr(np.linalg, name)
        for a in (np.ones((2, 3)), np.ones(3), np.eye(3, dtype=np.float16), np.float64(3), np.ones((4, 0, 1))):
            agree(name, theirs, ("f(a)",), {"a": a})
    agree("cholesky", np.linalg.cholesky, ("f(a)",), {"a": np.eye(3, dtype=np.int8) * 4})
    for b in (np.ones(2), np.ones((2, 3)), np.float64(1), np.ones((2, 5, 3, 1))):
        agree("solve", np.linalg.solve, ("f(a, b)",), {"a": np.ones((4, 3, 3)) + np.eye(3), "b": b})


def test_diagnostics_say_sizes_and_where_they_are_from() -> None:
    @stax.kernel
    def inverse(a):
        return np.linalg.inv(a)

    with pytest.raises(np.linalg.LinAlgError, match="these are 3 by 2") as caught:
        inverse(np.ones((3, 2)))
    assert "return np.linalg.inv(a)" in str(caught.value) and "2 is the last axis of parameter a" in str(caught.value)

    @stax.kernel
    def solved(a, b):
        return np.linalg.solve(a, b)

    with pytest.raises(stax.StaxError, match="their extents are 3 and 4") as refused:
        solved(np.eye(3), np.ones(4))
    assert "4 is the only axis of parameter b" in str(refused.value)
    with pytest.raises(TypeError, match="does not take f16"):
        inverse(np.eye(2, dtype=np.float16))


FAILING = [
    (np.linalg.cholesky, -np.eye(3), "Matrix is not positive definite"),
    (np.linalg.inv, np.ones((3, 3)), "Singular matrix"),
    (np.linalg.inv, np.stack([np.eye(3), np.zeros((3, 3)), np.eye(3)]), "Singular matrix"),
    (lambda a: np.linalg.solve(a, a[0]), np.zeros((2, 2)), "Singular matrix"),
]


@pytest.mark.parametrize("case", range(len(FAILING)))
def test_what_fails_fails_as_in_numpy(case: int) -> None:
    """LinAlgError with NumPy's words, at the line; nothing is written to; the next call is well again."""
    function, a, words = FAILING[case]
    target = np.zeros(a.shape)

    def written(out, a):
        out[...] = 1.0
        out[0] = function(a)[0]
        out += 1.0
        return out

    kernel = stax.kernel(written)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match=words):
            written(np.zeros(a.shape), a)
        with pytest.raises(np.linalg.LinAlgError, match=words) as caught:
            kernel(target, a)
        assert isinstance(caught.value, stax.StaxError) and "test_linear_against_numpy.py" in str(caught.value)
        assert not target.any()
    good = np.zeros(a.shape) + np.eye(a.shape[-1])
    same(kernel(target, good), written(np.zeros(a.shape), good), factor=0.0)
