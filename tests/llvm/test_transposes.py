"""Operands that lie the other way round: squares turned by shuffles, at every size, dtype and edge."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import DTYPES
from staxlang.base.sizes import symbol
from staxlang.compiler.llvm.program import emit_program
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.typecheck import views
from tests.compiler.graphs.building import Build
from tests.llvm.harness import Program, host_target

NUMPY = {"bool": np.bool_, "u8": np.uint8, "i16": np.int16, "f16": np.float16, "i32": np.int32, "f32": np.float32, "i64": np.int64,
         "f64": np.float64, "c64": np.complex64, "c128": np.complex128}  # fmt: skip


def turned(dtype: str, op: str, *shape, order=(1, 0)):
    """`x.transpose(order)` and y combined by the operation."""
    b = Build()
    x = b.input(DTYPES[dtype], *shape)
    back = b.view(x, views.transpose(x.type.shape, order))
    out = b.op(op, back, b.input(DTYPES[dtype], *back.type.shape))
    return schedule(lower(b.graph(out)), host_target(cores=1))


def arrays(dtype: str, *shapes):
    rng = np.random.default_rng(5)
    return [(rng.integers(0, 2, shape) if dtype == "bool" else rng.integers(0, 100, shape)).astype(NUMPY[dtype]) for shape in shapes]


@pytest.mark.parametrize("dtype", ["u8", "i16", "f16", "i32", "f32", "i64", "f64", "c64", "c128"])
@pytest.mark.parametrize("shape", [(200, 300), (129, 71)])
def test_each_item_size(dtype, shape):
    made = turned(dtype, "add", *shape)
    x, y = arrays(dtype, shape, shape[::-1])
    out = np.zeros(shape[::-1], NUMPY[dtype])
    assert Program(made, host_target(cores=1))(x, y, out) == 0
    np.testing.assert_array_equal(out, x.T + y)


def test_bools_are_turned():
    made = turned("bool", "logical_xor", 300, 200)
    x, y = arrays("bool", (300, 200), (200, 300))
    out = np.zeros((200, 300), np.bool_)
    assert Program(made, host_target(cores=1))(x, y, out) == 0
    np.testing.assert_array_equal(out, x.T ^ y)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_unknown_sizes_of_every_remainder(dtype):
    program = Program(turned(dtype, "subtract", symbol("N"), symbol("M")), host_target(cores=1))
    for n in (1, 2, 7, 8, 9, 15, 16, 31, 64, 127, 128, 129, 200, 257):
        for m in (1, 5, 8, 13, 33, 64, 65, 130):
            x, y = arrays(dtype, (n, m), (m, n))
            out = np.full((m, n), 7, NUMPY[dtype])
            assert program(x, y, out, N=n, M=m) == 0
            np.testing.assert_array_equal(out, x.T - y)


@pytest.mark.parametrize("order", [(0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_axes_of_a_stack(order):
    made = turned("f32", "multiply", 6, 70, 90, order=order)
    shape = tuple(np.transpose(np.zeros((6, 70, 90)), order).shape)
    x, y = arrays("f32", (6, 70, 90), shape)
    out = np.zeros(shape, np.float32)
    assert Program(made, host_target(cores=1))(x, y, out) == 0
    np.testing.assert_array_equal(out, x.transpose(order) * y)


def test_no_element_is_gathered():
    text = emit_program(turned("f32", "add", 512, 512), host_target(cores=1), "kernel")
    assert "gather" not in text and "scatter" not in text and text.count("shufflevector <8 x i32>") >= 24
