"""Contractions: degenerate ones become pointwise work and reductions, so that they fuse with what stands around them."""

from __future__ import annotations

from staxlang.base.dtypes import BF16, BOOL, F16, F32
from staxlang.base.sizes import Size
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.typecheck.views import index, indices


def multiplied_sum(rewriting: Rewriting, node: Node) -> Node | None:
    """No contracted axis (an outer product), or a side without free axes (vectors): multiply and sum."""
    a, b = node.operands
    batch, contracted = node["batch"], node["contracted"]
    free_a, free_b = len(a.type.shape) - batch - contracted, len(b.type.shape) - batch - contracted
    if contracted and free_a and free_b:
        return None
    dtype = node.type.dtype
    working = F32 if dtype in (F16, BF16) and contracted else dtype  # halves accumulate in float32
    shape = (*node.type.shape, *a.type.shape[batch + free_a :])
    tail = [index(len(node.type.shape) + k) for k in range(contracted)]
    left_at = (*indices(batch + free_a), *tail)
    right_at = (*indices(batch), *[index(batch + free_a + k) for k in range(free_b)], *tail)
    left = rewriting.view(rewriting.cast(a, working), shape, left_at)
    right = rewriting.view(rewriting.cast(b, working), shape, right_at)
    product = rewriting.pointwise("logical_and" if dtype is BOOL else "multiply", left, right)
    if not contracted:
        return product
    axes = tuple(range(len(shape) - contracted, len(shape)))
    kind = "any" if dtype is BOOL else "sum"
    return rewriting.cast(rewriting.make("reduce", (product,), TensorType(working, node.type.shape), kind=kind, axes=axes), dtype)


def extent_one_axes(rewriting: Rewriting, node: Node) -> Node | None:
    """Free and contracted axes of extent 1 are dropped from the operands and put back by a view."""
    a, b = node.operands
    batch, contracted = node["batch"], node["contracted"]
    first, second = len(a.type.shape) - contracted, len(b.type.shape) - contracted
    kept_a = [axis for axis in range(batch, first) if a.type.shape[axis] != 1]
    kept_b = [axis for axis in range(batch, second) if b.type.shape[axis] != 1]
    kept_c = [k for k in range(contracted) if a.type.shape[first + k] != 1]
    if len(kept_a) + len(kept_b) + len(kept_c) == first + second - 2 * batch + contracted:
        return None
    lead = list(range(batch))
    left = keep_axes(rewriting, a, [*lead, *kept_a, *[first + k for k in kept_c]])
    right = keep_axes(rewriting, b, [*lead, *kept_b, *[second + k for k in kept_c]])
    shape = tuple([extent for extent in node.type.shape[batch:] if extent != 1])
    type = TensorType(node.type.dtype, (*node.type.shape[:batch], *shape))
    made = rewriting.make("contract", (left, right), type, batch=batch, contracted=len(kept_c))
    places = [axis for axis, extent in enumerate(node.type.shape) if axis < batch or extent != 1]
    return rewriting.view(made, node.type.shape, tuple([index(axis) for axis in places]))


def keep_axes(rewriting: Rewriting, node: Node, axes: list[int]) -> Node:
    """A view without the other axes, which have extent 1."""
    subscripts: list[Size] = [0] * len(node.type.shape)
    for place, axis in enumerate(axes):
        subscripts[axis] = index(place)
    return rewriting.view(node, tuple([node.type.shape[axis] for axis in axes]), tuple(subscripts))


def real_conjugate(rewriting: Rewriting, node: Node) -> Node | None:
    return node.operands[0] if node.type.dtype.kind != "c" else None


def sink_conjugate(rewriting: Rewriting, node: Node) -> Node | None:
    """conj(a @ b) is conj(a) @ conj(b): a conjugated operand is read so, a conjugated result would be another pass."""
    inner = node.operands[0]
    if inner.op != "contract":
        return None
    left, right = [rewriting.pointwise("conjugate", o) for o in inner.operands]
    return rewriting.make("contract", (left, right), node.type, **dict(inner.attributes))


CONTRACTION_ROWS: dict[str, tuple[Rule, ...]] = {
    "contract": (Rule("extent-one-axes", extent_one_axes), Rule("multiplied-sum", multiplied_sum)),
    "conjugate": (Rule("real-conjugate", real_conjugate), Rule("sink-conjugate", sink_conjugate)),
}
