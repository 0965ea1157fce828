"""Joining, splitting and padding: concatenate, stack, split, pad, repeat."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from staxlang.base.diagnostics import Note
from staxlang.base.dtypes import U64, promote
from staxlang.base.sizes import Condition, Size, floordiv, minimum
from staxlang.base.types import TensorType
from staxlang.typecheck import memory_order, views
from staxlang.typecheck.context import CallContext
from staxlang.typecheck.surface.arguments import (
    absent,
    array_of,
    axis_of,
    check_cast,
    constant_array,
    deciding,
    dtype_of,
    expand,
    extent_text,
    normalized_axis,
    number_or_array,
    origins,
    sequence_items,
    take_view,
)  # fmt: skip
from staxlang.typecheck.surface.indexing import Plan, gather, subscript
from staxlang.typecheck.surface.output import into
from staxlang.typecheck.surface.registry import spelled
from staxlang.typecheck.surface.shaping import broadcasted, ravel, reshaped
from staxlang.typecheck.values import NONE, ArrayValue, StaticValue, Value

SAME_KIND = StaticValue("same_kind")
_ZERO = StaticValue(0)


def arrays_of(call: CallContext, arrays: Value, operation: str) -> list[ArrayValue]:
    """A sequence of arrays; an array stands for the arrays along its first axis."""
    items = sequence_items(call, arrays)
    if items is None:
        array = array_of(call, arrays)
        if not array.rank:
            call.error(
                "bad-argument", argument="the first argument", operation=operation, expected="a sequence of arrays", given="a number"
            )
        items = call.items(array, f"the arrays of {operation}")
    if not items:
        call.error("concat-empty", operation=operation)
    return [array_of(call, item) for item in items]


@spelled("np.concatenate", "word.concatenate")
def concatenate(
    call: CallContext, arrays: Value, /, axis: Value = _ZERO, out: Value = NONE, *, dtype: Value = NONE, casting: Value = SAME_KIND
) -> Value:
    parts = arrays_of(call, arrays, "concatenate")
    if absent(axis):
        parts = [array_of(call, ravel(call, part)) for part in parts]
        along = 0
    else:
        along = call.static_int(axis, "axis")
        if not parts[0].rank:
            call.error("wrong-rank", operation="concatenate", expected="arrays of at least one axis", given=call.describe(parts[0]))
        along = normalized_axis(call, along, parts[0].rank)
    joined = _joined(call, parts, along, dtype, out, str(call.static(casting, "casting")))
    return into(call, joined, out, "concatenate", str(call.static(casting, "casting")))


def _joined(call: CallContext, parts: list[ArrayValue], axis: int, dtype: Value, out: Value, casting: str) -> ArrayValue:
    target = dtype_of(call, dtype) or (out.dtype if isinstance(out, ArrayValue) else promote(*(part.dtype for part in parts)))
    for part in parts:
        check_cast(call, part.dtype, target, casting, "concatenate")
    return join(call, [call.cast(part, target) for part in parts], axis)


def join(call: CallContext, parts: list[ArrayValue], axis: int) -> ArrayValue:
    """Arrays of one dtype, one behind the other along an axis."""
    first = parts[0]
    total: Size = 0
    shape = list(first.shape)
    for part in parts:
        if part.rank != first.rank:
            call.error("wrong-rank", operation="concatenate", expected=f"arrays of {first.rank} axes", given=call.describe(part))
        for other, extent in enumerate(part.shape):
            if other != axis and extent != shape[other] and not call.same_size(extent, shape[other], "it is joined"):
                both = Note(None, f"{call.describe(first)} beside {call.describe(part)}")
                notes = [both, *origins(call, (first, shape[other]), (part, extent))]
                call.error("concat-mismatch", operation="concatenate", axis=axis, other=other, left=shape[other], right=extent, notes=notes)
        total = total + part.shape[axis]
    shape[axis] = total
    parts = [part for part in parts if part.shape[axis] != 0] or parts[:1]
    if len(parts) == 1:
        return call.copy(parts[0])
    order = memory_order.joined(call, parts, len(shape))
    return call.operation("concatenate", parts, TensorType(first.dtype, tuple(shape)), order, axis=axis)


@spelled("np.stack", "word.stack")
def stack(
    call: CallContext, arrays: Value, axis: Value = _ZERO, out: Value = NONE, *, dtype: Value = NONE, casting: Value = SAME_KIND
) -> Value:
    parts = arrays_of(call, arrays, "stack")
    for part in parts[1:]:
        if part.rank != parts[0].rank or not all(
            call.same_size(a, b, "it is stacked") for a, b in zip(part.shape, parts[0].shape, strict=True)
        ):
            call.error("stack-mismatch", operation="stack", left=call.describe(parts[0]), right=call.describe(part))
    along = axis_of(call, axis, parts[0].rank + 1)
    lifted = [expand(call, part, along) for part in parts]
    rule = str(call.static(casting, "casting"))
    return into(call, _joined(call, lifted, along, dtype, out, rule), out, "stack", rule)


# ---- splitting ----


@spelled("np.split", "word.split")
def split(call: CallContext, ary: Value, indices_or_sections: Value, axis: Value = _ZERO) -> Value:
    return _split(call, ary, indices_or_sections, axis, True)


@spelled("np.array_split", "word.array_split")
def array_split(call: CallContext, ary: Value, indices_or_sections: Value, axis: Value = _ZERO) -> Value:
    return _split(call, ary, indices_or_sections, axis, False)


@spelled("np.vsplit")
def vsplit(call: CallContext, ary: Value, indices_or_sections: Value) -> Value:
    return _split(call, ary, indices_or_sections, _ZERO, True)


@spelled("np.hsplit")
def hsplit(call: CallContext, ary: Value, indices_or_sections: Value) -> Value:
    return _split(call, ary, indices_or_sections, StaticValue(min(array_of(call, ary).rank - 1, 1)), True)


@spelled("np.dsplit")
def dsplit(call: CallContext, ary: Value, indices_or_sections: Value) -> Value:
    return _split(call, ary, indices_or_sections, StaticValue(2), True)


def _split(call: CallContext, ary: Value, sections: Value, axis: Value, equal: bool) -> list[Value]:
    array = array_of(call, ary)
    along = axis_of(call, axis, array.rank)
    extent = array.shape[along]
    bounds = sequence_items(call, sections)
    if bounds is not None:
        cuts = [call.size(bound, "a place to split at") for bound in bounds]
        ends: list[tuple[Size | None, Size | None]] = list(zip([None, *cuts], [*cuts, None], strict=True))
        return [_cut(call, array, along, start, stop) for start, stop in ends]
    count = call.static_int(sections, "the number of sections")
    if count < 1:
        call.error("bad-value", argument="the number of sections", operation="split", expected="at least 1", given=count)
    each = floordiv(extent, count)
    extra = extent - each * count
    if equal:
        even = call.decide(Condition("==", extra, 0), "split")
        if even is False:
            call.error("split-uneven", extent=extent, parts=count)
        extra = 0
    places = [each * k + (min(k, extra) if isinstance(extra, int) else minimum(k, extra)) for k in range(count + 1)]
    if equal and not isinstance(extent, int):
        places[-1] = extent
    return [_section(call, array, along, start, stop) for start, stop in pairwise(places)]


def _cut(call: CallContext, array: ArrayValue, axis: int, start: Size | None, stop: Size | None) -> ArrayValue:
    """`array[.., start:stop, ..]` with the clamping of slices."""
    taken = views.slice_range(start, stop, 1, array.shape[axis], deciding(call, "split"))
    return _taken(call, array, axis, taken)


def _section(call: CallContext, array: ArrayValue, axis: int, start: Size, stop: Size) -> ArrayValue:
    return _taken(call, array, axis, views.Range(start, stop - start, 1))


def _taken(call: CallContext, array: ArrayValue, axis: int, taken: views.Range) -> ArrayValue:
    items: list[views.Item] = [views.Range(0, extent, 1) for extent in array.shape]
    items[axis] = taken
    return take_view(call, array, views.subscript(array.shape, items))


# ---- padding ----


@spelled("np.pad", "word.pad")
def pad(
    call: CallContext, array: Value, pad_width: Value, mode: Value = StaticValue("constant"), *, constant_values: Value = _ZERO,
    end_values: Value = NONE, reflect_type: Value = StaticValue("even"), stat_length: Value = NONE,
) -> Value:  # fmt: skip
    source = array_of(call, array)
    kind = call.static(mode, "mode")
    widths = _pairs(call, pad_width, source.rank, "pad_width")
    sizes = [(call.size(low, "pad_width"), call.size(high, "pad_width")) for low, high in widths]
    for low, high in sizes:
        for one in (low, high):
            if call.decide(Condition("<", one, 0), "pad") is True:
                call.error("negative-extent", extent=extent_text(call, one))
    if kind == "constant":
        return _pad_constant(call, source, sizes, _pairs(call, constant_values, source.rank, "constant_values"))
    if kind not in _SIDES and kind not in _MADE:
        expected = f"one of 'constant', {', '.join(map(repr, (*_SIDES, *_MADE)))}"
        call.error("bad-value", argument="`mode`", operation="pad", expected=expected, given=repr(kind))
    odd = _is_odd(call, reflect_type)
    ends = _pairs(call, _ZERO if absent(end_values) else end_values, source.rank, "end_values")
    lengths = _pairs(call, stat_length, source.rank, "stat_length")
    padded = [axis for axis, size in enumerate(sizes) if size != (0, 0)]
    seen = kind not in _MADE and not odd and not any(_is_repeated(call, source.shape[axis], *sizes[axis], kind) for axis in padded)
    if seen and 0 < len(padded) <= 2:  # of three axes it would be 27 views
        return _pad_axes(call, source, padded, sizes, kind)
    for axis, (low, high) in enumerate(sizes):
        if (low, high) == (0, 0):
            continue
        if kind in _MADE or (odd and kind in ("reflect", "symmetric")) or _is_repeated(call, source.shape[axis], low, high, kind):
            _refuse_empty(call, source, axis, low, high, kind)
            options = (*widths[axis], StaticValue(kind), StaticValue(odd), *ends[axis], *lengths[axis])
            source = array_of(call, call.library("_pad_axis", [source, StaticValue(axis), *options]))
        else:
            source = _pad_axes(call, source, (axis,), sizes, kind)
    return source if any(size != (0, 0) for size in sizes) else call.copy(source)


_MADE = ("linear_ramp", "maximum", "mean", "median", "minimum", "empty")
"""Modes of `pad` whose values are computed, by the standard library."""


def _is_odd(call: CallContext, reflect_type: Value) -> bool:
    given = call.static(reflect_type, "reflect_type")
    if given not in ("even", "odd"):
        call.error("bad-value", argument="`reflect_type`", operation="pad", expected="'even' or 'odd'", given=repr(given))
    return given == "odd"


def _is_repeated(call: CallContext, extent: Size, low: Size, high: Size, mode: str) -> bool:
    """Whether an axis is known to be too short to give all at once what stands beside it."""
    most = extent - 1 if mode == "reflect" else extent
    return mode != "edge" and any(call.decide(Condition("<=", width, most), "pad") is False for width in (low, high))


def _refuse_empty(call: CallContext, source: ArrayValue, axis: int, low: Size, high: Size, mode: str) -> None:
    if mode != "empty" and (low, high) != (0, 0) and call.decide(Condition("<", 0, source.shape[axis]), "pad") is False:
        call.error("bad-value", argument="the array", operation="pad", expected="not empty", given=call.describe(source))


def _pairs(call: CallContext, value: Value, rank: int, what: str) -> list[tuple[Value, Value]]:
    """NumPy's widths: a number, (before, after), ((before, after),), or a pair for each axis; a dict of axes."""
    if isinstance(value, dict):
        pairs: list[tuple[Value, Value]] = [(_ZERO, _ZERO)] * rank
        for axis, one in value.items():
            pairs[normalized_axis(call, axis, rank)] = _pair(call, one, what)
        return pairs
    items = sequence_items(call, value)
    if items is None:
        return [(value, value)] * rank
    if all(call.is_numeric(item) for item in items):
        return [_pair(call, value, what)] * rank
    pairs = [_pair(call, item, what) for item in items]
    if len(pairs) == 1:
        return pairs * rank
    if len(pairs) != rank:
        call.error("axes-mismatch", operation="pad", expected=rank, given=len(pairs))
    return pairs


