"""Flattening, binding, layouts and sizes by themselves: what the runtime makes of a call before anything is compiled."""

import numpy as np
import pytest

from staxlang.base.sizes import symbol
from staxlang.runtime.binding import Binder
from staxlang.runtime.content import code_digest, describe, function_digest
from staxlang.runtime.entries import outcome_bits
from staxlang.runtime.planning import overlaps_itself, stride_pattern, strides_in_elements
from staxlang.runtime.plans import evaluate
from staxlang.runtime.signature import prepare

N, M, K = symbol("N"), symbol("M"), symbol("K")


def pattern(array, *sizes):
    return stride_pattern(array.shape, strides_in_elements(array), sizes)


def test_stride_patterns():
    x = np.zeros((4, 6, 5))
    assert pattern(x, N, M, K) == (M * K, K, 1)
    assert pattern(x.T, K, M, N) == (1, K, M * K)
    assert pattern(x[:, ::2], N, M, K) == (10 * M, 10, 1)
    assert pattern(x[::-1], N, M, K) == (-30, K, 1)
    assert pattern(np.broadcast_to(np.zeros(5), (4, 5)), N, M) == (0, 1)
    assert pattern(x[:, :3], N, M, K) == (30, K, 1)
    assert pattern(x.transpose(1, 0, 2), M, N, K) == (K, M * K, 1)
    assert pattern(x[1:2], N, M, K)[1:] == (K, 1)


def test_arrays_that_overlap_themselves():
    x = np.zeros((4, 6))
    for view in (x, x.T, x[::2, ::3], x[::-1], x[:0], x[:, 1]):
        assert not overlaps_itself(view)
    windows = np.lib.stride_tricks.sliding_window_view(np.zeros(8), 3)
    assert overlaps_itself(windows) and overlaps_itself(np.broadcast_to(x[0], (3, 6)))


def test_paths_are_the_users_words():
    values = {"x": np.zeros(2), "config": {"a": [1, 2.5], "b": (np.zeros(1), None)}, "rest": (3,)}
    items = prepare(values).items
    assert [(item.kind, item.path) for item in items] == [
        ("array", "x"),
        ("dict", "config"),
        ("list", "config['a']"),
        ("int", "config['a'][0]"),
        ("float", "config['a'][1]"),
        ("tuple", "config['b']"),
        ("array", "config['b'][0]"),
        ("static", "config['b'][1]"),
        ("tuple", "rest"),
        ("int", "rest[0]"),
    ]


def test_unfit_arrays_are_replaced_wherever_they_stand():
    swapped = np.arange(3).astype(">i4")
    prepared = prepare({"x": swapped, "rest": [swapped, {"y": (swapped,)}], "n": 1})
    copies = [copy for copy, original in prepared.copies if original is swapped]
    assert len(copies) == 1 and copies[0].dtype.isnative
    fit = prepared.values
    assert fit["x"] is copies[0] and fit["rest"][0] is copies[0] and fit["rest"][1]["y"][0] is copies[0]


def test_containers_that_hold_themselves_are_refused():
    endless = [1]
    endless.append(endless)
    with pytest.raises(TypeError, match="holds itself"):
        prepare({"x": endless})


def test_binding_is_pythons():
    def f(a, b=2, *rest, c, d=4, **more):
        return a, b, rest, c, d, more

    binder = Binder(f)
    for args, kwargs in [((1,), {"c": 3}), ((1, 5, 6, 7), {"c": 0, "z": 9}), ((), {"a": 1, "c": 2, "d": 3})]:
        bound = binder.bind(args, kwargs)
        assert tuple(bound.values.values()) == f(*args, **kwargs)
        assert bound.shape == (len(args), tuple(kwargs))
    for args, kwargs in [((), {}), ((1,), {}), ((1,), {"a": 2, "c": 3})]:
        with pytest.raises(TypeError):
            f(*args, **kwargs)
        with pytest.raises(TypeError):
            binder.bind(args, kwargs)


def test_content_is_the_same_for_the_same_and_differs_otherwise():
    def make(text):
        space = {"np": np}
        exec(text, space)
        return space["f"]

    one = make("def f(x, k=2):\n    return np.exp(x) * k\n")
    moved = make("\n\n\ndef f(x, k=2):\n    return np.exp(x) * k\n")
    assert function_digest(one) == function_digest(moved)
    others = ["def f(x, k=3):\n    return np.exp(x) * k\n", "def f(x, k=2):\n    return np.exp(x) * 2\n"]
    others += ["def f(x, k=2):\n    return np.sin(x) * k\n", "def f(x: 'Tensor[f32, N]', k=2):\n    return np.exp(x) * k\n"]
    digests = {function_digest(make(other)) for other in others}
    assert len(digests) == len(others) and function_digest(one) not in digests
    assert code_digest((lambda x: x in {1, 2, 3}).__code__)
    assert describe(0.0) != describe(-0.0) and describe(1) != describe(True) != describe(1.0)
    assert describe(np.float32(1)) != describe(np.float64(1)) and describe(np.add) == ("named", "numpy", "add")
    assert describe(object()) is None and describe((1, object())) is None and describe((1, "a", None)) is not None


OUTCOMES = [(True, "bool"), (-3, "i8"), (250, "u8"), (-(1 << 63), "i64"), (1.5, "f16"), (-0.0, "f32"), (2.5, "f64"), (1 + 2j, "c64")]


@pytest.mark.parametrize(("value", "dtype"), OUTCOMES)
def test_outcome_bits_are_those_in_memory(value, dtype):
    code = {"bool": "?", "i8": "i1", "u8": "u1", "i64": "i8", "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8"}[dtype]
    data = np.array(value, code).tobytes()
    assert outcome_bits(value, dtype) == int.from_bytes(data.ljust(8, b"\0"), "little", signed=True)
    assert outcome_bits(1j, "c128") is None


def test_sizes_as_texts():
    env = {"s0": 7, "s1": 3}
    assert [evaluate(size, env) for size in (5, "s0", "2*s0+-1*s1", "((s0)//(s1))", "max(s0, s1)")] == [5, 7, 11, 2, 7]
