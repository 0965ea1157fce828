"""What is refused, with its code, its place, the kind of the exception - and the text's form."""

import itertools

import numpy as np
import pytest
from programs import Captured, program, refusal

A = np.arange(12.0).reshape(3, 4) + 1


class Own(Exception):
    pass


ROWS = [
    ("try:\n        y = x\n    except ValueError:\n        y = x + 1", "unsupported-try", TypeError, "try:"),
    ("yield x", "unsupported-yield", TypeError, "yield x"),
    ("return [(yield x)]", "unsupported-yield", TypeError, "yield x"),
    ("async def g():\n        pass", "unsupported-async", TypeError, "async def g():"),
    ("global q\n    q = 1", "unsupported-global", TypeError, "global q"),
    ("y = x\n    def g():\n        nonlocal y\n        y = 1\n    g()", "unsupported-nonlocal", TypeError, "nonlocal y"),
    ("del x", "unsupported-del", TypeError, "del x"),
    ("class C:\n        pass", "unsupported-class", TypeError, "class C:"),
    ("import os", "unsupported-import", TypeError, "import os"),
    ("from math import exp", "unsupported-import", TypeError, "from math import exp"),
    ("match x:\n        case {}:\n            pass", "unsupported-match", TypeError, "match x:"),
    ("return eval('x')", "unsupported-eval", TypeError, "eval('x')"),
    ("return exec('x')", "unsupported-eval", TypeError, "exec('x')"),
    ("return open('f')", "side-effect", TypeError, "open('f')"),
    ("return super().f", "unsupported-builtin", TypeError, "super()"),
    ("with open('f') as g:\n        pass", "unsupported-with", TypeError, "open('f')"),
    ("print(1, x)", "print-of-data", TypeError, "x"),
    ("return np.frombuffer(x)", "unknown-operation", TypeError, "np.frombuffer(x)"),
    ("return compiled(x)", "unknown-call", TypeError, "compiled"),
    ("return 'a'(x)", "not-callable", TypeError, "'a'"),
    ("return helper(x, 1)", "too-many-arguments", TypeError, "helper(x, 1)"),
    ("return helper()", "missing-argument", TypeError, "helper()"),
    ("return helper(v=x, w=1)", "unknown-keyword", TypeError, "helper(v=x, w=1)"),
    ("return helper(x, v=x)", "duplicate-argument", TypeError, "helper(x, v=x)"),
    ("return forever(x)", "recursion-limit", RecursionError, "forever(v + 1)"),
    ("p = []\n    for i in range(5000):\n        p.append(x)", "unroll-limit", ValueError, "range(5000)"),
    ("for i in range(5000):\n        x = x.max(i % 2)[0] + x", "loop-value-needed", TypeError, "x.max(i % 2)"),
    ("for i in range(5000):\n        x = x + 'a'", "no-operator", TypeError, "x + 'a'"),
    ("return [i for i in range(5000)]", "unroll-limit", ValueError, "range(5000)"),
    ("i, p = 0, []\n    while i < 5000:\n        i += 1\n        p.append(i)", "unroll-limit", ValueError, "i < 5000"),
    ("while x.sum() > 0:\n        x = np.concatenate([x, x])", "kept-loop", TypeError, "x.sum() > 0"),
    ("return x if x else -x", "ambiguous-truth", ValueError, "x"),
    ("return x and 1", "ambiguous-truth", ValueError, "x"),
    ("return not x", "ambiguous-truth", ValueError, "not x"),
    ("return 0 < x < 3", "ambiguous-truth", ValueError, "0 < x < 3"),
    ("return f'{x}'", "not-static", TypeError, "x"),
    ("return {x: 1}", "not-static", TypeError, "x"),
    ("return {[1]: 1}", "unhashable-key", TypeError, "[1]"),
    ("return {'a': x}['b']", "missing-key", KeyError, "'b'"),
    ("return (1, 2)[2]", "position-out-of-range", IndexError, "2"),
    ("return (1, 2)['a']", "not-an-integer", TypeError, "(1, 2)['a']"),
    ("return 5[0]", "not-subscriptable", TypeError, "5"),
    ("for i in 5:\n        pass", "not-iterable", TypeError, "5"),
    ("a, b = x", "unpack-mismatch", ValueError, "a, b"),
    ("a, *b = ()", "unpack-mismatch", ValueError, "a, *b"),
    ("return len(x[0, 0])", "no-length", TypeError, "x[0, 0]"),
    ("return x + 'a'", "no-operator", TypeError, "x + 'a'"),
    ("return [1] - [2]", "no-operator", TypeError, "[1] - [2]"),
    ("return -'a'", "no-unary-operator", TypeError, "-'a'"),
    ("return x * (1 // 0)", "division-by-zero", ZeroDivisionError, "1 // 0"),
    ("return x + int('a')", "static-value", ValueError, "int('a')"),
    ("return x + 10 ** 10 ** 10", "static-too-large", ValueError, "10 ** 10 ** 10"),
    ("return x + x[:, 1:]", "broadcast-mismatch", ValueError, "x + x[:, 1:]"),
    ("return x @ x", "size-mismatch", ValueError, "x @ x"),
    ("return x.foo", "unknown-attribute", AttributeError, "x.foo"),
    ("return np.foo(x)", "unknown-attribute", AttributeError, "np.foo"),
    ("x.shape = (4, 3)", "not-writable", TypeError, "x.shape"),
    ("(1, 2)[0] = 3", "not-writable", TypeError, "(1, 2)"),
    ("return nothing", "unknown-name", NameError, "nothing"),
    ("y = z\n    z = 1", "unbound-local", UnboundLocalError, "z"),
    ("assert x.ndim == 3, f'rank {x.ndim}'", "assertion-failed", AssertionError, "x.ndim == 3"),
    ("raise KeyError('a')", "raised", KeyError, "raise KeyError('a')"),
    ("raise Own('a')", "raised", Own, "raise Own('a')"),
    ("return (v for v in x)", "unsupported-return", TypeError, "return (v for v in x)"),
    ("return lambda: x", "unsupported-return", TypeError, "return lambda: x"),
    ("y = [x]\n    y.append(y)\n    return y", "unsupported-return", TypeError, "return y"),
    ("return isinstance(x, 3)", "bad-argument", TypeError, "isinstance(x, 3)"),
    ("return round(x, 1, 2)", "too-many-arguments", TypeError, "round(x, 1, 2)"),
]


