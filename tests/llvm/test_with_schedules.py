"""Schedules as the scheduler makes them, compiled and run: drawn graphs and the programs of tests/compiler/loops/cases.py."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

from staxlang.base.sizes import evaluate, symbol
from staxlang.compiler.graph import Graph
from staxlang.compiler.graph_text import print_graph
from staxlang.compiler.llvm.library import gemm_text
from staxlang.compiler.llvm.pool import pool_text
from staxlang.compiler.loops import chunks, columns, moments, nests, rows, transposed
from staxlang.compiler.loops.ir import Schedule
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.target import Target
from staxlang.runtime import blas
from staxlang.runtime.reference import run_graph
from tests.compiler.graphs.drawing import SIZES, programs
from tests.compiler.loops.cases import arrays_of, cases, graph_of
from tests.llvm.harness import Program, host, host_target

WIDE = host_target(cores=2)
NARROW = host_target(vector_bytes=32, cores=1)
OLD = host_target(cpu="x86-64-v2", features="", vector_bytes=16) if host()[0].startswith("x86_64") else NARROW
SMALL = ((chunks, "CHUNK", 2), (nests, "BLOCK", 2), (rows, "CHUNK", 2), (rows, "MANY", 2), (columns, "CHUNK", 2), (transposed, "SMALL", 0),
         (transposed, "ALONG", 2), (transposed, "ACROSS_BYTES", 8), (moments, "CHUNK", 2), (moments, "ROWS", 1),
         (columns, "FEWEST_ROWS", 1), (columns, "MOST_ROWS", 2))  # fmt: skip


def compiled(planned: Schedule, target: Target) -> Program:
    found = blas.find()
    libraries = [pool_text(host()[0]), gemm_text(found.wide)]
    return Program(planned, target, libraries, found.symbols)


def run(program: Program, arrays: Sequence[np.ndarray], scalars: Sequence[Any], sizes: Mapping[str, int]) -> list[np.ndarray]:
    """The program's outputs; room past their ends must stay untouched."""
    buffers = program.schedule.program.buffers
    outputs: list[np.ndarray] = []
    for name in program.schedule.program.outputs:
        buffer = buffers[name]
        shape = tuple(evaluate(extent, dict(sizes)) for extent in buffer.shape)
        outputs.append(np.zeros(int(np.prod(shape)) + 8, buffer.dtype.numpy))
    status = program(*arrays, *outputs, scalars=scalars, **sizes)
    assert status == 0, program.emission.checks[status - 1]
    made: list[np.ndarray] = []
    for name, room in zip(program.schedule.program.outputs, outputs, strict=True):
        shape = tuple(evaluate(extent, dict(sizes)) for extent in buffers[name].shape)
        count = int(np.prod(shape))
        assert not room[count:].any()
        made.append(room[:count].reshape(shape))
    return made


def check(graph: Graph, arrays: list[np.ndarray], scalars: list[Any], exact: int, target: Target) -> None:
    expected = run_graph(graph, copy.deepcopy(arrays), scalars, SIZES)
    note(print_graph(graph))
    got = run(compiled(schedule(lower(graph), target), target), copy.deepcopy(arrays), scalars, SIZES)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-3 if exact < len(expected) else 1e-5, equal_nan=True)


@given(programs())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawn_programs(case) -> None:
    check(*case, WIDE)


@given(programs())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawn_programs_in_small_chunks(case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in SMALL:
            patch.setattr(module, name, value)
        check(*case, WIDE)


@given(programs())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawn_programs_without_masks(case) -> None:
    check(*case, NARROW)


@given(programs())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawn_programs_with_scalar_tails(case) -> None:
    check(*case, OLD)


NAMES = [case.name for case in cases()]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("symbolic", [True, False])
def test_cases(name: str, symbolic: bool) -> None:
    """Programs that users write, at sizes with tails; with known sizes, and with one program for all of them."""
    program: Program | None = None
    for n, m in ((64, 128), (1, 1), (7, 15), (33, 17), (5, 1001)):
        extents = (symbol("N"), symbol("M")) if symbolic else (n, m)
        case = {case.name: case for case in cases(*extents)}[name]
        if program is None or not symbolic:
            program = compiled(schedule(lower(graph_of(case)), WIDE), WIDE)
        sizes = {"N": n, "M": m} if symbolic else {}
        arrays = [array % m if array.dtype == np.int64 else array for array in arrays_of(case, {"N": n, "M": m})]  # labels in range
        expected = case.meaning(*arrays)
        got = run(program, arrays, (), sizes)
        for one, other in zip(got, expected if isinstance(expected, (tuple, list)) else (expected,), strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-4)
