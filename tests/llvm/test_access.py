"""How arrays are read and written: strides, reversal, broadcasting, gathers, guards, tiles, updates, in lanes with masked tails."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from staxlang.compiler.target import Target
from tests.llvm.harness import Sketch, dtype_name, host_target

LENGTHS = (0, 1, 7, 15, 16, 17, 33, 1001)
DTYPES = ("bool", "i8", "u16", "i32", "i64", "f16", "f32", "f64", "c64", "c128")
NARROW = host_target(vector_bytes=32)


def numbers(dtype: str, shape: int | tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2 if dtype == "bool" else 100, shape)
    if dtype[0] == "c":
        return (values + 1j * rng.integers(0, 100, shape)).astype({"c64": np.complex64, "c128": np.complex128}[dtype])
    names = {"bool": "bool", "f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "u16": "u2", "i32": "i4", "i64": "i8"}
    return values.astype(names[dtype])


def copy_kernel(dtype: str, step: int | None, width: int, unroll: int = 1, target: Target | None = None):
    """y[i] = x[start + step*i]; step None: a symbolic one."""
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    stride = s.size("S") if step is None else step
    x, y = s.input("x", dtype, (n,), (stride,)), s.output("y", dtype, (n,))
    s.kernel(s.nest([s.vector(i, n, width, unroll)], s.store(y, (i,), s.load(x, i))))
    return s.compile(target)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [1, -1, 2, 3, -5, 0, None])
def test_strides(dtype: str, step: int | None) -> None:
    program = copy_kernel(dtype, step, 16, 2)
    actual = 7 if step is None else step
    for length in LENGTHS:
        whole = numbers(dtype, abs(actual) * length + 3)
        start = (length - 1) * -actual if actual < 0 and length else 0
        view = whole[start:] if actual > 0 else whole[start::-1] if actual < 0 else whole
        want = np.broadcast_to(whole[:1], (length,)) if actual == 0 else view[:: abs(actual)][:length]
        got = numbers(dtype, length + 1, 5)
        last = got[length]
        sizes = {"N": length} | ({"S": actual} if step is None else {})
        program(whole[start:], got[:length], **sizes)
        np.testing.assert_array_equal(got[:length], want)
        assert got[length] == last


@pytest.mark.parametrize("dtype", ["i8", "f32", "c64"])
def test_strided_stores(dtype: str) -> None:
    for step in (2, -3):
        s = Sketch()
        n, i = s.size("N"), s.size("i")
        x, y = s.input("x", dtype, (n,)), s.output("y", dtype, (n,), (step,))
        s.kernel(s.nest([s.vector(i, n, 8, 2)], s.store(y, (i,), s.load(x, i))))
        program = s.compile()
        for length in LENGTHS:
            values = numbers(dtype, length)
            got = np.zeros(3 * length + 3, values.dtype)
            start = 3 * length if step < 0 else 0
            program(values, got[start:], N=length)
            want = np.zeros_like(got)
            want[start : (start + step * length if start + step * length >= 0 else None) : step][:length] = values
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("target", [None, NARROW])
@pytest.mark.parametrize("dtype", ["f32", "i8", "f64", "bool"])
def test_two_axes(dtype: str, target: Target | None) -> None:
    """Broadcast rows and columns, a transposed operand and one reversed along both axes."""
    s = Sketch()
    n, m = s.size("N"), s.size("M")
    i, j = s.size("i"), s.size("j")
    row, column = s.input("row", dtype, (m,)), s.input("column", dtype, (n,))
    turned, flipped = s.input("turned", dtype, (m, n)), s.input("flipped", dtype, (n, m))
    y = s.output("y", dtype, (n, m))
    op = "logical_xor" if dtype == "bool" else "add"
    total = s.op(op, s.op(op, s.load(row, j), s.load(column, i)), s.op(op, s.load(turned, j, i), s.load(flipped, n - 1 - i, m - 1 - j)))
    s.kernel(s.nest([s.serial(i, n), s.vector(j, m, 16, 2)], s.store(y, (i, j), total)))
    program = s.compile(target)
    for rows, columns in ((0, 5), (5, 0), (1, 1), (3, 33), (5, 16), (2, 70)):
        arrays = [numbers(dtype, shape, k) for k, shape in enumerate([(columns,), (rows,), (columns, rows), (rows, columns)])]
        a, b, c, d = (v.astype(int) for v in arrays)
        got = numbers(dtype, (rows, columns), 9)
        program(*arrays, got, N=rows, M=columns)
        want = (a + b[:, None] + c.T + d[::-1, ::-1]) % 2 if dtype == "bool" else a + b[:, None] + c.T + d[::-1, ::-1]
        np.testing.assert_array_equal(got.astype(int), want.astype(got.dtype).astype(int))


@pytest.mark.parametrize("dtype", ["f32", "i16", "c64"])
@pytest.mark.parametrize("index", ["i64", "i32"])
def test_gather(dtype: str, index: str) -> None:
    s = Sketch()
    n, m, i, j = s.size("N"), s.size("M"), s.size("i"), s.size("j")
    name = "u16" if dtype == "i16" else dtype
    x, k, y = s.input("x", name, (n, m)), s.input("k", index, (n,)), s.output("y", name, (n, m))
    z = s.output("z", name, (n,))
    checked = s.interner.make("assert_index", (s.cast(s.load(k, i), "i64"),), s.value(n).type, extent=n, what="x")
    s.kernel(s.nest([s.serial(i, n), s.vector(j, m, 16)], s.store(y, (i, j), s.load(x, s.size("$0"), j, indirect=[checked]))))
    s.kernel(s.nest([s.vector(i, n, 16)], s.store(z, (i,), s.load(x, s.size("$0"), 0, indirect=[checked]))))
    program = s.compile()
    for rows, columns in ((1, 1), (20, 7), (33, 17)):
        data = numbers(name, (rows, columns))
        order = np.random.default_rng(2).integers(0, rows, rows).astype(index.replace("i", "int"))
        got, first = np.zeros_like(data), np.zeros(rows, data.dtype)
        assert program(data, order, got, first, N=rows, M=columns) == 0
        np.testing.assert_array_equal(got, data[order])
        np.testing.assert_array_equal(first, data[order, 0])
        order[rows // 2] = rows
        assert program(data, order, got, first, N=rows, M=columns) == 1
        order[rows // 2] = -1
        assert program(data, order, got, first, N=rows, M=columns) == 1


def test_flattened_subscripts() -> None:
    """A reshape that is not affine: divisions and remainders of the loop index."""
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    rows = s.size("R")
    x, y = s.input("x", "f32", (rows, 6)), s.output("y", "f32", (n,))
    s.kernel(s.nest([s.vector(i, n, 16)], s.store(y, (i,), s.load(x, i % rows, i // rows))))
    program = s.compile()
    for count in (1, 4, 7, 33):
        data = np.arange(count * 6, dtype=np.float32).reshape(count, 6)
        got = np.zeros(count * 6, np.float32)
        program(data, got, N=count * 6, R=count)
        np.testing.assert_array_equal(got, data.T.ravel())


@pytest.mark.parametrize("width", [16, 1])
def test_guard_reads_only_where_it_holds(width: int) -> None:
    """A padded stencil at the edge of a page that must not be touched."""
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    x, y = s.input("x", "f32", (n,)), s.output("y", "f32", (n + 2,))
    inside = s.op("logical_and", s.compare("greater_equal", s.value(i), s.const(1, "i64")), s.compare("less", s.value(i), s.value(n + 1)))
    value = s.guard(inside, s.op("add", s.load(x, i - 1), s.const(1, "f32")), s.const(-5, "f32"))
    loop = s.vector(i, n + 2, width) if width > 1 else s.serial(i, n + 2)
    s.kernel(s.nest([loop], s.store(y, (i,), value)))
    program = s.compile()
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, page)
    whole = np.frombuffer(memory, np.float32)
    for length in (0, 1, 14, 16, 33, page // 4):
        data = whole[len(whole) - length :]
        data[:] = np.arange(length)
        got = np.zeros(length + 2, np.float32)
        program(data, got, N=length)
        np.testing.assert_array_equal(got, np.pad(data + 1, 1, constant_values=-5))


def test_concatenation_by_guards() -> None:
    s = Sketch()
    n, m, i = s.size("N"), s.size("M"), s.size("i")
    a, b, y = s.input("a", "f64", (n,)), s.input("b", "f64", (m,)), s.output("y", "f64", (n + m,))
    first = s.compare("less", s.value(i), s.value(n))
    value = s.guard(first, s.load(a, i), s.guard(s.op("logical_not", first), s.load(b, i - n), s.const(0, "f64")))
    s.kernel(s.nest([s.vector(i, n + m, 8, 2)], s.store(y, (i,), s.op("multiply", value, s.const(2, "f64")))))
    program = s.compile()
    for left, right in ((0, 3), (3, 0), (5, 9), (8, 8), (17, 40)):
        first_part, second = np.random.default_rng(0).normal(size=left), np.random.default_rng(1).normal(size=right)
        got = np.zeros(left + right)
        program(first_part, second, got, N=left, M=right)
        np.testing.assert_array_equal(got, np.concatenate([first_part, second]) * 2)


def test_tile_is_read_back_after_it_is_written() -> None:
    s = Sketch()
    n, i, j, k, l = (s.size(c) for c in ("N", "i", "j", "k", "l"))
    x, y = s.input("x", "f32", (n, 40)), s.output("y", "f32", (n, 40))
    tile = s.tile("t", "f32", (40,))
    fill = s.nest([s.vector(j, 40, 16)], s.store(tile, (j,), s.op("multiply", s.load(x, i, j), s.const(3, "f32"))))
    more = s.nest([s.vector(k, 40, 16)], s.store(tile, (k,), s.op("add", s.load(tile, k), s.const(1, "f32"))))
    back = s.nest([s.vector(l, 40, 16)], s.store(y, (i, l), s.op("subtract", s.load(tile, 39 - l), s.load(tile, 0))))
    s.kernel(s.nest([s.serial(i, n)], fill, more, back), tiles=[tile])
    program = s.compile()
    data = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    got = np.zeros_like(data)
    program(data, got, N=5)
    value = data * np.float32(3) + np.float32(1)
    np.testing.assert_array_equal(got, value[:, ::-1] - value[:, :1])


@pytest.mark.parametrize("mode", ["add", "min", "max"])
@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_updates(mode: str, dtype: str) -> None:
    """An accumulator row in lanes, and a histogram with repeated indices by scalars."""
    s = Sketch()
    n, i, j, e = s.size("N"), s.size("i"), s.size("j"), s.size("e")
    x, k = s.input("x", dtype, (n, 21)), s.input("k", "i64", (n,))
    y, z = s.output("y", dtype, (21,)), s.output("z", dtype, (5,))
    s.kernel(s.nest([s.serial(i, n), s.vector(j, 21, 16)], s.store(y, (j,), s.load(x, i, j), mode=mode)))
    s.kernel(s.nest([s.serial(e, n)], s.store(z, (s.size("$0"),), s.load(x, e, 0), mode=mode, indirect=(s.load(k, e),))))
    program = s.compile()
    data = numbers(dtype, (50, 21))
    places = np.random.default_rng(3).integers(0, 5, 50)
    row, bins = numbers(dtype, 21, 7), numbers(dtype, 5, 8)
    combine = {"add": np.add, "min": np.minimum, "max": np.maximum}[mode]
    want_row, want_bins = row.copy(), bins.copy()
    for line, place in zip(data, places, strict=True):
        want_row = combine(want_row, line)
        want_bins[place] = combine(want_bins[place], line[0])
    program(data, places, row, bins, N=50)
    np.testing.assert_array_equal(row, want_row)
    np.testing.assert_array_equal(bins, want_bins)


def test_in_place_through_an_alias() -> None:
    s = Sketch()
    n, i, j = s.size("N"), s.size("i"), s.size("j")
    x, y = s.input("x", "f64", (n,)), s.output("y", "f64", (n,))
    first = s.temporary("t", "f64", (n,))
    second = s.buffer("u", "f64", (n,), "temporary")
    s.aliases.append(("u", "t"))
    s.kernel(s.nest([s.vector(i, n, 8, 2)], s.store(first, (i,), s.op("square", s.load(x, i)))))
    a = s.size("a")
    s.kernel(s.nest([s.vector(a, n, 8, 2)], s.store(second, (a,), s.op("add", s.load(first, a), s.const(1, "f64")))))
    s.kernel(s.nest([s.vector(j, n, 8, 2)], s.store(y, (j,), s.op("sqrt", s.load(second, j)))))
    program = s.compile()
    for length in LENGTHS:
        data = np.random.default_rng(0).normal(size=length)
        got = np.zeros(length)
        program(data, got, N=length)
        np.testing.assert_array_equal(got, np.sqrt(data * data + 1))


def test_constants_and_positions() -> None:
    s = Sketch()
    n, i, j = s.size("N"), s.size("i"), s.size("j")
    table = np.arange(12, dtype=np.float32) * 1.5
    c = s.buffer("c", "f32", (12,), "constant", value=table.tobytes())
    y = s.output("y", "f64", (n, 12))
    value = s.op("add", s.cast(s.load(c, j), "f64"), s.cast(s.value(12 * i + j * j), "f64"))
    s.kernel(s.nest([s.serial(i, n), s.vector(j, 12, 8, 2)], s.store(y, (i, j), value)))
    program = s.compile()
    got = np.zeros((5, 12))
    program(got, N=5)
    column = np.arange(12)
    np.testing.assert_array_equal(got, table + 12.0 * np.arange(5)[:, None] + column * column)


def test_chain_of_a_thousand() -> None:
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    x, y = s.input("x", "f32", (n,)), s.output("y", "f32", (n,))
    value = s.load(x, i)
    for k in range(1000):
        value = s.op("subtract", value, s.const(float(k % 7), "f32"))
    s.kernel(s.nest([s.vector(i, n, 16)], s.store(y, (i,), value)))
    program = s.compile()
    data = np.random.default_rng(0).normal(size=33).astype(np.float32)
    got, want = np.zeros_like(data), data.copy()
    program(data, got, N=33)
    for k in range(1000):
        want = want - np.float32(k % 7)
    np.testing.assert_array_equal(got, want)
    assert dtype_name(got) == "f32"
