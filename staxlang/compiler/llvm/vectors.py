"""Vector loops: whole blocks and a masked (or scalar) tail, masks in every iteration where bodies are long, non-temporal stores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Size, substitute
from staxlang.base.sizes.expression import size_of, terms_of
from staxlang.compiler.llvm.blocks import Carried, Stop, never, run_if, run_loop, run_once
from staxlang.compiler.llvm.extents import lane_coefficient, size_text, split_by_lanes
from staxlang.compiler.llvm.function import Function, Lanes, Part, Value
from staxlang.compiler.llvm.memory import pointer
from staxlang.compiler.llvm.types import component_size, lane_numbers
from staxlang.compiler.loops.ir import Buffer, Loop, Nest, Store

Body = Callable[[], None]
Stops = Callable[[int], "str | None"]


def vector_loop(
    f: Function, loop: Loop, nest: Nest, copies: int, carried: Carried, writes: frozenset[str], run: Body, stops: Stops = never
) -> None:  # fmt: skip
    """A loop over lanes; its extent is at least 1. `run` emits the body for the lanes that are open, `stops(copies)` may end it early."""

    stop, only = partial(stops, copies), partial(stops, 1)
    width, extent = loop.width, loop.extent
    block = width * copies
    start, _ = size_text(f, loop.start)
    end, level = size_text(f, loop.start + extent)
    streams = _streams(f, loop, nest)

    def body(parts: list[Part], index: str, whole: str | None = None) -> None:
        saved = f.lanes, f.part
        f.indices[loop.index] = index, f.level
        f.lanes = Lanes(loop.index, width, parts, f.level, whole)
        f.part = parts[0]
        run()
        f.lanes, f.part = saved

    def blocks(index: str) -> None:
        body([Part(k * width) for k in range(copies)], index, aligned)

    def masked(index: str) -> None:
        left = f.name(f.level, f"sub i64 {end}, {index}", "m")
        body([Part(0, Value(lane_mask(f, left, 0, width), BOOL, width, f.level, True))], index)

    def left_over() -> None:
        parts = _known_parts(extent % block, width, bool(carried)) if isinstance(extent, int) else None
        if parts is not None:
            run_once(f, carried, writes, lambda: body(parts, middle))
        elif copies == 1:
            run_once(f, carried, writes, lambda: masked(middle))
        else:
            run_loop(f, middle, end, width, carried, writes, masked, only)

    even = isinstance(extent, int) and extent % block == 0
    if f.module.masks and (streams is not None or (not even and copies == 1)):
        masked_loop(f, start, end, width, copies, carried, writes, body, streams, stop)
        return
    aligned = None if streams is None else _aligned(f, streams)
    if even:
        run_loop(f, start, end, block, carried, writes, blocks, stop)
        return
    main, _ = size_text(f, extent // block * block)
    middle, _ = size_text(f, loop.start + extent // block * block)
    known = isinstance(extent, int)
    if not (known and extent < block):
        some = None if known else f.name(level, f"icmp sgt i64 {main}, 0", "x")
        run_if(f, some, carried, writes, lambda: run_loop(f, start, middle, block, carried, writes, blocks, stop))

    if f.module.tail(nest) == "masked":
        more = _unfinished(f, middle, end, known, stop)
        run_if(f, more, carried, writes, left_over)
        return

    def lanes(index: str) -> None:
        body([Part(0)], index)

    _narrow_tail(f, loop, copies, carried, writes, (middle, end), (lanes, run), (stop, only))


def _narrow_tail(
    f: Function, loop: Loop, copies: int, carried: Carried, writes: frozenset[str], bounds: tuple[str, str],
    runs: tuple[Callable[[str], None], Body], stops: tuple[Callable[[], str | None], Callable[[], str | None]],
) -> None:  # fmt: skip
    """What whole blocks leave, from bounds[0] to bounds[1], without masks: whole vectors, then one element after the other."""
    (middle, end), (lanes, run), (stop, only) = bounds, runs, stops
    width, extent = loop.width, loop.extent
    known = isinstance(extent, int)
    if copies > 1 and not (known and extent % (width * copies) < width):  # what is left may be several whole vectors
        last, _ = size_text(f, loop.start + extent // width * width)
        more = _unfinished(f, middle, last, known, stop)
        run_if(f, more, carried, writes, lambda: run_loop(f, middle, last, width, carried, writes, lanes, only))
        middle = last
    if not (known and extent % width == 0):
        more = _unfinished(f, middle, end, known, stop)
        run_if(f, more, carried, writes, lambda: _one_by_one(f, loop, middle, end, carried, writes, run))


def _known_parts(points: int, width: int, carries: bool) -> list[Part] | None:
    """The lanes of a tail of so many points, its masks constants. None: a loop over them, where several would have to take turns."""
    if carries and points > width:
        return None
    masks: list[Value | None] = [None] * (points // width)
    if points % width:
        flags = ", ".join([f"i1 {str(lane < points % width).lower()}" for lane in range(width)])
        masks.append(Value(f"<{flags}>", BOOL, width, 0, True))
    return [Part(k * width, mask) for k, mask in enumerate(masks)]


def _one_by_one(f: Function, loop: Loop, start: str, end: str, carried: Carried, writes: frozenset[str], run: Body) -> None:
    """The last elements without lanes."""

    def body(index: str) -> None:
        saved = f.lanes, f.part
        f.indices[loop.index] = index, f.level
        f.lanes = f.part = None
        run()
        f.lanes, f.part = saved

    run_loop(f, start, end, 1, carried, writes, body)


def _unfinished(f: Function, first: str, end: str, known: bool, stop: Stop) -> str | None:
    """An i1: there are elements from `first` on (None where that is known), and nothing has ended the loop before."""
    more = None if known else f.name(f.level, f"icmp slt i64 {first}, {end}", "x")
    early = stop()
    if early is None:
        return more
    return f.name(f.level, f"select i1 {early}, i1 false, i1 {more or 'true'}", "x")


LaneBody = Callable[[list[Part], str, "str | None"], None]


def masked_loop(
    f: Function, start: str, end: str, width: int, copies: int, carried: Carried, writes: frozenset[str], body: LaneBody,
    streams: Streams | None, stop: Stop,
) -> None:  # fmt: skip
    """A vector loop of one block that computes its masks in every iteration: where that is little beside the body, or beside memory.

    Where stores are to be non-temporal the loop begins at the aligned address before `start`, with the lanes in front masked off.
    """
    block, outer = width * copies, f.level
    first = start if streams is None else f.name(outer, f"sub i64 {start}, {_skipped(f, streams, outer)}", "i")

    def once(index: str) -> None:
        left = f.name(f.level, f"sub i64 {end}, {index}", "m")
        masks = [lane_mask(f, left, part * width, width) for part in range(copies)]
        whole: str | None = None
        if streams is not None:
            before = f.name(f.level, f"sub i64 {start}, {index}", "m")
            count = f.name(f.level, f"call i64 @llvm.smax.i64(i64 {before}, i64 0)", "m")
            masks = [_without_front(f, mask, count, part * width, width, f.level) for part, mask in enumerate(masks)]
            inside = f.name(f.level, f"icmp sle i64 {before}, 0", "m")
            enough = f.name(f.level, f"icmp sge i64 {left}, {block}", "m")
            both = f.name(f.level, f"and i1 {inside}, {enough}", "m")
            whole = f.name(f.level, f"and i1 {both}, {streams.wanted}", "m")
        body([Part(k * width, Value(mask, BOOL, width, f.level, True)) for k, mask in enumerate(masks)], index, whole)

    run_loop(f, first, end, block, carried, writes, once, stop)


def lane_mask(f: Function, left: str, shift: int, width: int, level: int = -1) -> str:
    """The mask of the lanes below `left - shift`, an i64 that may be negative or large."""
    if level < 0:
        level = f.level
    if shift:
        left = f.name(level, f"sub i64 {left}, {shift}", "m")
    left = f.name(level, f"call i64 @llvm.smin.i64(i64 {left}, i64 {width})", "m")
    return _compared(f, "slt", left, width, level)


def _compared(f: Function, relation: str, limit: str, width: int, level: int) -> str:
    kind = "i32" if width <= 16 else "i16"
    short = f.name(level, f"trunc i64 {limit} to {kind}", "m")
    wide = f.splat(short, kind, width, level)
    return f.name(level, f"icmp {relation} <{width} x {kind}> {lane_numbers(kind, width)}, {wide}", "m")


# ---- non-temporal stores -------------------------------------------------------------------------------------------


class Streams:
    """A loop's non-temporal stores: an i1 whether they are wanted, the first address stored to, what it has to be aligned to."""

    __slots__ = ("alignment", "pointer", "size", "wanted")

    def __init__(self, wanted: str, pointer: str, alignment: int, size: int) -> None:
        self.wanted, self.pointer, self.alignment, self.size = wanted, pointer, alignment, size

    @property
    def most(self) -> int:
        """Elements that may lie between an aligned address and the first."""
        return self.alignment // self.size


