"""Runs a program two ways - by Python under NumPy, and evaluated to a graph that the reference engine runs - and compares everything.

Values, dtypes, kinds of results, containers, what was written to arguments and captured arrays, and which results share memory with what.
"""

import copy
import dataclasses
import enum
import inspect
import linecache
import types

import numpy as np
from numpy.lib.stride_tricks import as_strided

from staxlang.base.dtypes import from_numpy
from staxlang.base.sizes import evaluate as size_value
from staxlang.base.sizes import symbol
from staxlang.base.types import TensorType
from staxlang.compiler.capture import GraphRecorder
from staxlang.compiler.graph import verify
from staxlang.runtime.reference import run_graph
from staxlang.typecheck import arguments as given
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.counts import answer
from staxlang.typecheck.evaluator import evaluate, kernel_function
from staxlang.typecheck.guards import ContentGuard, FrozenScalar, ShapeGuard
from staxlang.typecheck.recorder import TypeRecorder
from staxlang.typecheck.results import (
    InputArray,
    InputNumber,
    ObjectResult,
    OutputArray,
    OutputNumber,
    RangeResult,
    RecordResult,
    SizeResult,
    StaticResult,
)  # fmt: skip

_count = 0


def program(text, **names):
    """The last function of a text, its source known to linecache; `names` are its globals beside np."""
    global _count
    _count += 1
    name = f"<program {_count}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"np": np, "__name__": "program", **names}
    exec(compile(text, name, "exec"), space)
    return [value for value in space.values() if isinstance(value, types.FunctionType)][-1]


