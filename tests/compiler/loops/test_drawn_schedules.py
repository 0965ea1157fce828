"""Drawn graphs, lowered and scheduled: kernels give what the graph's own meaning gives."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

from staxlang.base.dtypes import F64
from staxlang.base.sizes import evaluate
from staxlang.compiler.graph_text import print_graph
from staxlang.compiler.loops import chunks, columns, moments, nests, oracle, periodic, rows, transposed
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.memory import lifetimes_of
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64
from staxlang.runtime.reference import run_graph
from tests.compiler.graphs.building import Build, M, agree
from tests.compiler.graphs.drawing import SIZES, programs

TARGET = x86_64()
# So small that the drawn programs have several chunks, blocks and parallel axes.
SMALL = ((chunks, "CHUNK", 2), (nests, "BLOCK", 2), (rows, "CHUNK", 2), (rows, "MANY", 2), (columns, "CHUNK", 2),
         (transposed, "SMALL", 0), (transposed, "ALONG", 2),
         (transposed, "ACROSS_BYTES", 8), (periodic, "PATTERN", 8), (periodic, "CHUNK", 32), (moments, "CHUNK", 2), (moments, "ROWS", 1),
         (columns, "FEWEST_ROWS", 1), (columns, "MOST_ROWS", 2))  # fmt: skip


def no_memory_is_used_twice(made) -> None:
    """Temporaries that are alive in the same step have memory of their own, but for one that ends where another begins in its place."""
    homes = dict(made.aliases)
    places = {one.buffer: one for one in made.allocations}
    found = []
    for name, (first, last) in lifetimes_of(made.program, list(made.steps)).items():
        root = name
        while root in homes:
            root = homes[root]
        if root in places:
            begin, size = evaluate(places[root].offset, SIZES), evaluate(places[root].bytes, SIZES)
            found.append((begin, begin + size, first, last, name, root))
    for one, other in itertools.combinations(found, 2):
        if one[0] < other[1] and other[0] < one[1]:
            meet = one[2] <= other[3] and other[2] <= one[3]
            handed = one[5] == other[5] and (one[3] == other[2] or other[3] == one[2])
            assert handed or not meet, (one, other)


def check(case) -> None:
    graph, arrays, scalars, exact = case
    expected = run_graph(graph, copy.deepcopy(arrays), scalars, SIZES)
    made = schedule(lower(graph), TARGET)
    no_memory_is_used_twice(made)
    for run in (execute, oracle.run):
        note(print_graph(graph))
        results = run(made, copy.deepcopy(arrays), scalars, SIZES)
        agree(results[:exact], expected[:exact])
        for one, other in zip(results[exact:], expected[exact:], strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-3, equal_nan=True)


@given(programs())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_scheduled_programs_mean_what_their_graphs_mean(case):
    check(case)


@given(programs())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_chunks_and_blocks_change_nothing(case):
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in SMALL:
            patch.setattr(module, name, value)
        check(case)


def test_a_column_of_uneven_rows_is_not_walked_by_vectors(monkeypatch):
    """The chunks of a long variance differ in length: a loop over columns of chunks cannot go inside the one over their rows."""
    for module, name, value in SMALL:
        monkeypatch.setattr(module, name, value)
    b = Build()
    x = b.input(F64, M, 1)
    padded = b.make("pad", (b.op("exp", x), b.number(0.5, F64)), low=(1, 2), high=(1, 0))
    graph = b.graph(b.reduce(b.op("absolute", padded), "welford_m2", (0, 1)))
    made = schedule(lower(graph), TARGET)
    array = np.array([[0.5], [-1.25]])
    expected = run_graph(graph, [array], [], SIZES)
    for run in (execute, oracle.run):
        np.testing.assert_allclose(run(made, [array.copy()], [], SIZES), expected, rtol=1e-14)
