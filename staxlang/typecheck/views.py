"""Views: how an array reads another one, as (shape, subscripts): element [i0, i1, ..] of the view is the base's element [subscripts].

Every function takes the base's shape and gives a `View`. Two callables answer questions about sizes: `prove(condition)` says what follows
from known facts (True, False, or None for "don't know"); `decide(condition)` may also settle the question by a guard. Axes are
non-negative and in range here; the surface has checked them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import (
    Condition,
    Facts,
    Size,
    SizeExpression,
    divisions,
    floordiv,
    index_range,
    maximum,
    minimum,
    substitute,
    symbol,
    symbols,
)  # fmt: skip

Answer = Callable[[Condition], "bool | None"]


class View(NamedTuple):
    shape: tuple[Size, ...]
    subscripts: tuple[Size, ...]


_INDEX_NAMES: list[str] = []
_INDICES: list[Size] = []


def index(axis: int) -> Size:
    """The subscript symbol of an axis: `i0`, `i1`, .."""
    while len(_INDICES) <= axis:
        name = f"i{len(_INDICES)}"
        _INDEX_NAMES.append(name)
        _INDICES.append(symbol(name))
    return _INDICES[axis]


def index_name(axis: int) -> str:
    index(axis)
    return _INDEX_NAMES[axis]


def indices(rank: int) -> tuple[Size, ...]:
    """The subscripts of the identity view of a rank."""
    return tuple(index(axis) for axis in range(rank))


def identity(shape: Sequence[Size]) -> View:
    return View(tuple(shape), indices(len(shape)))


def is_identity(view: View, base_shape: Sequence[Size]) -> bool:
    return view.subscripts == indices(len(view.shape)) and view.shape == tuple(base_shape)


def compose(first: Sequence[Size], second: Sequence[Size]) -> tuple[Size, ...]:
    """The subscripts into the base of a view `second` taken of a view `first` of that base."""
    mapping = {index_name(axis): subscript for axis, subscript in enumerate(second)}
    used: dict[str, Size] = {name: value for name, value in mapping.items() if value != symbol(name)}
    if not used:
        return tuple(first)
    return tuple(one if isinstance(one, int) else substitute(one, used) for one in first)


def then(view: View, second: View) -> View:
    return View(second.shape, compose(view.subscripts, second.subscripts))


def simplified(subscripts: tuple[Size, ...], shape: Sequence[Size], facts: Facts) -> tuple[Size, ...]:
    """The subscripts without the divisions that the indices' ranges decide: `(4*i0 + i1)//4` is `i0` where i1 < 4."""
    if not any(isinstance(one, SizeExpression) and divisions(one) for one in subscripts):
        return subscripts
    ranges = {index_name(axis): index_range(extent) for axis, extent in enumerate(shape)}
    try:
        return tuple(facts.simplify(one, ranges) for one in subscripts)
    except ZeroDivisionError:  # an extent that they divide by is known to be 0: there is no element to read
        return subscripts


# ---- axes ----


def transpose(shape: Sequence[Size], axes: Sequence[int]) -> View:
    """`axes[k]` is the base's axis that becomes axis k."""
    subscripts: list[Size] = [0] * len(axes)
    for position, axis in enumerate(axes):
        subscripts[axis] = index(position)
    return View(tuple(shape[axis] for axis in axes), tuple(subscripts))


def swapaxes(shape: Sequence[Size], first: int, second: int) -> View:
    axes = list(range(len(shape)))
    axes[first], axes[second] = second, first
    return transpose(shape, axes)


def moveaxis(shape: Sequence[Size], source: Sequence[int], destination: Sequence[int]) -> View:
    order = [axis for axis in range(len(shape)) if axis not in source]
    for target, axis in sorted(zip(destination, source, strict=True)):
        order.insert(target, axis)
    return transpose(shape, order)


def expand_dims(shape: Sequence[Size], axes: Sequence[int]) -> View:
    """New axes of extent 1 at the given places of the result."""
    rank = len(shape) + len(axes)
    kept = [axis for axis in range(rank) if axis not in axes]
    result: list[Size] = [1] * rank
    for position, axis in enumerate(kept):
        result[axis] = shape[position]
    return View(tuple(result), tuple(index(axis) for axis in kept))


