"""Linear algebra in kernels against NumPy's: values, dtypes, batches, strides, empty arrays, what fails.

Both call the same routines of LAPACK in double precision, so that results are NumPy's bit for bit.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang import Tensor, f64
from staxlang.runtime import blas, lapack
from tests.index_notation.everywhere import in_all_forms as agree_in_all_forms
from tests.stdlib.against_numpy import agree, same
from tests.stdlib.matrices import DTYPES, Array, agree_closely, agree_exactly, matrices, positive

N, K = stax.dims("N K")
SHAPES = [(1, 1), (5, 5), (3, 4, 4), (2, 3, 2, 2), (2, 0, 3, 3), (0, 0), (4, 0, 0), (40, 40)]


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
        agree_in_all_forms(lowered.captured, arrays, everything.__wrapped__(*arrays), True, 1e-12)


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


# ---- factors and eigenvalues ----


RECTANGLES = [(3, 3), (5, 3), (3, 5), (4, 5, 2), (2, 3, 2, 4), (1, 1), (0, 0), (0, 3), (3, 0), (2, 0, 3, 4), (2, 4, 0), (30, 20)]


@pytest.mark.parametrize("dtype", (*DTYPES, "i8", "?"))
@pytest.mark.parametrize("shape", RECTANGLES)
def test_orthogonal_factors(shape: tuple[int, ...], dtype: str) -> None:
    def factors(a: Array) -> Any:
        turned = np.linalg.qr(a[..., ::-1, :])
        return np.linalg.qr(a), np.linalg.qr(a, "complete"), np.linalg.qr(a, mode="r"), np.linalg.qr(a, "raw"), turned

    agree_exactly(factors, matrices(13, shape, dtype))


@pytest.mark.parametrize("dtype", (*DTYPES, "i8", "?"))
@pytest.mark.parametrize("shape", RECTANGLES)
def test_singular_values(shape: tuple[int, ...], dtype: str) -> None:
    def values(a: Array) -> Any:
        turned = a.swapaxes(-1, -2)
        return np.linalg.svd(a), np.linalg.svd(a, full_matrices=False), np.linalg.svd(turned, compute_uv=False), np.linalg.svdvals(a)

    agree_exactly(values, matrices(14, shape, dtype))


@pytest.mark.parametrize("dtype", (*DTYPES, "i8", "?"))
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvalues(shape: tuple[int, ...], dtype: str) -> None:
    def hermitian(a: Array) -> Any:
        return np.linalg.eigh(a), np.linalg.eigh(a, "U"), np.linalg.eigvalsh(a), np.linalg.eigvalsh(a.swapaxes(-1, -2), UPLO="u")

    def general(a: Array) -> Any:
        return np.linalg.eig(a), np.linalg.eigvals(a)

    a = matrices(15, shape, dtype)
    agree_exactly(hermitian, a)
    agree_exactly(general, a)  # (complex, most of them)
    agree_exactly(general, a + a.swapaxes(-1, -2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_values_of_hermitian_matrices(dtype: str) -> None:
    def values(a: Array) -> Any:
        return np.linalg.svd(a, hermitian=True), np.linalg.svd(a, compute_uv=False, hermitian=True)

    for shape in ((4, 4), (3, 5, 5), (0, 0)):
        a = matrices(16, shape, dtype)
        agree_exactly(values, a + np.conj(np.swapaxes(a, -1, -2)))


def test_eigenvalues_are_real_where_all_of_them_are() -> None:
    """One kernel, asked for real and complex ones in turn: each call gives NumPy's dtype."""

    @stax.kernel
    def scaled(a: Any) -> Any:
        w, v = np.linalg.eig(a)
        return w * 2, v.dtype.kind == "c", v

    turning, stretching = np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[2.0, 1.0], [0.0, 1.0]])
    for a in (turning, stretching, stretching.T, turning, np.stack([turning, stretching]), np.stack([stretching, stretching])):
        same(scaled(a), scaled.__wrapped__(a), factor=0.0)
    assert scaled.stats().route == "native"


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_the_factors_are(dtype: str) -> None:
    """a = Q R = U S V = V L V^-1 within rounding errors, inside one kernel with the products."""

    @stax.kernel
    def rebuilt(a: Any) -> Any:
        q, r = np.linalg.qr(a)
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        square = a[:, :4, :]
        w, v = np.linalg.eig(square)
        h = square + square.swapaxes(-1, -2).conj()
        hw, hv = np.linalg.eigh(h)
        return q @ r, (u * s[:, np.newaxis, :]) @ vh, square @ v - v * w[:, np.newaxis, :], h @ hv - hv * hw[:, np.newaxis, :]

    a = matrices(17, (3, 6, 4), dtype)
    qr, usv, eig, eigh = rebuilt(a)
    bound = 60 * np.finfo(dtype).eps
    for got in (qr, usv):
        assert got.dtype == a.dtype and np.abs(got - a).max() < bound * np.abs(a).max()
    assert np.abs(eig).max() < bound * np.abs(a).max() and np.abs(eigh).max() < bound * np.abs(a).max()


