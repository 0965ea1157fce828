"""What the kernels look like: loops, tiles, streaming stores, where sizes decide."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import F32, F64, I64, U8
from staxlang.base.sizes import evaluate
from staxlang.compiler.loops.execute import execute
from staxlang.compiler.loops.ir import Kernel, Loop, Nest, Schedule, Statement, Store
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.loops.symbols import size_symbols
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64
from staxlang.typecheck import views
from tests.compiler.graphs.building import Build, M, N
from tests.compiler.loops.cases import gelu, layer_norm, softmax

TARGET = x86_64()


def planned(graph, target=TARGET) -> Schedule:
    return schedule(lower(graph), target)


def kernels(made: Schedule) -> list[Kernel]:
    return [step for step in made.steps if isinstance(step, Kernel)]


def statements(made: Schedule) -> list[Statement]:
    found: list[Statement] = []
    stack: list[Statement] = [one for kernel in kernels(made) for one in kernel.body]
    while stack:
        one = stack.pop(0)
        found.append(one)
        if isinstance(one, Nest):
            stack = [*one.body, *stack]
    return found


def nests(made: Schedule) -> list[Nest]:
    return [one for one in statements(made) if isinstance(one, Nest)]


def vector_loops(made: Schedule) -> list[Loop]:
    return [loop for nest in nests(made) for loop in nest.loops if loop.kind == "vector"]


def stores(made: Schedule) -> list[Store]:
    return [one for one in statements(made) if isinstance(one, Store)]


def negated(*shape, dtype=F32) -> Schedule:
    b = Build()
    return planned(b.graph(b.op("negative", b.input(dtype, *shape))))


def test_contiguous_axes_are_one_walk():
    for made in (negated(4, 5, 6), negated(N, M, 6)):
        (nest,) = nests(made)
        assert [loop.kind for loop in nest.loops][-1] == "vector" and len(nest.loops) <= 2


def test_small_things_have_no_parallel_loop():
    assert all(loop.kind != "parallel" for nest in nests(negated(100, 100)) for loop in nest.loops)
    assert any(loop.kind == "parallel" for nest in nests(negated(1000, 1000)) for loop in nest.loops)


@pytest.mark.parametrize(("dtype", "lanes"), [(U8, 64), (F32, 16), (F64, 8)])
def test_lanes_fill_a_register(dtype, lanes):
    assert vector_loops(negated(1000, dtype=dtype))[0].width == lanes


def test_lanes_are_no_more_than_there_are_points():
    assert vector_loops(negated(3))[0].width == 4


def test_large_results_stream_and_small_ones_do_not():
    large, small, unknown = negated(1 << 23), negated(1 << 20), negated(N)
    assert [one.streaming for one in stores(large) + stores(small) + stores(unknown)] == [True, False, True]


def test_a_result_that_is_read_again_does_not_stream():
    b = Build()
    x = b.input(F32, N)
    y = b.op("exp", x)
    made = planned(b.graph(y, b.op("divide", y, b.broadcast(b.reduce(y, "sum", (0,)), (N,)))))
    streaming = {one.buffer: one.streaming for one in stores(made)}
    assert streaming["out0"] is False and streaming["out1"] is True


def test_softmax_walks_a_row_three_times_and_keeps_the_exponentials_in_the_result():
    b = Build()
    made = planned(b.graph(*softmax(b, b.input(F32, N, M))))
    assert [one.buffer for one in stores(made)] == ["out0", "out0"] and not any(one.streaming for one in stores(made))
    assert not kernels(made)[0].tiles


def test_softmax_of_large_arrays_keeps_the_exponentials_in_a_tile_and_writes_past_the_caches():
    """What is written into a result first is fetched from memory for it; a row of unknown length has no tile."""
    for shape, tiles in (((4096, 4096), 1), ((64, 128), 0), ((N, 128), 1), ((1024, 1 << 20), 0)):
        b = Build()
        made = planned(b.graph(*softmax(b, b.input(F32, *shape))))
        assert len(kernels(made)) == 1 and len(kernels(made)[0].tiles) == tiles
        assert [one.streaming for one in stores(made) if one.buffer == "out0"] == ([True] if tiles else [False, False])


def test_what_no_result_has_room_for_is_kept_in_a_tile():
    """gelu before layer norm: made once a row where a row is known to fit, else made again by each walk."""
    for m, tiles in ((256, 1), (M, 0)):
        b = Build()
        [y] = gelu(b, b.input(F32, N, m))
        mean = b.op("subtract", y, b.keepdims(b.reduce(y, "max", (1,)), 1))
        made = planned(b.graph(b.op("greater", mean, b.constant(0.0, mean))))
        assert len(kernels(made)) == 1 and len(kernels(made)[0].tiles) == tiles


def test_layer_norm_of_few_long_rows_is_not_one_kernel():
    """A row of 100 million elements does not stay in cache, and two rows do not keep the threads busy."""
    b = Build()
    x, s = b.input(F32, 2, 10**8), b.input(F32, 10**8)
    assert len(kernels(planned(b.graph(*layer_norm(b, x, s, s))))) > 1
    b = Build()
    x, s = b.input(F32, 2, 1000), b.input(F32, 1000)
    assert len(kernels(planned(b.graph(*layer_norm(b, x, s, s))))) == 1


def test_long_sums_are_made_in_blocks_of_chunks():
    """No lane adds more than a block's share one after the other, whatever the length."""
    b = Build()
    made = planned(b.graph(b.reduce(b.input(F32, N), "sum", (0,))))
    inner = vector_loops(made)[0]
    assert evaluate(inner.extent, {"N": 10**8, **dict.fromkeys(("b0", "c0"), 0)}) <= 4096
    assert size_symbols(made) == ("N",)
    array = np.random.default_rng(0).random(300_000, np.float32)
    assert execute(made, [array])[0] == pytest.approx(array.sum(dtype="d"), rel=1e-6)


