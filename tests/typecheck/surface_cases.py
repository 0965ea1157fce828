"""Runs an expression two ways - under NumPy and as a captured graph on the reference engine - for the tests of NumPy's surface."""

import functools
import linecache
import math
import operator

import numpy as np

import staxlang.typecheck.notation as stax
from staxlang.base.dtypes import from_numpy
from staxlang.base.sizes import evaluate as value_of
from staxlang.base.sizes import symbol
from staxlang.base.types import TensorType
from staxlang.compiler.capture import GraphRecorder
from staxlang.compiler.graph import verify
from staxlang.runtime.reference import run_graph
from staxlang.typecheck.arguments import array_argument, scalar_argument, static_argument
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.counts import answer
from staxlang.typecheck.evaluator import evaluate, kernel_function
from staxlang.typecheck.recorder import TypeRecorder
from staxlang.typecheck.results import InputArray, InputNumber, OutputArray, OutputNumber, RecordResult, SizeResult, StaticResult

_count = 0


def function_of(text, *parameters, **globals_):
    """A Python function whose body is an expression, or statements; its source can be found."""
    global _count
    _count += 1
    body = text if "\n" in text or text.startswith("return") else f"return {text}"
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    source = f"def case({', '.join(parameters)}):\n{lines}"
    name = f"<case {_count}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np, "math": math, "operator": operator, "functools": functools, "stax": stax, **globals_}
    exec(compile(source, name, "exec"), space)
    return space["case"]


class Captured:
    """An evaluation with the graph recorder, ready to run."""

    def __init__(self, function, arguments, symbolic=False):
        self.sizes = {}
        self.arrays, self.scalars, values = [], [], {}
        position = 0
        for name, value in arguments.items():
            if isinstance(value, np.ndarray):
                shape, hints = value.shape, {}
                if symbolic:
                    names = [f"{name}_{k}" for k in range(value.ndim)]
                    hints = dict(zip(names, value.shape, strict=True))
                    shape = tuple(map(symbol, names))
                self.sizes.update(hints)
                layout = tuple(s // value.itemsize for s in value.strides) if not value.flags.c_contiguous and not symbolic else None
                values[name] = array_argument(name, TensorType(from_numpy(value.dtype), shape, layout), position, hints=hints)
                self.arrays.append((position, value))
            elif type(value) in (int, float, complex):
                values[name] = scalar_argument(name, type(value).__name__, position, value)
                self.scalars.append((position, value))
            else:
                values[name] = static_argument(value)
            position += 1
        self.recorder = GraphRecorder(self.gate)
        self.context = EvaluationContext(self.recorder)
        self.recorder.facts_from(lambda: self.context.facts)
        self.evaluation = evaluate(kernel_function(function), values, self.recorder, self.context)
        for binding in self.evaluation.sizes:
            self.sizes[binding.symbol] = next(value for position, value in self.scalars if position == binding.position)
        for name in list(self.context.counts.known):
            answer(self.context, name)
        self.sizes |= {name: self.context.hints[name] for name in self.context.counts.known if name in self.context.hints}
        updates = [(position, handle) for position, handle, _ in self.evaluation.updates]
        self.graph = self.recorder.graph([handle for handle, _ in self.evaluation.outputs], updates)
        verify(self.graph)

    def gate(self, graph, span, what, counts):
        (result,) = self.run_graph(graph)
        return result.item()

    def run_graph(self, graph):
        used = {node["position"] for node in graph.inputs}
        numbers = {node["position"] for node in graph.scalars}
        arrays = [value for position, value in self.arrays if position in used]
        self.sizes |= {name: self.context.hints[name] for name in self.context.counts.known if name in self.context.hints}
        return run_graph(graph, arrays, [value for position, value in self.scalars if position in numbers], self.sizes)

    def run(self):
        self.outputs = self.run_graph(self.graph)
        return self.built(self.evaluation.result)

    def view(self, array, result):
        if result.subscripts is None:
            return array
        shape = tuple(value_of(one, self.sizes) for one in result.type.shape)
        out = np.empty(shape, array.dtype)
        for place in np.ndindex(*shape):
            env = {**self.sizes, **{f"i{k}": one for k, one in enumerate(place)}}
            out[place] = array[tuple(value_of(one, env) for one in result.subscripts)]
        return out

    def built(self, result):
        if isinstance(result, OutputArray):
            whole = self.view(self.outputs[result.output], result)
            return whole[()] if result.scalar else whole
        if isinstance(result, InputArray):
            return self.view(dict(self.arrays)[result.position], result)
        if isinstance(result, OutputNumber):
            return {"bool": bool, "int": int, "float": float, "complex": complex}[result.kind](self.outputs[result.output].item())
        if isinstance(result, InputNumber):
            return dict(self.scalars)[result.position]
        if isinstance(result, SizeResult):
            return value_of(result.size, self.sizes)
        if isinstance(result, StaticResult):
            return result.value
        if isinstance(result, RecordResult):
            return {name: self.built(part) for name, part in result.fields}
        if isinstance(result, dict):
            return {key: self.built(part) for key, part in result.items()}
        return type(result)(self.built(part) for part in result)


def same(mine, theirs, text, exact_type=True):
    """Values, dtypes, shapes and kinds of results agree."""
    if isinstance(theirs, (tuple, list)):
        assert type(mine) in (tuple, list) and len(mine) == len(theirs), (text, mine, theirs)
        for a, b in zip(mine, theirs, strict=True):
            same(a, b, text, exact_type)
        return
    a, b = np.asarray(mine), np.asarray(theirs)
    assert a.dtype == b.dtype, (text, a.dtype, b.dtype)
    assert a.shape == b.shape, (text, a.shape, b.shape)
    if exact_type:
        kinds = type(mine), type(theirs)
        assert kinds[0] is kinds[1] or not {*kinds} - {np.ndarray, np.memmap}, (text, kinds)
    if a.dtype.kind in "fc":
        tolerance = {2: 4e-3, 4: 2e-6, 8: 1e-12}[a.real.dtype.itemsize]
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=text)
    else:
        assert (a == b).all(), (text, a, b)


def check(text, symbolic=(False, True), **arguments):
    """The expression gives under capture what it gives under NumPy; so do the arguments' contents afterwards."""
    parameters = tuple(arguments)
    for mode in symbolic:
        theirs_arguments = {k: v.copy(order="K") if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
        mine_arguments = {k: _same_layout(v) for k, v in arguments.items()}
        function = function_of(text, *parameters)
        with np.errstate(all="ignore"):
            expected = function(**theirs_arguments)
        got = Captured(function, mine_arguments, mode).run()
        same(got, expected, f"{text} (symbolic {mode})")
        for name, value in theirs_arguments.items():
            if isinstance(value, np.ndarray):
                same(mine_arguments[name], value, f"{text}: the argument {name} afterwards")


def _same_layout(value):
    if not isinstance(value, np.ndarray):
        return value
    made = np.empty_like(value)
    made[...] = value
    return made


def checked_type(text, **arguments):
    """What the checker says of an expression whose arrays have symbolic shapes without known values: the abstract value and diagnostics."""
    values = {}
    for position, (name, value) in enumerate(arguments.items()):
        if isinstance(value, TensorType):
            values[name] = array_argument(name, value, position)
        elif type(value) in (int, float, complex):
            values[name] = scalar_argument(name, type(value).__name__, position)
        else:
            values[name] = static_argument(value)
    recorder = TypeRecorder()
    evaluation = evaluate(kernel_function(function_of(text, *arguments)), values, recorder, EvaluationContext(recorder))
    return evaluation.value, evaluation.diagnostics