def squeeze(shape: Sequence[Size], axes: Sequence[int]) -> View:
    """Drops axes which the caller knows to have extent 1."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    subscripts: list[Size] = [0] * len(shape)
    for position, axis in enumerate(kept):
        subscripts[axis] = index(position)
    return View(tuple(shape[axis] for axis in kept), tuple(subscripts))


def flip(shape: Sequence[Size], axes: Iterable[int]) -> View:
    subscripts = list(indices(len(shape)))
    for axis in axes:
        subscripts[axis] = shape[axis] - 1 - index(axis)
    return View(tuple(shape), tuple(subscripts))


def diagonal(shape: Sequence[Size], offset: Size, axis1: int, axis2: int, decide: Answer) -> View:
    """The diagonals of the planes (axis1, axis2), as a new last axis. A positive offset lies above the main diagonal."""
    below = _is_negative(offset, decide)
    rows = shape[axis1] + offset if below else shape[axis1]
    columns = shape[axis2] if below else shape[axis2] - offset
    length = _at_least_zero(smaller(rows, columns, decide), decide)
    kept = [axis for axis in range(len(shape)) if axis not in (axis1, axis2)]
    subscripts: list[Size] = [0] * len(shape)
    for position, axis in enumerate(kept):
        subscripts[axis] = index(position)
    last = index(len(kept))
    subscripts[axis1] = last - offset if below else last
    subscripts[axis2] = last if below else last + offset
    return View((*(shape[axis] for axis in kept), length), tuple(subscripts))


def windows(shape: Sequence[Size], axes: Sequence[int], lengths: Sequence[Size]) -> View:
    """All windows of the given lengths along the axes; the windows' own axes come last."""
    result, subscripts = list(shape), list(indices(len(shape)))
    for position, (axis, length) in enumerate(zip(axes, lengths, strict=True)):
        result[axis] = result[axis] - length + 1
        subscripts[axis] = subscripts[axis] + index(len(shape) + position)
    return View((*result, *lengths), tuple(subscripts))


# ---- broadcasting ----


def broadcast(shape: Sequence[Size], target: Sequence[Size], decide: Answer) -> View | None:
    """The base repeated along new leading axes and along axes of extent 1; None if the shapes do not fit."""
    lead = len(target) - len(shape)
    if lead < 0:
        return None
    subscripts: list[Size] = []
    for axis, extent in enumerate(shape):
        wanted = target[lead + axis]
        if extent == wanted:
            subscripts.append(index(lead + axis))
        elif extent == 1:
            subscripts.append(0)
        elif _known(extent, wanted):
            return None
        elif decide(Condition("==", extent, wanted)):
            subscripts.append(index(lead + axis))
        elif decide(Condition("==", extent, 1)):
            subscripts.append(0)
        else:
            return None
    return View(tuple(target), tuple(subscripts))


class Mismatch(NamedTuple):
    """Two shapes do not broadcast: which of the given shapes, and at which of their own axes."""

    first: int
    first_axis: int
    second: int
    second_axis: int


def broadcast_shapes(shapes: Sequence[Sequence[Size]], decide: Answer) -> tuple[Size, ...] | Mismatch:
    """NumPy's common shape. Two sizes which are not known to be equal, neither of them 1, do not broadcast."""
    rank = max(map(len, shapes), default=0)
    result: list[Size] = []
    for place in range(rank):
        extent: Size = 1
        owner = -1
        for number, shape in enumerate(shapes):
            axis = place - rank + len(shape)
            if axis < 0 or shape[axis] == extent or shape[axis] == 1:
                if axis >= 0 and owner < 0:
                    owner = number
                continue
            one = shape[axis]
            if extent == 1:
                extent, owner = one, number
            elif not _known(one, extent) and decide(Condition("==", one, extent)):
                extent = one if isinstance(one, int) else extent
            elif not isinstance(extent, int) and decide(Condition("==", extent, 1)):
                extent, owner = one, number
            elif isinstance(one, int) or not decide(Condition("==", one, 1)):
                return Mismatch(owner, place - rank + len(shapes[owner]), number, axis)
        result.append(extent)
    return tuple(result)


# ---- slices ----


class Range(NamedTuple):
    """Elements first, first + step, .. of an axis, `length` of them."""

    first: Size
    length: Size
    step: int


