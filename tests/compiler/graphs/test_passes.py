"""The rules of rewriting, each by name: what fires, what must not, and what is left."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import BOOL, F16, F32, F64, I8, I32, I64
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import symbol
from staxlang.base.spans import Source, Span
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph, GraphError, topological, verify
from staxlang.compiler.loops import oracle
from staxlang.compiler.lower import lower
from staxlang.compiler.passes.driver import Rule, Trace, apply_rules
from staxlang.compiler.pipeline import optimize
from staxlang.runtime.reference import run_graph
from staxlang.typecheck import views

from .building import Build, D, M, N, agree


def rules(trace: Trace) -> set[str]:
    return {fired.rule for fired in trace.fired}


def ops(graph: Graph) -> list[str]:
    return [node.op for node in topological(graph.roots) if node.op not in ("input", "scalar", "constant", "view")]


def selu_region(b: Build, shape) -> Graph:
    """As the library writes it: both constants on the left."""
    make = b.make
    x = make("parameter", (), TensorType(F32, shape), position=0)
    grown = b.op("multiply", b.number(1.6732632423543772, F32), b.op("expm1", x))
    chosen = b.where(b.op("greater", x, b.constant(0.0, x)), x, grown)
    return Graph(b.interner, (x,), (b.op("multiply", b.number(1.0507009873554805, F32), chosen),))


def test_two_selus_become_one_chain_in_two_rounds_and_one_without_change():
    b = Build()
    x = b.input(F32, N)
    y = b.op("multiply", x, b.number(3.0, F32))
    region = selu_region(b, (N,))

    def selu(value):
        return b.make("composite", (value,), value.type, name="selu", region=region, result=0)

    again = selu(b.op("multiply", y, b.number(1.0, F32)))
    graph = b.graph(b.op("add", selu(y), b.op("multiply", again, b.number(2.0, F32))))
    optimized, trace = optimize(graph, check=True)
    assert trace.rounds == 3
    assert [(f.round, f.rule, f.op) for f in trace.fired] == [
        (1, "times-one", "multiply"),
        (1, "open-composite", "composite"),
        (2, "constant-right", "multiply"),
        (2, "constant-right", "multiply"),
    ]
    assert sorted(ops(optimized)) == ["add", "expm1", "greater", "multiply", "multiply", "multiply", "multiply", "where"]
    assert len(optimized.regions) == 1
    x_value = np.linspace(-3, 3, 11, dtype=np.float32)
    agree(run_graph(graph, [x_value]), run_graph(optimized, [x_value]))


@pytest.mark.parametrize(
    ("op", "value", "rule"),
    [("add", 0.0, "add-zero"), ("subtract", 0.0, "subtract-zero"), ("multiply", 1.0, "times-one"), ("divide", 1.0, "divided-by-one"),
     ("power", 1.0, "power-one"), ("power", 2.0, "simple-power"), ("power", 0.5, "simple-power"), ("power", -1.0, "simple-power")],
)  # fmt: skip
def test_identities(op, value, rule):
    b = Build()
    x = b.input(F32, N)
    graph = b.graph(b.op("exp", b.op(op, x, b.number(value, F32))))
    optimized, trace = optimize(graph, check=True)
    assert rule in rules(trace)
    assert op not in ops(optimized)
    data = np.array([1.5, np.nan, np.inf, -np.inf, 0.0, 4.0], np.float32)
    agree(run_graph(graph, [data]), run_graph(optimized, [data]))


def test_times_zero_stays():
    b = Build()
    x = b.input(F64, N)
    graph = b.graph(b.op("multiply", x, b.number(0.0, F64)), b.op("multiply", b.number(0.0, F64), x))
    optimized, _ = optimize(graph, check=True)
    assert ops(optimized) == ["multiply"]
    (result, _) = run_graph(optimized, [np.array([np.nan, np.inf, 2.0])])
    assert np.isnan(result[0]) and np.isnan(result[1]) and result[2] == 0


def test_adding_zero_to_integers_keeps_their_dtype():
    b = Build()
    x = b.input(I8, N)
    kept = b.op("exp", b.cast(b.op("add", x, b.number(0, I8)), F64))
    promoted = b.op("add", x, b.number(0.0, F64))  # int plus float zero
    graph = b.graph(b.op("negative", b.op("add", x, b.number(0, I8))), kept, promoted)
    optimized, trace = optimize(graph, check=True)
    assert [n.type.dtype for n in optimized.outputs] == [I8, F64, F64]
    assert rules(trace) >= {"add-zero"}
    data = np.array([-5, 0, 100], np.int8)
    agree(run_graph(graph, [data]), run_graph(optimized, [data]))


def test_an_output_never_becomes_an_input_or_a_view_of_one():
    b = Build()
    x = b.input(F32, N, N)
    one = b.op("multiply", x, b.number(1.0, F32))
    turned = b.view(x, views.transpose((N, N), (1, 0)))
    copied = b.make("copy", (turned,))
    twice = b.op("negative", b.op("negative", x))
    graph = b.graph(one, copied, twice, b.op("add", one, x))
    optimized, _ = optimize(graph, check=True)
    assert [n.op for n in optimized.outputs] == ["multiply", "copy", "negative", "add"]
    data = np.arange(4, dtype=np.float32).reshape(2, 2)
    for result in (*run_graph(optimized, [data]), *oracle.run(lower(optimized), [data])):
        assert not np.shares_memory(result, data)


def test_casts_views_and_updates_compose():
    b = Build()
    x = b.input(F32, 4, 6)
    back = b.cast(b.cast(x, F64), F32)
    turned = b.view(b.view(back, views.transpose((4, 6), (1, 0))), views.transpose((6, 4), (1, 0)))
    row = b.view(x, views.subscript((4, 6), (2,)))
    changed = b.make("update", (x, b.op("exp", row)), subscripts=(2, symbol("i0")), shape=(6,))
    read_back = b.view(changed, views.subscript((4, 6), (2,)))
    beside = b.view(changed, views.subscript((4, 6), (1,)))
    graph = b.graph(b.op("negative", turned), read_back, b.op("negative", beside))
    optimized, trace = optimize(graph, check=True)
    assert rules(trace) >= {"cast-there-and-back", "view-of-view", "view-of-update"}
    assert sorted(ops(optimized)) == ["exp", "negative", "negative"]
    data = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    agree(run_graph(graph, [data]), run_graph(optimized, [data]))


@pytest.mark.parametrize(
    ("written", "read", "apart"),
    [((0, 4, 2), (1, 4, 2), True), ((0, 4, 2), (1, 7, 1), False), ((0, 4, 1), (4, 4, 1), True), ((1, N - 1, 1), (0, 1, 1), True),
     ((0, 1, 1), (1, N - 1, 1), True), ((0, N - 1, 1), (1, N - 1, 1), False), ((0, 4, 1), (0, 2, 1), False)],
)  # fmt: skip
def test_reading_beside_an_update_reads_the_base(written, read, apart):
    b = Build()
    x = b.input(F32, N)
    part = views.subscript((N,), (views.Range(*written),))
    changed = b.make("update", (x, b.constant(1.0, b.view(x, part))), subscripts=part.subscripts, shape=part.shape)
    graph = b.graph(b.op("exp", b.view(changed, views.subscript((N,), (views.Range(*read),)))))
    optimized, trace = optimize(graph, check=True)
    assert ("view-of-update" in rules(trace)) == apart
    data = np.arange(9, dtype=np.float32)
    agree(run_graph(graph, [data]), run_graph(optimized, [data]))


def test_commutative_operands_meet():
    b = Build()
    x, y = b.input(F32, N), b.input(F32, N)
    graph = b.graph(b.op("subtract", b.op("add", x, y), b.op("add", y, x)), b.op("subtract", x, y), b.op("subtract", y, x))
    optimized, _ = optimize(graph, check=True)
    assert ops(optimized).count("add") == 1 and ops(optimized).count("subtract") == 3


def test_numbers_fold_and_arrays_do_not():
    b = Build()
    x = b.input(F32, N)
    number = b.op("multiply", b.op("exp", b.number(1.0, F32)), b.cast(b.number(2, I64), F32))
    graph = b.graph(b.op("add", x, number), b.op("add", b.iota((N,), 0), b.iota((N,), 0)))
    optimized, trace = optimize(graph, check=True)
    assert ops(optimized) == ["add", "iota", "add"]
    assert rules(trace) >= {"fold", "fold-cast"}
    assert optimized.outputs[0].operands[1].operands[0]["value"] == float(np.exp(np.float32(1)) * np.float32(2))


def test_folding_keeps_signs_of_zero_and_wraps_integers():
    b = Build()
    zero = b.op("multiply", b.number(-1.0, F32), b.number(0.0, F32))
    wrapped = b.op("add", b.number(100, I8), b.number(100, I8))
    graph = b.graph(zero, wrapped, b.op("divide", b.number(1.0, F64), b.number(0.0, F64)))
    optimized, _ = optimize(graph, check=True)
    assert [n["value"] for n in optimized.outputs] == [0.0, -56, np.inf]
    assert np.signbit(optimized.outputs[0]["value"])


def test_constant_indices_fold():
    b = Build()
    x, y = b.input(F32, N), b.input(F32, 4)
    index = b.array(np.array([0, 3, 1]), I64)
    positive = b.op("less", index, b.number(0, I64))

    def take(array, extent):
        wrapped = b.where(positive, b.op("add", index, b.make("size", (), TensorType(I64, ()), value=extent)), index)
        return b.make("gather", (array, b.make("assert_index", (wrapped,), extent=extent)), axes=(0,), position=0)

    optimized, _ = optimize(b.graph(take(x, N), take(y, 4)), check=True)
    checked, known = [gather.operands[1] for gather in optimized.outputs]
    assert checked.op == "assert_index" and checked.operands[0].op == "constant_array"  # N may be too small
    assert known.op == "constant_array"
    assert ops(optimized).count("where") == 0


def test_indices_that_count_from_zero_need_no_test():
    b = Build()
    x = b.input(F32, N, D)

    def indexed(index):
        extent = b.make("size", (), TensorType(I64, ()), value=N)
        wrapped = b.where(b.op("less", index, b.number(0, I64)), b.op("add", index, extent), index)
        return b.make("gather", (x, b.make("assert_index", (wrapped,), extent=N)), axes=(0,), position=0)

    counted = b.op("add", b.iota((N,), 0), b.number(1, I64))
    graph = b.graph(indexed(b.reduce(x, "argmax", (0,))), indexed(b.iota((N,), 0)), indexed(counted))
    optimized, _ = optimize(graph, check=True)
    assert [node.operands[1].op for node in optimized.outputs] == ["reduce", "iota", "assert_index"]


def test_expansions_only_outside_the_basis():
    b = Build()
    x = b.input(F64, N)
    graph = b.graph(b.op("softplus", x), b.op("log1p", x))
    kept, _ = optimize(graph)
    assert ops(kept) == ["softplus", "log1p"]
    opened, trace = optimize(graph, basis=frozenset(OPERATIONS) - {"softplus"}, check=True)
    assert "softplus" not in ops(opened) and "expansion" in rules(trace) and "log1p" in ops(opened)
    data = np.array([-100.0, -1.0, 0.5, 100.0])
    np.testing.assert_allclose(run_graph(opened, [data])[0], np.logaddexp(0, data), rtol=1e-14)


@pytest.mark.parametrize("name", [name for name, row in OPERATIONS.items() if row.expansion is not None])
def test_each_expansion_is_the_operation(name):
    row = OPERATIONS[name]
    dtype = I32 if name in ("bitwise_count", "logical_xor") else F64
    b = Build()
    operands = [b.input(dtype, 64) for _ in range(row.arity)]
    graph = b.graph(b.op(name, *operands))
    opened, trace = optimize(graph, basis=frozenset(OPERATIONS) - {name}, check=True)
    assert "expansion" in rules(trace) and name not in ops(opened)
    rng = np.random.default_rng(1)
    data = [np.asarray(rng.uniform(low, high, 64)).astype(dtype.numpy) for low, high in row.domain]
    (one,), (other,) = run_graph(graph, data), run_graph(opened, data)
    assert one.dtype == other.dtype
    np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


def test_degenerate_contractions_become_pointwise_work():
    b = Build()
    x, w, a = b.input(F32, N, D), b.input(F32, D), b.input(F32, N, D)
    vector = b.make("contract", (x, w), batch=0, contracted=1)
    dot = b.make("contract", (w, w), batch=0, contracted=1)
    outer = b.make("contract", (w, w), batch=0, contracted=0)
    rows = b.make("contract", (x, a), batch=1, contracted=1)
    product = b.make("contract", (x, a), batch=0, contracted=1)
    graph = b.graph(vector, dot, outer, rows, product)
    optimized, _ = optimize(graph, check=True)
    assert ops(optimized).count("contract") == 1 and optimized.outputs[4].op == "contract"
    rng = np.random.default_rng(0)
    data = [rng.integers(-4, 5, s).astype(np.float32) for s in ((3, 5), (5,), (3, 5))]
    agree(run_graph(graph, data), run_graph(optimized, data))
    agree(run_graph(graph, data), [data[0] @ data[1], data[1] @ data[1], np.outer(data[1], data[1]),
                                  (data[0] * data[2]).sum(1), data[0] @ data[2].T])  # fmt: skip


def test_axes_of_extent_one_leave_a_contraction():
    b = Build()
    x, w = b.input(F16, 1, D), b.input(F16, M, D)
    product = b.make("contract", (x, w), batch=0, contracted=1)
    graph = b.graph(product)
    optimized, trace = optimize(graph, check=True)
    assert rules(trace) >= {"extent-one-axes", "multiplied-sum"}
    assert product.type == optimized.outputs[0].type
    rng = np.random.default_rng(0)
    data = [rng.integers(-4, 5, s).astype(np.float16) for s in ((1, 5), (3, 5))]
    agree(run_graph(graph, data), run_graph(optimized, data))


def masked(b: Build, x, mask, count, *rest):
    return b.interner.make("compress", (x, mask), TensorType(x.type.dtype, (count, *rest)), count=count)


def test_a_masked_update_becomes_where():
    b = Build()
    z, a, m = b.input(F32, N, D), b.input(F32, N, D), b.input(BOOL, N)
    k = symbol("k")
    part = b.op("add", masked(b, a, m, k, D), b.op("multiply", masked(b, z, m, k, D), b.number(2.0, F32)))
    node = b.interner.make("masked_update", (z, m, b.op("exp", part)), TensorType(F32, (N, D)))
    other = b.interner.make("masked_update", (z, m, b.make("scan", (part,), kind="sum", axis=0)), TensorType(F32, (N, D)))
    graph = b.graph(node)
    optimized, trace = optimize(graph)
    assert "masked-update" in rules(trace) and optimized.outputs[0].op == "where"
    rng = np.random.default_rng(0)
    data = [rng.standard_normal((5, 3)).astype(np.float32), rng.standard_normal((5, 3)).astype(np.float32), rng.random(5) < 0.5]
    expected = data[0].copy()
    expected[data[2]] = np.exp(data[1][data[2]] + data[0][data[2]] * np.float32(2))
    agree([expected], run_graph(graph, data))
    agree([expected], run_graph(optimized, data))
    kept, trace = optimize(b.graph(other))
    assert "masked-update" not in rules(trace) and kept.outputs[0].op == "scatter"


def test_dead_code_and_updates_of_nothing_go_while_inputs_stay():
    b = Build()
    x, y = b.input(F32, N), b.input(F32, N)
    dead = b.op("exp", y)
    graph = Graph(b.interner, (x, y), (b.op("negative", x),), ((0, x), (1, b.op("sin", x))), pending=(dead,))
    optimized, _ = optimize(graph, check=True)
    assert optimized.inputs == (x, y) and not optimized.pending
    assert [position for position, _ in optimized.updates] == [1]


def test_the_trace_names_the_line():
    b = Build()
    source = Source("model.py", "y = x * 1 + x\n", 7)
    x = b.input(F32, N)
    one = b.interner.make("multiply", (x, b.constant(1.0, x)), x.type, Span(source, 7, 4, 7, 9))
    graph = b.graph(b.op("exp", one))
    _, trace = optimize(graph)
    assert "round 1: normalize: times-one on multiply (line 7)" in str(trace)


def test_spans_survive_rewriting():
    b = Build()
    source = Source("model.py", "y = 2 * x\n", 3)
    x = b.input(F32, N)
    graph = b.graph(b.interner.make("multiply", (b.constant(2.0, x), x), x.type, Span(source, 3, 4, 3, 9)))
    optimized, _ = optimize(graph)
    assert [span.line for span in b.interner.spans[optimized.outputs[0]]] == [3]


def test_a_rule_that_never_ends_is_a_bug_that_names_it():
    b = Build()
    x = b.input(F32, N)
    graph = b.graph(b.op("add", x, b.number(1.0, F32)))
    table = {"add": (Rule("grow", lambda rewriting, node: rewriting.pointwise("add", node, node)),)}
    with pytest.raises(GraphError, match="grow"):
        apply_rules(graph, "test", table, Trace())


def test_a_pass_that_breaks_a_type_is_found_by_the_verifier():
    b = Build()
    x = b.input(F32, N)
    graph = b.graph(b.op("exp", b.op("negative", x)))
    table = {"negative": (Rule("wrong", lambda rewriting, node: rewriting.cast(node.operands[0], F64)),)}
    with pytest.raises(GraphError, match="exp"):
        verify(apply_rules(graph, "test", table, Trace()))


def test_long_chains_of_updates_are_searched_by_place():
    b = Build()
    x = b.input(F32, 64, 3)
    row = views.subscript((64, 3), (0,))
    rng = np.random.default_rng(2)
    node, outputs, values = x, [], []
    for step in range(40):
        place = int(rng.integers(0, 8))
        value = b.broadcast(b.number(float(step), F32), row.shape)
        if step % 9 == 4:  # only a part of the row, and a branch of the chain
            node = b.make("update", (node, b.number(-1.0, F32)), subscripts=(place, 1), shape=())
            values.append(b.make("update", (node, value), subscripts=(place, symbol("i0")), shape=(3,)))
        else:
            node = b.make("update", (node, value), subscripts=(place, symbol("i0")), shape=(3,))
        values.append(node)
        back = values[int(rng.integers(0, len(values)))]
        read = b.view(back, views.subscript((64, 3), (int(rng.integers(0, 9)),)))
        outputs.append(b.op("negative", read))
    graph = b.graph(*outputs)
    optimized, trace = optimize(graph, check=True)
    assert "view-of-update" in rules(trace)
    data = rng.standard_normal((64, 3)).astype(np.float32)
    agree(run_graph(graph, [data]), run_graph(optimized, [data]))
