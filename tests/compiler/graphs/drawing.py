"""Hypothesis draws graphs: each step applies an operation to values drawn before."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from staxlang.base.dtypes import BOOL, F32, F64, I8, I32, I64
from staxlang.base.sizes import evaluate
from staxlang.compiler.graph import Graph
from staxlang.compiler.node import Node
from staxlang.typecheck import views

from .building import Build, M, N, decide

SIZES = {"N": 3, "M": 2}
DTYPES = (F32, F64, I32, I64, I8, BOOL)
EXTENTS = (N, M, 1, 2, 4)
FLOAT_UNARY = ("negative", "absolute", "exp", "tanh", "sqrt", "floor", "square", "log1p", "isnan", "rint")
INT_UNARY = ("negative", "absolute", "square", "invert")
FLOAT_BINARY = ("add", "subtract", "multiply", "less", "equal", "greater_equal", "not_equal")
INT_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "less", "equal", "bitwise_and", "bitwise_xor")
WITH_CONSTANT = (
    ("multiply", 1), ("subtract", 0), ("power", 1), ("power", 2), ("multiply", 3), ("add", 2), ("add", 0), ("multiply", 0),
)  # fmt: skip
ROUNDING = ("sum", "prod", "welford_mean", "welford_m2")


class Drawing:
    """`inexact` holds values with rounding errors that depend on the order of a reduction: they are results and nothing more."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.build = Build()
        self.pool: list[Node] = []
        self.inexact: list[Node] = []

    def pick(self, *dtypes) -> Node | None:
        fitting = [n for n in self.pool if not dtypes or n.type.dtype in dtypes]
        return self.draw(st.sampled_from(fitting)) if fitting else None

    def shape(self) -> tuple:
        return tuple(self.draw(st.lists(st.sampled_from(EXTENTS), max_size=3)))

    def run(self) -> tuple[Graph, list[np.ndarray], list]:
        draw, build = self.draw, self.build
        inputs = [build.input(draw(st.sampled_from(DTYPES)), *self.shape()) for _ in range(draw(st.integers(1, 3)))]
        self.pool += [*inputs, build.scalar(draw(st.sampled_from((F64, I64))))]
        for _ in range(draw(st.integers(1, 9))):
            name = draw(st.sampled_from(sorted(STEPS)))
            made = STEPS[name](self)
            if made is not None:
                self.pool.append(made)
        outputs = [draw(st.sampled_from(self.pool)) for _ in range(draw(st.integers(1, 3)))] + self.inexact[:2]
        updates = []
        for place, node in enumerate(inputs):
            fitting = [n for n in self.pool if (n.type.dtype, n.type.shape) == (node.type.dtype, node.type.shape) and n is not node]
            if fitting and draw(st.booleans()):
                updates.append((place, draw(st.sampled_from(fitting))))
        graph = build.graph(*outputs, updates=updates)
        rng = np.random.default_rng(draw(st.integers(0, 2**16)))
        arrays = [values(rng, node) for node in inputs]
        scalars = [2.5 if s.type.dtype is F64 else 3 for s in build.scalars]
        return graph, arrays, scalars


def values(rng, node: Node) -> np.ndarray:
    shape = tuple(evaluate(s, SIZES) for s in node.type.shape)
    dtype = node.type.dtype
    if dtype.kind == "f":
        array = rng.integers(-16, 17, shape) / 4
        special = rng.random(shape)
        array = np.where(special < 0.05, np.nan, np.where(special > 0.95, np.inf, array)) + 0.0
        return np.asarray(array, dtype.numpy)
    return np.asarray(rng.integers(0 if dtype.kind in "bu" else -5, 2 if dtype.kind == "b" else 6, shape), dtype.numpy)


def unary(d: Drawing):
    node = d.pick()
    if node.type.dtype is BOOL:
        return d.build.op("logical_not", node)
    return d.build.op(d.draw(st.sampled_from(FLOAT_UNARY if node.type.dtype.kind == "f" else INT_UNARY)), node)


