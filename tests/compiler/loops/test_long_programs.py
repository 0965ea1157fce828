"""Programs of thousands of statements: what their schedules take grows as they do, and Python's limit of nested calls is not met."""

from __future__ import annotations

import linecache
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import staxlang as stax
from staxlang.base.dtypes import F32
from staxlang.base.recursion import make_room
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.fuse import Fusion, dependences
from staxlang.compiler.loops.ir import Kernel
from staxlang.compiler.loops.order import Order, direct_dependences
from staxlang.compiler.loops.schedule import schedule
from staxlang.compiler.loops.units import make_units
from staxlang.compiler.lower import lower
from staxlang.compiler.target import x86_64
from staxlang.typecheck import views
from tests.compiler.graphs.building import Build

TARGET = x86_64()
LONG = 5000
make_room(40 * LONG)


def chain(b, x, steps):
    for k in range(steps):
        x = b.op("multiply", x, b.constant(k + 0.5, x))
    return [x]


def shifted(b, x, steps):
    """Each value is read at other places than it is made at."""
    for _ in range(steps):
        x = b.view(x, views.View((x.type.shape[0] - 1,), (views.index(0) + 1,)))
        x = b.op("multiply", x, b.constant(0.5, x))
    return [x]


def two_values(b, x, steps):
    """Two values that need one another: kept both, and fused."""
    y = b.op("add", x, b.constant(1.0, x))
    for _ in range(steps):
        x, y = b.op("multiply", x, y), b.op("subtract", y, x)
    return [b.op("add", x, y)]


def apart(b, x, steps):
    """Results that share nothing but what they read."""
    return [b.op("multiply", x, b.constant(k + 0.5, x)) for k in range(steps)]


def sums(b, x, steps):
    for _ in range(steps):
        total = b.reduce(x, "sum", (0,))
        x = b.op("divide", x, b.broadcast(total, x.type.shape))
    return [x]


PROGRAMS = {make.__name__: make for make in (chain, shifted, two_values, apart, sums)}


def lowered(make, steps):
    b = Build()
    return lower(b.graph(*make(b, b.input(F32, LONG + 100), steps)))


def looked_at(make, steps):
    """Nodes made anew with other indices, groups that merging looked at, pairs of groups that were weighed."""
    program = lowered(make, steps)
    ex = Expressions(program.interner, dict(program.buffers))
    fusion = Fusion(make_units(program, ex), ex, TARGET)
    fusion.run()
    return ex.walked, fusion.order.visited, fusion.weighed


@pytest.mark.parametrize("name", PROGRAMS)
def test_twice_the_statements_are_twice_the_work(name):
    once, twice = looked_at(PROGRAMS[name], 200), looked_at(PROGRAMS[name], 400)
    for small, large in zip(once, twice, strict=True):
        assert large <= 2.3 * small + 200


def test_five_thousand_statements_are_kernels_of_bounded_size():
    made = schedule(lowered(chain, LONG), TARGET)
    sizes = [len(step.body) for step in made.steps if isinstance(step, Kernel)]
    assert len(made.steps) == len(sizes) == -(-LONG // 600)


@pytest.mark.parametrize(("name", "steps"), [("shifted", LONG), ("two_values", LONG // 4)])
def test_thousands_of_statements_of_other_kinds(name, steps):
    assert all(isinstance(step, Kernel) for step in schedule(lowered(PROGRAMS[name], steps), TARGET).steps)


def stencils(b, x, steps):
    """Each statement writes inside of the array that it reads."""
    inside, left, right = (views.View((LONG,), (views.index(0) + k,)) for k in (1, 0, 2))
    for _ in range(steps):
        new = b.op("add", b.view(x, left), b.view(x, right))
        x = b.make("update", (x, new), x.type, subscripts=inside.subscripts, shape=inside.shape)
    return [x]


def calls(function, *values):
    """How many functions a call calls."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function(*values)
    finally:
        sys.setprofile(None)
    return count


def test_twice_the_updates_are_twice_the_calls():
    def graph(steps):
        b = Build()
        return b.graph(*stencils(b, b.input(F32, LONG + 2), steps))

    once, twice = (calls(lower, graph(steps)) for steps in (100, 200))
    assert twice <= 2.2 * once


# ---- the order of groups -------------------------------------------------------------------------------------------


@given(st.data())
def test_merging_respects_all_dependences(data):
    """Against the set of all paths, made anew after each merge."""
    count = data.draw(st.integers(2, 12))
    buffers = st.frozensets(st.sampled_from("abcdef"), max_size=3)
    reads, writes = [[data.draw(buffers) for _ in range(count)] for _ in range(2)]
    order = Order(direct_dependences(reads, writes))
    closure = {k: {j for j in range(count) if dependences(reads, writes)[k] >> j & 1} for k in range(count)}
    members = {k: {k} for k in range(count)}
    for _ in range(data.draw(st.integers(0, 8))):
        if len(members) < 2:
            break
        a, b = sorted(data.draw(st.sets(st.sampled_from(sorted(members)), min_size=2, max_size=2)))
        before = paths(members, closure)
        third = any(k in before[y] and x in before[k] for k in members for x, y in ((a, b), (b, a)) if k not in (a, b))
        assert order.through_third(a, b) == third
        if third:
            continue
        order.merge(a, b)
        members[a] |= members.pop(b)
    before = paths(members, closure)
    listed = order.ordered(list(members))
    assert sorted(listed) == sorted(members)
    for place, group in enumerate(listed):
        assert before[group] <= set(listed[:place])


def paths(members, closure):
    """Of each group those that it needs, directly or not."""
    before = {a: {b for b in members if b != a and any(closure[x] & members[b] for x in members[a])} for a in members}
    for k in members:
        for a in members:
            if k in before[a]:
                before[a] |= before[k] - {a}
    return before


# ---- executed ------------------------------------------------------------------------------------------------------


def function_of(text, name):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"np": np}
    exec(compile(text, name, "exec"), names)
    return names["f"]


TEXTS = {
    "statements": "def f(x):\n    y = x\n" + "".join([f"    y = y * 0.99 + {k}.5\n" for k in range(1500)]) + "    return y\n",
    "terms": "def f(x):\n    return " + " + ".join([f"x * {k}.5" for k in range(1500)]) + "\n",
    "parts": "def f(x):\n    y = np.zeros_like(x)\n" + "".join([f"    y[{k}] = x[{k}] * {k}.5\n" for k in range(300)]) + "    return y\n",
    "signs": "def f(x):\n    return " + "-" * 1500 + "x\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_long_functions_run(name):
    function = function_of(TEXTS[name], f"<long {name}>")
    kernel = stax.kernel(function)
    x = np.linspace(0, 1, 700)
    np.testing.assert_allclose(kernel(x), function(x), rtol=1e-12)
    assert kernel.stats().route == "native"


DEEP = """
import sys
import numpy as np
import staxlang as stax

@stax.kernel
def total(x):
    return x.sum() + {terms}

def below(depth):
    return below(depth - 1) if depth else total(np.ones(4))

assert below(900) == 4 + 4 * {count}
assert sys.getrecursionlimit() > 1000
"""


def test_a_first_call_from_deep_inside_other_calls(tmp_path):
    """In a process of its own: the limit is raised for good."""
    path = tmp_path / "deep.py"
    path.write_text(DEEP.format(terms=" + ".join(["x[0] * x.shape[0]"] * 500), count=500))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