def _streams(f: Function, loop: Loop, nest: Nest) -> Streams | None:
    """The nest's streaming store along its vector loop, where its buffer is (or may be) large; all others must be aligned like it."""
    chosen: Streams | None = None
    for statement in nest.body:
        if not isinstance(statement, Store) or not statement.streaming or statement.indirect:
            continue
        buffer = f.module.buffers[statement.buffer]
        size = component_size(buffer.dtype)
        terms = f.module.offset_terms(buffer, statement.subscripts)
        if buffer.dtype.kind == "c" or not along(f, loop, size_of(terms)):
            continue
        wanted = _large(f, buffer)
        if wanted == "false":
            continue
        first = substitute(size_of(terms), {loop.index: loop.start})
        address, level = pointer(f, buffer, terms_of(first), {})
        if chosen is None:
            chosen = Streams(wanted, address, min(f.module.target.vector_bytes, size * loop.width), size)
            f.module.streams = True
        else:
            chosen.wanted = _and_alike(f, chosen, address, level)
    return chosen


def along(f: Function, loop: Loop, offset: Size) -> bool:
    """Whether consecutive lanes are consecutive elements."""
    saved = f.lanes
    f.lanes = Lanes(loop.index, loop.width, [], f.level, None)
    _, varying = split_by_lanes(f, terms_of(offset), {})
    coefficient = lane_coefficient(f, varying) if varying else None
    f.lanes = saved
    return coefficient == {(): 1}


