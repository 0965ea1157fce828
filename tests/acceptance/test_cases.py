"""What the first slice must show, executed: kernels, bytes, versions, guards and messages of whole programs."""

import numpy as np
import pytest

import staxlang as stax
from staxlang.compiler import capture
from staxlang.compiler.graph import slice_graph, topological
from staxlang.compiler.passes.deadcode import drop_dead_code
from staxlang.runtime import compilation

rng = np.random.default_rng(11)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(got, expected, terms=1, dtype=np.float32):
    """Within the stated bound of a reassociated sum of `terms` terms."""
    bound = (2 * terms + 4) * np.finfo(dtype).eps
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert np.allclose(got, expected, rtol=bound, atol=bound * max(1.0, float(np.abs(expected).max(initial=0))))


# ---- 1: one kernel, the lower bound of bytes ----


def relu_rows(x, w):
    return (np.maximum(x + w, 0) * 2).sum(-1)


def test_a_chain_and_its_sum_are_one_kernel_at_the_lower_bound():
    kernel = stax.kernel(relu_rows)
    x, w = f32(64, 128), f32(64, 128)
    close(kernel(x, w), relu_rows(x, w), terms=128)
    report = kernel.explain(x, w)
    assert len(report.kernels) == 1
    assert report.bytes_moved == report.bytes_lower_bound == x.nbytes + w.nbytes + 64 * 4
    assert not report.copies
    assert kernel.stats().route == "native"


def five_inputs(a, b, c, d, e):
    t = a * b + c
    return (t + d).sum(-1), np.where(e, t, a)


def test_five_inputs_of_mixed_dtypes_with_two_results_are_one_kernel():
    kernel = stax.kernel(five_inputs)
    a, b, c = f32(64, 128), rng.integers(-9, 9, (64, 128)).astype(np.int16), f32(128)
    d, e = rng.standard_normal((64, 1)), rng.random((64, 128)) > 0.5
    got, expected = kernel(a, b, c, d, e), five_inputs(a, b, c, d, e)
    close(got[0], expected[0], terms=128, dtype=np.float32)
    assert got[1].dtype == expected[1].dtype and np.array_equal(got[1], expected[1])
    report = kernel.explain(a, b, c, d, e)
    assert len(report.kernels) == 1
    assert report.bytes_moved == report.bytes_lower_bound == sum(v.nbytes for v in (a, b, c, d, e)) + sum(r.nbytes for r in expected)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x, weight, bias):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * weight + bias


@pytest.mark.parametrize(("function", "arguments"), [(softmax, 1), (layer_norm, 3)])
def test_rows_kept_in_cache_are_one_kernel(function, arguments):
    kernel = stax.kernel(function)
    xs = (f32(70, 300), f32(300), f32(300))[:arguments]
    close(kernel(*xs), function(*xs), terms=300)
    report = kernel.explain(*xs)
    assert len(report.kernels) == 1 and report.bytes_moved == report.bytes_lower_bound


# ---- 2: scalars ----


def test_a_scalar_that_changes_does_not_recompile():
    kernel = stax.kernel(lambda x, k: x * k)
    x = f32(9)
    for k in (3, 4, 5.5, 7, 0.25, -1):
        got = kernel(x, k)
        assert got.dtype == np.float32 and np.array_equal(got, x * k)
    stats = kernel.stats()
    assert (stats.versions, stats.compilations) == (2, 2)  # one for ints, one for floats


def reduce_along(x, k):
    return x.sum(axis=k)


def test_a_frozen_scalar_is_a_guard_that_names_it_and_the_line():
    kernel = stax.kernel(reduce_along)
    x = f32(5, 6)
    for k in (0, 1, 0, 1, -1):
        close(kernel(x, k), x.sum(axis=k), terms=6)
    assert kernel.stats().versions == 3
    line = reduce_along.__code__.co_firstlineno + 1
    guards = [str(g) for g in kernel.explain(x, 1).guards]
    assert any("k" in g and "1" in g and f"line {line}" in g for g in guards), guards
    missed = kernel.explain_misses()
    assert any("k" in m and f"line {line}" in m for m in missed), missed


# ---- 3: data gates ----