def test_rows_are_added_several_at_a_time():
    """Sums over the first axis pass over the row of results once for eight rows of the operand."""
    b = Build()
    made = planned(b.graph(b.reduce(b.input(F32, 64, 1000), "sum", (0,))))
    loads = [node for one in stores(made) for node in _loads(one.value) if node["buffer"] == "x0"]
    assert len(loads) == 8 and {one.buffer for one in stores(made)} == {"out0"}


def _loads(node):
    return [node] if node.op == "load" else [load for operand in node.operands for load in _loads(operand)]


def test_an_operand_that_lies_the_other_way_goes_through_a_tile():
    b = Build()
    x = b.input(F32, 500, 600)
    made = planned(b.graph(b.op("negative", b.view(x, views.transpose((500, 600), (1, 0))))))
    assert len(kernels(made)[0].tiles) == 1
    array = np.arange(300_000, dtype="f").reshape(500, 600)
    assert (execute(made, [array])[0] == -array.T).all()


def test_inputs_of_any_layout_walk_their_memory():
    """A transposed input whose last axis jumps is reduced along the axis that does not."""
    b = Build()
    x = b.input(F32, N, M, layout=(1, N))
    made = planned(b.graph(b.reduce(x, "sum", (1,))))
    assert kernels(made)[0].tiles or any(one.buffer.startswith("part") for one in stores(made))
    array = np.asfortranarray(np.random.default_rng(1).random((40, 50), np.float32))
    np.testing.assert_allclose(execute(made, [array], [], {"N": 40, "M": 50})[0], array.sum(1), rtol=1e-5)


def test_what_all_points_share_is_made_before_the_loop():
    b = Build()
    x, k = b.input(F32, N), b.scalar(F64)
    made = planned(b.graph(b.op("multiply", x, b.broadcast(b.cast(k, F32), (N,)))))
    inner = nests(made)[-1]
    assert all(load["buffer"] != "k1" for one in inner.body for load in _loads(one.value))


def test_gathered_rows_are_walked_in_vectors():
    b = Build()
    x, index = b.input(F32, 100, 64), b.input(I64, N)
    made = planned(b.graph(b.make("gather", (x, b.make("assert_index", (index,), extent=100)), axes=(0,), position=0)))
    assert vector_loops(made)[0].width == 16
    array, rows = np.random.default_rng(0).random((100, 64), np.float32), np.array([3, 0, 99, 3])
    assert (execute(made, [array, rows], [], {"N": 4})[0] == array[rows]).all()


def test_work_grows_with_sizes():
    made = negated(N, M)
    work = kernels(made)[0].work
    assert evaluate(work, {"N": 1000, "M": 1000}) > 50 * evaluate(work, {"N": 100, "M": 100})
    assert evaluate(work, {"N": 0, "M": 5}) == 0


def test_dead_values_make_room():
    """Three values that one after the other have to be complete: two places in the arena do."""
    b = Build()
    y = b.input(F32, 64, 64)
    for _ in range(6):
        y = b.make("contract", (y, y), batch=0, contracted=1)
    made = planned(b.graph(y))
    assert made.arena_bytes == 2 * 64 * 64 * 4