def _large(f: Function, buffer: Buffer) -> str:
    """An i1: the buffer is so large that it had better bypass the caches."""
    size: Size = buffer.dtype.itemsize
    for extent in buffer.shape:
        size = size * extent
    limit = f.module.target.streaming_bytes
    if isinstance(size, int):
        return "true" if size >= limit else "false"
    text, level = size_text(f, size)
    return f.name(level, f"icmp sge i64 {text}, {limit}", "x")


def _and_alike(f: Function, chosen: Streams, address: str, level: int) -> str:
    level = max(level, f.level)
    texts = [f.name(level, f"ptrtoint ptr {one} to i64", "x") for one in (chosen.pointer, address)]
    apart = f.name(level, f"xor i64 {texts[0]}, {texts[1]}", "x")
    low = f.name(level, f"and i64 {apart}, {chosen.alignment - 1}", "x")
    same = f.name(level, f"icmp eq i64 {low}, 0", "x")
    return f.name(level, f"and i1 {chosen.wanted}, {same}", "x")


def _past(f: Function, streams: Streams, level: int) -> str:
    number = f.name(level, f"ptrtoint ptr {streams.pointer} to i64", "x")
    return f.name(level, f"and i64 {number}, {streams.alignment - 1}", "x")


def _aligned(f: Function, streams: Streams) -> str:
    """An i1: stores are wanted non-temporal, and the loop begins aligned."""
    none = f.name(f.level, f"icmp eq i64 {_past(f, streams, f.level)}, 0", "x")
    return f.name(f.level, f"and i1 {none}, {streams.wanted}", "x")


def _skipped(f: Function, streams: Streams, level: int) -> str:
    """Elements between the aligned address before the first element and that element; 0 where stores are plain."""
    elements = f.name(level, f"lshr i64 {_past(f, streams, level)}, {streams.size.bit_length() - 1}", "x")
    return f.name(level, f"select i1 {streams.wanted}, i64 {elements}, i64 0", "x")


def _without_front(f: Function, mask: str, skipped: str, shift: int, width: int, level: int) -> str:
    """The mask less the lanes before the first element."""
    if shift:
        skipped = f.name(level, f"sub i64 {skipped}, {shift}", "m")
    after = _compared(f, "sge", skipped, width, level)
    return f.name(level, f"and <{width} x i1> {mask}, {after}", "m")
