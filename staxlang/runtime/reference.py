"""A graph run by NumPy, one operation at a time: the oracle of the tests, the debugger's engine, the opt-in fallback."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from staxlang.base.diagnostics import demanded, diagnose, raise_diagnostics, written_exception
from staxlang.base.dtypes import BF16, F16, DType
from staxlang.base.externs import DEMAND, RAISED, find_extern
from staxlang.base.operations import OPERATIONS
from staxlang.base.sizes import Size, SizeExpression, evaluate, linear_in, symbols
from staxlang.compiler.finite import NOT_FINITE
from staxlang.compiler.graph import Graph, topological
from staxlang.compiler.loops.meaning import neutral
from staxlang.compiler.node import Node
from staxlang.compiler.passes.constants import splat
from staxlang.runtime.reference_loops import loop_result
from staxlang.runtime.reference_points import CLOSING, POINT_ROWS, Points
from staxlang.typecheck.views import index_name

Array = np.ndarray[Any, Any]


def run_graph(
    graph: Graph, inputs: Sequence[Array], scalars: Sequence[Any] = (), sizes: Mapping[str, int] | None = None
) -> list[Array]:
    """The graph's outputs for arrays and numbers in the order of `graph.inputs` and `graph.scalars`. Updates are written into the inputs.

    `sizes` gives the size symbols that are not a whole extent of an input. Every output is an array of its own.
    """
    state = _Run(bind_sizes(graph, inputs, sizes or {}))
    with np.errstate(all="ignore"):
        values = state.compute(graph, inputs, scalars)
        outputs = [np.array(values[node], node.type.dtype.numpy, order="C") for node in graph.outputs]
        new = [(position, np.array(values[node])) for position, node in graph.updates]
        for position, value in new:
            inputs[position][...] = value
    return outputs


def bind_sizes(graph: Graph, inputs: Sequence[Array], given: Mapping[str, int]) -> dict[str, int]:
    """The value of each size symbol: given, or the whole extent of an input."""
    known = dict(given)
    for node, array in zip(graph.inputs, inputs, strict=True):
        for extent, actual in zip(node.type.shape, array.shape, strict=True):
            if isinstance(extent, SizeExpression) and str(extent) in symbols(extent):
                known.setdefault(str(extent), actual)
    return known


class _Run:
    """One execution: the sizes, and the rows that compute nodes."""

    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes
        self.called: dict[Any, tuple[Any, ...]] = {}  # the results of extern operations
        self.declared: dict[Node, Any] = {}  # what composites' bodies may read beside their parameters

    def compute(self, graph: Graph, inputs: Sequence[Any], scalars: Sequence[Any] = ()) -> dict[Node, Any]:
        """The value of each root; other values are dropped after their last use."""
        values: dict[Node, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for node, value in zip(graph.scalars, scalars, strict=True):
            values[node] = np.asarray(value, node.type.dtype.numpy)
        self.declared.update(values)
        order = topological(graph.roots)
        compressed = [node for node in order if node.op == "compress"]
        if compressed:  # their extents are known once they are computed
            order = topological((*compressed, *graph.roots))
        last = {operand: node for node in order for operand in node.operands}
        kept = {*graph.roots, *graph.inputs}
        points = Points(self, order, values) if any(node.op in CLOSING for node in order) else None
        if points is not None:  # what stands under index symbols needs its operands at every point
            kept.update(order)
        for node in order:
            if node in values or (points is not None and points.is_open(node)):
                continue
            if node in self.declared:
                values[node] = self.declared[node]
                continue
            if points is not None and node.op in CLOSING:
                values[node] = POINT_ROWS[node.op](points, node, {})
                continue
            values[node] = self.node(node, [values[o] for o in node.operands])
            for operand in set(node.operands):
                if last[operand] is node and operand not in kept and operand in values:
                    del values[operand]
        return values

    def node(self, node: Node, operands: list[Any]) -> Any:
        row = NODE_ROWS.get(node.op)
        if row is not None:
            return row(self, node, *operands)
        result = np.asarray(OPERATIONS[node.op].reference(*operands))
        dtype = node.type.dtype.numpy
        return result if result.dtype == dtype else result.astype(dtype)

    def shape(self, shape: Sequence[Size]) -> tuple[int, ...]:
        return tuple(evaluate(s, self.sizes) for s in shape)


# ---- sources -------------------------------------------------------------------------------------------------------


def _constant(run: _Run, node: Node) -> Array:
    return np.asarray(node["value"], node.type.dtype.numpy)


def _constant_array(run: _Run, node: Node) -> Array:
    return np.frombuffer(node["data"], node.type.dtype.numpy).reshape(run.shape(node.type.shape))


def _size(run: _Run, node: Node) -> Array:
    return np.asarray(evaluate(node["value"], run.sizes), node.type.dtype.numpy)


def _iota(run: _Run, node: Node) -> Array:
    axis: int = node["axis"]
    shape = run.shape(node.type.shape)
    line = np.arange(shape[axis], dtype=node.type.dtype.numpy)
    return np.broadcast_to(line.reshape([-1 if k == axis else 1 for k in range(len(shape))]), shape)


def _place(run: _Run, node: Node) -> Array:
    """The number that a size over the indices is, at each of them."""
    shape = run.shape(node.type.shape)
    env: dict[str, Any] = dict(run.sizes)
    for axis, extent in enumerate(shape):
        env[index_name(axis)] = np.arange(extent).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    return np.broadcast_to(np.asarray(_over_arrays(node["value"], env), node.type.dtype.numpy), shape)


# ---- views ---------------------------------------------------------------------------------------------------------


def _view(run: _Run, node: Node, operand: Array) -> Array:
    shape = run.shape(node.type.shape)
    return read_view(operand, shape, node["subscripts"], run.sizes)


def read_view(array: Array, shape: tuple[int, ...], subscripts: Sequence[Size], sizes: Mapping[str, int]) -> Array:
    """Elements of an array at subscripts over `i0`, `i1`, ..: strided memory where they are affine, else a copy."""
    if 0 in shape:
        return np.empty(shape, array.dtype)
    found = strided(array, shape, subscripts, sizes)
    if found is not None:
        return found
    return np.broadcast_to(array[subscript_arrays(array, shape, subscripts, sizes)], shape)


def strided(array: Array, shape: tuple[int, ...], subscripts: Sequence[Size], sizes: Mapping[str, int]) -> Array | None:
    """The view in the array's own memory; None where a subscript is not affine. IndexError where it leaves the array."""
    names = [index_name(axis) for axis in range(len(shape))]
    strides = [0] * len(shape)
    start: list[int] = []
    for axis, subscript in enumerate(subscripts):
        parts = linear_in(subscript, names)
        if parts is None:
            return None
        first = low = high = evaluate(parts[1], sizes)
        for place, name in enumerate(names):
            step = evaluate(parts[0].get(name, 0), sizes)
            strides[place] += step * array.strides[axis]
            low += min(0, step * (shape[place] - 1))
            high += max(0, step * (shape[place] - 1))
        if low < 0 or high >= array.shape[axis]:
            raise IndexError(f"a view reads subscripts {low}..{high} of an axis of {array.shape[axis]}")
        start.append(first)
    base = array[(*(slice(s, s + 1) for s in start), ...)]  # the dots keep a 0-d array's memory
    return as_strided(base, shape, strides)


