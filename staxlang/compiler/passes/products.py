"""Sums of products over broadcast operands become contractions, which a library's gemm computes: index notation, einsum by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from staxlang.base.dtypes import F32, F64
from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Size, SizeExpression, evaluate, symbols
from staxlang.base.types import TensorType
from staxlang.compiler.node import Node
from staxlang.compiler.passes.driver import Rewriting, Rule
from staxlang.typecheck.views import compose, index, index_name, indices

GEMM_DTYPES = frozenset((F32, F64))
MOST_FACTORS = 8
NOMINAL = 1024
# So many products in all: below it loops that fuse with what stands around them are quicker than a call.
FEW = 4096
# An operand whose elements are repeated in memory (the windows of a convolution) is copied first: for fewer uses of each that does not pay.
FEWEST_USES = 8
# The axes that a result begins with may be a batch, in which one operand is the same for all, if each product of matrices is so large.
WORTH_A_CALL = 32768


class Factor(NamedTuple):
    """`node[subscripts]` over the axes of the product; `axes` are those that it depends on."""

    node: Node
    subscripts: tuple[Size, ...]
    axes: frozenset[int]


def sum_of_products(rewriting: Rewriting, node: Node) -> Node | None:
    if node["kind"] != "sum" or node.type.dtype not in GEMM_DTYPES or node.get("spans") is not None:
        return None
    product = node.operands[0]
    shape = product.type.shape
    if product.op != "multiply" or prod([one if isinstance(one, int) else NOMINAL for one in shape]) <= FEW:
        return None
    found: list[Factor] = []
    if not _factors(product, indices(len(shape)), len(shape), found):
        return None
    summed = frozenset(node["axes"])
    scales = [one for one in found if one.axes.isdisjoint(summed)]
    parts = [one for one in found if not one.axes.isdisjoint(summed)]
    if not summed <= _all_axes(parts):
        return None
    work = _Contracting(rewriting, shape, summed)
    parts, scales = work.scaled(parts, scales)
    if len(parts) < 2 or not work.pays(parts):
        return None
    while len(parts) > 1:
        parts = work.step(parts)
    for scale in scales:
        parts = [work.multiplied(parts[0], scale)]
    kept = [axis for axis in range(len(shape)) if axis not in summed]
    return work.over(parts[0], kept)


def _factors(node: Node, subscripts: tuple[Size, ...], rank: int, found: list[Factor]) -> bool:
    """Takes a product apart, through views of products too. False where there are too many factors."""
    while node.op == "view":
        subscripts = compose(node["subscripts"], subscripts)
        node = node.operands[0]
    if node.op == "multiply":
        return all(_factors(operand, subscripts, rank, found) for operand in node.operands)
    found.append(Factor(node, subscripts, frozenset([axis for one in subscripts for axis in _axes(one, rank)])))
    return len(found) <= MOST_FACTORS


def _axes(subscript: Size, rank: int) -> list[int]:
    """The axes that a subscript depends on."""
    names = symbols(subscript)
    return [axis for axis in range(rank) if index_name(axis) in names] if names else []


def _all_axes(parts: Iterable[Factor]) -> frozenset[int]:
    return frozenset([axis for one in parts for axis in one.axes])


class _Contracting:
    """The axes of one product, and how factors over some of them are combined."""

    __slots__ = ("rewriting", "shape", "summed")

    def __init__(self, rewriting: Rewriting, shape: tuple[Size, ...], summed: frozenset[int]) -> None:
        self.rewriting, self.shape, self.summed = rewriting, shape, summed

    def size(self, axes: frozenset[int]) -> int:
        return prod([_guess(self.shape[axis]) for axis in axes])

    def over(self, one: Factor, axes: Sequence[int]) -> Node:
        """The factor as an array whose axes are these."""
        mapping = {index_name(axis): index(place) for place, axis in enumerate(axes)}
        whole = [mapping.get(index_name(axis), 0) for axis in range(len(self.shape))]
        return self.rewriting.view(one.node, tuple([self.shape[axis] for axis in axes]), compose(one.subscripts, whole))

    def factor(self, node: Node, axes: Sequence[int]) -> Factor:
        """An array with an axis for each of these as a factor."""
        return Factor(node, tuple([index(axis) for axis in axes]), frozenset(axes))

    def scaled(self, parts: list[Factor], scales: list[Factor]) -> tuple[list[Factor], list[Factor]]:
        """What is constant in the sum is multiplied into the smallest factor that has its axes; the rest is left for after the sum."""
        left: list[Factor] = []
        for scale in scales:
            fitting = [one for one in parts if scale.axes <= one.axes]
            if not fitting:
                left.append(scale)
                continue
            least = min(fitting, key=lambda one: self.size(one.axes))
            parts[parts.index(least)] = self.multiplied(least, scale)
        return parts, left

    def multiplied(self, one: Factor, other: Factor) -> Factor:
        axes = sorted(one.axes | other.axes)
        return self.factor(self.rewriting.pointwise("multiply", self.over(one, axes), self.over(other, axes)), axes)

    def reduced(self, one: Factor, gone: frozenset[int]) -> Factor:
        if not gone:
            return one
        axes = sorted(one.axes)
        kept = [axis for axis in axes if axis not in gone]
        node = self.over(one, axes)
        type = TensorType(node.type.dtype, tuple([self.shape[axis] for axis in kept]))
        places = tuple([place for place, axis in enumerate(axes) if axis in gone])
        return self.factor(self.rewriting.make("reduce", (node,), type, kind="sum", axes=places), kept)

    # ---- pairs ----

    def pays(self, parts: Sequence[Factor]) -> bool:
        """Whether some pair of factors is a product of matrices that is worth a call."""
        return any(self._is_matrix_product(one, other, parts) for place, one in enumerate(parts) for other in parts[place + 1 :])

    def _is_matrix_product(self, one: Factor, other: Factor, parts: Sequence[Factor]) -> bool:
        shared = one.axes & other.axes
        contracted = self._finished(one, other, parts) & shared
        free, others = one.axes - shared, other.axes - shared
        if not contracted or not free or not others:
            return False
        rank = len(self.shape)
        return (_is_plain(one, rank) or self.size(others) >= FEWEST_USES) and (_is_plain(other, rank) or self.size(free) >= FEWEST_USES)

    def _finished(self, one: Factor, other: Factor, parts: Sequence[Factor]) -> frozenset[int]:
        """The summed axes that no other factor has."""
        elsewhere = _all_axes([part for part in parts if part is not one and part is not other])
        return (self.summed & (one.axes | other.axes)) - elsewhere

    def step(self, parts: list[Factor]) -> list[Factor]:
        """The pair that gives the smallest array is contracted: matrix products before others."""
        best: tuple[tuple[bool, int], int, int] | None = None
        for place, one in enumerate(parts):
            for later in range(place + 1, len(parts)):
                other = parts[later]
                gone = self._finished(one, other, parts)
                cost = not self._is_matrix_product(one, other, parts), self.size((one.axes | other.axes) - gone)
                if best is None or cost < best[0]:
                    best = cost, place, later
        assert best is not None
        _, place, later = best
        made = self.contracted(parts[place], parts[later], self._finished(parts[place], parts[later], parts))
        return [made, *[one for number, one in enumerate(parts) if number not in (place, later)]]

    def contracted(self, one: Factor, other: Factor, gone: frozenset[int]) -> Factor:
        one = self.reduced(one, gone & (one.axes - other.axes))
        other = self.reduced(other, gone & (other.axes - one.axes))
        shared = one.axes & other.axes
        summed = sorted(gone & shared)
        batch = sorted(shared - gone)
        free, others = sorted(one.axes - shared), sorted(other.axes - shared)
        if not summed or not free or not others:
            return self.reduced(self.multiplied(one, other), frozenset(summed))
        if others[0] < free[0]:  # so that the result lies as it is wanted
            one, other, free, others = other, one, others, free
        lead = [axis for axis in free if axis < others[0]]
        rest = free[len(lead) :]
        if rest and others[-1] < rest[0] and self.size(frozenset((*rest, *others, *summed))) >= WORTH_A_CALL:
            one, other, free, others, batch = other, one, others, rest, sorted([*batch, *lead])
        left = self.over(one, (*batch, *free, *summed))
        right = self.over(other, (*batch, *others, *summed))
        axes = [*batch, *free, *others]
        type = TensorType(left.type.dtype, tuple([self.shape[axis] for axis in axes]))
        return self.factor(self.rewriting.make("contract", (left, right), type, batch=len(batch), contracted=len(summed)), axes)


def _is_plain(one: Factor, rank: int) -> bool:
    """Whether each element of the array is one point of the factor at most."""
    return sum([len(_axes(subscript, rank)) for subscript in one.subscripts]) == len(one.axes)


def _guess(size: Size) -> int:
    return max(1, evaluate(size, dict.fromkeys(symbols(size), NOMINAL)) if isinstance(size, SizeExpression) else size)


PRODUCT_ROWS: dict[str, tuple[Rule, ...]] = {"reduce": (Rule("sum-of-products", sum_of_products),)}
