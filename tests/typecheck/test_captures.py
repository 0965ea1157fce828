"""Names from around a kernel: arrays and numbers are read again at each call, functions by code, everything else by content."""

import dataclasses
import functools
import math
import types

import numpy as np
import pytest
from programs import Captured, agree, contents, guards, program, refusal, same

from staxlang.typecheck.guards import ContentGuard

A = np.arange(12.0).reshape(3, 4) + 1
WEIGHT = np.arange(4.0) + 1
STATE = np.zeros(4)
RATE = 0.5
STEPS = 3
TABLE = {"w": np.ones(4) * 3, "deep": [2.0, (np.ones(4), "text")], "unused": object()}
FLAG = True
NAME = "relu"
settings = types.SimpleNamespace(axis=1, eps=1e-3, inner=types.SimpleNamespace(weight=np.arange(4.0)))


@dataclasses.dataclass
class Model:
    weight: np.ndarray
    bias: float

    def __call__(self, x):
        return helper(x) * self.weight + self.bias


MODEL = Model(np.arange(4.0) + 2, 1.5)


def helper(x):
    return x * RATE


def current(getter):
    return getter.read()


def of_globals(x):
    return x * WEIGHT + RATE * STEPS


def of_containers(x):
    return x * TABLE["w"] + TABLE["deep"][0] * TABLE["deep"][1][0], len(TABLE["deep"]), "w" in TABLE


def of_objects(x):
    return MODEL(x) + settings.inner.weight * settings.eps, x.sum(settings.axis), MODEL.bias


def of_constants(x):
    return (x * 2 if FLAG else x) if NAME == "relu" else -x


def updates_state(x):
    STATE[...] = STATE * RATE + x.sum(0)
    STATE[0] += 1
    return STATE * 2


def returns_state(x):
    return STATE, STATE[1:], x


def maker(offset, weight):
    def kernel(x):
        return x * weight + offset

    return kernel


def inlined(x):
    return functools.partial(helper2, k=2.0)(x)


def helper2(x, k):
    return x * k + np.pi + math.e + np.float32(1)


PARTIAL = functools.partial(helper2, k=3.0)


def of_partial(x):
    return PARTIAL(x)


@functools.lru_cache
def cached(k):
    return k * 2


def of_cached(x):
    return x * cached(4)


CASES = [
    of_globals, of_containers, of_objects, of_constants, updates_state, returns_state, maker(2.5, WEIGHT), inlined, of_partial, of_cached,
]  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=[case.__name__ for case in CASES])
def test_program(function):
    agree(function, A)


def test_arrays_and_numbers_are_inputs():
    captured = Captured(of_globals, (A,))
    assert [(c.path, c.kind, c.position) for c in captured.context.captures] == [
        ("WEIGHT", "array", 1),
        ("RATE", "float", 2),
        ("STEPS", "int", 3),
    ]
    assert contents(captured) == set()


def test_rebinding_is_seen_without_capturing_again(monkeypatch):
    captured = Captured(of_globals, (A,))
    monkeypatch.setitem(of_globals.__globals__, "WEIGHT", WEIGHT * 3)
    monkeypatch.setitem(of_globals.__globals__, "RATE", 7.0)
    captured.arrays, captured.scalars = {0: A}, {}
    same(captured.run(), of_globals(A))


def test_only_what_is_used_is_captured():
    captured = Captured(of_containers, (A,))
    assert [c.path for c in captured.context.captures] == ["TABLE['w']", "TABLE['deep'][0]", "TABLE['deep'][1][0]"]
    captured = Captured(of_objects, (A,))
    assert {c.path for c in captured.context.captures} == {
        "MODEL.weight", "MODEL.bias", "RATE", "settings.inner.weight", "settings.eps", "settings.axis"}  # fmt: skip


def test_written_captures_are_updates():
    captured = Captured(updates_state, (A,))
    (state,) = [c for c in captured.context.captures if c.kind == "array"]
    assert [position for position, _, _ in captured.evaluation.updates] == [state.position]