def subscript_arrays(array: Array, shape: tuple[int, ...], subscripts: Sequence[Size], sizes: Mapping[str, int]) -> tuple[Array, ...]:
    """Index arrays that broadcast to the view's shape."""
    env: dict[str, Any] = dict(sizes)
    for axis, extent in enumerate(shape):
        env[index_name(axis)] = np.arange(extent).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    found = tuple(np.asarray(_over_arrays(s, env)) for s in subscripts)
    for axis, places in enumerate(found):
        if places.size and (places.min() < 0 or places.max() >= array.shape[axis]):
            raise IndexError(f"a view reads subscripts {places.min()}..{places.max()} of an axis of {array.shape[axis]}")
    return found


def _over_arrays(size: Size, env: Mapping[str, Any]) -> Any:
    if isinstance(size, int):
        return size
    total: Any = 0
    for monomial, count in size.terms.items():
        product: Any = count
        for atom in monomial:
            if atom.kind == "symbol":
                product = product * env[atom.name]
                continue
            parts = [_over_arrays(part, env) for part in atom.parts]
            if atom.kind == "floordiv":
                product = product * (parts[0] // parts[1])
            else:
                combine = np.minimum if atom.kind == "min" else np.maximum
                for part in parts[1:]:
                    parts[0] = combine(parts[0], part)
                product = product * parts[0]
        total = total + product
    return total


def _bordered(run: _Run, node: Node, operand: Array, fill: Array) -> Array:
    """A view whose subscripts may leave the base."""
    shape = run.shape(node.type.shape)
    if 0 in shape or 0 in operand.shape:
        return np.full(shape, fill, operand.dtype)
    env: dict[str, Any] = dict(run.sizes)
    for axis, extent in enumerate(shape):
        env[index_name(axis)] = np.arange(extent).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    places: list[Any] = [np.asarray(_over_arrays(one, env)) for one in node["subscripts"]]
    inside: Any = True
    loose: tuple[int, ...] = node["loose"]
    for axis in loose:
        inside = inside & (places[axis] >= 0) & (places[axis] < operand.shape[axis])
        places[axis] = np.clip(places[axis], 0, operand.shape[axis] - 1)
    return np.where(np.broadcast_to(inside, shape), np.broadcast_to(operand[tuple(places)], shape), fill)


# ---- pointwise beside the table ------------------------------------------------------------------------------------


def _cast(run: _Run, node: Node, operand: Array) -> Array:
    operand = np.asarray(operand)
    if operand.dtype.kind == "c" and node.type.dtype.kind not in "cb":
        operand = operand.real
    return operand.astype(node.type.dtype.numpy)


def _power(run: _Run, node: Node, base: Array, exponent: Array) -> Array:
    """One exponent for all elements goes to NumPy as a scalar: it computes squares, roots and reciprocals by themselves then."""
    number = splat(node.operands[1])
    return np.asarray(np.power(base, exponent if number is None else node.type.dtype.numpy.type(number)))


def _copy(run: _Run, node: Node, operand: Array) -> Array:
    return np.array(operand)


def _assert_index(run: _Run, node: Node, operand: Array) -> Array:
    extent = evaluate(node["extent"], run.sizes)
    places = np.asarray(operand)
    wrong = places[(places < 0) | (places >= extent)]
    if wrong.size:
        if node.get("what") == "exponent":
            raise ValueError(f"integers to the negative power {int(wrong.flat[0])} are not integers")
        if node.get("what", "").startswith(DEMAND):
            code, requirement = demanded(node["what"].removeprefix(DEMAND))
            raise_diagnostics([diagnose(code, requirement=requirement)])
        if node.get("what", "").startswith(RAISED):
            words, kind = written_exception(node["what"].removeprefix(RAISED))
            raise kind(words.removeprefix(f"{kind.__name__}: "))
        if node.get("what", "").startswith(NOT_FINITE):
            raise FloatingPointError("an operation on finite numbers gives NaN or infinity")
        if node.get("what") == "mask":
            raise ValueError("as many values are needed as the mask chooses elements")
        raise IndexError(f"{node.get('what', 'index')} {int(wrong.flat[0])} is out of bounds for an axis of {extent}")
    return places


# ---- reductions ----------------------------------------------------------------------------------------------------


def _reduce(run: _Run, node: Node, operand: Array) -> Array:
    kind, axes = node["kind"], node["axes"]
    operand = np.asarray(operand)
    if node.get("spans") is not None:
        if kind in ("argmin", "argmax"):
            return _arg_within_spans(run, node, operand)
        operand = _within_spans(run, node, operand)
    if kind in ("argmin", "argmax"):
        return np.asarray(_arg(kind, operand, axes), np.int64)
    return np.asarray(REDUCE_ROWS[kind](operand, axes, node.type.dtype)).astype(node.type.dtype.numpy)


def _within_spans(run: _Run, node: Node, operand: Array) -> Array:
    """The operand with the neutral element where a reduced axis does not count for an element of the result."""
    axes: tuple[int, ...] = node["axes"]
    kept = [axis for axis in range(operand.ndim) if axis not in axes]

    def along(axis: int) -> Array:
        shape = [1] * operand.ndim
        shape[axis] = operand.shape[axis]
        return np.arange(shape[axis]).reshape(shape)

    env: dict[str, Any] = {**run.sizes, **{index_name(place): along(axis) for place, axis in enumerate(kept)}}
    counts: Any = True
    for axis, (start, stop) in zip(axes, node["spans"], strict=True):
        counts = counts & (_over_arrays(start, env) <= along(axis)) & (along(axis) < _over_arrays(stop, env))
    return np.where(counts, operand, neutral(node["kind"], operand.dtype))


def _arg_within_spans(run: _Run, node: Node, operand: Array) -> Array:
    """Positions are counted from where the span begins."""
    ((start, stop),) = node["spans"]
    (axis,) = node["axes"]
    moved = np.moveaxis(operand, axis, -1)
    result = np.zeros(moved.shape[:-1], np.int64)
    for place in np.ndindex(result.shape):
        env = {**run.sizes, **{index_name(k): one for k, one in enumerate(place)}}
        first, last = evaluate(start, env), evaluate(stop, env)
        if first < last:
            result[place] = (np.argmin if node["kind"] == "argmin" else np.argmax)(moved[place][first:last])
    return result


def _arg(kind: str, operand: Array, axes: tuple[int, ...]) -> Array:
    kept = [axis for axis in range(operand.ndim) if axis not in axes]
    moved = operand.transpose([*kept, *sorted(axes)])
    flat = moved.reshape(*[operand.shape[k] for k in kept], math.prod(operand.shape[k] for k in axes))
    return np.argmin(flat, -1) if kind == "argmin" else np.argmax(flat, -1)


def _working(dtype: DType) -> Any:
    return np.float32 if dtype in (F16, BF16) else dtype.numpy


def _m2(operand: Array, axes: tuple[int, ...], dtype: DType) -> Any:
    count = math.prod(operand.shape[k] for k in axes)
    if count == 0:
        return np.sum(operand, axis=axes, dtype=_working(dtype))
    mean = np.mean(operand, axis=axes, dtype=_working(dtype), keepdims=True)
    deviation = operand.astype(_working(dtype), copy=False) - mean
    return np.sum(np.square(deviation) if dtype.kind == "f" else np.abs(deviation) ** 2, axis=axes)


REDUCE_ROWS: dict[str, Callable[[Array, tuple[int, ...], DType], Any]] = {
    "sum": lambda x, axes, dtype: np.sum(x, axis=axes, dtype=_working(dtype)),
    "prod": lambda x, axes, dtype: np.prod(x, axis=axes, dtype=_working(dtype)),
    "min": lambda x, axes, dtype: np.min(x, axis=axes),
    "max": lambda x, axes, dtype: np.max(x, axis=axes),
    "any": lambda x, axes, dtype: np.any(x, axis=axes),
    "all": lambda x, axes, dtype: np.all(x, axis=axes),
    "count": lambda x, axes, dtype: np.sum(x, axis=axes, dtype=np.int64),
    "welford_mean": lambda x, axes, dtype: np.mean(x, axis=axes, dtype=_working(dtype)),
    "welford_m2": _m2,
}


def _scan(run: _Run, node: Node, operand: Array) -> Array:
    operation = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[node["kind"]]
    if operand.size == 0:
        return np.array(operand)
    return operation.accumulate(operand, axis=node["axis"], dtype=node.type.dtype.numpy)


# ---- structure -----------------------------------------------------------------------------------------------------


def _concatenate(run: _Run, node: Node, *operands: Array) -> Array:
    return np.concatenate(operands, axis=node["axis"])


def _pad(run: _Run, node: Node, operand: Array, fill: Array) -> Array:
    result = np.full(run.shape(node.type.shape), fill, node.type.dtype.numpy)
    places = tuple(slice(low, low + extent) for low, extent in zip(run.shape(node["low"]), operand.shape, strict=True))
    result[places] = operand
    return result


def _index(shape: tuple[int, ...], node: Node, indexes: Sequence[Array]) -> tuple[Array, ...]:
    """Index arrays for all axes, broadcasting to the selection's shape."""
    axes: tuple[int, ...] = node["axes"]
    position: int = node["position"]
    rank = indexes[0].ndim
    whole = len(shape) - len(axes) + rank
    plain = [k for k in range(whole) if not position <= k < position + rank]
    found: list[Array] = []
    for axis, extent in enumerate(shape):
        if axis in axes:
            index = indexes[axes.index(axis)]
            if index.size and (index.min() < 0 or index.max() >= extent):
                raise IndexError(f"an index is out of bounds for axis {axis} of {extent}")
            found.append(index.reshape(index.shape + (1,) * (whole - position - rank)))
        else:
            place = plain.pop(0)
            found.append(np.arange(extent).reshape((-1,) + (1,) * (whole - place - 1)))
    return tuple(found)


def _gather(run: _Run, node: Node, operand: Array, *indexes: Array) -> Array:
    shape = run.shape(node.type.shape)
    if 0 in shape:
        return np.empty(shape, operand.dtype)
    return operand[_index(operand.shape, node, indexes)]


_SCATTER_MODES = {"add": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}


def _scatter(run: _Run, node: Node, base: Array, value: Array, *indexes: Array) -> Array:
    result = np.array(base)
    if value.size == 0:
        return result
    places = _index(base.shape, node, indexes)
    if node["mode"] == "set":
        result[places] = value
    else:
        _SCATTER_MODES[node["mode"]].at(result, places, value)
    return result


def _update(run: _Run, node: Node, base: Array, value: Array) -> Array:
    result = np.array(base)
    shape = run.shape(node["shape"])
    if 0 in shape:
        return result
    part = strided(result, shape, node["subscripts"], run.sizes)
    if part is not None:
        part[...] = value
    else:
        result[subscript_arrays(result, shape, node["subscripts"], run.sizes)] = value
    return result


def _compress(run: _Run, node: Node, operand: Array, mask: Array) -> Array:
    run.sizes[str(node["count"])] = int(np.count_nonzero(mask))
    return operand[mask]


def _masked_update(run: _Run, node: Node, base: Array, mask: Array, value: Array) -> Array:
    result = np.array(base)
    result[mask] = value
    return result


def _contract(run: _Run, node: Node, a: Array, b: Array) -> Array:
    batch, contracted = node["batch"], node["contracted"]
    shape = (*a.shape[: a.ndim - contracted], *b.shape[batch : b.ndim - contracted])
    inner = a.shape[a.ndim - contracted :]
    lead = a.shape[:batch]
    left = np.reshape(a, (*lead, math.prod(a.shape[batch : a.ndim - contracted]), math.prod(inner)))
    right = np.reshape(b, (*lead, math.prod(b.shape[batch : b.ndim - contracted]), math.prod(inner)))
    return np.matmul(left, np.swapaxes(right, -1, -2)).reshape(shape).astype(node.type.dtype.numpy, copy=False)


def _extern(run: _Run, node: Node, *operands: Array) -> Any:
    """One result of a call; the call is made once for all of them."""
    key = node.operands, node["name"], node["options"]
    found = run.called.get(key)
    if found is None:
        row = find_extern(node["name"])
        if row is None:
            raise LookupError(f"no extern operation is called {node['name']!r}")
        options = [(name, evaluate(value, run.sizes) if isinstance(value, SizeExpression) else value) for name, value in node["options"]]
        found = run.called[key] = row.run(tuple(map(np.array, operands)), tuple(options))
    result = np.asarray(found[node["result"]])
    if result.dtype != node.type.dtype.numpy or result.shape != run.shape(node.type.shape):
        raise TypeError(f"{node['name']} gave {result.dtype}{list(result.shape)} where {node.type} was promised")
    return result


def _composite(run: _Run, node: Node, *operands: Array) -> Array:
    region: Graph = node["region"]
    number: int = node["result"]
    output = region.outputs[number]
    return run.compute(Graph(region.interner, region.inputs, (output,)), operands)[output]


def _loop(run: _Run, node: Node, *operands: Array) -> Array:
    return loop_result(run, node, operands, _Run)


NODE_ROWS: dict[str, Callable[..., Any]] = {
    "constant": _constant,
    "constant_array": _constant_array,
    "size": _size,
    "iota": _iota,
    "place": _place,
    "view": _view,
    "bordered": _bordered,
    "cast": _cast,
    "power": _power,
    "copy": _copy,
    "assert_index": _assert_index,
    "reduce": _reduce,
    "scan": _scan,
    "concatenate": _concatenate,
    "pad": _pad,
    "gather": _gather,
    "scatter": _scatter,
    "update": _update,
    "compress": _compress,
    "masked_update": _masked_update,
    "contract": _contract,
    "extern": _extern,
    "composite": _composite,
    "loop": _loop,
}
