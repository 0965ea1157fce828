"""Non-temporal stores: the same results wherever outputs begin, only where the output is large, never past its ends."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.compiler.llvm.program import emit
from tests.llvm.harness import Sketch, assembly, host, host_target

X86 = pytest.mark.skipif(not host()[0].startswith("x86_64"), reason="reads x86 assembly")


def add_one(dtype: str, width: int, unroll: int, extent: int | None, outputs: int = 1) -> Sketch:
    s = Sketch()
    i = s.size("i")
    n = s.size("N") if extent is None else extent
    x = s.input("x", dtype, (n,))
    value = s.op("add", s.load(x, i), s.const(1, dtype))
    stores = [s.store(s.output(f"y{k}", dtype, (n,)), (i,), value, streaming=True) for k in range(outputs)]
    s.kernel(s.nest([s.vector(i, n, width, unroll)], *stores))
    return s


@pytest.mark.parametrize("vector_bytes", [64, 32])
@pytest.mark.parametrize(("dtype", "width"), [("f32", 16), ("f32", 8), ("f64", 16), ("i8", 16), ("i8", 64)])
def test_any_alignment(dtype: str, width: int, vector_bytes: int) -> None:
    program = add_one(dtype, width, 2, None).compile(host_target(vector_bytes=vector_bytes, streaming_bytes=256))
    kind = {"f32": np.float32, "f64": np.float64, "i8": np.int8}[dtype]
    for length in (1, 5, 40, 64, 300, 1000):
        for offset in range(17):
            data = np.arange(length).astype(kind)
            room = np.zeros(length + 100, kind)
            room = room[(-room.ctypes.data % 64) // room.itemsize :][: length + 40]
            program(data, room[offset : offset + length], N=length)
            np.testing.assert_array_equal(room[offset : offset + length], data + kind(1))
            assert not room[:offset].any() and not room[offset + length :].any()


def test_two_outputs_of_unlike_alignment() -> None:
    program = add_one("f32", 16, 1, None, outputs=2).compile(host_target(streaming_bytes=256))
    for first, second in ((0, 0), (0, 4), (3, 3), (5, 8)):
        data = np.arange(500, dtype=np.float32)
        rooms = [np.zeros(600, np.float32) for _ in range(2)]
        program(data, rooms[0][first : first + 500], rooms[1][second : second + 500], N=500)
        for room, offset in zip(rooms, (first, second), strict=True):
            np.testing.assert_array_equal(room[offset : offset + 500], data + 1)
            assert room.sum() == (data + 1).sum()


def test_rows_with_an_accumulator() -> None:
    """Lanes in front of an unaligned row do not count."""
    s = Sketch()
    n, m, i, j = (s.size(c) for c in ("N", "M", "i", "j"))
    x, y, z = s.input("x", "f64", (n, m)), s.output("y", "f64", (n, m)), s.output("z", "f64", (n,))
    value = s.op("exp", s.load(x, i, j))
    inner = s.nest([s.vector(j, m, 8, 2)], s.store(y, (i, j), value, streaming=True), accumulators=[s.accumulator("t", "sum", value)])
    s.kernel(s.nest([s.serial(i, n)], inner, s.store(z, (i,), s.local("t", "f64"))))
    program = s.compile(host_target(streaming_bytes=64))
    data = np.random.default_rng(0).normal(size=(20, 13))
    got, total = np.zeros_like(data), np.zeros(20)
    program(data, got, total, N=20, M=13)
    np.testing.assert_allclose(got, np.exp(data), rtol=1e-14)
    np.testing.assert_allclose(total, np.exp(data).sum(1), rtol=1e-14)


@X86
def test_only_large_outputs() -> None:
    target = host_target(streaming_bytes=1 << 20)
    for extent, wanted in ((1 << 10, False), (1 << 20, True), (None, True)):
        text = emit(add_one("f32", 16, 1, extent).schedule(), target, "k").text
        code = assembly(text)
        assert ("vmovnt" in code) == wanted and ("mfence" in code or "lock" in code) == wanted