def gated(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def test_a_branch_on_data_is_right_each_time_and_stops_compiling():
    kernel = stax.kernel(gated)
    for x in (np.ones((4, 8)), -2 * np.ones((4, 8)), np.ones((6, 8))):
        assert np.array_equal(kernel(x), gated(x))
    kernel(-np.ones((6, 8)))
    before = kernel.stats()
    for n in range(7, 21):
        for sign in (1, -1):
            x = sign * np.ones((n, 8))
            assert np.array_equal(kernel(x), gated(x))
    after = kernel.stats()
    assert after.compilations == before.compilations
    assert after.replays > before.replays


def test_misses_of_a_gated_kernel_name_the_gate_and_the_size():
    kernel = stax.kernel(gated)
    kernel(np.ones((4, 8)))
    kernel(-2 * np.ones((4, 8)))
    kernel(np.ones((6, 8)))
    misses = "\n".join(kernel.explain_misses())
    line = gated.__code__.co_firstlineno + 1
    assert "x.sum() > 0" in misses and f"line {line}" in misses, misses
    assert "x.shape[0]" in misses and "4" in misses and "6" in misses, misses


def test_the_replay_is_only_what_the_condition_needs_and_is_taken_before_dead_code_goes(monkeypatch):
    def f(x, w):
        unused = np.exp(x) * 7  # dead: in the graph that the gate is cut from, in no program
        if (x * w).sum() > 0:
            return x * 2
        return unused * 0 + w

    slices = []
    plain = compilation.KernelCapture._run_gate

    def kept(self, sliced, span, what, counts):
        slices.append(sliced)
        return plain(self, sliced, span, what, counts)

    monkeypatch.setattr(compilation.KernelCapture, "_run_gate", kept)
    kernel = stax.kernel(f)
    x, w = np.ones((4, 8)), np.ones(8)
    assert np.array_equal(kernel(x, w), f(x, w))
    (sliced,) = slices
    assert sorted({node.op for node in topological(sliced.roots)} - {"input", "constant", "view"}) == ["greater", "multiply", "reduce"]
    assert "exp(" in kernel.show("graph", x, w) and "exp(" not in kernel.show("optimized", x, w)
    # With the order turned round there is nothing to cut the gate from.
    monkeypatch.setattr(capture, "slice_graph", lambda graph, roots: slice_graph(drop_dead_code(graph), roots))
    with pytest.raises(stax.StaxError, match="before dead code"):
        stax.kernel(lambda x, w: f(x, w))(x, w)


# ---- 4: rewriting ----


def selu(x):
    return 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))


def twice(x):
    y = x * 3
    return selu(y) + selu(y * 1) * 2


def test_equal_chains_are_computed_once():
    kernel = stax.kernel(twice)
    x = f32(1000)
    close(kernel(x), twice(x))
    text = kernel.show("optimized", x)
    assert text.count("expm1(") == 1, text


def test_the_trace_says_which_rule_fired_in_which_round():
    @stax.kernel
    def twice(x):
        y = x * 3
        return stax.selu(y) + stax.selu(y * 1) * 2

    x = f32(1000)
    close(twice(x), (selu(x * 3) * 3).astype(np.float32))
    line = twice.__wrapped__.__code__.co_firstlineno + 3
    assert twice.show("trace", x).splitlines() == [
        f"round 1: normalize: times-one on multiply (line {line})",
        f"round 1: decompose: open-composite on composite (line {line})",
        f"round 2: normalize: constant-right on multiply (line {line})",
        f"round 2: normalize: constant-right on multiply (line {line})",
        "3 rounds, the last without change",
    ]
    assert twice.show("optimized", x).count("expm1(") == 1


# ---- 5: numerics ----


def test_special_functions_keep_their_accuracy():
    x = np.array([1e-10, -1e-10, 1e-300, 0.5])
    for function in (np.log1p, np.expm1):
        got = stax.kernel(lambda x, function=function: function(x))(x)
        assert np.allclose(got, function(x), rtol=4e-16, atol=0)
    x = np.array([100.0, -100.0, 800.0, -800.0, 0.0])
    softplus = stax.kernel(lambda x: stax.softplus(x))(x)
    assert np.allclose(softplus, [100.0, np.exp(-100.0), 800.0, 0.0, np.log(2)], rtol=1e-15, atol=0)
    sigmoid = stax.kernel(lambda x: stax.sigmoid(x))(x)
    assert np.allclose(sigmoid, [1.0, np.exp(-100.0), 1.0, 0.0, 0.5], rtol=1e-15, atol=0)


def test_identities_that_floats_do_not_have_are_not_used():
    x = np.array([np.nan, np.inf, -np.inf, 1.0, -1.0])
    with np.errstate(all="ignore"):
        expected = x * 0
    got = stax.kernel(lambda x: x * 0)(x)
    assert np.array_equal(got, expected, equal_nan=True) and np.array_equal(np.signbit(got[3:]), np.signbit(expected[3:]))
    for dtype in (np.int8, np.uint16, np.int32, np.bool_):
        n = np.array([1, 0, 1], dtype)
        plus, float_plus = stax.kernel(lambda x: x + 0)(n), stax.kernel(lambda x: x + 0.0)(n)
        assert plus.dtype == (n + 0).dtype and float_plus.dtype == (n + 0.0).dtype


