"""Contractions as a library's gemm where its dtypes and layouts fit, else as a multiplied sum."""

from __future__ import annotations

from itertools import product

from staxlang.base.dtypes import BOOL, C64, C128, F32, F64
from staxlang.base.sizes import Condition, Facts, Size, linear_in, symbol
from staxlang.base.types import element_count
from staxlang.compiler.loops.growth import GROWTH, nominal
from staxlang.compiler.loops.ir import BufferView, Definition, LibraryCall
from staxlang.compiler.lowering.pointwise import accumulation_dtype
from staxlang.compiler.lowering.state import Lowering
from staxlang.compiler.node import Node
from staxlang.typecheck.views import compose, index, index_name, indices

GEMM_DTYPES = frozenset((F32, F64, C64, C128))
# Below this many products a call into a library costs more than the loops (16 x 16 x 16).
TINY_PRODUCTS = 4096
# A product of matrices with so few terms is bound by the memory of its result.
FEW_TERMS = 4


def lower_contract(state: Lowering, node: Node) -> None:
    a, b = node.operands
    batch, contracted = node["batch"], node["contracted"]
    products = element_count((*a.type.shape, *b.type.shape[batch : len(b.type.shape) - contracted]))
    tiny = isinstance(products, int) and products <= TINY_PRODUCTS
    if node.type.dtype in GEMM_DTYPES and not tiny and _is_thin(node):
        _lower_terms(state, node, batch, contracted)
    elif node.type.dtype in GEMM_DTYPES and not tiny:
        _lower_gemm(state, node, batch, contracted)
    else:
        _lower_sum(state, node, batch, contracted)


def _is_thin(node: Node) -> bool:
    """Whether a product of matrices has few terms and a result much larger than its operands: as a value its readers compute it."""
    a, b = node.operands
    terms = element_count(a.type.shape[len(a.type.shape) - node["contracted"] :])
    if not isinstance(terms, int) or not 0 < terms <= FEW_TERMS:
        return False
    return nominal(node.type.shape) >= GROWTH * max(nominal(a.type.shape), nominal(b.type.shape))


def _lower_terms(state: Lowering, node: Node, batch: int, contracted: int) -> None:
    """The sum of products term by term, from the first to the last."""
    a, b = node.operands
    rank = len(node.type.shape)
    free_a = len(a.type.shape) - batch - contracted
    at, dtype = indices(rank), node.type.dtype
    value: Node | None = None
    for places in product(*[range(int(extent)) for extent in a.type.shape[batch + free_a :] if isinstance(extent, int)]):
        left = state.read(a, (*at[: batch + free_a], *places))
        right = state.read(b, (*at[:batch], *at[batch + free_a :], *places))
        term = state.make("multiply", (left, right), dtype)
        value = term if value is None else state.make("add", (value, term), dtype)
    assert value is not None
    state.define(node, value)


def _lower_sum(state: Lowering, node: Node, batch: int, contracted: int) -> None:
    a, b = node.operands
    rank = len(node.type.shape)
    free_a = len(a.type.shape) - batch - contracted
    ranges = tuple([(state.fresh("r"), extent) for extent in a.type.shape[batch + free_a :]])
    inner = tuple([symbol(name) for name, _ in ranges])
    at = indices(rank)
    dtype = node.type.dtype
    accumulated = accumulation_dtype(dtype)
    left = state.cast(state.read(a, (*at[: batch + free_a], *inner)), accumulated)
    right = state.cast(state.read(b, (*at[:batch], *at[batch + free_a :], *inner)), accumulated)
    if dtype is BOOL:
        body, kind = state.make("logical_and", (left, right), BOOL), "any"
    else:
        body, kind = state.make("multiply", (left, right), accumulated), "sum"
    value = state.make("reduce", (body,), accumulated, kind=kind, ranges=ranges, part=None) if ranges else body
    state.define(node, state.cast(value, dtype))


def _lower_gemm(state: Lowering, node: Node, batch: int, contracted: int) -> None:
    a, b = node.operands
    left = _matrix(state, a, batch, contracted)
    right = _matrix(state, b, batch, contracted)
    out = state.stored[node] = state.buffer_for(node)
    *lead, m, k = left.shape
    n = right.shape[-2]
    strides = state.buffers[out].strides
    right = BufferView(
        right.buffer, (*lead, k, n), (*right.strides[:-2], right.strides[-1], right.strides[-2]), right.offset
    )
    result = BufferView(out, (*lead, m, n), (*strides[:batch], n, 1))
    state.steps.append(LibraryCall("gemm", (result,), (left, right), (("dtype", node.type.dtype.name),)))


