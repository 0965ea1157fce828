"""Libraries built ahead of time, called through ctypes and from C, against NumPy."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang import StaxError, Tensor, f32, f64, i64
from staxlang.base.settings import Settings
from staxlang.compiler.llvm.products import products_text
from staxlang.compiler.target import x86_64
from staxlang.runtime import native
from staxlang.runtime.ahead.building import named_target
from staxlang.runtime.machine import detect

N, D, K = stax.dims("N D K")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="shared libraries are linked and loaded as on Linux")


@stax.kernel
def layer(x: Tensor[f32, N, D], w: Tensor[f32, D, K], b: Tensor[f32, K], k: float):
    """Rows through a layer, and their sums."""
    y = np.maximum(x @ w + b, 0) * k
    return y, y.sum(0)


@stax.kernel
def take_scaled(x: Tensor[f64, N, D], i: Tensor[i64, K], n: int):
    x[:n] *= 2.0
    return x[i]


@stax.kernel
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@stax.kernel
def mixed(x, y, flag, z):
    return np.where(flag, x, y), (x > y).sum(), z * x.sum()


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def extents(*values: int) -> Any:
    return (ctypes.c_int64 * max(1, len(values)))(*values)


def given(array: np.ndarray[Any, Any], dense: bool = False) -> list[Any]:
    """Pointer, shape, strides of an argument."""
    if not array.ndim:
        return [pointer(array)]
    strides = None if dense else extents(*[step // array.itemsize for step in array.strides])
    return [pointer(array), extents(*array.shape), strides]


def wanted(array: np.ndarray[Any, Any]) -> list[Any]:
    return [pointer(array), extents(*array.shape)] if array.ndim else [pointer(array)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("ahead")
    flat = {"x": stax.spec(("N", "D"), np.float64)}
    made = stax.build(
        [layer, take_scaled, softmax, mixed],
        folder / "libnn.so",
        specs={
            "softmax": {"f64": flat, "f32": {"x": stax.spec(("A", "B", "C"), np.float32)}},
            "mixed": (stax.spec("N", np.float64), stax.spec("N", np.int8), stax.spec("N", bool), complex),
        },
    )
    assert made.library is not None
    loaded = ctypes.CDLL(str(made.library))
    loaded.nn_message.restype = ctypes.c_char_p
    return loaded


def lay(array: np.ndarray[Any, Any], how: str) -> np.ndarray[Any, Any]:
    """The same values in another layout."""
    if how == "transposed":
        return np.ascontiguousarray(array.T).T
    if how == "reversed":
        return np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    if how == "spread":
        wide = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
        wide[::2, ::2] = array
        return wide[::2, ::2]
    return array


@pytest.mark.parametrize("how", ["plain", "null", "transposed", "reversed", "spread"])
@pytest.mark.parametrize(("n", "d", "k"), [(37, 50, 21), (1, 1, 1), (128, 300, 65), (0, 4, 3), (3, 0, 2)])
def test_products_in_all_layouts(library: ctypes.CDLL, how: str, n: int, d: int, k: int) -> None:
    rng = np.random.default_rng(n)
    x, w = (lay(rng.standard_normal(shape).astype(np.float32), how) for shape in ((n, d), (d, k)))
    b = rng.standard_normal(k).astype(np.float32)
    y, total = np.full((n, k), np.nan, np.float32), np.full(k, np.nan, np.float32)
    dense = how == "null"
    code = library.nn_layer(*given(x, dense), *given(w, dense), *given(b), ctypes.c_double(1.5), *wanted(y), *wanted(total))
    assert code == 0, library.nn_message(code)
    right = np.maximum(x.astype(np.float64) @ w + b, 0) * 1.5
    np.testing.assert_allclose(y, right, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(total, right.sum(0), rtol=1e-4, atol=1e-3)


def test_results_of_the_kernel_itself_bit_for_bit(library: ctypes.CDLL) -> None:
    """The same code as in Python, where no product is in it."""
    x = np.random.default_rng(0).standard_normal((33, 77))
    out = np.empty_like(x)
    assert library.nn_softmax_f64(*given(x), *wanted(out)) == 0
    np.testing.assert_array_equal(out, softmax.lower(stax.spec(("N", "D"), np.float64)).compile()(x))
    cube = np.random.default_rng(1).standard_normal((3, 4, 65)).astype(np.float32)
    answer = np.empty_like(cube)
    assert library.nn_softmax_f32(*given(cube[:, ::-1]), *wanted(answer)) == 0
    np.testing.assert_allclose(answer, softmax.__wrapped__(cube[:, ::-1]), rtol=1e-5)


def test_misaligned_results(library: ctypes.CDLL) -> None:
    """C callers align memory to its elements only; large results are written past the caches."""
    x = np.random.default_rng(0).standard_normal((3000, 1501))
    room = np.empty(x.size + 1)
    out = room[1:].reshape(x.shape)
    assert library.nn_softmax_f64(*given(x), *wanted(out)) == 0
    np.testing.assert_allclose(out, softmax.__wrapped__(x), rtol=1e-12)


def test_mixed_dtypes_flags_complex_numbers_and_0d_results(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(3)
    x, y, flag = rng.standard_normal(40), rng.integers(-3, 3, 40).astype(np.int8), rng.random(40) > 0.5
    chosen, count, product = np.empty(40), np.zeros((), np.int64), np.zeros((), np.complex128)
    code = library.nn_mixed(
        *given(x), *given(y), *given(flag), ctypes.c_double(2.0), ctypes.c_double(-1.0), *wanted(chosen), *wanted(count), *wanted(product)
    )
    assert code == 0
    np.testing.assert_array_equal(chosen, np.where(flag, x, y))
    assert count == (x > y).sum()
    np.testing.assert_allclose(product, (2 - 1j) * x.sum())


def test_arguments_are_changed_in_place(library: ctypes.CDLL) -> None:
    for wide in (False, True):
        z = np.zeros((4, 6))[:, ::2] if wide else np.zeros((4, 3))
        z[...] = np.arange(12.0).reshape(4, 3)
        before = z.copy()
        i = np.array([3, 0, -1])
        out = np.zeros((3, 3))
        assert library.nn_take_scaled(*given(z), *given(i), ctypes.c_int64(2), *wanted(out)) == 0
        before[:2] *= 2
        np.testing.assert_array_equal(z, before)
        np.testing.assert_array_equal(out, before[i])


def test_what_does_not_fit_is_told(library: ctypes.CDLL) -> None:
    x, w, b = np.ones((3, 4), np.float32), np.ones((5, 2), np.float32), np.ones(2, np.float32)
    y, total = np.full((3, 2), 7, np.float32), np.full(2, 7, np.float32)

    def call(*arrays: np.ndarray[Any, Any], out: np.ndarray[Any, Any] = y) -> str:
        code = library.nn_layer(*[part for one in arrays for part in given(one)], ctypes.c_double(1.0), *wanted(out), *wanted(total))
        assert code != 0
        return library.nn_message(code).decode()

    assert "w_shape[0] is not D (D is x_shape[1])" in call(x, w, b)
    assert "out0_shape[0] is not N (N is x_shape[0])" in call(x, w[:4], b, out=np.zeros((2, 2), np.float32))
    assert (y == 7).all() and (total == 7).all()
    code = library.nn_layer(None, *given(x)[1:], *given(w[:4]), *given(b), ctypes.c_double(1.0), *wanted(y), *wanted(total))
    assert "null pointer" in library.nn_message(code).decode()
    negative = library.nn_layer_shapes(extents(-1, 4), extents(4, 2), extents(2), extents(0, 0), extents(0))
    assert "negative" in library.nn_message(negative).decode()
    z, i, out = np.ones((4, 3)), np.array([0, 9]), np.zeros((2, 3))
    code = library.nn_take_scaled(*given(z), *given(i), ctypes.c_int64(2), *wanted(out))
    assert "an index is out of range: axis 0 has N elements: " in library.nn_message(code).decode()
    assert "x[i]" in library.nn_message(code).decode()
    np.testing.assert_array_equal(z, 1.0)
    code = library.nn_take_scaled(*given(z), *given(i), ctypes.c_int64(5), *wanted(out))
    assert "n <= N does not hold" in library.nn_message(code).decode()
    assert library.nn_message(12345) == b"an unknown code"


def test_what_data_must_meet_is_told(tmp_path: Path) -> None:
    texts = stax.load_text(
        "kernel power(x: i64[N], k: i64[N]): return x ** k\n"
        "kernel place(x: f64[N], k: i64[M]):\n    let y[i] = x[k[i]]\n    return y\n"
        "kernel counted(k: i64[N]): return bincount(k, length=4)\n"
    )
    loaded = ctypes.CDLL(str(stax.build(texts, tmp_path / "libd.so").library))
    loaded.d_message.restype = ctypes.c_char_p
    x, k, out = np.array([2, 3]), np.array([1, -9]), np.zeros(4, np.int64)
    assert loaded.d_message(loaded.d_power(*given(x), *given(k), *wanted(out[:2]))) == b"d_power: an integer is raised to a negative power"
    told = loaded.d_message(loaded.d_place(*given(np.ones(2)), *given(k), *wanted(np.zeros(2)))).decode()
    assert told.startswith("d_place: an index is out of range: axis 0 has N elements: ") and "x[k[i]]" in told
    told = loaded.d_message(loaded.d_counted(*given(k), *wanted(out))).decode()
    assert told.startswith("d_counted: ") and "index is out of range" not in told and "required" not in told, told


def test_shapes_are_told_beforehand(library: ctypes.CDLL) -> None:
    first, second = extents(0, 0), extents(0)
    assert library.nn_layer_shapes(extents(37, 50), extents(50, 21), extents(21), first, second) == 0
    assert (list(first), list(second)) == ([37, 21], [21])


def test_threads_and_callers(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((300, 200), (200, 400), (400,)))
    results: list[np.ndarray[Any, Any]] = []

    def call() -> None:
        y, total = np.zeros((300, 400), np.float32), np.zeros(400, np.float32)
        assert library.nn_layer(*given(x), *given(w), *given(b), ctypes.c_double(1.0), *wanted(y), *wanted(total)) == 0
        results.append(y)

    for count in (1, 2, 4):
        library.nn_threads(ctypes.c_int32(count))
        callers = [threading.Thread(target=call) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_a_forked_child_computes(library: ctypes.CDLL) -> None:
    library.nn_threads(ctypes.c_int32(2))
    x = np.random.default_rng(0).standard_normal((2000, 600))
    out = np.empty_like(x)
    assert library.nn_softmax_f64(*given(x), *wanted(out)) == 0
    child = os.fork()
    if child == 0:
        again = np.empty_like(x)
        code = library.nn_softmax_f64(*given(x), *wanted(again))
        os._exit(0 if code == 0 and np.array_equal(out, again) else 1)
    assert os.waitpid(child, 0)[1] == 0


C_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include "nn.h"

int main(void) {
    float x[2 * 3] = {1, 2, 3, 4, 5, 6}, w[3 * 2] = {1, 0, 0, 1, 1, 1}, b[2] = {0.5f, -100};
    int64_t xs[] = {2, 3}, ws[] = {3, 2}, bs[] = {2}, ys[2], ts[1];
    int32_t code = nn_layer_shapes(xs, ws, bs, ys, ts);
    if (code) { fprintf(stderr, "%s\n", nn_message(code)); return 1; }
    float *y = malloc(sizeof(float) * ys[0] * ys[1]), *t = malloc(sizeof(float) * ts[0]);
    code = nn_layer(x, xs, NULL, w, ws, NULL, b, bs, NULL, 2.0, y, ys, t, ts);
    if (code) { fprintf(stderr, "%s\n", nn_message(code)); return 1; }
    for (int k = 0; k < 4; k++) printf("%g ", y[k]);
    printf("%g %g\n", t[0], t[1]);
    return nn_layer(x, ws, NULL, w, ws, NULL, b, bs, NULL, 2.0, y, ys, t, ts) == 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("kind", ["shared", "objects"])
def test_a_c_program(tmp_path: Path, kind: str) -> None:
    made = stax.build(layer, tmp_path / ("libnn.so" if kind == "shared" else "libnn.o"), target="x86-64")
    (tmp_path / "main.c").write_text(C_PROGRAM)
    linked = [str(made.library)] if made.library is not None else [*map(str, made.objects), "-lm", "-lpthread"]
    assert (made.library is None) == (kind == "objects")
    program = tmp_path / "main"
    command = ["cc", "-std=c99", "-Wall", "-Werror", "-pedantic", "-o", str(program), str(tmp_path / "main.c"), *linked]
    subprocess.run([*command, f"-Wl,-rpath,{tmp_path}"], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert done.stdout == "9 0 21 0 30 0\n"
    needed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    assert "python" not in needed and "numpy" not in needed and "openblas" not in needed


@pytest.mark.parametrize(
    ("name", "width", "features"),
    [
        ("x86-64", 16, ""),
        ("x86-64-v3", 32, ""),
        ("x86-64-v2,avx,f16c", 16, "+avx,+f16c"),
        ("avx2,fma", 32, "+avx2,+fma"),
        ("+fma, +avx2", 32, "+avx2,+fma"),
        ("x86-64-v3,avx512f,avx512dq,avx512bw,avx512vl", 64, "+avx512bw,+avx512dq,+avx512f,+avx512vl"),
    ],
)
def test_targets(name: str, width: int, features: str, tmp_path: Path) -> None:
    """A level, features, or both say how wide vectors are; the library is built for that, and runs where the machine has it."""
    target = named_target(name, Settings())
    assert (target.vector_bytes, target.features) == (width, features)
    made = stax.build(layer, tmp_path / "libnn.so", target=name)
    assert made.library is not None or made.objects


@pytest.mark.parametrize("bytes_", [16, 32, detect().vector_bytes])
def test_own_products(bytes_: int, tmp_path: Path) -> None:
    """Every order of both operands, sizes around the blocks."""
    if bytes_ > detect().vector_bytes:
        pytest.skip("this machine has no such vectors")
    target = x86_64(bytes_) if bytes_ < 64 else detect()
    one_thread = (
        "define void @stax_parallel(ptr %f, ptr %c, i64 %n, i64 %g) {\n call void %f(ptr %c, i64 0, i64 %n)\n ret void\n}\n"
    )
    text = products_text(target).replace("declare void @stax_parallel(ptr, ptr, i64, i64)", one_thread).replace("define hidden", "define")
    (tmp_path / "products.o").write_bytes(native.compile_text(text, target.triple, target.cpu, target.features, 2))
    subprocess.run(["cc", "-shared", "-o", str(tmp_path / "products.so"), str(tmp_path / "products.o")], check=True)
    loaded = ctypes.CDLL(str(tmp_path / "products.so"))
    rng = np.random.default_rng(0)
    for dtype, function, bound in ((np.float32, loaded.stax_gemm_f32, 1e-4), (np.float64, loaded.stax_gemm_f64, 1e-12)):
        for m, n, k in ((1, 1, 1), (5, 7, 3), (97, 33, 257), (96, 64, 0), (200, 31, 600), (13, 129, 256)):
            for turned_a, turned_b in ((0, 0), (0, 1), (1, 0), (1, 1)):
                a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
                first = np.ascontiguousarray(a.T if turned_a else a)
                second = np.ascontiguousarray(b.T if turned_b else b)
                room = np.full((m, n + 3), 5, dtype)
                function(
                    turned_a, turned_b, *map(ctypes.c_int64, (m, n, k)), pointer(first), ctypes.c_int64(max(1, first.shape[1])),
                    pointer(second), ctypes.c_int64(max(1, second.shape[1])), pointer(room), ctypes.c_int64(n + 3),
                )  # fmt: skip
                np.testing.assert_allclose(room[:, :n], a.astype(np.float64) @ b, rtol=bound, atol=bound * 10)
                assert (room[:, n:] == 5).all()


def test_refusals(tmp_path: Path) -> None:
    @stax.kernel
    def branches(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(StaxError) as caught:
        stax.build(branches, tmp_path / "libb.so", specs={"branches": (stax.spec("N", np.float64),)})
    assert caught.value.code in ("not-buildable", "needs-data")
    assert not list(tmp_path.iterdir())


def test_a_fixed_value_is_no_parameter(tmp_path: Path) -> None:
    @stax.kernel
    def total(x, axis):
        return x.sum(axis=axis)

    two = stax.spec(("N", "D"), np.float64)
    made = stax.build(total, tmp_path / "libt.so", specs={"total": {"rows": {"x": two, "axis": 1}, "columns": {"x": two, "axis": 0}}})
    loaded = ctypes.CDLL(str(made.library))
    x = np.arange(12.0).reshape(3, 4)
    rows, columns = np.zeros(3), np.zeros(4)
    assert loaded.t_total_rows(*given(x), *wanted(rows)) == 0 and loaded.t_total_columns(*given(x), *wanted(columns)) == 0
    np.testing.assert_array_equal(rows, x.sum(1))
    np.testing.assert_array_equal(columns, x.sum(0))
