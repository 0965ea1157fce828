"""Graphs to loops: layouts, library calls, updates, results; the loop program runs as Python."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from staxlang.base.dtypes import BF16, BOOL, F16, F32, F64, I32, I64
from staxlang.base.sizes import symbol
from staxlang.base.types import TensorType
from staxlang.compiler.graph import Graph
from staxlang.compiler.loops import oracle
from staxlang.compiler.loops.ir import Definition, LibraryCall
from staxlang.compiler.loops.printer import print_loops
from staxlang.compiler.lower import lower
from staxlang.runtime.reference import run_graph
from staxlang.typecheck import views

from .building import Build, D, M, N, agree

RNG = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def check(graph: Graph, *arrays, scalars=(), sizes=None):
    """The oracle's results, equal to the reference's."""
    expected = run_graph(graph, [a.copy() for a in arrays], scalars, sizes)
    results = oracle.run(lower(graph), [a.copy() for a in arrays], scalars, sizes)
    agree(expected, results)
    return results


def calls(graph: Graph) -> list[LibraryCall]:
    return [step for step in lower(graph).steps if isinstance(step, LibraryCall)]


def test_each_value_is_one_definition_and_views_are_subscripts():
    b = Build()
    x, w = b.input(F32, N, 8), b.input(F32, 8)
    y = b.op("add", b.view(x, views.flip((N, 8), (0,))), w)
    graph = b.graph(b.reduce(y, "sum", (1,)))
    assert print_loops(lower(graph)).splitlines()[-3:] == [
        "t0[i0, i1] = x0[N - i0 - 1, i1] + x1[i1]  for i0 < N, i1 < 8",
        "out0[i0] = sum[r0 < 8](t0[i0, r0])  for i0 < N",
        "return out0",
    ]
    x_value, w_value = normal(3, 8), normal(8)
    (result,) = oracle.run(lower(graph), [x_value, w_value])
    np.testing.assert_allclose(result, (x_value[::-1] + w_value).sum(1), rtol=1e-6)


def test_inputs_keep_their_strides():
    b = Build()
    x = b.input(F32, N, M, layout=(1, N))
    w = b.input(F32, N, M, layout=(-2 * M, 2))
    program = lower(b.graph(b.op("add", x, w)))
    assert program.buffers["x0"].strides == (1, N) and program.buffers["x1"].strides == (-2 * M, 2)
    assert program.buffers["out0"].strides == (M, 1)
    check(b.graph(b.op("subtract", x, w)), normal(3, 4), normal(3, 4))


def test_results_have_memory_of_their_own():
    b = Build()
    x = b.input(F32, N)
    y = b.op("exp", x)
    graph = b.graph(x, y, y, b.view(y, views.flip((N,), (0,))), b.number(2.0, F32), b.iota((N,), 0))
    assert lower(graph).outputs == ("out0", "out1", "out2", "out3", "out4", "out5")
    check(graph, normal(5))


@pytest.mark.parametrize(("a_layout", "b_layout"), [(None, None), ((1, N), None), (None, (1, M)), ((1, N), (1, M))])
def test_matrix_products_read_what_blas_can(a_layout, b_layout):
    b = Build()
    x, w = b.input(F32, N, D, layout=a_layout), b.input(F32, M, D, layout=b_layout)
    graph = b.graph(b.make("contract", (x, w), batch=0, contracted=1))
    (call,) = calls(graph)
    assert {view.buffer for view in call.operands} == {"x0", "x1"}
    assert call.out.shape == (N, M) and call.out.buffer == "out0"
    data = [np.rint(normal(s, 6) * 4) for s in (5, 7)]
    check(graph, *data)


def test_matrix_products_copy_what_blas_cannot_read():
    b = Build()
    x = b.input(F64, N, D, layout=(2 * D, 2))
    w = b.input(F64, D)
    spread = b.broadcast(w, (M, D))
    graph = b.graph(b.make("contract", (x, spread), batch=0, contracted=1), b.make("contract", (x, x), batch=0, contracted=1))
    first, second = calls(graph)
    assert "x0" not in {view.buffer for view in (*first.operands, *second.operands)}
    assert first.operands[0].buffer == second.operands[0].buffer == second.operands[1].buffer  # copied once
    data = [np.rint(normal(*s, dtype=np.float64) * 4) for s in ((5, 3), (3,))]
    check(graph, *data, sizes={"M": 2})


def test_batches_and_several_axes_are_one_product():
    b = Build()
    x, w = b.input(F64, 2, N, 3, D), b.input(F64, 2, M, 3, D)
    graph = b.graph(b.make("contract", (x, w), batch=1, contracted=2))
    (call,) = calls(graph)
    assert call.out.shape == (2, N, M) and call.operands[0].shape == (2, N, 3 * D) and call.operands[1].strides == (3 * D * M, 1, 3 * D)
    check(graph, *[np.rint(normal(*s, dtype=np.float64) * 4) for s in ((2, 5, 3, 4), (2, 6, 3, 4))])


def test_tiny_and_integer_products_are_sums():
    b = Build()
    x, w = b.input(F32, 4, 4), b.input(I32, N, D)
    small = b.graph(b.make("contract", (x, x), batch=0, contracted=1), b.make("contract", (w, w), batch=0, contracted=1))
    assert not calls(small)
    check(small, np.rint(normal(4, 4) * 4), RNG.integers(-5, 5, (3, 6), dtype=np.int32))


def test_boolean_products_are_any_of_all():
    b = Build()
    x, w = b.input(BOOL, N, D), b.input(BOOL, M, D)
    check(b.graph(b.make("contract", (x, w), batch=0, contracted=1)), RNG.random((4, 3)) < 0.4, RNG.random((5, 3)) < 0.4)


def test_an_update_writes_only_its_part_and_chains_in_one_buffer():
    b = Build()
    x = b.input(F32, N, 4)
    first = b.make("update", (b.op("exp", x), b.constant(1.0, b.make("constant", (), TensorType(F32, ()), value=0.0))),
                   subscripts=(0, 1), shape=())  # fmt: skip
    row = b.broadcast(b.number(2.0, F32), (4,))
    second = b.make("update", (first, row), subscripts=(N - 1, symbol("i0")), shape=(4,))
    program = lower(b.graph(second))
    steps = [step for step in program.steps if isinstance(step, Definition)]
    assert {step.buffer for step in steps} == {"out0"}
    assert [len(step.ranges) for step in steps] == [2, 0, 1]
    check(b.graph(second), normal(3, 4))


def test_an_update_whose_base_is_read_elsewhere_copies():
    b = Build()
    x = b.input(F32, N)
    base = b.op("exp", x)
    changed = b.make("update", (base, b.number(1.0, F32)), subscripts=(0,), shape=())
    shifted = b.make("update", (base, b.view(base, views.flip((N,), (0,)))), subscripts=(symbol("i0"),), shape=(N,))
    graph = b.graph(changed, b.op("add", base, changed), shifted)
    check(graph, normal(4))


def test_arguments_are_written_back_and_may_be_exchanged():
    b = Build()
    x, y = b.input(F32, N), b.input(F32, N)
    graph = Graph(b.interner, (x, y), (b.op("add", x, y),), ((0, y), (1, b.view(x, views.flip((N,), (0,))))))
    for run in (run_graph, lambda g, arrays: oracle.run(lower(g), arrays)):
        one, other = normal(4), normal(4)
        expected = other.copy(), one[::-1].copy(), one + other
        (total,) = run(graph, [one, other])
        agree(expected, (one, other, total))


def test_scalars_and_sizes_are_read_through():
    b = Build()
    x = b.input(F32, N)
    k = b.scalar(F64, path="k")
    n = b.make("size", (), TensorType(I64, ()), value=N + 1)
    y = b.op("divide", b.op("multiply", x, b.cast(k, F32)), b.cast(n, F32))
    graph = b.graph(y)
    program = lower(graph)
    assert program.buffers["k"].role == "scalar" and program.buffers["k"].position == 0
    check(graph, normal(4), scalars=[2.5])


def test_names_stay_apart():
    b = Build()
    x, same, index = b.input(F32, N, path="xs[0]"), b.input(F32, N, path="xs.0"), b.input(F32, N, path="i0")
    program = lower(b.graph(b.op("add", b.op("add", x, same), index)))
    names = [name for name, buffer in program.buffers.items() if buffer.role == "input"]
    assert len(set(names)) == 3 and "i0" not in names
    check(b.graph(b.op("add", b.op("add", x, same), index)), normal(3), normal(3), normal(3))


@pytest.mark.parametrize("dtype", [F16, BF16] if find_spec("ml_dtypes") else [F16])
def test_halves_accumulate_in_single(dtype):
    b = Build()
    x = b.input(dtype, N, 512)
    graph = b.graph(b.reduce(x, "sum", (1,)), b.reduce(x, "welford_m2", (1,)))
    data = np.abs(normal(2, 512)).astype(dtype.numpy)
    total, m2 = oracle.run(lower(graph), [data])
    wide = data.astype(np.float64)
    np.testing.assert_array_equal(total, wide.sum(1).astype(dtype.numpy))
    np.testing.assert_allclose(m2.astype(np.float64), wide.var(1) * 512, rtol=2e-2)


def test_reductions_propagate_nan_and_take_the_first():
    b = Build()
    x = b.input(F64, N, D)
    kinds = ("min", "max", "argmin", "argmax")
    graph = b.graph(*[b.reduce(x, kind, (1,)) for kind in kinds])
    data = np.array([[1, 2, 2, 1], [1, np.nan, 0, np.nan], [np.inf, -np.inf, np.inf, -np.inf]], np.float64)
    low, high, first, last = check(graph, data)
    agree([first, last], [np.array([0, 1, 1]), np.array([1, 1, 0])])
    agree([low, high], [data.min(1), data.max(1)])


def test_empty_reductions_are_neutral():
    b = Build()
    x = b.input(F32, N, D)
    m = b.op("greater", x, b.constant(0.0, x))
    graph = b.graph(b.reduce(x, "sum", (1,)), b.reduce(x, "prod", (0,)), b.reduce(m, "any", (1,)), b.reduce(m, "all", (1,)))
    check(graph, normal(3, 0))
    check(graph, normal(0, 2))


def test_negative_zero_survives_where_numpy_keeps_it():
    b = Build()
    x = b.input(F64, N)
    graph = b.graph(b.op("negative", x), b.op("multiply", x, b.number(-1.0, F64)), b.op("maximum", x, x),
                    b.make("scan", (x,), kind="sum", axis=0), b.reduce(x, "sum", (0,)))  # fmt: skip
    zeros = np.array([0.0, -0.0])
    for data in (zeros, zeros[1:]):
        for one, other in zip(run_graph(graph, [data]), oracle.run(lower(graph), [data]), strict=True):
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


def test_checked_indices_fail_outside():
    b = Build()
    x, at = b.input(F32, N), b.input(I64, M)
    graph = b.graph(b.make("gather", (x, b.make("assert_index", (at,), extent=N)), axes=(0,), position=0))
    check(graph, normal(5), np.array([4, 0, 0]))
    for wrong in (5, -1):
        with pytest.raises(IndexError, match=f"{wrong} is out of bounds for an axis of 5"):
            oracle.run(lower(graph), [normal(5), np.array([0, wrong])])
        with pytest.raises(IndexError, match=f"{wrong} is out of bounds for an axis of 5"):
            run_graph(graph, [normal(5), np.array([0, wrong])])


def test_gathering_along_several_axes():
    b = Build()
    x = b.input(F32, N, M, 4)
    rows, columns = b.array(np.array([[0, 2], [1, 1]]), I64), b.array(np.array([[3, 0], [0, 2]]), I64)
    graph = b.graph(
        b.make("gather", (x, rows, columns), axes=(0, 2), position=0), b.make("gather", (x, rows), axes=(0,), position=0),
        b.make("gather", (x, b.iota((3,), 0)), axes=(2,), position=2), b.make("gather", (b.iota((4, M), 0), rows), axes=(0,), position=0),
    )  # fmt: skip
    data = normal(3, 2, 4)
    results = check(graph, data)
    r, c = np.array([[0, 2], [1, 1]]), np.array([[3, 0], [0, 2]])
    agree(results, [data[r, :, c], data[r], data[:, :, [0, 1, 2]], np.broadcast_to(r[..., None], (2, 2, 2))])
    text = print_loops(lower(graph))
    assert "x0[i0, i1, i2]" in text  # a gather by iota is a plain read


def test_the_last_of_equal_indices_wins_and_sums_take_all():
    b = Build()
    x, value = b.input(F32, 3), b.input(F32, 4)
    at = b.array(np.array([1, 1, 0, 1]), I64)
    graph = b.graph(*[b.make("scatter", (x, value, at), axes=(0,), position=0, mode=mode) for mode in ("set", "add", "max")])
    results = check(graph, np.zeros(3, np.float32), np.array([1, 2, 3, 4], np.float32))
    agree(results, [np.array(row, np.float32) for row in ([3, 4, 0], [3, 7, 0], [3, 4, 0])])


def test_long_parts_are_written_one_after_the_other():
    b = Build()
    x, y = b.input(F32, N, D), b.input(F32, M, D)
    graph = b.graph(b.make("concatenate", (x, b.op("exp", y), x), axis=0))
    steps = lower(graph).steps
    assert [step.buffer for step in steps] == ["t0", "out0", "out0", "out0"]
    assert [step.subscripts[0] for step in steps[1:]] == [symbol("i0"), symbol("i0") + N, symbol("i0") + N + M]
    check(graph, normal(3, 2), normal(4, 2))


def test_concatenation_of_many_short_parts_is_balanced():
    b = Build()
    parts = [b.input(F32, N, 1, path=f"p{k}") for k in range(64)]
    graph = b.graph(b.make("concatenate", parts, axis=1))
    (step,) = lower(graph).steps

    def depth(node):
        return 1 + max(map(depth, node.operands)) if node.op == "guard" else 0

    assert depth(step.body) == 12
    check(graph, *[normal(2, 1) for _ in parts])


def test_padding_with_symbolic_widths():
    b = Build()
    x = b.input(F32, N, D)
    graph = b.graph(b.make("pad", (x, b.number(7.0, F32)), low=(M, 0), high=(1, 2 * M)))
    (result,) = check(graph, normal(2, 3), sizes={"M": 2})
    assert result.shape == (5, 7)
    (result,) = check(graph, normal(2, 3), sizes={"M": 0})
    assert result.shape == (3, 3)


def test_wide_borders_are_written_apart_each_element_once():
    b = Build()
    x = b.input(F32, 2, 3, 1)
    low, high = (100, 0, 2), (1, 70, 0)
    graph = b.graph(b.make("pad", (x, b.number(7.0, F32)), low=low, high=high))
    steps = lower(graph).steps
    assert len(steps) == 5
    sizes = [int(np.prod([extent for _, extent in step.ranges])) for step in steps]
    (result,) = check(graph, normal(2, 3, 1))
    assert sum(sizes) == result.size
