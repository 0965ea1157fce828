"""What stays at run time, what is frozen, what becomes a guard or a gate - and why."""

import math

import numpy as np
import pytest
from programs import agree, conditions, frozen, guards, refusal

from staxlang.typecheck.guards import FrozenScalar, ShapeGuard
from staxlang.typecheck.results import InputNumber, OutputNumber, SizeResult

A = np.arange(12.0).reshape(3, 4) + 1
B = np.arange(4.0)


def ops(captured):
    return [node.op for node in captured.recorder.recorded]


def free(captured):
    """The capture depends on nothing but types."""
    return not conditions(captured) and not frozen(captured) and not captured.asked


# ---- run-time numbers ----


def test_numbers_stay_at_run_time():
    for k in (3, 2.5, 1 + 2j):
        captured = agree(lambda x, k: (x * k + k**2 - k / 2, k * 2), A, k)
        assert free(captured) and ops(captured).count("scalar") == 1


def test_a_number_returned_is_the_argument():
    captured = agree(lambda x, k: k, A, 10**30)
    assert captured.evaluation.result == InputNumber(1)
    assert isinstance(agree(lambda k: k + 1, 2.5).evaluation.result, OutputNumber)


def test_weak_promotion():
    for dtype in (np.int8, np.float32, np.float16, np.complex64, np.uint64):
        agree(lambda x, n: (x * n, x + 1, x - 1), A.astype(dtype), 3)
    agree(lambda x, k: x * k, A.astype(np.float32), 2.5)
    agree(lambda x, k: x * k, A.astype(np.int32), 2.5)


def test_an_integer_that_must_fit_is_guarded():
    captured = agree(lambda x, n: x + n, A.astype(np.uint8), 200)
    assert conditions(captured)[-1] == "n <= 255" and not frozen(captured)
    text = str(refusal(lambda x, n: x + n, A.astype(np.uint8), 300))
    assert "error[integer-overflow]: the integer 300 does not fit u8" in text


def axis_of(x, k):
    total = x.sum(axis=k)
    return total * k


def test_a_frozen_axis_names_its_line():
    captured = agree(axis_of, A, 1)
    (guard,) = guards(captured, FrozenScalar)
    assert (guard.path, guard.position, guard.value) == ("k", 1, 1)
    assert guard.span.line == axis_of.__code__.co_firstlineno + 1 and "axis" in guard.why


def test_frozen_once():
    captured = agree(lambda x, k: x.sum(axis=k) + x.max(axis=k) * k, A, 1)
    assert frozen(captured) == {"k": 1} and len(guards(captured, FrozenScalar)) == 1


def test_a_float_that_decides_is_frozen():
    captured = agree(lambda x, lr: x * lr if lr > 0.5 else x, A, 0.75)
    assert frozen(captured) == {"lr": 0.75}
    assert guards(captured, FrozenScalar)[0].why == "`lr > 0.5` decides"


def test_an_integer_that_decides_is_a_condition():
    captured = agree(lambda x, n: x * n if n > 3 else x, A, 5)
    assert conditions(captured) == ["0 <= n", "3 < n"] and not frozen(captured)
    assert conditions(agree(lambda x, n: x * n if n > 3 else x, A, -5)) == ["n < 0"]


def test_integers_as_sizes():
    captured = agree(lambda x, n: (x[:n], np.zeros(n * 2 + 1), n), B, 3)
    assert not frozen(captured)
    assert [(binding.symbol, binding.position) for binding in captured.evaluation.sizes] == [("n", 1)]
    assert "n <= 4" in conditions(captured)
    agree(lambda x, n: (x[n:], x[:n]), B, -1)
    agree(lambda x, i: (x[i], x[i, i + 1]), A, 1)


def test_integer_powers_freeze_the_exponent():
    assert frozen(agree(lambda x, n, m: x * n**m, A, 2, 3)) == {"m": 3}
    agree(lambda x, n: x * n**-1, A, 2)


