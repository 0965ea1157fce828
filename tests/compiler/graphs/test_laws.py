"""Laws over drawn graphs: text reads back, passes keep results bit for bit, the loop oracle gives what NumPy gives."""

from __future__ import annotations

import copy

import numpy as np
from hypothesis import HealthCheck, given, settings

from staxlang.compiler.graph import fingerprint, verify
from staxlang.compiler.graph_text import parse_graph, print_graph
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.printer import print_loops
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.pipeline import optimize
from staxlang.compiler.target import x86_64
from staxlang.runtime.reference import run_graph

from .building import agree
from .drawing import SIZES, programs

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def agree_in_part(left, right, exact: int) -> None:
    """The first `exact` results bit for bit, the others within what reordering a sum may change."""
    agree(left[:exact], right[:exact])
    for one, other in zip(left[exact:], right[exact:], strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        tolerance = 1e-4 if one.dtype == np.float32 else 1e-10
        finite = np.isfinite(one)  # Welford's mean of infinities is NaN, the two-pass one infinite
        assert np.array_equal(finite, np.isfinite(other))
        np.testing.assert_allclose(one[finite], other[finite], rtol=tolerance, atol=tolerance)


@QUICK
@given(programs())
def test_a_graph_is_legal_and_its_text_reads_back(program):
    graph, _, _, _ = program
    verify(graph)
    text = print_graph(graph)
    again = parse_graph(text)
    verify(again)
    assert print_graph(again) == text
    assert fingerprint(again) == fingerprint(graph)


def everything(run, arrays):
    """Results of a run, and the arguments as it leaves them."""
    given = copy.deepcopy(arrays)
    results = run(given)
    return results, given


def check(expected, found, exact: int) -> None:
    agree_in_part(expected[0], found[0], exact)
    agree(expected[1], found[1])


@QUICK
@given(programs())
def test_passes_keep_results(program):
    graph, arrays, scalars, exact = program
    optimized, trace = optimize(graph, check=True)
    assert trace.rounds <= 6
    expected = everything(lambda given: run_graph(graph, given, scalars, SIZES), arrays)
    check(expected, everything(lambda given: run_graph(optimized, given, scalars, SIZES), arrays), exact)
    again, second = optimize(optimized)
    assert not second.fired and fingerprint(again) == fingerprint(optimized)


@QUICK
@given(programs())
def test_loops_compute_what_numpy_computes(program):
    graph, arrays, scalars, exact = program
    expected = everything(lambda given: run_graph(graph, given, scalars, SIZES), arrays)
    loops = lower(graph)
    assert print_loops(loops)
    check(expected, everything(lambda given: oracle.run(loops, given, scalars, SIZES), arrays), exact)
    optimized, _ = optimize(graph)
    lowered = lower(optimized)
    check(expected, everything(lambda given: oracle.run(lowered, given, scalars, SIZES), arrays), exact)


@QUICK
@given(programs())
def test_schedules_of_optimized_graphs_write_arguments_right(program):
    graph, arrays, scalars, exact = program
    expected = everything(lambda given: run_graph(graph, given, scalars, SIZES), arrays)
    planned = schedule(lower(optimize(graph)[0]), x86_64())
    check(expected, everything(lambda given: oracle.run(planned, given, scalars, SIZES), arrays), exact)