def test_what_is_not_used_is_not_computed() -> None:
    """svd without U and V is svdvals, eigh without eigenvectors eigvalsh, qr without Q has no Q."""

    def kinds(function: Any, *arrays: Array) -> list[str]:
        kernel = stax.kernel(function)
        same(kernel(*arrays), function(*arrays), factor=20.0)
        return sorted(one.name for one in kernel.explain(*arrays).kernels if "linalg" in one.name)

    a = matrices(18, (5, 5), "f8")
    assert kinds(lambda a: np.linalg.svd(a)[1], a) == ["extern linalg.svdvals"]
    assert kinds(lambda a: np.linalg.svd(a).S.sum(), a) == ["extern linalg.svdvals"]
    assert kinds(lambda a: np.linalg.svd(a)[0], a) == ["extern linalg.svd"]
    assert kinds(lambda a: np.linalg.eigh(a)[0], a) == ["extern linalg.eigvalsh"]
    assert kinds(lambda a: np.linalg.eigh(a, "U").eigenvalues, a) == ["extern linalg.eigvalsh"]
    assert kinds(lambda a: np.linalg.eigh(a)[1], a) == ["extern linalg.eigh"]
    assert kinds(lambda a: np.linalg.qr(a)[1], a) == ["extern linalg.qr_raw"]
    assert kinds(lambda a: np.linalg.solve(a, a[0]) + np.linalg.solve(a, a[0]), a) == ["extern linalg.solve"]


def test_all_forms_of_factors() -> None:
    @stax.kernel
    def everything(a: Any, b: Any) -> Any:
        q, r = np.linalg.qr(a)
        u, s, vh = np.linalg.svd(a)
        w, v = np.linalg.eigh(b)
        return q, r, u, s, vh, w, v, np.linalg.qr(a, "complete")[0], np.linalg.svd(a)[1], np.linalg.eigvals(b + 0j)

    for shapes in (((5, 3), (4, 4)), ((0, 3), (0, 0))):
        for dtype in ("f8", "c16"):
            arrays = [matrices(19, shape, dtype) for shape in shapes]
            lowered = everything.lower(*[stax.spec(array.shape, array.dtype) for array in arrays])
            agree_in_all_forms(lowered.captured, arrays, everything.__wrapped__(*arrays), True, 1e-12)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_of_what_is_not_finite(name: str) -> None:
    theirs = getattr(np.linalg, name)
    kernel = stax.kernel(lambda a: theirs(a))
    for bad in (np.nan, np.inf, complex(0, np.nan)):
        a = np.eye(3, dtype=np.asarray(bad).dtype)
        kernel(a)
        a[1, 2] = bad
        with pytest.raises(np.linalg.LinAlgError, match="Array must not contain infs or NaNs"):
            theirs(a)
        with pytest.raises(np.linalg.LinAlgError, match=f"`linalg.{name}` failed: Array must not contain infs or NaNs"):
            kernel(a)


