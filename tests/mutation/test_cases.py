"""Writes into arrays, natively: results, arguments, captured arrays and what lies in whose memory are NumPy's, in all layouts."""

import types

import numpy as np
import pytest

import staxlang as stax
from tests.drawn.running import leaves, same, shared
from tests.mutation import cases

FUNCTIONS = [f for f in vars(cases).values() if isinstance(f, types.FunctionType) and not f.__name__.startswith("_")]


def given(name):
    """An argument by its parameter's name."""
    base = np.arange(12.0).reshape(3, 4) + 1
    return {
        "x": base,
        "y": np.arange(4.0) + 10,
        "z": np.arange(4.0) + 1j * np.arange(4.0)[::-1],
        "n": np.arange(12).reshape(3, 4) - 2,
        "where": np.array([2, 0]),
        "order": np.array([[1, 0], [3, 2], [0, 0]]),
        "items": [np.arange(3.0), np.arange(4.0)],
        "table": {"a": np.arange(2.0), "b": np.arange(3)},
    }[name]


LAYOUTS = {
    "plain": lambda a: a,
    "fortran": lambda a: np.asfortranarray(a),
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "every other": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "whole numbers": lambda a: a.astype("i4") if a.dtype.kind == "f" else a,
    "single": lambda a: a.astype("f4") if a.dtype.kind == "f" else a,
}


def arguments(function, layout):
    names = function.__code__.co_varnames[: function.__code__.co_argcount - len(function.__defaults__ or ())]
    made = [given(name) for name in names]
    return [LAYOUTS[layout](one) if isinstance(one, np.ndarray) else one for one in made]


def outcome(call, args):
    """What a call gives and does, the captured arrays as they were before it."""
    g, h = cases.G.copy(), cases.H.copy()
    try:
        with np.errstate(all="ignore"):
            result = call(*args)
        # What lies in a captured array is looked at before that is put back.
        return result, [cases.G.copy(), cases.H.copy()], copied(result), copied(args)
    except Exception as error:
        return error, [], None, copied(args)
    finally:
        cases.G[...], cases.H[...] = g, h


def copied(value):
    if isinstance(value, (tuple, list)):
        return type(value)(copied(part) for part in value)
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def agree(function, kernel, mine, theirs):
    got, captured, values, after = outcome(kernel, mine)
    expected, its_captured, its_values, its_after = outcome(function, theirs)
    if isinstance(expected, Exception):
        assert isinstance(got, stax.StaxError), (got, expected)
        return False
    if isinstance(got, Exception):
        raise got
    same("result", values, its_values)
    same("arguments", after, its_after)
    same("captured", captured, its_captured)
    owners = [cases.G, cases.H]
    shared(leaves(got), leaves(expected), [*leaves(mine), *owners], [*leaves(theirs), *owners])
    return True


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_case(function, layout):
    kernel = stax.kernel(strict=True)(function)
    runs = [agree(function, kernel, arguments(function, layout), arguments(function, layout)) for _ in range(2)]
    if all(runs):
        assert (kernel.stats().route, kernel.stats().fallbacks) == ("native", 0)


OVERLAPPING = {
    "one array twice": lambda a: (a, a),
    "shifted rows": lambda a: (a[1:], a[:-1]),
    "rows and columns": lambda a: (a[:3, :3], a[:3, :3].T),
    "reversed": lambda a: (a, a[::-1]),
    "a row": lambda a: (a, a[1]),
    "a column": lambda a: (a[:, :3], a[:3, 1]),
    "one element": lambda a: (a[:2], a[1:2, :1]),
    "neighbours": lambda a: (a[::2], a[1::2]),
}


def first_from_second(a, b):
    a[...] = b + 1
    return b.sum(), a


def second_then_first(a, b):
    b += 1
    a *= 2
    return a, b[:1]


def both_in_turn(a, b):
    a[0] = 5
    c = b * 1
    b[...] = 7
    a[-1] += 1
    return c, a.sum(), b


def exchange(a, b):
    a[...], b[...] = b, a * 1
    return a[0], b


REFUSALS = ("written-together", "overlapping-arguments")
"""What copies cannot serve is refused, before anything is written."""


@pytest.mark.parametrize("pair", OVERLAPPING)
@pytest.mark.parametrize("function", [first_from_second, second_then_first, both_in_turn, exchange], ids=lambda f: f.__name__)
def test_arguments_in_one_memory(function, pair):
    """A kernel that has seen separate arguments first, then such that overlap, then separate ones again."""
    kernel = stax.kernel(function)
    whole = lambda: np.arange(20.0).reshape(4, 5) % 7
    apart = lambda: tuple(one.copy() for one in OVERLAPPING[pair](whole()))
    agree(function, kernel, apart(), apart())
    mine, theirs = OVERLAPPING[pair](whole()), OVERLAPPING[pair](whole())
    try:
        agree(function, kernel, mine, theirs)
    except stax.StaxError as refusal:
        assert any(code in str(refusal) for code in REFUSALS)
        same("arguments", mine, OVERLAPPING[pair](whole()))
    agree(function, kernel, apart(), apart())
    assert (kernel.stats().route, kernel.stats().fallbacks) == ("native", 0)


def reads_while_writing(a, b):
    total = b.sum()
    a *= 2
    a[0] = total


@pytest.mark.parametrize("pair", OVERLAPPING)
def test_what_is_only_read_may_lie_in_written_memory(pair):
    kernel = stax.kernel(strict=True)(reads_while_writing)
    for _ in range(2):
        whole = [np.arange(20.0).reshape(4, 5) % 7 for _ in range(2)]
        agree(reads_while_writing, kernel, OVERLAPPING[pair](whole[0]), OVERLAPPING[pair](whole[1]))
    assert (kernel.stats().route, kernel.stats().fallbacks) == ("native", 0)
