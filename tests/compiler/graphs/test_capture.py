"""The graph recorder: inputs in order, composites with regions, gates answered from a slice of the graph as recorded."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import BOOL, F32, F64
from staxlang.base.sizes import Condition, Facts, symbol
from staxlang.base.types import TensorType
from staxlang.compiler.capture import GraphRecorder
from staxlang.compiler.graph import GraphError, slice_graph, topological, verify
from staxlang.compiler.graph_text import parse_graph, print_graph
from staxlang.compiler.passes.deadcode import drop_dead_code
from staxlang.compiler.pipeline import optimize
from staxlang.runtime.reference import run_graph

N = symbol("N")
VECTOR = TensorType(F32, (N,))
NUMBER = TensorType(F32, ())


class Session:
    """A recorder whose gates run on given arrays, and which keeps the slices."""

    def __init__(self, *arrays):
        self.arrays = arrays
        self.slices = []
        self.recorder = GraphRecorder(self.run)

    def run(self, graph, span, what, counts):
        self.slices.append(graph)
        inputs = [self.arrays[node["position"]] for node in graph.inputs]
        return run_graph(graph, inputs)[0].item()

    def record(self, op, *operands, type=VECTOR, **attributes):
        return self.recorder.record(op, operands, attributes, type, None)

    def input(self, position, type=VECTOR):
        return self.record("input", type=type, position=position, path=f"x{position}")

    def number(self, value):
        constant = self.record("constant", type=NUMBER, value=value)
        return self.record("view", constant, subscripts=())

    def positive_sum(self, x):
        total = self.record("reduce", x, type=NUMBER, kind="sum", axes=(0,))
        zero = self.record("constant", type=NUMBER, value=0.0)
        return self.record("greater", total, zero, type=TensorType(BOOL, ()))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gate_is_answered_by_the_slice_that_computes_it(sign):
    data = np.full(5, sign, np.float32)
    session = Session(data)
    x = session.input(0)
    noise = session.record("exp", x)
    answer = session.recorder.gate(session.positive_sum(x), TensorType(BOOL, ()), None, "x.sum() > 0")
    assert answer is (sign > 0)
    graph = session.recorder.graph((session.record("multiply", x, session.number(2.0 if answer else 3.0)),))
    (sliced,) = session.slices
    assert [n.op for n in topological(sliced.roots)] == ["input", "reduce", "constant", "greater"]
    assert graph.gates[0].outcome is answer and graph.gates[0].slice is sliced and graph.gates[0].what == "x.sum() > 0"
    verify(graph)
    verify(sliced)
    optimized, _ = optimize(graph)
    assert {n.op for n in topological(optimized.roots)} == {"input", "multiply", "constant", "view"}
    assert noise in graph.pending


def test_a_slice_taken_after_dead_code_elimination_fails():
    session = Session(np.ones(3, np.float32))
    x = session.input(0)
    condition = session.positive_sum(x)
    graph = session.recorder.graph(())
    assert slice_graph(graph, (condition,)).outputs == (condition,)
    with pytest.raises(GraphError, match="before dead code"):
        slice_graph(drop_dead_code(graph), (condition,))


def test_a_gate_asked_twice_runs_once():
    session = Session(np.ones(3, np.float32))
    condition = session.positive_sum(session.input(0))
    for _ in range(2):
        assert session.recorder.gate(condition, TensorType(BOOL, ()), None, "c") is True
    assert len(session.slices) == 1 and len(session.recorder.gates) == 1


def test_inputs_are_ordered_by_their_leaf():
    session = Session()
    second, first = session.input(7), session.input(2)
    scalar = session.record("scalar", type=TensorType(F64, ()), position=4, path="k")
    changed = session.record("exp", first)
    graph = session.recorder.graph((second,), [(7, changed)])
    verify(graph)
    assert graph.inputs == (first, second) and graph.scalars == (scalar,) and graph.updates == ((1, changed),)


def test_composites_stay_whole_with_their_region():
    session = Session(np.arange(4, dtype=np.float32))
    x = session.input(0)

    def open_body(inner, parameters):
        (p,) = parameters
        e = inner.record("exp", (p,), {}, VECTOR, None)
        top = inner.record("reduce", (e,), {"kind": "sum", "axes": (0,)}, NUMBER, None)
        spread = inner.record("view", (top,), {"subscripts": ()}, VECTOR, None)
        return ((inner.record("divide", (e, spread), {}, VECTOR, None), VECTOR), (top, NUMBER))

    whole, total = session.recorder.composite("softmax", (x,), {"axis": -1, "dtype": np.float32}, (VECTOR,), None, open_body)
    again, _ = session.recorder.composite("softmax", (x,), {"axis": -1, "dtype": np.float32}, (VECTOR,), None, open_body)
    assert again is whole and whole.op == "composite" and total["result"] == 1 and whole["options"] == (("axis", -1),)
    graph = session.recorder.graph((whole, total))
    verify(graph)
    text = print_graph(graph)
    assert print_graph(parse_graph(text)) == text
    optimized, _ = optimize(graph, check=True)
    assert optimized.outputs == (whole, total)  # a known name is opened in the lowering
    value, summed = run_graph(graph, session.arrays)
    e = np.exp(session.arrays[0])
    np.testing.assert_array_equal(value, e / e.sum())
    assert summed == e.sum()


def test_a_gate_in_a_composite_sees_the_actual_operands():
    session = Session(np.array([1.0, 2.0], np.float32))
    x = session.record("negative", session.input(0))
    answers = []

    def open_body(inner, parameters):
        (p,) = parameters
        total = inner.record("reduce", (p,), {"kind": "sum", "axes": (0,)}, NUMBER, None)
        answers.append(inner.gate(total, NUMBER, None, "sum"))
        return ((inner.record("exp", (p,), {}, VECTOR, None), VECTOR),)

    session.recorder.composite("mine", (x,), {}, (VECTOR,), None, open_body)
    assert answers == [-3.0]
    assert [n.op for n in topological(session.slices[0].roots)] == ["input", "negative", "reduce"]


def test_slices_know_the_facts_so_far():
    facts = Facts().assume(Condition("<", 1, N))
    session = Session(np.ones(3, np.float32))
    session.recorder.facts_from(lambda: facts)
    session.recorder.gate(session.positive_sum(session.input(0)), TensorType(BOOL, ()), None, "c")
    assert session.slices[0].facts is facts
