"""The type recorder: all diagnostics are collected, unknown is silent, undecided branches are walked both ways and joined."""

import numpy as np
import pytest
from programs import Captured, check, program

from staxlang.base.dtypes import BOOL, F32, F64, I64
from staxlang.base.sizes import symbol
from staxlang.base.types import tensor
from staxlang.typecheck.pointwise import describe
from staxlang.typecheck.values import UNKNOWN

N, D, K = (symbol(name) for name in "NDK")
X, W = tensor(F32, N, D), tensor(F32, K, D)


def found(text, **types):
    """(codes, description of the result) of a body over `x`, `w`, `n`."""
    parameters = ", ".join(types)
    body = "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))
    evaluation = check(program(f"def f({parameters}):\n{body}"), **types)
    return [d.code for d in evaluation.diagnostics], "unknown" if evaluation.value is UNKNOWN else describe(evaluation.value)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("return x @ w.T", "f32[N, K]"),
        ("return (x + 1).sum(-1)", "f32[N]"),
        ("return x[1:] if n > 2 else x[1:] * 2", "f32[N - min(1, N), D]"),
        ("return x.shape[0] * 2", "int (2*N)"),
        ("y = x if x.sum() > 0 else x * 2\nreturn y", "f32[N, D]"),
        ("y = x\nif x.sum() > 0:\n    y = y.astype(np.float64)\nreturn y", "unknown"),
        ("k = 0\nif x.sum() > 0:\n    k = 1\nreturn k", "int"),
        ("if x.sum() > 0:\n    return x, 1\nreturn x * 2, 2", "tuple (f32[N, D], int)"),
        ("if n > 0:\n    raise ValueError\nreturn x", "f32[N, D]"),
        ("for row in x:\n    if row.sum() > 0:\n        return row\n    if row.max() > 1:\n        break\nreturn x[0]", "f32[D]"),
        ("total = x[0] * 0\nfor i in range(x.shape[0]):\n    total = total + x[i]\nreturn total", "f32[D]"),
        ("while x.sum() > 1:\n    x = x / 2\nreturn x", "f32[N, D]"),
        ("parts = []\nfor row in x:\n    parts.append(row)\nreturn parts", "unknown"),
        ("out = np.zeros((x.shape[0], 2))\nout[:, 0] = x.sum(1)\nout += 1\nreturn out", "f64[N, 2]"),
        ("t = 1.0\nfor _ in range(n):\n    t = t * 2\nreturn t", "float"),
        ("return x.sum(axis=n)", "unknown"),
        ("assert x.shape[1] == w.shape[0]\nreturn x + w[:, 0]", "f32[N, D]"),
        ("return np.exp(x).max() > 0 and n > 1", "unknown"),
        ("return [v for v in range(n)]", "unknown"),
        ("return x.mean(), x.std(0)", "tuple (f32[], f32[D])"),
    ],
)
def test_types(text, result):
    assert found(text, x=X, w=W, n="int") == ([], result)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("return x @ w", ["size-mismatch"]),
        ("return x + w", ["broadcast-mismatch"]),
        ("a = x @ w\nb = a + nothing\nc = x.foo\nreturn a, b, c", ["size-mismatch", "unknown-name", "unknown-attribute"]),
        ("if n > 2:\n    return x @ w\nelse:\n    return x + w", ["size-mismatch", "broadcast-mismatch"]),
        ("for row in x:\n    y = row @ w\nreturn y", ["size-mismatch"]),
        ("def g(v):\n    return v @ v\nreturn g(x) + g(x)", ["size-mismatch"]),
        ("try:\n    pass\nfinally:\n    pass\nreturn x.bar", ["unsupported-try", "unknown-attribute"]),
        ("a, b = x, x, x\nreturn a + b", ["unpack-mismatch"]),
        ("return x[:, None, None, 0, 0, 0]", ["too-many-indices"]),
        ("x += np.ones(3)\nreturn x", ["broadcast-mismatch"]),
        ("y = x.sum() + 'a'\nreturn y", ["no-operator"]),
    ],
)
def test_diagnostics_are_collected(text, codes):
    assert found(text, x=X, w=W, n="int")[0] == codes


@pytest.mark.parametrize(
    "text",
    [
        "return q + x", "return q(x).foo[3]", "for a in q:\n    x = x + a\nreturn x", "a, b = q\nreturn a + b", "return np.exp(q), len(q)",
        "if q:\n    return x\nreturn q", "while q:\n    x = x + 1\nreturn x", "return f'{q}'", "q[0] = 1\nq.y = 2\nq += 1\nreturn q",
        "return {q: 1}", "return x[q]", "return x.sum(axis=q)", "return q if q is None else [q, *q]", "return [a for a in q if a]",
        "return sorted(q), min(q, 1), range(q), isinstance(q, int), q in x, not q, -q, q < 1 < q", "return x.reshape(q)",
        "x[q] = q\nreturn x",
        "def g(a, *b, **c):\n    return a, b, c\nreturn g(*q, **q)", "return q.m(1, k=q)(x) @ x", "assert q\nreturn q",
        "return max(x, key=q)",
    ],
)  # fmt: skip
def test_unknown_is_silent(text):
    assert found(text, x=X, q=UNKNOWN)[0] == []


def test_constants_are_checked():
    codes, result = found("return x[3], x.reshape(2, 6)", x=tensor(F64, 3, 4))
    assert codes == ["index-out-of-range"] and result == "unknown"
    assert found("return x > 0, x.argmax()", x=tensor(F64, 3, 4)) == ([], f"tuple ({tensor(BOOL, 3, 4)}, {tensor(I64)})")


def test_written_arguments_are_known():
    evaluation = check(program("def f(x):\n    x[0] = 1\n    return x.sum()\n"), x=X)
    assert [position for position, _, _ in evaluation.updates] == [0]


def test_messages_name_sizes_and_lines():
    (diagnostic,) = check(program("def f(x, w):\n    y = x @ w\n    return y\n"), x=X, w=W).diagnostics
    assert diagnostic.render().split("\n")[1:] == [
        f" --> {diagnostic.span.source.name}:2:9",
        "  |",
        "2 |     y = x @ w",
        "  |         ^^^^^",
        "  | x: f32[N, D]   D is the last axis of parameter x (line 1)",
        "  | w: f32[K, D]   K is the first axis of parameter w (line 1)",
        "  = help: did you mean `x @ w.T`?",
    ]


def test_checking_and_capture_agree_on_types():
    texts = ["x * 2 + 1", "x.sum(0)", "x[1:].T", "np.where(x > 0, x, 1)", "x.reshape(-1)", "np.stack([x, x])", "x.argmax(1)", "x.mean()"]
    for text in texts:
        function = program(f"def f(x):\n    return {text}\n")
        value = check(function, x=tensor(F64, 3, 4)).value
        captured = Captured(function, (np.ones((3, 4)),))
        assert describe(value) == describe(captured.evaluation.value), text