def _pair(call: CallContext, value: Value, what: str) -> tuple[Value, Value]:
    items = sequence_items(call, value)
    if items is None:
        return value, value
    if len(items) == 1:
        return items[0], items[0]
    if len(items) != 2:
        call.error("bad-value", argument=f"`{what}`", operation="pad", expected="a pair (before, after)", given=f"{len(items)} numbers")
    return items[0], items[1]


def _pad_constant(
    call: CallContext, source: ArrayValue, sizes: Sequence[tuple[Size, Size]], values: Sequence[tuple[Value, Value]]
) -> ArrayValue:
    first = values[0][0] if values else _ZERO
    if all(one is first or _same_number(one, first) for pair in values for one in pair):
        return _padded(call, source, [low for low, _ in sizes], [high for _, high in sizes], first)
    for axis, ((low, high), (before, after)) in enumerate(zip(sizes, values, strict=True)):
        none: list[Size] = [0] * source.rank
        source = _padded(call, source, [*none[:axis], low, *none[axis + 1 :]], none, before)
        source = _padded(call, source, none, [*none[:axis], high, *none[axis + 1 :]], after)
    return source


def _same_number(one: Value, other: Value) -> bool:
    return isinstance(one, StaticValue) and isinstance(other, StaticValue) and repr(one.value) == repr(other.value)


