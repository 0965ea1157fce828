"""NumPy programs through the whole graph half: evaluated, rewritten, lowered, and run as loops; NumPy says what is right."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from staxlang.compiler.graph import fingerprint, topological
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.ir import LibraryCall, LoopProgram
from staxlang.compiler.lower import lower
from staxlang.compiler.node import Node
from staxlang.compiler.pipeline import optimize
from staxlang.typecheck.named_operations import NamedOperation
from tests.typecheck.programs import Captured, arrays, program, same

RNG = np.random.default_rng(7)
X = RNG.standard_normal((6, 5)).astype(np.float32)
W = RNG.standard_normal(5).astype(np.float32)
I = RNG.integers(-9, 10, (4, 3))


class Lowered(Captured):
    """A capture whose graph is run as optimized loops."""

    trace = None

    def outputs(self, graph, copies):
        optimized, trace = optimize(graph, check=True)
        program = lower(optimized)
        if not copies:
            self.trace, self.optimized, self.loops = trace, optimized, program
        for capture in self.context.captures:
            value = capture.getter.read(self.bound)
            (self.arrays if capture.kind == "array" else self.scalars).setdefault(capture.position, value)
        data = [self.arrays[node["position"]] for node in graph.inputs]
        data = [array.copy() for array in data] if copies else data
        scalars = [self.scalars[node["position"]] for node in graph.scalars]
        return oracle.run(program, data, scalars, dict(self.context.hints))


def agree(function, *args, symbolic=False, rtol=2e-6) -> Lowered:
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    captured = Lowered(function, mine, symbolic=symbolic)
    result = captured.run()
    with np.errstate(all="ignore"):
        expected = function(*theirs)
    same(result, expected, rtol)
    same(mine, theirs, rtol)
    return captured


PROGRAMS = {
    "relu": "return (np.maximum(x + w, 0) * 2).sum(-1)",
    "variances": "return x.var(-1), x.var(0), x.std(), x.var(axis=(0, 1), ddof=1), np.std(x, axis=1, keepdims=True), x.mean(0)",
    "softmax": "e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)",
    "normal": "m = x.mean(-1, keepdims=True)\n    return (x - m) / np.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * w",
    "products": "return x @ w, x @ x.T, x.T @ x, np.dot(w, w), np.outer(w, w), np.einsum('ij,kj->ik', x, x)",
    "joined": "return np.concatenate([x, x * 2], 1), np.stack([w, w + 1]), np.vstack([x, w]), np.pad(x, ((1, 0), (0, 2)))",
    "picked": "return x[[0, -1, 2]], np.take(x, np.array([1, 1]), axis=1), x[np.arange(6), np.array([0, 1, 2, 3, 4, 0])]",
    "sliced": "return x[::-1, 1:], x[1::2].T, x.reshape(5, 6) + 0, x.ravel()[3:9], x.reshape(3, 2, 5).transpose(2, 0, 1) * 1",
    "written": "x[1:] = x[:-1] * 2\n    x[x > 1] = 0\n    x[:, 2] += w[2]\n    return x.sum()",
    "masked": "m = x > 0\n    x[m] = np.exp(x[m]) * 2 + x[m]\n    x[~m] -= 1\n    x[x[:, 0] > 1] = w\n    return x * 1",
    "swapped": "x[0], x[1] = x[1].copy(), x[0].copy()\n    x[:, 0], x[:, 1] = x[:, 1] + 0, x[:, 0] + 0\n    return None",
    "compared": "return (x > w).any(-1), (x > -9).all(), np.count_nonzero(x > 0, axis=0), x.argmax(1), x.argmin(), np.clip(x, -1, w)",
    "scanned": "return np.cumsum(x, axis=0), np.cumprod(w), np.cumsum(x)",
    "where": "return np.where(x > 0, x, np.exp(x) - 1), np.where(np.isnan(np.log(x)), 0, x)",
    "identities": "return x * 1 + 0, (x + 0) * 2, x / 1, x ** 2, x ** 0.5, -(-x), x * 0",
}


@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, symbolic):
    function = program(f"def {name}(x, w):\n    {PROGRAMS[name]}\n")
    agree(function, X, W, symbolic=symbolic and name not in ("picked", "sliced"))


INTEGERS = [
    "i + 1, i * 2.5, i / 2, i // 2, i % 3, -i",
    "i.sum(), i.mean(0), i.prod(1), i.max(), i @ i.T",
    "(i > 0) & (i < 5), i << 1, ~i, abs(i)",
]


@pytest.mark.parametrize("body", INTEGERS)
def test_integers(body):
    agree(program(f"def f(i):\n    return {body}\n"), I)


def test_scalars_stay_at_run_time():
    function = program("def f(x, k, n):\n    return x * k + n, x[:n], np.full(n, k)\n")
    captured = agree(function, X, 2.5, 3)
    assert [node.op for node in captured.optimized.scalars]


def test_a_gate_runs_its_slice_alone():
    function = program("def f(x):\n    y = np.exp(x)\n    if x.sum() > 0:\n        return x * 2\n    return y - 1\n")
    for sign in (1, -2):
        captured = agree(function, np.full((4, 8), sign, np.float32))
        assert len(captured.recorder.gates) == 1
        sliced = captured.recorder.gates[0].slice
        found = {node.op for node in topological(sliced.roots)}
        assert {"reduce", "greater"} <= found <= {"input", "reduce", "greater", "constant", "cast"}


def kinds(value: LoopProgram) -> set[str]:
    """The kinds of reductions in a program's bodies."""
    found: set[str] = set()
    for step in value.steps:
        if not isinstance(step, LibraryCall):
            found |= {node["kind"] for node in topological([step.body]) if node.op == "reduce"}
    return found