@pytest.mark.parametrize(
    "function",
    [lambda x: x + 0, lambda x: x * 1, lambda x: x - 0, lambda x: x / 1, lambda x: x**1, lambda x: +x, lambda x: np.negative(-x)],
)
def test_a_result_is_never_an_alias_that_numpy_would_not_give(function):
    x = f32(10)
    kept = x.copy()
    got = stax.kernel(function)(x)
    assert not np.shares_memory(got, x)
    got[:] = 7
    assert np.array_equal(x, kept)


# ---- 6: layouts ----


def layouts():
    x = f32(6, 8)
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(6, 8)
    read_only = x.copy()
    read_only.flags.writeable = False
    return {
        "plain": x, "transposed": f32(8, 6).T, "every other": f32(6, 16)[:, ::2], "broadcast": np.broadcast_to(f32(8), (6, 8)),
        "reversed": x[::-1], "reversed columns": x[:, ::-1], "unaligned": unaligned, "read-only": read_only, "empty": f32(0, 8),
        "0-d": np.float32(3.0).reshape(()), "swapped": x.astype(">f4"), "fortran": np.asfortranarray(x), "window": f32(9, 11)[2:8, 3:],
    }  # fmt: skip


@pytest.mark.parametrize("name", list(layouts()))
def test_every_layout_is_right_and_its_second_call_hits(name):
    x = layouts()[name]
    function = lambda x: np.tanh(x) * 2 + x
    kernel = stax.kernel(function)
    for _ in range(3):
        got, expected = kernel(x), function(x)
        assert np.shape(got) == np.shape(expected) and got.dtype == expected.dtype.newbyteorder("=")
        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6)
    stats = kernel.stats()
    assert stats.route == "native" and stats.compilations + stats.disk_hits == 1 and stats.hits >= 2


def test_layouts_own_versions():
    kernel = stax.kernel(lambda x: x + 1)
    square = f32(5, 5)
    for x in (square, square.T, f32(5, 10)[:, ::2], np.broadcast_to(f32(5), (5, 5)), square[::-1]):
        assert np.array_equal(kernel(x), x + 1)
    assert kernel.stats().versions == 5
    for x in (square, square.T):
        kernel(x)
    assert kernel.stats().versions == 5


def test_subclasses_are_never_misread():
    kernel = stax.kernel(lambda x: x * x)
    masked = np.ma.masked_array([1.0, 2.0], [False, True])
    with pytest.raises((stax.StaxError, TypeError)) as caught:
        kernel(masked)
    assert "MaskedArray" in str(caught.value)
    with pytest.raises((stax.StaxError, TypeError)):
        kernel(np.matrix([[1.0, 2.0], [3.0, 4.0]]))


# ---- 7: captured names ----

SCALE = np.ones(4, np.float32)
FACTOR = 2


def helper(x):
    return x + 1


def uses_globals(x):
    return helper(x * SCALE) * FACTOR


def test_captured_names_are_read_at_each_call():
    global SCALE, FACTOR, helper
    kernel = stax.kernel(uses_globals)
    x = f32(4)
    close(kernel(x), uses_globals(x))
    SCALE *= 3  # in place
    close(kernel(x), uses_globals(x))
    SCALE = np.full(4, 5, np.float32)  # rebound
    close(kernel(x), uses_globals(x))
    FACTOR = 7
    close(kernel(x), uses_globals(x))
    assert kernel.stats().compilations == 1
    old = helper
    try:
        helper = lambda x: x - 100
        close(kernel(x), uses_globals(x))
    finally:
        helper = old
    close(kernel(x), uses_globals(x))


@pytest.mark.parametrize("stage", ["tree", "graph", "optimized", "loops", "schedule", "llvm", "asm"])
def test_every_stage_can_be_shown(stage):
    for kernel in (stax.kernel(softmax), stax.kernel(lambda x: np.tanh(x) + 1)):
        text = kernel.show(stage, f32(20, 30))
        assert {"tree": "return" if kernel.__name__ == "softmax" else "tanh", "graph": "return", "optimized": "return", "loops": " = ",
                "schedule": "for ", "llvm": "define", "asm": "ret"}[stage] in text  # fmt: skip


def test_fast_math_fuses_and_the_default_rounds_as_numpy():
    function = lambda x, y: x * y + y
    x, y = f32(1003), f32(1003)
    exact, fast = stax.kernel(function), stax.kernel(fast_math=True)(function)
    assert np.array_equal(exact(x, y), function(x, y))
    close(fast(x, y), function(x, y))
    assert "contract" in fast.show("llvm", x, y) and "contract" not in exact.show("llvm", x, y)