def _padded(call: CallContext, source: ArrayValue, low: Sequence[Size], high: Sequence[Size], fill: Value) -> ArrayValue:
    if all(one == 0 for one in (*low, *high)):
        return call.copy(source)
    shape = tuple(a + extent + b for a, extent, b in zip(low, source.shape, high, strict=True))
    number = call.cast(number_or_array(call, fill, "constant_values"), source.dtype)
    return call.operation("pad", [source, number], TensorType(source.dtype, shape), low=tuple(low), high=tuple(high))


def _pad_axes(call: CallContext, source: ArrayValue, axes: Sequence[int], sizes: Sequence[tuple[Size, Size]], mode: str) -> ArrayValue:
    """What lies beside an array along all these axes, all of it views of the array: each element is written once."""
    axis, *others = axes
    low, high = sizes[axis]
    _refuse_empty(call, source, axis, low, high, mode)
    before, after = _SIDES[mode](source.shape[axis], low, high)
    parts = [source]
    if low != 0:
        parts.insert(0, _side(call, source, axis, before))
    if high != 0:
        parts.append(_side(call, source, axis, after))
    return join(call, [_pad_axes(call, part, others, sizes, mode) for part in parts] if others else parts, axis)


def _side(call: CallContext, source: ArrayValue, axis: int, taken: views.Range) -> ArrayValue:
    if taken.step:
        return _taken(call, source, axis, taken)
    edge = _taken(call, source, axis, views.Range(taken.first, 1, 1))  # step 0: one element, repeated
    shape = tuple(taken.length if k == axis else extent for k, extent in enumerate(source.shape))
    return broadcasted(call, edge, shape)