def test_python_numbers_compute_like_python():
    agree(lambda a, b, n: (a // b, a % b, n // 3, n % -3, -n // 2, a**0.5, min(a, b), max(n, 7), abs(-n), round(a)), 7.5, -2.0, 11)
    agree(lambda a, n: (math.exp(a), math.log(n), math.sqrt(n), math.pi * a, math.atan2(a, n), math.fabs(-a)), 0.5, 3)
    agree(lambda a, n: (np.exp(a), np.sqrt(n), np.float32(a), np.int64(n) + 1, np.maximum(a, n)), 0.5, 3)


# ---- sizes ----


def test_shapes_of_constants_are_static():
    captured = agree(lambda x: (x.shape[0] * 2, x.reshape(-1, 2)), A)
    assert free(captured)


def test_symbolic_sizes_are_results():
    captured = agree(lambda x: x.shape[0] * x.shape[1] + 1, A, symbolic=True)
    assert isinstance(captured.evaluation.result, SizeResult) and free(captured)


def test_broadcast_decides_only_what_it_needs():
    assert conditions(agree(lambda x, y: x + y, A, A, symbolic=True)) == ["x_0 == y_0", "x_1 == y_1"]
    assert conditions(agree(lambda x, y: x + y, A, A[:1], symbolic=True))[0] == "y_0 == 1"
    assert conditions(agree(lambda x, y: x + y, A[:, :1], B, symbolic=True)) == ["x_1 == 1"]
    assert conditions(agree(lambda x: x + x * 2, A, symbolic=True)) == []
    assert conditions(agree(lambda x: x + np.ones(4), A, symbolic=True)) == ["x_1 == 4"]


def test_equalities_are_asked_once():
    captured = agree(lambda x, y: (x + y) * (y - x) + np.where(x > y, x, y), B, B, symbolic=True)
    assert conditions(captured) == ["x_0 == y_0"]


def test_shape_branches_are_guards():
    def sides(x):
        return x * 2 if x.shape[0] > 3 else x

    assert conditions(agree(sides, B, symbolic=True)) == ["3 < x_0"]
    assert conditions(agree(sides, B[:2], symbolic=True)) == ["x_0 <= 3"]
    captured = agree(lambda x: x if x.shape == (4,) else x + 1, B, symbolic=True)
    assert conditions(captured) == ["x_0 == 4"]


def test_reshape_divides():
    captured = agree(lambda x: x.reshape(-1, 2), A, symbolic=True)
    assert all("//" in text or "%" in text or "2*" in text for text in conditions(captured))
    assert "error[reshape-mismatch]" in str(refusal(lambda x: x.reshape(-1, 2), A[:1, :3], symbolic=True))


def test_loops_fix_what_they_unroll_over():
    captured = agree(lambda x: sum(row for row in x), A, symbolic=True)
    assert conditions(captured) == ["x_0 == 3"]
    assert "unrolled" in guards(captured, ShapeGuard)[0].why

    def counted(x, n):
        for _ in range(n):
            x = x * 2
        return x

    captured = agree(counted, A, 3)
    assert frozen(captured) == {} and "3" not in conditions(captured)  # the loop stays in the program: any number of rounds
    assert conditions(agree(counted, A, symbolic=False, n=3)) == ["0 <= n", "0 < n"]

    def listed(x, n):
        parts = []
        for k in range(n):
            parts.append(x * k)
        return np.stack(parts)

    assert frozen(agree(listed, A, 3)) == {"n": 3}


def test_division_of_sizes():
    agree(lambda x: np.zeros(x.shape[0] // 2 + x.shape[1] % 3), A, symbolic=True)
    assert "error[division-by-zero]" in str(refusal(lambda x: x[: 4 // (x.shape[0] - 3)], A, symbolic=True))


# ---- gates ----


def branch(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_on_data_is_a_gate(sign):
    captured = agree(branch, A * sign)
    assert captured.asked == ["x.sum() > 0"]
    (gate,) = captured.evaluation.gates
    assert gate.value is (sign > 0) and gate.path == f"x.sum() > 0 (line {branch.__code__.co_firstlineno + 1})"
    (replay,) = captured.graph.gates
    kept = {node.op for node in replay.slice.outputs[0].operands} | {replay.slice.outputs[0].op}
    assert "reduce" in kept and "multiply" not in ops_of(replay.slice)


def ops_of(graph):
    seen, stack = set(), list(graph.outputs)
    while stack:
        node = stack.pop()
        seen.add(node.op)
        stack.extend(node.operands)
    return seen


def test_numbers_of_arrays_stay_in_the_program():
    captured = agree(lambda x: (float(x.sum()) * x, int(x[0, 0]) + 1, x.max().item() / 2, bool(x[0, 0] > 0)), A)
    assert free(captured)


def test_what_needs_a_number_now_is_a_gate():
    captured = agree(lambda x: (x[int(x[0, 0])], x.sum(axis=int(x[0, 0])), np.zeros(int(x[0, 1]))), A)
    assert captured.asked == ["int(x[0, 0])", "int(x[0, 1])"]


def test_a_gate_is_asked_once_for_one_value():
    def several(x):
        positive = x.sum() > 0
        y = x * 2 if positive else x
        return y + 1 if positive else y

    assert agree(several, A).asked == ["positive"]


def test_gate_through_conversion():
    captured = agree(lambda x: x * 2 if float(x.mean()) > 1.5 else x, A)
    assert len(captured.asked) == 1 and not frozen(captured)


def test_truth_of_several_elements():
    text = str(refusal(lambda x: x if x > 0 else -x, A))
    assert "error[ambiguous-truth]" in text and ".any()" in text
    agree(lambda x: x if x else -x, A[:1, :1])


def test_asserts():
    def checked(x, y, n):
        assert x.shape[1] == y.shape[0], "widths differ"
        assert n > 0
        assert (x > 0).all()
        return x + y

    captured = agree(checked, A, B, 2, symbolic=True)
    assert "x_1 == y_0" in conditions(captured) and captured.asked == ["(x > 0).all()"]
    error = refusal(checked, A, B[:3], 2)
    assert isinstance(error, AssertionError) and "does not hold: widths differ" in str(error)
    assert isinstance(refusal(checked, -A, B, 2), AssertionError)
    assert isinstance(refusal(checked, A, B, -2), AssertionError)


def test_raise_that_is_reached():
    def positive(x, n):
        if n < 0:
            raise IndexError("n must be positive")
        return x * n

    agree(positive, A, 2)
    error = refusal(positive, A, -2)
    assert isinstance(error, IndexError) and "n must be positive" in str(error)


def down(x, n):
    return x if n == 0 else down(x + 1, n - 1)


def test_a_number_that_is_asked_about_again_and_again_is_frozen():
    captured = agree(down, A, 60)
    assert frozen(captured) == {"n": 60} and len(conditions(captured)) <= 6
    assert frozen(agree(down, A, 2)) == {} and conditions(agree(down, A, 2)) == ["0 <= n", "n != 0", "n - 1 != 0", "n - 2 == 0"]


def test_divisors_are_guarded():
    assert conditions(agree(lambda x, n: x * (7 // n), A, 2)) == ["0 <= n", "n != 0"]
    assert isinstance(refusal(lambda x, n: x * (7 // n), A, 0), ZeroDivisionError)
    assert isinstance(refusal(lambda x, n: x if 1 / (n - 2) > 1 else -x, A, 2), ZeroDivisionError)
