"""In-place changes, views and aliasing: as NumPy does them, in program order, written back once."""

import numpy as np
import pytest
from programs import Captured, agree, refusal

A = np.arange(12.0).reshape(3, 4) + 1
B = np.arange(4.0) + 10


def slices(x, y):
    x[1:, ::2] = y[:2, 1:3]
    x[0] += y[0]
    x[:, -1] *= 2
    x.T[1] -= 1
    return x.sum()


def order(x):
    before = x[0] * 1
    view = x[0]
    x[0, 1] = 100.0
    seen = view + 0
    view[2] = 7
    return before, seen, x * 1, view


def scalar_is_a_copy(x):
    a = x[0, 0]
    x[0, 0] = 5
    b = x[0, 0]
    b += 1
    return a, b, x


def alias_of_name(x):
    y = x
    y += 1
    z = y
    z = z + 1
    return y, z


def in_place_operators(x, n):
    x += 1
    x -= 0.5
    x *= 2
    x /= 3
    x **= 2
    x //= 1
    x %= 5
    n <<= 1
    n |= 1
    n &= 0xFF
    n ^= 3
    n >>= 1
    return n.sum()


def out_argument(x, y):
    r = np.add(x, y, out=x)
    s = np.exp(y, out=np.empty(4))
    return r, s


def diagonal(x):
    d = np.diagonal(x)
    total = d.sum()
    np.fill_diagonal(x, 0)
    return total


def returned_views(x):
    return x, x[1:], x.T, x.reshape(4, 3), x[::-1]


def fresh_views(x):
    y = x * 2
    return y, y[0], y.T


def lonely_view(x):
    return (x + 1).T, (x * 2)[1:, :2]


def copies(x):
    return x.copy(), x + 0, x, x.copy()


def twice(x):
    y = x + 1
    return y, y, [y]


def swap(x):
    a = x[0].copy()
    x[0] = x[1]
    x[1] = a


def overlapping(x):
    x[1:] = x[:-1]
    x[:, 1:] += x[:, :-1]


def helper_writes(x):
    def change(v, k):
        v[k] = 0
        v = v + 1
        return v

    other = change(x, 1)
    return other


def lists_of_arrays(items):
    for item in items:
        item += 1
    items[0][0] = 9
    return items[1]


def accumulate(x):
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] * 2 + (out[i, j - 1] if j else 0)
    return out


def rebind_not_write(x):
    x = x * 2
    x += 1
    return x


def written_then_returned(x):
    x[0] = 1
    return x[0], x


def masked(x, y):
    x[x > 5] = 0
    x[:, 1] = np.where(y[:3] > 10, y[:3], x[:, 1])
    return x


def reshape_is_view(x):
    flat = x.reshape(-1)
    flat[5] = -1
    x.ravel()[0] = -2
    t = x.T.reshape(-1)
    t[0] = 77
    return t


def assign_lower_rank(x):
    x[...] = np.ones((1, 1, 4))
    x[0] = 3
    x[1] = [1, 2, 3, 4]
    return x


def dtype_of_assignment(n):
    n[0] = 2.9
    n[1:] = np.array([1.5, -1.5])
    return n


INTS = np.arange(3) + 5
CASES = [
    (slices, (A, A * 3)), (order, (A,)), (scalar_is_a_copy, (A,)), (alias_of_name, (A,)), (in_place_operators, (A, INTS)),
    (out_argument, (A, B)), (diagonal, (A[:, :3].copy(),)), (returned_views, (A,)), (fresh_views, (A,)), (lonely_view, (A,)),
    (copies, (A,)), (twice, (A,)), (swap, (A,)), (overlapping, (A,)), (helper_writes, (A,)), (lists_of_arrays, ([A, B],)),
    (accumulate, (A,)), (rebind_not_write, (A,)), (written_then_returned, (A,)), (masked, (A, B)), (reshape_is_view, (A,)),
    (assign_lower_rank, (A,)),
    (dtype_of_assignment, (INTS,)),
]  # fmt: skip


@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@pytest.mark.parametrize(("function", "args"), CASES, ids=[case[0].__name__ for case in CASES])
def test_program(function, args, symbolic):
    agree(function, *args, symbolic=symbolic)


def test_strided_and_read_only_arguments():
    agree(slices, np.asfortranarray(A), A)
    agree(order, np.arange(24.0).reshape(3, 8)[:, ::2].copy(order="F"))
    locked = A.copy()
    locked.flags.writeable = False
    text = str(refusal(swap, locked))
    assert "error[read-only]" in text and "`x` is read-only" in text


def test_updates_are_written_once():
    captured = Captured(slices, (A.copy(), A * 3))
    assert [position for position, _, _ in captured.evaluation.updates] == [0]
    assert not Captured(rebind_not_write, (A,)).evaluation.updates


def test_outputs_follow_sharing():
    captured = Captured(returned_views, (A,))
    assert captured.evaluation.outputs == ()  # every result is the argument or a view of it
    assert len(Captured(fresh_views, (A,)).evaluation.outputs) == 1
    assert len(Captured(copies, (A,)).evaluation.outputs) == 3
    assert len(Captured(twice, (A,)).evaluation.outputs) == 1


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        (lambda n: n.__iadd__ if n is None else _add_half(n), "cast-refused", "f64 cannot be cast to i64"),
        (lambda n: _grow(n), "in-place-shape", "would change the shape of i64[3] to that of i64[2, 3]"),
        (lambda n: _broadcast(n), "read-only", "`wide` is read-only"),
        (lambda n: _wrong_shape(n), "assign-mismatch", "(2,)"),
    ],
)
def test_refused_writes(function, code, words):
    text = str(refusal(function, INTS.copy()))
    assert f"error[{code}]" in text and words in text
    assert len(text.splitlines()) <= 12


def _add_half(n):
    n += 0.5
    return n


def _grow(n):
    n += np.ones((2, 3), int)
    return n


def _broadcast(n):
    wide = np.broadcast_to(n, (2, 3))
    wide[0] = 1
    return wide


def _wrong_shape(n):
    n[:] = np.zeros(2)
    return n