def _edge(extent: Size, low: Size, high: Size) -> tuple[views.Range, views.Range]:
    return views.Range(0, low, 0), views.Range(extent - 1, high, 0)


def _reflect(extent: Size, low: Size, high: Size) -> tuple[views.Range, views.Range]:
    return views.Range(low, low, -1), views.Range(extent - 2, high, -1)


def _symmetric(extent: Size, low: Size, high: Size) -> tuple[views.Range, views.Range]:
    return views.Range(low - 1, low, -1), views.Range(extent - 1, high, -1)


def _wrap(extent: Size, low: Size, high: Size) -> tuple[views.Range, views.Range]:
    return views.Range(extent - low, low, 1), views.Range(0, high, 1)


_SIDES: dict[str, Callable[[Size, Size, Size], tuple[views.Range, views.Range]]] = {
    "edge": _edge, "reflect": _reflect, "symmetric": _symmetric, "wrap": _wrap,
}  # fmt: skip
"""What stands before and behind an axis, as ranges of it; a step of 0 repeats one element."""


# ---- repeating ----


@spelled("np.repeat", "method.repeat", "word.repeat")
def repeat(call: CallContext, a: Value, repeats: Value, axis: Value = NONE) -> Value:
    array = array_of(call, a)
    if not array.rank:
        array = expand(call, array, 0)
    if absent(axis):
        array, along = array_of(call, ravel(call, array)), 0
    else:
        along = axis_of(call, axis, array.rank)
    items = sequence_items(call, repeats)
    if items is not None and len(items) == 1:
        repeats, items = items[0], None
    if items is not None:
        return _repeat_each(call, array, along, [call.static_int(item, "repeats") for item in items])
    if isinstance(repeats, ArrayValue) and repeats.rank == 1 and call.same_size(repeats.shape[0], 1, "repeat"):
        repeats = array_of(call, subscript(call, repeats, StaticValue(0)))
    if isinstance(repeats, ArrayValue) and repeats.rank:
        return _repeat_by_data(call, array, along, repeats)
    times = call.size(repeats, "repeats")
    if call.decide(Condition("<", times, 0), "how often elements are repeated") is True:
        call.error("negative-extent", extent=extent_text(call, times))
    extent = array.shape[along]
    wide = expand(call, array, along + 1)
    shape = (*array.shape[: along + 1], times, *array.shape[along + 1 :])
    merged = (*array.shape[:along], extent * times, *array.shape[along + 1 :])
    return call.copy(reshaped(call, broadcasted(call, wide, shape), merged))


