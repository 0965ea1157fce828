"""Kernels and bytes of the programs that users write: counts that do not vary."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import F32
from staxlang.base.sizes import evaluate
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.report import report
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64
from staxlang.typecheck import views
from tests.compiler.graphs.building import Build, M, N
from tests.compiler.loops.cases import Case, arrays_of, cases, graph_of

TARGET = x86_64()
# Rows add to results for columns, which are kept for each chunk of rows.
WITH_CHUNKS = ("rows and columns", "gradient of a layer norm")
STATIC = {case.name: case for case in cases()}
SYMBOLIC = {case.name: case for case in cases(N, M)}


def right(case: Case, sizes: dict[str, int], run) -> bool:
    planned = schedule(lower(graph_of(case)), TARGET)
    arrays = arrays_of(case, sizes)
    expected = case.meaning(*arrays)
    expected = expected if isinstance(expected, list) else [expected]
    for one, other in zip(run(planned, arrays, [], sizes), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)
        assert one.dtype == np.asarray(other).dtype
    return True


@pytest.mark.parametrize("name", STATIC)
def test_one_kernel_moves_the_least_bytes(name: str):
    case = STATIC[name]
    planned = schedule(lower(graph_of(case)), TARGET)
    found = report(planned, TARGET)
    assert len(planned.steps) == 1
    assert found.lower_bound <= found.bytes <= found.lower_bound + sum(2 * one.bytes for one in found.materialized)
    assert found.copies == ()
    assert {one.why for one in found.materialized} <= ({"results of chunks"} if name in WITH_CHUNKS else set())


@pytest.mark.parametrize("name", STATIC)
def test_cases_are_right(name: str):
    assert right(STATIC[name], {}, execute)


@pytest.mark.parametrize("name", SYMBOLIC)
def test_cases_are_right_for_any_size(name: str):
    for sizes in ({"N": 37, "M": 50}, {"N": 1, "M": 8}, {"N": 70, "M": 5}):
        assert right(SYMBOLIC[name], sizes, execute)


@pytest.mark.parametrize("name", SYMBOLIC)
def test_printed_schedules_are_right(name: str):
    assert right(SYMBOLIC[name], {"N": 5, "M": 9}, oracle.run)


@pytest.mark.parametrize("name", SYMBOLIC)
def test_unknown_sizes_cost_at_most_results_of_chunks(name: str):
    planned = schedule(lower(graph_of(SYMBOLIC[name])), TARGET)
    found = report(planned, TARGET)
    assert len(planned.steps) <= (2 if "variance" in name else 1)
    sizes = {"N": 4096, "M": 4096}
    assert evaluate(found.bytes, sizes) <= 1.1 * evaluate(found.lower_bound, sizes)
    assert all("chunks" in one.why or "reads it" in one.why for one in found.materialized)


def test_the_first_case_of_the_issue():
    """relu(x + w) * 2 summed over the last axis of (64, 128): read x and w, write the sums, nothing else."""
    found = report(schedule(lower(graph_of(STATIC["relu sum"])), TARGET), TARGET)
    assert found.at({})["bytes"] == 4 * (64 * 128 + 128 + 64) == found.at({})["lower_bound"]


def test_a_slice_counts_as_what_is_read_of_it():

    b = Build()
    x = b.input(F32, 64, 128)
    part = b.view(x, views.subscript((64, 128), [views.Range(0, 64, 1), views.Range(0, 64, 2)]))
    found = report(schedule(lower(b.graph(b.op("negative", part))), TARGET), TARGET)
    assert found.bytes == found.lower_bound == 2 * 4 * 64 * 64


def test_what_stays_apart_is_said():
    """A value that all rows need is complete only after a walk over everything: two kernels, and the reason."""
    b = Build()
    x = b.input(F32, N)
    planned = schedule(lower(b.graph(b.op("divide", x, b.broadcast(b.reduce(x, "sum", (0,)), (N,))))), TARGET)
    found = report(planned, TARGET)
    assert len(planned.steps) == 2
    assert any("not fused" in note for note in found.notes)
    assert evaluate(found.bytes, {"N": 10**6}) == pytest.approx(12e6, rel=0.01)
    assert evaluate(found.lower_bound, {"N": 10**6}) == 8 * 10**6