def test_variance_over_rows_is_two_passes_and_welford_elsewhere():
    rows = agree(program("def f(x):\n    return x.var(-1)\n"), X)
    columns = agree(program("def f(x):\n    return x.var(0)\n"), X)
    whole = agree(program("def f(x):\n    return np.std(x)\n"), X)
    assert kinds(rows.loops) == {"sum"} and kinds(columns.loops) == {"welford"} and kinds(whole.loops) == {"welford"}


def test_variance_with_a_large_mean_is_accurate():
    data = (RNG.standard_normal((3, 1003)) + 1e4).astype(np.float32)
    for axis in (0, 1, None):
        for symbolic in (False, True):
            captured = Lowered(program(f"def f(x):\n    return x.var({axis})\n"), (data,), symbolic=symbolic)
            np.testing.assert_allclose(captured.run(), data.astype(np.float64).var(axis), rtol=1e-4, atol=2e-6)


def test_products_of_matrices_go_to_a_library():
    captured = agree(program("def f(x, y):\n    return x @ y.T\n"), *[RNG.integers(-3, 4, (n, 20)).astype(np.float32) for n in (18, 17)])
    (call,) = captured.loops.steps
    assert isinstance(call, LibraryCall) and {view.buffer for view in call.operands} == {"x", "y"}


def test_fingerprints_tell_programs_apart_and_not_runs():
    def key(text, *args):
        return fingerprint(Lowered(program(text), args).graph)

    one = key("def f(x):\n    return np.exp(x) + 1\n", X)
    assert one == key("def g(other):\n    return np.exp(other) + 1\n", X + 1)
    assert one != key("def f(x):\n    return np.exp(x) + 1\n", X[1:].copy())
    assert one != key("def f(x):\n    return np.exp(x) + 2\n", X)
    assert one != key("def f(x):\n    return np.exp(x) - 1\n", X)
    assert one != key("def f(x):\n    return np.exp(x) + 1\n", np.asfortranarray(X))


def test_selu_twice():
    """One chain in two rounds and one without change: selu comes as a composite, its constants on the left."""
    function = program("def f(x):\n    y = x * 3\n    return selu(y) + selu(y * 1) * 2\n", selu=NamedOperation("selu"))
    captured = Lowered(function, (X,))
    result = captured.run()
    y = X.astype(np.float64) * 3
    grown = 1.0507009873554805 * np.where(y > 0, y, 1.6732632423543772 * np.expm1(y))
    np.testing.assert_allclose(result, grown * 3, rtol=1e-5)
    assert captured.trace.rounds == 3
    assert [(f.round, f.stage, f.rule) for f in captured.trace.fired if f.rule not in ("order-operands",)] == [
        (1, "normalize", "times-one"), (1, "decompose", "open-composite"),
        (2, "normalize", "constant-right"), (2, "normalize", "constant-right"),
    ]  # fmt: skip
    assert sum(node.op == "expm1" for node in topological(captured.optimized.roots)) == 1


def test_every_node_of_a_program_knows_its_line():
    captured = agree(program("def f(x):\n    y = x * 2\n    return np.exp(y).sum(0)\n"), X)
    spans = captured.graph.interner.spans

    def lines(node: Node):
        return {span.line for span in spans.get(node, ())}

    found = {node.op: lines(node) for node in topological(captured.optimized.roots) if node.op in ("multiply", "exp", "reduce")}
    assert found == {"multiply": {2}, "exp": {3}, "reduce": {3}}


def test_arguments_of_any_layout():
    function = program("def f(x, w):\n    return x * w + 1, x.sum(0), x @ w\n")
    wide = RNG.integers(-4, 5, (8, 10)).astype(np.float64)
    w = RNG.integers(-4, 5, 5).astype(np.float64)
    for x in (wide[:, ::2], wide[::-1, 5:], wide.T[:, :5][:8], np.broadcast_to(w, (3, 5))):
        captured = Lowered(function, (x, w[::-1]))
        for mine, theirs in zip(arrays(captured.run()), arrays(function(x, w[::-1])), strict=True):
            np.testing.assert_array_equal(mine, theirs)