def _repeat_by_data(call: CallContext, array: ArrayValue, along: int, counts: ArrayValue) -> Value:
    if counts.rank != 1 or counts.dtype.kind not in "biu" or counts.dtype is U64:
        call.error("bad-argument", argument="`repeats`", operation="repeat", expected="integers", given=call.describe(counts))
    if not call.same_size(array.shape[along], counts.shape[0], "repeat"):
        given = call.describe(counts)
        call.error("bad-value", argument="`repeats`", operation="repeat", expected=f"{array.shape[along]} numbers", given=given)
    rows = take_view(call, array, views.moveaxis(array.shape, (along,), (0,)))
    made = array_of(call, call.library("_each_repeated", [rows, counts]))
    return take_view(call, made, views.moveaxis(made.shape, (0,), (along,))) if along else made


def _repeat_each(call: CallContext, array: ArrayValue, along: int, counts: list[int]) -> Value:
    if not call.same_size(array.shape[along], len(counts), "repeat"):
        call.error("bad-value", argument="`repeats`", operation="repeat", expected=f"{array.shape[along]} numbers", given=len(counts))
    if any(one < 0 for one in counts):
        call.error("negative-extent", extent=min(counts))
    places = np.repeat(np.arange(len(counts)), counts)
    return gather(call, Plan(array, (along,), (constant_array(call, places.astype(np.int64)),), along))