def binary(d: Drawing):
    left = d.pick()
    right = d.draw(st.sampled_from([n for n in d.pool if fits(n, left)]))
    if left.type.dtype is BOOL and right.type.dtype is BOOL:
        return d.build.op(d.draw(st.sampled_from(("logical_and", "logical_or", "not_equal"))), left, right)
    integral = left.type.dtype.kind in "iub" and right.type.dtype.kind in "iub"
    return d.build.op(d.draw(st.sampled_from(INT_BINARY if integral else FLOAT_BINARY)), left, right)


def fits(one: Node, other: Node) -> bool:
    return not isinstance(views.broadcast_shapes([one.type.shape, other.type.shape], decide), views.Mismatch)


def with_constant(d: Drawing):
    """Identities, and numbers on the left."""
    node = d.pick(F32, F64, I32, I64)
    if node is None:
        return None
    integral = node.type.dtype.kind == "i"
    op, value = d.draw(st.sampled_from(WITH_CONSTANT))
    if op == "add" and value == 0 and not integral:
        return None  # accepted to lose the sign of zero
    constant = d.build.constant(value if integral else float(value), node)
    operands = (constant, node) if d.draw(st.booleans()) and op in ("add", "multiply") else (node, constant)
    return d.build.op(op, *operands)


def cast(d: Drawing):
    node = d.pick(I8, I32, I64, BOOL, F32)
    target = d.draw(st.sampled_from((F64, F32, I64))) if node is not None and node.type.dtype.kind != "f" else F64
    return None if node is None else d.build.cast(node, target)


def where(d: Drawing):
    condition, left = d.pick(BOOL), d.pick()
    if condition is None or not fits(condition, left):
        return None
    return d.build.where(condition, left, d.build.constant(1 if left.type.dtype.kind in "iub" else 0.5, left))


def transpose(d: Drawing):
    node = d.pick()
    axes = d.draw(st.permutations(range(len(node.type.shape))))
    return d.build.view(node, views.transpose(node.type.shape, axes))


def flip(d: Drawing):
    node = d.pick()
    return d.build.view(node, views.flip(node.type.shape, range(len(node.type.shape))))