@pytest.mark.parametrize("name", ["svd", "svdvals", "inv", "det", "qr", "cholesky"])
def test_what_is_not_finite_is_what_it_is_in_numpy(name: str) -> None:
    """The same numbers, or the same failure."""
    theirs = getattr(np.linalg, name)
    kernel = stax.kernel(lambda a: theirs(a))
    for bad in (np.nan, np.inf):
        a = np.eye(4) + 1
        a[2, 2] = bad
        try:
            with np.errstate(all="ignore"):
                wanted = theirs(a)
        except np.linalg.LinAlgError as problem:
            with pytest.raises(np.linalg.LinAlgError, match=str(problem)):
                kernel(a)
        else:
            same(kernel(a), wanted, factor=0.0)


def test_refused_options() -> None:
    a = np.eye(3)
    agree("qr", np.linalg.qr, ("f(a, 'all')", "f(a)"), {"a": a}, factor=4.0)
    agree("eigh", np.linalg.eigh, ("f(a, 'X')", "f(a, 'L')"), {"a": a}, factor=4.0)
    agree("svd", np.linalg.svd, ("f(a, hermitian=True)",), {"a": np.ones((2, 3))})
    for name in ("qr", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals"):
        for bad in (np.ones(3), np.eye(3, dtype="f2"), np.float64(1)):
            agree(name, getattr(np.linalg, name), ("f(a)",), {"a": bad})
        if name.startswith("e"):
            agree(name, getattr(np.linalg, name), ("f(a)",), {"a": np.ones((2, 3))})


def test_where_numpys_loops_cannot_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs call NumPy's functions through Python then, with the same results and failures. (With seven axes none is loaded yet.)"""
    asked: list[Any] = []
    monkeypatch.setattr(lapack, "find_loop", asked.append)
    monkeypatch.setattr(blas, "find_routine", asked.append)
    a = matrices(39, (1, 2, 1, 1, 1, 3, 3), "f8")

    def everything(a: Array) -> Any:
        factors = *np.linalg.qr(a), *np.linalg.svd(a), *np.linalg.eigh(a), *np.linalg.eig(a)
        return np.linalg.inv(a), np.linalg.det(a), np.linalg.solve(a, a), np.linalg.cond(a, 1), *factors

    kernel = stax.kernel(everything)
    same(kernel(a), everything(a), factor=100.0)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        kernel(np.zeros_like(a))
    left, right = stax.kernel(lambda a: stax.lu(a, permute_l=True))(a)
    same(left @ right, a, factor=100.0)
    same(stax.kernel(lambda a: stax.solve_triangular(a, a))(a), np.linalg.solve(np.triu(a), a), factor=1000.0)
    assert len(asked) > 10


def test_a_library_without_python_has_no_lapack(tmp_path: Path) -> None:
    @stax.kernel
    def solved(a: Tensor[f64, N, N], b: Tensor[f64, N]) -> Tensor[f64, N]:
        return np.linalg.solve(a, b)

    with pytest.raises(stax.StaxError, match="it needs linear algebra of NumPy's LAPACK, which runs inside Python"):
        stax.build([solved], tmp_path / "libsolved.so")


def test_in_loops_and_in_place() -> None:
    def iterated(a: Array, x: Array) -> Any:
        for _ in range(30):
            x = np.linalg.solve(a, x)
            x /= np.linalg.norm(x)
        return x

    def replaced(a: Array) -> Any:
        a[...] = np.linalg.inv(a)
        a += 1
        q, r = np.linalg.qr(a)
        a[0] = r[0]
        return q

    a = matrices(41, (4, 4), "f8") + 4 * np.eye(4)
    agree_closely(iterated, a, np.ones(4), factor=20.0)
    mine, theirs = a.copy(), a.copy()
    same((stax.kernel(replaced)(mine), mine), (replaced(theirs), theirs), factor=0.0)


def test_from_stx() -> None:
    module = stax.load_text(
        "kernel fit(a: f64[M, N], b: f64[M]) -> f64[N]:\n    q, r = qr(a)\n    return solve_triangular(r[:N], q.T @ b)\n"
        "kernel gram(a: f64[M, N]) -> f64[N, N]:\n    return inv(a.T @ a)\n"
    )
    a, b = matrices(42, (9, 3), "f8"), matrices(43, (9,), "f8")
    same(module.fit(a, b), np.linalg.lstsq(a, b)[0], factor=20.0)
    same(module.gram(a), np.linalg.inv(a.T @ a), factor=20.0)


def test_other_threads_run_meanwhile() -> None:
    """Long linear algebra lets go of the interpreter's lock: a thread that waits for it gets it before the call is back."""
    kernel = stax.kernel(lambda a: np.linalg.eigh(a)[1])
    a = positive(44, (300, 300), "f8")
    kernel(a)
    started, state, seen = threading.Lock(), ["before"], []

    def watch() -> None:
        with started:
            seen.append(state[0])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        started.acquire()
        thread = threading.Thread(target=watch)
        thread.start()
        state[0] = "inside"
        started.release()
        kernel(a)
        state[0] = "after"
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen == ["inside"]


def test_large_batches_are_shared_among_threads() -> None:
    """Runs of a batch in any thread, over several batch axes and strides; a failure in one of them is a failure of the call."""

    def everything(a: Array, b: Array) -> Any:
        turned = a.swapaxes(0, 1)[:, ::-1]
        mixed = np.linalg.solve(a, b[:, np.newaxis]), np.linalg.inv(turned), np.linalg.eigvalsh(a[::3, 1:])
        return *mixed, *np.linalg.qr(turned), np.linalg.svd(a), np.linalg.det(a), np.linalg.slogdet(a), np.linalg.eig(a[0])

    a, b = matrices(45, (701, 3, 3, 3), "f8"), matrices(46, (701, 3, 2), "f8")
    threads = stax.get_num_threads()
    try:
        for count in (1, 3):
            stax.set_num_threads(count)
            kernel = agree_exactly(everything, a, b)
        a[507, 1] = 0
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            kernel(a, b)
        a[507, 1] = np.eye(3)
        same(kernel(a, b), everything(a, b), factor=0.0)
    finally:
        stax.set_num_threads(threads)


def test_what_explain_says() -> None:
    """Names, lines, bytes, and about how many operations: 4 times as many of complex numbers."""
    kernel = stax.kernel(lambda a, b: (np.linalg.solve(a, b), np.linalg.svd(b)[1]))
    for dtype, times in (("f8", 1), ("c16", 4)):
        arrays = matrices(47, (5, 30, 30), dtype), matrices(48, (5, 30, 6), dtype)
        solve, svd = kernel.explain(*arrays).kernels
        assert (solve.name, svd.name) == ("extern linalg.solve", "extern linalg.svdvals") and solve.source_lines == svd.source_lines
        assert solve.flops == times * 5 * (2 * 30**3 // 3 + 2 * 30**2 * 6) and svd.flops == times * 5 * (4 * 30 * 36 - 4 * 6**3 // 3)
        assert solve.bytes == sum(array.nbytes for array in (*arrays, arrays[1]))


def test_where_numpys_loops_tell_of_no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not called then. (With eight axes none is loaded yet.)"""
    assert lapack.failures_are_told()
    monkeypatch.setattr(lapack, "failures_are_told", bool)
    kernel = stax.kernel(lambda a: (np.linalg.inv(a), np.linalg.det(a)))
    a = matrices(49, (1, 1, 2, 1, 1, 1, 3, 3), "f8")
    same(kernel(a), kernel.__wrapped__(a), factor=0.0)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        kernel(np.zeros_like(a))
