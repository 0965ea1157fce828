"""Rows walked twice: the next row is fetched in the costly walk, where rows have the length for it."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import F32
from staxlang.base.sizes import symbol
from staxlang.compiler.llvm.program import emit_program
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from tests.compiler.graphs.building import Build
from tests.compiler.loops.cases import softmax
from tests.llvm.harness import Program, host_target


def scheduled(*shape):
    b = Build()
    return schedule(lower(b.graph(*softmax(b, b.input(F32, *shape)))), host_target(cores=1))


@pytest.mark.parametrize(("columns", "wanted"), [(64, False), (1024, False), (4096, True), (1 << 20, False)])
def test_rows_of_middle_length_are_fetched_ahead(columns, wanted):
    assert ("llvm.prefetch" in emit_program(scheduled(32, columns), host_target(cores=1), "kernel")) is wanted


def test_values_are_the_same_with_unknown_sizes():
    made = scheduled(symbol("N"), symbol("M"))
    program = Program(made, host_target(cores=1))
    for n, m in ((1, 1), (3, 50), (2, 2048), (5, 4097), (2, 70000)):
        x = np.random.default_rng(n).normal(size=(n, m)).astype(np.float32)
        out = np.zeros_like(x)
        assert program(x, out, N=n, M=m) == 0
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)
