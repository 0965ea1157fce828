"""Updates of arguments: in place where nobody needs the old value, right in any case."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from staxlang.base.dtypes import F32, F64
from staxlang.base.records import replace
from staxlang.compiler.graph import topological
from staxlang.compiler.graph_text import print_graph
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.ir import Schedule
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64
from staxlang.runtime.reference import run_graph
from staxlang.typecheck import views
from tests.compiler.graphs.building import Build, N, agree
from tests.compiler.graphs.drawing import SIZES, programs

TARGET = x86_64()


def updated(graph, *arrays: np.ndarray, sizes=None) -> Schedule:
    """The schedule, after it gave the same arrays and results as the graph's own meaning."""
    made = schedule(lower(graph), TARGET)
    expected = copy.deepcopy(arrays)
    results = run_graph(graph, list(expected), [], sizes)
    for run in (execute, oracle.run):
        mine = copy.deepcopy(arrays)
        agree(run(made, list(mine), [], sizes), results)
        agree(mine, expected)
    return made


def temporaries(made: Schedule) -> list[str]:
    return [one.buffer for one in made.allocations]


def numbers(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype="f").reshape(shape)


def test_an_update_that_dies_writes_in_place():
    b = Build()
    x = b.input(F32, N, 4)
    made = updated(b.graph(updates=[(0, b.op("multiply", x, b.constant(2.0, x)))]), numbers(3, 4))
    assert len(made.steps) == 1 and temporaries(made) == []


def test_results_that_read_the_old_value_come_first():
    b = Build()
    x = b.input(F32, 5)
    old = b.op("add", x, b.constant(1.0, x))
    made = updated(b.graph(old, b.reduce(x, "sum", (0,)), updates=[(0, b.op("multiply", old, b.constant(3.0, x)))]), numbers(5))
    assert temporaries(made) == []


def test_two_arguments_that_take_each_other_in():
    b = Build()
    x, y = b.input(F32, 6), b.input(F32, 6)
    made = updated(b.graph(updates=[(0, b.op("add", x, y)), (1, b.op("subtract", x, y))]), numbers(6), numbers(6)[::-1].copy())
    assert len(made.steps) <= 3


def test_arguments_that_change_places():
    b = Build()
    x, y = b.input(F32, 6), b.input(F32, 6)
    assert updated(b.graph(updates=[(0, y), (1, x)]), numbers(6), numbers(6)[::-1].copy()).steps


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_a_part_that_reads_the_argument_elsewhere(shift: int):
    """x[1:-1] = x[shift:..] + 1: written in place, through a temporary of the part's size where the places differ."""
    b = Build()
    x = b.input(F64, 10)
    part = b.view(x, views.subscript((10,), [views.Range(shift, 8, 1)]))
    value = b.op("add", part, b.constant(1.0, part))
    inside = views.subscript((10,), [views.Range(1, 8, 1)])
    new = b.make("update", (x, value), subscripts=inside.subscripts, shape=inside.shape)
    made = updated(b.graph(updates=[(0, new)]), numbers(10).astype("d"))
    assert sum(one.bytes for one in made.allocations) <= 64


def test_a_row_is_written_alone():
    b = Build()
    x = b.input(F32, 8, 4)
    row = b.view(x, views.subscript((8, 4), [3, views.Range(0, 4, 1)]))
    new = b.make("update", (x, b.op("negative", row)), subscripts=(3, views.index(0)), shape=(4,))
    made = updated(b.graph(updates=[(0, new)]), numbers(8, 4))
    assert len(made.steps) == 1 and temporaries(made) == []


@st.composite
def updating_programs(draw):
    """A drawn graph in which some arguments get one of the values of their type."""
    graph, arrays, scalars, exact = draw(programs())
    results: list = []
    for position, node in enumerate(graph.inputs):
        fitting = [n for n in topological(graph.outputs[:exact]) if n.type.dtype is node.type.dtype and n.type.shape == node.type.shape]
        if fitting and draw(st.booleans()):
            results.append((position, draw(st.sampled_from(fitting))))
    return replace(graph, outputs=graph.outputs[:exact], updates=tuple(results)), arrays, scalars


@given(updating_programs())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawn_updates(case):
    graph, arrays, scalars = case
    expected = copy.deepcopy(arrays)
    results = run_graph(graph, expected, scalars, SIZES)
    made = schedule(lower(graph), TARGET)
    note(print_graph(graph))
    for run in (execute, oracle.run):
        mine = copy.deepcopy(arrays)
        agree(run(made, mine, scalars, SIZES), results)
        agree(mine, expected)


def test_a_temporary_lives_in_the_result_that_takes_its_place():
    """sum(e) has to be complete before e / sum(e): e waits in the memory of the result, not in the arena."""
    b = Build()
    x = b.input(F32, N)
    e = b.op("exp", x)
    graph = b.graph(b.op("divide", e, b.broadcast(b.reduce(e, "sum", (0,)), (N,))))
    made = schedule(lower(graph), TARGET)
    assert [target for _, target in made.aliases] == ["out0"]
    array = numbers(50) / 50
    for run in (execute, oracle.run):
        np.testing.assert_allclose(run(made, [array], [], {})[0], np.exp(array) / np.exp(array).sum(), rtol=1e-6)