def slicing(d: Drawing):
    node = d.pick()
    items = []
    for extent in node.type.shape:
        if isinstance(extent, int) and extent > 1:
            items.append(d.draw(st.sampled_from((0, views.Range(1, extent - 1, 1), views.Range(0, (extent + 1) // 2, 2)))))
        else:
            items.append(d.draw(st.sampled_from((views.Range(0, extent, 1), views.Range(extent - 1, extent, -1)))))
    if d.draw(st.booleans()):
        items.insert(0, views.NEWAXIS)
    return d.build.view(node, views.subscript(node.type.shape, items))


def broadcast(d: Drawing):
    node = d.pick()
    return d.build.broadcast(node, (2, *node.type.shape)) if len(node.type.shape) < 3 else None


def reduce(d: Drawing):
    node = d.pick()
    rank = len(node.type.shape)
    axes = tuple(sorted(d.draw(st.sets(st.integers(0, rank - 1), min_size=1)))) if rank else ()
    dtype = node.type.dtype
    if dtype is BOOL:
        kinds = ("any", "all", "count")
    elif dtype.kind == "f":
        kinds = ("min", "max", *ROUNDING)
    else:
        kinds = ("sum", "prod", "min", "max")
    if len(axes) == 1:
        kinds = (*kinds, "argmin", "argmax")
    kind = d.draw(st.sampled_from(kinds))
    made = d.build.reduce(node, kind, axes)
    if dtype.kind == "f" and kind in ROUNDING:
        d.inexact.append(made)
        return None
    return made


def scan(d: Drawing):
    node = d.pick(I32, I64, F64)
    if node is None or not node.type.shape:
        return None
    axis = d.draw(st.integers(0, len(node.type.shape) - 1))
    return d.build.make("scan", (node,), kind=d.draw(st.sampled_from(("sum", "max", "min", "prod"))), axis=axis)


def concatenate(d: Drawing):
    node = d.pick()
    if not node.type.shape:
        return None
    axis = d.draw(st.integers(0, len(node.type.shape) - 1))
    others = [n for n in d.pool if n.type.dtype is node.type.dtype and len(n.type.shape) == len(node.type.shape)
              and all(a == b or k == axis for k, (a, b) in enumerate(zip(n.type.shape, node.type.shape, strict=True)))]
    parts = d.draw(st.lists(st.sampled_from(others), min_size=1, max_size=3))
    return d.build.make("concatenate", parts, axis=axis)


def pad(d: Drawing):
    node = d.pick()
    widths = st.lists(st.integers(0, 2), min_size=len(node.type.shape), max_size=len(node.type.shape)).map(tuple)
    fill = d.build.number(1 if node.type.dtype.kind in "iub" else 0.5, node.type.dtype)
    return d.build.make("pad", (node, fill), low=d.draw(widths), high=d.draw(widths))


def gather(d: Drawing):
    node = d.pick()
    axes = [k for k, n in enumerate(node.type.shape) if isinstance(n, int)]
    if not axes:
        return None
    axis = d.draw(st.sampled_from(axes))
    index = indexes(d, node.type.shape[axis], d.draw(st.sampled_from(((), (3,), (2, 2)))))
    return d.build.make("gather", (node, index), axes=(axis,), position=axis)


def indexes(d: Drawing, extent: int, shape) -> Node:
    rng = np.random.default_rng(d.draw(st.integers(0, 99)))
    return d.build.make("assert_index", (d.build.array(rng.integers(0, extent, shape), I64),), extent=extent)


def scatter(d: Drawing):
    node = d.pick(I32, I64)
    if node is None or not node.type.shape or not isinstance(node.type.shape[0], int):
        return None
    value = d.build.broadcast(d.build.number(2, node.type.dtype), (5, *node.type.shape[1:]))
    index = indexes(d, node.type.shape[0], (5,))
    return d.build.make("scatter", (node, value, index), axes=(0,), position=0, mode=d.draw(st.sampled_from(("set", "add", "min", "max"))))


def update(d: Drawing):
    node = d.pick()
    part = slicing(d) if d.draw(st.booleans()) else None
    view = part if part is not None and part.op == "view" and part.operands[0].type.dtype is node.type.dtype else None
    if view is not None and view.operands[0] is node:
        subscripts, shape = view["subscripts"], view.type.shape
    elif node.type.shape:
        subscripts, shape = (node.type.shape[0] - 1, *[views.index(k) for k in range(len(node.type.shape) - 1)]), node.type.shape[1:]
    else:
        return None
    value = d.build.broadcast(d.build.number(1 if node.type.dtype.kind in "iub" else 0.5, node.type.dtype), shape)
    if d.draw(st.booleans()):  # the new part reads the old value
        old = d.build.make("view", (node,), TensorTypeOf(node, shape), subscripts=subscripts)
        value = old if node.type.dtype is BOOL else d.build.op("add", old, value)
    return d.build.make("update", (node, value), subscripts=subscripts, shape=shape)


def TensorTypeOf(node: Node, shape):
    return type(node.type)(node.type.dtype, tuple(shape))


def contract(d: Drawing):
    node = d.pick(I32, I64, F64)
    if node is None or not node.type.shape:
        return None
    rank = len(node.type.shape)
    contracted = d.draw(st.integers(0, 1))
    batch = d.draw(st.integers(0, rank - contracted))
    if 2 * rank - batch - contracted > 4:
        return None
    made = d.build.make("contract", (node, node), batch=batch, contracted=contracted)
    if node.type.dtype.kind == "f":
        d.inexact.append(made)
        return None
    return made


STEPS = {f.__name__: f for f in (
    unary, binary, with_constant, cast, where, transpose, flip, slicing, broadcast,
    reduce, scan, concatenate, pad, gather, scatter, update, contract,
)}  # fmt: skip


@st.composite
def programs(draw):
    """(graph, arrays, scalars, number of exact results)."""
    drawing = Drawing(draw)
    graph, arrays, scalars = drawing.run()
    exact = len(graph.outputs) - len(drawing.inexact[:2])
    return graph, arrays, scalars, exact