def test_one_array_by_two_names_is_one_storage():
    space = {"W": WEIGHT.copy()}
    space["V"] = space["W"]
    function = program("def f(x):\n    W[0] = 5\n    return V + x\n", **space)
    captured = Captured(function, (A,))
    assert len(captured.context.captures) == 1 and ("V", "same") in contents(captured)
    same(captured.run(), np.array([5.0, 2, 3, 4]) + A)


def test_functions_are_guarded_by_code():
    captured = Captured(of_objects, (A,))
    found = {(str(g.getter), g.kind): g for g in guards(captured, ContentGuard)}
    guard = found["helper", "code"]
    assert guard.holds()

    def edited(x):
        return x * RATE + 1

    twin = types.FunctionType(helper.__code__, helper.__globals__)
    saved = helper
    try:
        globals()["helper"] = twin
        assert guard.holds()
        globals()["helper"] = edited
        assert not guard.holds()
    finally:
        globals()["helper"] = saved


def test_a_new_closure_of_the_same_code_is_read_again():
    scale = {"of": 2.0}

    def outer(x):
        return inner(x)

    def make(k):
        return lambda x: x * k

    inner = make(2.0)
    captured = Captured(outer, (A,))
    same(captured.run(), A * 2)
    inner = make(5.0)
    assert all(guard.holds() for guard in guards(captured, ContentGuard))
    captured.scalars = {}
    same(captured.run(), A * 5)
    assert scale


def test_constants_are_guarded_by_value(monkeypatch):
    captured = Captured(of_constants, (A,))
    held = guards(captured, ContentGuard)
    assert {str(g.getter) for g in held} == {"FLAG", "NAME"} and all(g.holds() for g in held)
    monkeypatch.setitem(of_constants.__globals__, "NAME", "gelu")
    assert [str(g.getter) for g in held if not g.holds()] == ["NAME"]


def test_modules_and_operations_are_guarded_by_identity(monkeypatch):
    space = {"np": np, "e": np.exp}
    function = program("def f(x):\n    return e(x) + np.log(x)\n", **space)
    captured = Captured(function, (A,))
    assert contents(captured) == {("e", "identity"), ("np", "identity")}
    function.__globals__["e"] = np.log
    assert [str(g.getter) for g in guards(captured, ContentGuard) if not g.holds()] == ["e"]
    same(Captured(function, (A,)).run(), np.log(A) + np.log(A))


def test_arguments_that_are_functions_and_objects():
    def apply(f, model, x):
        return f(x) + model(x) * model.bias

    captured = agree(apply, lambda x: x * 3, Model(np.ones(4), 2.5), A)
    assert "f" in {path for path, kind in contents(captured) if kind == "code"}


def test_default_arguments_of_helpers():
    def helper3(x, k=2.0, *, w=WEIGHT):
        return x * k + w

    agree(lambda x: helper3(x) + helper3(x, w=1.0), A)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("def f(x):\n    LIST.append(x)\n    return x\n", "captured-mutation", "LIST"),
        ("def f(x):\n    LIST[0] = x\n    return x\n", "captured-mutation", "LIST"),
        ("def f(x):\n    D['a'] = 1\n    return x\n", "captured-mutation", "D"),
        ("def f(x):\n    D.update(a=1)\n    return x\n", "captured-mutation", "D"),
        ("def f(x):\n    OBJ.count = 1\n    return x\n", "captured-mutation", "OBJ"),
        ("def f(x):\n    return undefined_name + x\n", "unknown-name", "undefined_name"),
        ("def f(x):\n    y = z + x\n    z = 1\n    return y\n", "unbound-local", "z"),
        ("def f(x):\n    return BAD + x\n", "unsupported-array", "BAD"),
        ("def f(x):\n    return MASKED + x\n", "unsupported-subclass", "MASKED"),
        ("def f(x):\n    return OBJ.missing\n", "unknown-attribute", "missing"),
    ],
)
def test_refusals(text, code, words):
    names = {"LIST": [1, 2], "D": {"a": 0}, "OBJ": types.SimpleNamespace(count=0), "BAD": np.array(["a", "b"]), "MASKED": np.ma.ones(3)}
    error = str(refusal(program(text, **names), A))
    assert f"error[{code}]" in error and words in error, error
    assert names["LIST"] == [1, 2] and names["D"] == {"a": 0} and names["OBJ"].count == 0
