"""Drawn chains of updates through shifted views - stencils, sweeps, swaps: each value keeps its memory while it is read."""

import linecache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import staxlang as stax

NAMES = st.sampled_from(["a", "b", "c"])
PLACES = ["[1:-1]", "[2:]", "[:-2]", "[::2]", "[1::2]", "[...]", "[:4]", "[-1]", "[::-1]"]
SAME = {"[1:-1]": ["[2:]", "[:-2]", "[1:-1]", "[1:-1][::-1]"], "[2:]": ["[1:-1]", "[:-2]", "[2:]"], "[:-2]": ["[1:-1]", "[2:]"],
        "[::2]": ["[::2]", "[1::2]", "[:6]"], "[1::2]": ["[::2]", "[6:]"], "[...]": ["", "[::-1]", ".sum()"], "[:4]": ["[4:8]", "[-4:]"],
        "[-1]": ["[0]", "[3]", ".max()"], "[::-1]": ["", "[::-1]"]}  # fmt: skip


@st.composite
def statements(draw):
    kind = draw(st.sampled_from(["stencil", "stencil", "set", "set", "copy", "swap"]))
    name, other = draw(NAMES), draw(NAMES)
    if kind == "copy":
        return [f"{name} = {other}.copy()"]
    if kind == "swap":
        return [f"{name}, {other} = {other}, {name}"]
    if kind == "stencil":
        return [f"{name}[1:-1] += 0.1 * ({other}[2:] - 2 * {name}[1:-1] + {other}[:-2])"]
    place = draw(st.sampled_from(PLACES))
    values = [f"{draw(NAMES)}{draw(st.sampled_from(SAME[place]))}" for _ in range(draw(st.integers(1, 3)))]
    mark = draw(st.sampled_from(["=", "+=", "-="]))
    return [f"{name}{place} {mark} {' - 0.5 * '.join(values)}"]


@st.composite
def programs(draw):
    lines = [line for _ in range(draw(st.integers(1, 5))) for line in draw(statements())]
    times = draw(st.integers(1, 4))
    head = ["a = a.copy()"] if draw(st.booleans()) else []
    last = draw(st.sampled_from(["return a", "return a, c", "return b + c"]))
    body = [*head, f"for _ in range({times}):", *(f"    {line}" for line in lines), last]
    return "def f(a, b):\n    c = a + b\n" + "\n".join("    " + line for line in body) + "\n"


def agree(text, size=12):
    name = f"<updates {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    kernel = stax.kernel(space["f"])
    rng = np.random.default_rng(len(text))
    plain = rng.random(size), rng.random(size)
    mine = plain[0].copy(), plain[1].copy()
    expected, got = space["f"](*plain), kernel(*mine)
    if type(expected) is not tuple:
        expected, got = (expected,), (got,)
    for one, other in zip((*got, *mine), (*expected, *plain), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert kernel.stats().route == "native"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(programs())
def test_drawn(text):
    agree(text)


@pytest.mark.parametrize("last", ["return u", "return u, b", "return u - a"])
@pytest.mark.parametrize("times", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(
    "line",
    [
        "u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])",
        "u[1:-1] = 0.5 * (u[2:] + u[:-2])",
        "u[1:] += u[:-1]",
        "u = np.roll(u, 1) + 0.5 * u; u[0] = b[0]",
        "b[1:-1] = u[2:] - u[:-2]; u[2:-2] -= 0.1 * (b[3:-1] - b[1:-3])",
        "u[1:-1] = u[2:] * b[1:-1]; u, b = b, u",
        "u[::2] += u[1::2]; u[1::2] -= 0.5 * u[::2]",
    ],
)
def test_a_chain_of_updates_of_a_copy(line, times, last):
    agree(f"def f(a, b):\n    u = a.copy()\n    for _ in range({times}):\n        {line}\n    {last}\n")