def _matrix(state: Lowering, operand: Node, batch: int, contracted: int) -> BufferView:
    """The operand [batch.., free.., contracted..] as [batch.., F, C] with strides that BLAS takes; copied row-major where it has none."""
    view = strided(state, operand)
    if view is not None:
        free = len(view.shape) - batch - contracted
        rows = merge(view.shape[batch : batch + free], view.strides[batch : batch + free])
        columns = merge(view.shape[batch + free :], view.strides[batch + free :])
        steps = None if rows is None or columns is None else blas_strides(rows, columns, state.graph.facts)
        if rows is not None and columns is not None and steps is not None:
            return BufferView(view.buffer, (*view.shape[:batch], rows[0], columns[0]), (*view.strides[:batch], *steps), view.offset)
    shape = operand.type.shape
    middle = len(shape) - contracted
    rows_extent, columns_extent = element_count(shape[batch:middle]), element_count(shape[middle:])
    turned = view is not None and _lies_turned(view, batch, middle)
    buffer = _copied(state, operand, (*range(batch), *range(middle, len(shape)), *range(batch, middle)) if turned else None)
    steps = (1, rows_extent) if turned else (columns_extent, 1)
    return BufferView(buffer, (*shape[:batch], rows_extent, columns_extent), (*state.buffers[buffer].strides[:batch], *steps))


def _lies_turned(view: BufferView, batch: int, middle: int) -> bool:
    """Whether memory is walked better along the free axes. Windows that overlap walk it along both: their places are more than their
    elements."""
    free, contracted = _longest_run(view, batch, middle), _longest_run(view, middle, len(view.shape))
    overlap = batch < middle < len(view.shape) and view.strides[middle - 1] == view.strides[-1] == 1
    return free > contracted or (overlap and free == contracted)


def _longest_run(view: BufferView, first: int, last: int) -> int:
    """How many elements of some of the axes follow one another in memory (an unknown number counts as many)."""
    run = 1
    for extent, stride in zip(view.shape[first:last][::-1], view.strides[first:last][::-1], strict=True):
        if extent != 1 and stride == run:
            run = run * extent if isinstance(extent, int) else 1 << 20
    return run


def _copied(state: Lowering, operand: Node, order: tuple[int, ...] | None) -> str:
    """A row-major buffer of the operand's value, its axes in this order: its own where that is one, else a copy."""
    buffer = state.stored.get(operand)
    if order is None and buffer is not None and state.buffers[buffer].role != "input":
        return buffer
    buffer = state.copies.get((operand, order))
    if buffer is None:  # one copy for all the calls that need it
        type = operand.type
        rank = len(type.shape)
        places = tuple(range(rank)) if order is None else order
        shape = tuple([type.shape[axis] for axis in places])
        buffer = state.copies[operand, order] = state.add_buffer(state.fresh("t"), type.dtype, shape, "temporary")
        at: list[Size] = [0] * rank
        for place, axis in enumerate(places):
            at[axis] = index(place)
        state.steps.append(Definition(buffer, state.ranges(shape), indices(rank), state.read(operand, tuple(at))))
    return buffer


def strided(state: Lowering, node: Node) -> BufferView | None:
    """A node's value as a strided view of a stored buffer; None where its subscripts are not affine."""
    subscripts = indices(len(node.type.shape))
    shape = node.type.shape
    while node not in state.stored:
        if node.op != "view":
            return None
        subscripts = compose(node["subscripts"], subscripts)
        node = node.operands[0]
    buffer = state.buffers[state.stored[node]]
    names = frozenset(index_name(axis) for axis in range(len(shape)))
    place: Size = 0
    for subscript, stride in zip(subscripts, buffer.strides, strict=True):
        place = place + subscript * stride
    parts = linear_in(place, names)
    if parts is None:
        return None
    coefficients, offset = parts
    return BufferView(buffer.name, shape, tuple([coefficients.get(index_name(axis), 0) for axis in range(len(shape))]), offset)


def merge(shape: tuple[Size, ...], strides: tuple[Size, ...]) -> tuple[Size, Size] | None:
    """Several axes walked as one: (extent, stride), or None where they do not follow one another. No axes: extent 1."""
    extent: Size = 1
    step: Size = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 1:
            continue
        if extent == 1:
            extent, step = size, stride
        elif stride == step * extent:
            extent = extent * size
        else:
            return None
    return extent, step


def blas_strides(rows: tuple[Size, Size], columns: tuple[Size, Size], facts: Facts) -> tuple[Size, Size] | None:
    """The two strides of a matrix that BLAS takes as it lies: one of them 1, the other at least the extent walked by 1. None otherwise.

    An axis of extent 1 may have any stride, so it gets a legal one.
    """
    for swapped, (inner, unit), (outer, step) in ((False, columns, rows), (True, rows, columns)):
        if inner == 1:
            unit = 1
        if unit != 1:
            continue
        if outer == 1:
            step = inner
        elif inner != 1 and facts.decide(Condition("<=", inner, step)) is not True:
            continue
        elif inner == 1 and facts.decide(Condition("<=", 1, step)) is not True:
            continue
        return (1, step) if swapped else (step, 1)
    return None