def helper(v):
    return v


def forever(v):
    return forever(v + 1)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("body", "code", "kind", "caret"), ROWS, ids=[f"{k}-{row[1]}" for k, row in enumerate(ROWS)])
def test_refusal(body, code, kind, caret):
    function = program(f"def f(x):\n    {body}\n", helper=helper, forever=forever, Own=Own, compiled=itertools.count)
    error = refusal(function, A, depth_limit=200)
    assert isinstance(error, kind) and [d.code for d in error.diagnostics] == [code], error
    (diagnostic,) = error.diagnostics
    lines = diagnostic.render().split("\n")
    assert len(lines) <= 12 and lines[0].startswith(f"error[{code}]: ")
    span = diagnostic.span
    text = span.source.line(span.line)
    assert text[span.column :].startswith(caret) and span.end_column == (
        span.column + len(caret) if span.end_line == span.line else span.end_column
    )
    assert lines[4].rstrip().removesuffix(" ...").endswith("^") and "staxlang/" not in str(error)


def test_only_what_is_reached_is_refused():
    captured = Captured(program("def f(x, flag):\n    if flag:\n        return eval('x')\n    return x + 1\n"), (A, False))
    np.testing.assert_array_equal(captured.run(), A + 1)


def test_errors_in_helpers_show_the_way():
    text = "def inner(v):\n    return v @ v\ndef f(x):\n    y = x * 2\n    return inner(y)\n"
    message = str(refusal(program(text), A))
    assert "2 |     return v @ v" in message and "`inner` is called here (line 5)" in message


def test_errors_in_the_library_are_at_the_users_line():
    message = str(refusal(program("def f(x):\n    return np.mean(x, axis=3)\n"), A))
    assert "2 |     return np.mean(x, axis=3)" in message and "in `mean` of the standard library" in message


def test_a_failed_capture_leaves_no_trace():
    function = program("def f(x):\n    x[0] = 1\n    S[...] = 2\n    L.append(1)\n    return x\n", S=np.zeros(3), L=[])
    before = A.copy()
    first, second = str(refusal(function, A)), str(refusal(function, A))
    assert first == second and np.array_equal(A, before)
    assert function.__globals__["L"] == [] and not function.__globals__["S"].any()


def test_deep_recursion_over_static_values():
    text = "def down(v, n):\n    return v if n == 0 else down(v + 1, n - 1)\ndef f(x):\n    return down(x, 150)\n"
    captured = Captured(program(text), (A,), depth_limit=200)
    np.testing.assert_array_equal(captured.run(), A + 150)