class Leaves:
    """Turns Python arguments into argument values, counting positions."""

    def __init__(self, symbolic):
        self.symbolic = symbolic
        self.arrays, self.scalars, self.hints = {}, {}, {}
        self.position = 0

    def take(self, path, value):
        if type(value) is np.ndarray:
            return self.array(path, value)
        if type(value) in (int, float, complex):
            self.scalars[self.position] = value
            self.position += 1
            return given.scalar_argument(path, type(value).__name__, self.position - 1, value)
        if type(value) is tuple:
            return given.tuple_argument(self.take(f"{path}[{k}]", item) for k, item in enumerate(value))
        if type(value) is list:
            return given.list_argument(self.take(f"{path}[{k}]", item) for k, item in enumerate(value))
        if type(value) is dict:
            return given.dict_argument({k: self.take(f"{path}[{k!r}]", item) for k, item in value.items()})
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: self.take(f"{path}.{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)}
            return given.record_argument(type(value), fields, path)
        if isinstance(value, tuple):
            return given.record_argument(type(value), {n: self.take(f"{path}.{n}", getattr(value, n)) for n in value._fields}, path)
        if value is None or isinstance(value, (bool, str, np.generic, np.dtype)):
            return given.static_argument(value)
        return given.object_argument(path, value)

    def array(self, path, value):
        shape, hints = value.shape, {}
        if self.symbolic:
            names = ["".join(c if c.isalnum() else "_" for c in f"{path}_{k}") for k in range(value.ndim)]
            hints, shape = dict(zip(names, value.shape, strict=True)), tuple(map(symbol, names))
        layout = None if value.flags.c_contiguous else tuple(s // value.itemsize for s in value.strides)
        self.hints.update(hints)
        self.arrays[self.position] = value
        self.position += 1
        type_ = TensorType(from_numpy(value.dtype), shape, layout)
        return given.array_argument(path, type_, self.position - 1, bool(value.flags.writeable), hints)


class Captured:
    """One capture of a function for given arguments."""

    def __init__(self, function, args, kwargs=None, symbolic=False, **options):
        self.signature = inspect.signature(function)
        bound = self.signature.bind(*args, **(kwargs or {}))
        bound.apply_defaults()
        self.bound = dict(bound.arguments)
        leaves = Leaves(symbolic)
        kinds = {name: parameter.kind for name, parameter in self.signature.parameters.items()}
        values = {}
        for name, value in self.bound.items():
            taken = leaves.take(name, value)
            values[name] = dict(taken) if kinds[name] is inspect.Parameter.VAR_KEYWORD else taken
        self.arrays, self.scalars = leaves.arrays, leaves.scalars
        self.asked = []
        self.recorder = GraphRecorder(self.gate)
        self.context = EvaluationContext(self.recorder, **options)
        self.recorder.facts_from(lambda: self.context.facts)
        self.evaluation = evaluate(kernel_function(function), values, self.recorder, self.context)
        for name in list(self.context.counts.known):
            answer(self.context, name)
        updates = [(position, handle) for position, handle, _ in self.evaluation.updates]
        self.graph = self.recorder.graph([handle for handle, _ in self.evaluation.outputs], updates)
        verify(self.graph)

    def gate(self, graph, span, what, counts):
        self.asked.append(what)
        return self.outputs(graph, copies=True)[0].item()

    def outputs(self, graph, copies):
        """Run a graph on the actual leaves, captured ones read now."""
        for capture in self.context.captures:
            value = capture.getter.read(self.bound)
            (self.arrays if capture.kind == "array" else self.scalars).setdefault(capture.position, value)
        arrays = [self.arrays[node["position"]] for node in graph.inputs]
        sizes = dict(self.context.hints)
        scalars = [self.scalars[node["position"]] for node in graph.scalars]
        return run_graph(graph, [array.copy() if copies else array for array in arrays], scalars, sizes)

    def run(self):
        """The results of this call; arguments and captured arrays are written to."""
        outputs = [np.ascontiguousarray(made).reshape(made.shape) for made in self.outputs(self.graph, copies=False)]
        return self.rebuild(self.evaluation.result, outputs)

    def view(self, array, result):
        """A view of an array's memory, by its first element and strides."""
        offset, strides = result.placement
        shape = tuple(size_value(size, self.context.hints) for size in result.type.shape)
        start = size_value(offset, self.context.hints) * array.itemsize
        step = tuple(size_value(stride, self.context.hints) * array.itemsize for stride in strides)
        memory = as_strided(array, (1,) * array.ndim)
        pointer = memory.__array_interface__["data"][0] + start
        interface = {"data": (pointer, not result.writable), "shape": shape, "strides": step, "typestr": array.dtype.str, "version": 3}
        return np.asarray(type("Memory", (), {"__array_interface__": interface, "owner": array})())

    def rebuild(self, result, outputs):
        sizes = self.context.hints
        if isinstance(result, OutputArray):
            made = outputs[result.output]
            made = made if result.placement is None else self.view(made, result)
            return made[()] if result.scalar else made
        if isinstance(result, InputArray):
            made = self.arrays[result.position]
            return made if result.placement is None else self.view(made, result)
        if isinstance(result, OutputNumber):
            return {"int": int, "float": float, "complex": complex, "bool": bool}[result.kind](outputs[result.output])
        if isinstance(result, InputNumber):
            return self.scalars[result.position]
        if isinstance(result, SizeResult):
            return size_value(result.size, sizes)
        if isinstance(result, StaticResult):
            return result.value
        if isinstance(result, RangeResult):
            return range(*(self.rebuild(part, outputs) for part in result.parts))
        if isinstance(result, ObjectResult):
            return result.getter.read(self.bound)
        if isinstance(result, RecordResult):
            fields = {name: self.rebuild(part, outputs) for name, part in result.fields}
            if result.ordered:
                return result.cls(**fields)
            made = object.__new__(result.cls)
            made.__dict__.update(fields)
            return made
        if isinstance(result, dict):
            return {key: self.rebuild(part, outputs) for key, part in result.items()}
        return type(result)(self.rebuild(part, outputs) for part in result)


def agree(function, *args, symbolic=False, rtol=1e-6, **kwargs):
    """Check that both ways agree on everything; gives the capture."""
    mine, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    captured = Captured(function, *mine, symbolic=symbolic)
    captures = [c for c in captured.context.captures if c.kind == "array"]
    saved = [c.getter.read(captured.bound).copy() for c in captures]
    result = captured.run()
    written = [c.getter.read(captured.bound).copy() for c in captures]
    for capture, old in zip(captures, saved, strict=True):
        target = capture.getter.read(captured.bound)
        if target.flags.writeable:
            target[...] = old
    with np.errstate(all="ignore"):
        expected = function(*theirs[0], **theirs[1])
    same(result, expected, rtol)
    same(mine, theirs, rtol)
    for capture, ours in zip(captures, written, strict=True):
        same(ours, capture.getter.read(captured.bound), rtol)
        if capture.getter.read(captured.bound).flags.writeable:
            capture.getter.read(captured.bound)[...] = saved[captures.index(capture)]
    sharing(list(arrays(result)) + list(arrays(mine)), list(arrays(expected)) + list(arrays(theirs)))
    return captured


def same(mine, theirs, rtol=1e-6):
    assert type(mine) is type(theirs), f"{type(mine)} {mine!r} instead of {type(theirs)} {theirs!r}"
    if isinstance(theirs, (np.ndarray, np.generic)):
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape, f"{mine.dtype}{mine.shape} for {theirs.dtype}{theirs.shape}"
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=1e-12)
    elif isinstance(theirs, (tuple, list)):
        assert len(mine) == len(theirs)
        for one, two in zip(mine, theirs, strict=True):
            same(one, two, rtol)
    elif isinstance(theirs, dict):
        assert list(mine) == list(theirs)
        for key in theirs:
            same(mine[key], theirs[key], rtol)
    elif dataclasses.is_dataclass(theirs) and not isinstance(theirs, type):
        same(vars(mine), vars(theirs), rtol)
    elif isinstance(theirs, (float, complex)):
        np.testing.assert_allclose(mine, theirs, rtol=rtol)
    elif hasattr(theirs, "__dict__") and not isinstance(theirs, (type, types.FunctionType, enum.Enum)):
        same(vars(mine), vars(theirs), rtol)
    else:
        assert mine == theirs


def arrays(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from arrays(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from arrays(vars(value))


def sharing(mine, theirs):
    """Which arrays share memory with which."""
    for i in range(len(theirs)):
        for j in range(i):
            assert np.shares_memory(mine[i], mine[j]) == np.shares_memory(theirs[i], theirs[j]), f"sharing of arrays {j} and {i}"
            assert (mine[i] is mine[j]) == (theirs[i] is theirs[j]), f"identity of arrays {j} and {i}"


def check(function, **types):
    """The diagnostics and the value of a check with abstract arguments."""
    recorder = TypeRecorder()
    rigid = frozenset(str(s) for t in types.values() if isinstance(t, TensorType) for s in t.shape if not isinstance(s, int))
    context = EvaluationContext(recorder, rigid=rigid)
    values = {}
    for position, (name, type_) in enumerate(types.items()):
        if isinstance(type_, TensorType):
            values[name] = given.array_argument(name, type_, position)
        elif isinstance(type_, str):
            values[name] = given.scalar_argument(name, type_, position)
        else:
            values[name] = type_
    return evaluate(kernel_function(function), values, recorder, context)


def guards(captured, kind):
    return [guard for guard in captured.evaluation.guards if isinstance(guard, kind)]


def conditions(captured):
    return [str(guard.condition) for guard in guards(captured, ShapeGuard)]


def frozen(captured):
    return {guard.path: guard.value for guard in guards(captured, FrozenScalar)}


def contents(captured):
    return {(str(guard.getter), guard.kind) for guard in guards(captured, ContentGuard)}


def refusal(function, *args, **options):
    """The text of the error that capturing a function raises."""
    try:
        Captured(function, args, **options)
    except Exception as error:
        return error
    raise AssertionError("it was not refused")
