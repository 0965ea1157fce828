"""Drawn programs: expressions, views, in-place updates, branches on data and on sizes, loops, helpers - run both ways."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import agree, check, program

from staxlang.base.dtypes import F64
from staxlang.base.types import tensor

HELPERS = """
def helper(v, k=2):
    v[0] = v[0] + k
    return v * k

def twice(f, v):
    return f(f(v))

class_of = {"a": 1, "b": 2}
"""

ARRAYS = st.sampled_from(["a", "b", "c"])
VIEWS = ["{v}", "{v}[1:]", "{v}[:, ::2]", "{v}[0]", "{v}[-1]", "{v}.T", "{v}[::-1]", "{v}[:, 1:3]", "{v}[1]", "{v}[:2, :2]"]
ROWS = ["np.abs({v})", "{v} + 1", "{v} * k", "-{v}", "np.minimum({v}, 3)", "np.where({v} > 2, {v}, k)", "{v} - {v}.sum()",
        "{v} * {v}.max()"]
REDUCED = ["{v}.sum()", "{v}.max()", "{v}.mean()", "float({v}.min())", "{v}.any()", "n", "k", "{v}.shape[0]", "len({v})"]


@st.composite
def expressions(draw):
    """An array of any shape that fits assignment by broadcasting is not asked for: the left side takes its shape."""
    text = draw(st.sampled_from(VIEWS)).format(v=draw(ARRAYS))
    for _ in range(draw(st.integers(0, 2))):
        text = draw(st.sampled_from(ROWS)).format(v=f"({text})")
    return text


@st.composite
def statements(draw, depth=0):
    kinds = ["fresh", "view", "inplace", "set", "number", "helper"] + (["if", "for", "sizes"] if depth < 2 else [])
    kind = draw(st.sampled_from(kinds))
    indent = "    "
    array = draw(ARRAYS)
    if kind == "fresh":
        return [f"{array} = x * 1 if n > 3 else y + 0", f"{array}[...] = {draw(st.sampled_from(REDUCED)).format(v='y')}"]
    if kind == "view":
        return [f"w = {draw(st.sampled_from(VIEWS)).format(v=array)}", f"w {draw(st.sampled_from(['+=', '*=', '-=']))} k"]
    if kind == "inplace":
        return [f"{array} {draw(st.sampled_from(['+=', '*=', '-=']))} {draw(ARRAYS)}"]
    if kind == "set":
        place = draw(st.sampled_from(["[0]", "[:, 1]", "[1:, 2:]", "[-1, -1]", "[::2]", "[...]", "[{v} > 2]"])).format(v=array)
        return [f"{array}{place} = {draw(st.sampled_from(REDUCED)).format(v=draw(ARRAYS))}"]
    if kind == "number":
        return [f"t = t + {draw(st.sampled_from(REDUCED)).format(v=array)}"]
    if kind == "helper":
        return [draw(st.sampled_from([f"c = helper({array})", f"c = twice(lambda v: v + t, {array})", f"out.append({array}[0])"]))]
    body = [line for _ in range(draw(st.integers(1, 2))) for line in draw(statements(depth + 1))]
    inner = [indent + line for line in body]
    if kind == "if":
        test = draw(st.sampled_from([f"{array}.sum() > 10", "n > 2", "k < 0", f"{array}[0, 0] > {array}[1, 1]", "t > 3"]))
        return [f"if {test}:", *inner, "else:", f"    {array} = {array} + 1"]
    if kind == "sizes":
        return [f"if {array}.shape[0] >= 3 and len({array}) != n:", *inner]
    head = draw(st.sampled_from(["for i in range(2):", f"for row in {array}:", "for name, i in class_of.items():"]))
    leave = draw(st.sampled_from([None, "if i == 1: continue", "if n == 2: break", "if t > 100: return a, t"]))
    if head.startswith("for row"):
        leave = None if leave is None or "i ==" in leave else leave
    return [head, *inner, *([indent + leave] if leave else []), f"    {array} = {array} * 0.5"]


@st.composite
def programs(draw):
    lines = [line for _ in range(draw(st.integers(1, 5))) for line in draw(statements())]
    last = draw(expressions())
    header = ["a = x", "b = y * 1", "c = x + y", "t = 0", "out = []"]
    body = "\n".join(f"    {line}" for line in [*header, *lines, f"return a, b, ({last}), {{'t': t}}, out"])
    return f"{HELPERS}\ndef f(x, y, k, n):\n{body}\n"


X = np.arange(16.0).reshape(4, 4) / 3 - 1
Y = (np.arange(16.0).reshape(4, 4) * 7 % 5) - 1


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], derandomize=True)
@given(programs(), st.sampled_from([2, 3, 5]), st.sampled_from([-0.5, 2.5]), st.booleans())
def test_drawn(text, n, k, symbolic):
    function = program(text)
    try:
        with np.errstate(all="ignore"):
            function(X.copy(), Y.copy(), k, n)
    except (ValueError, IndexError, TypeError):  # not a program: shapes do not fit
        return
    captured = agree(function, X, Y, k, n, symbolic=symbolic)
    assert captured.evaluation.diagnostics == ()
    # What runs has no diagnostic when it is checked, whatever its branches.
    evaluation = check(program(text), x=tensor(F64, 4, 4), y=tensor(F64, 4, 4), k="float", n="int")
    assert [d.code for d in evaluation.diagnostics if d.code not in ALLOWED] == [], text


ALLOWED = frozenset(
    {"broadcast-mismatch", "assign-mismatch", "too-many-indices", "in-place-shape", "axis-out-of-range", "position-out-of-range"}
)
"""Branches that this call does not take may hold what would fail."""