def slice_range(start: Size | None, stop: Size | None, step: int, extent: Size, decide: Answer) -> Range:
    """What `start:stop:step` takes of an axis: bounds from the end where negative, clamped to the axis, as Python does."""
    if isinstance(extent, int) and (start is None or isinstance(start, int)) and (stop is None or isinstance(stop, int)):
        first, last, _ = slice(start, stop, step).indices(extent)
        return Range(first, len(range(first, last, step)), step)
    if step > 0:
        first = 0 if start is None else _clamp(start, extent, 0, extent, decide)
        last = extent if stop is None else _clamp(stop, extent, 0, extent, decide)
        return Range(first, _count(first, last, step, decide), step)
    top = extent - 1
    first = top if start is None else _clamp(start, extent, -1, top, decide)
    last = -1 if stop is None else _clamp(stop, extent, -1, top, decide)
    return Range(first, _count(last, first, -step, decide), step)


def _clamp(position: Size, extent: Size, low: int, high: Size, decide: Answer) -> Size:
    """A slice's bound: from the end where negative, then within [low, high]."""
    if _is_negative(position, decide):
        return larger(position + extent, low, decide)
    return smaller(position, high, decide)


def _count(low: Size, high: Size, step: int, decide: Answer) -> Size:
    """How many steps fit from low up to, not including, high."""
    count = high - low if step == 1 else floordiv(high - low + (step - 1), step)
    if isinstance(count, int):
        return max(count, 0)
    if low == 0 and high == maximum(high, 0):
        return count
    ordered = decide(Condition("<=", low, high))
    return maximum(count, 0) if ordered is None else count if ordered else 0


def _is_negative(position: Size, decide: Answer) -> bool:
    return position < 0 if isinstance(position, int) else bool(decide(Condition("<", position, 0)))


def _at_least_zero(extent: Size, decide: Answer) -> Size:
    return larger(extent, 0, decide)


def smaller(first: Size, second: Size, decide: Answer) -> Size:
    """The lesser of two sizes: one of them where that can be decided, else a `min`."""
    least = minimum(first, second)
    if isinstance(least, int) or least in (first, second):
        return least
    ordered = decide(Condition("<=", first, second))
    return least if ordered is None else first if ordered else second


def larger(first: Size, second: Size, decide: Answer) -> Size:
    greatest = maximum(first, second)
    if isinstance(greatest, int) or greatest in (first, second):
        return greatest
    ordered = decide(Condition("<=", second, first))
    return greatest if ordered is None else first if ordered else second


def wrap(position: Size, extent: Size, decide: Answer) -> Size:
    """An integer index, counted from the end where negative."""
    return position + extent if _is_negative(position, decide) else position


class NewAxis(NamedTuple):
    """`None` or `np.newaxis` in a subscript."""


NEWAXIS = NewAxis()
Item = Size | Range | NewAxis


def subscript(shape: Sequence[Size], items: Sequence[Item]) -> View:
    """Basic indexing: an integer (in range), a range of an axis or a new axis for each item; missing axes are whole."""
    result: list[Size] = []
    subscripts: list[Size] = []
    for item in items:
        if isinstance(item, NewAxis):
            result.append(1)
        elif isinstance(item, Range):
            place = index(len(result))
            subscripts.append(item.first + place if item.step == 1 else item.first + item.step * place)
            result.append(item.length)
        else:
            subscripts.append(item)
    for extent in shape[len(subscripts) :]:
        subscripts.append(index(len(result)))
        result.append(extent)
    return View(tuple(result), tuple(subscripts))


def is_affine(subscripts: Sequence[Size], linear: Callable[[Size, frozenset[str]], object]) -> bool:
    """Whether all subscripts are sums of multiples of indices; `linear` is `base.sizes.linear_in`."""
    names = frozenset(_INDEX_NAMES)
    return all(isinstance(one, int) or not (symbols(one) & names) or linear(one, names) is not None for one in subscripts)


def shape_text(shape: Sequence[Size]) -> str:
    """A shape as Python writes a tuple: `(N, 3)`, `(N,)`."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _known(first: Size, second: Size) -> bool:
    return isinstance(first, int) and isinstance(second, int)
