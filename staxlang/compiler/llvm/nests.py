"""Nests of loops to basic blocks: rotated loops, carried accumulators, vector loops with their masks and tails."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Size, symbols
from staxlang.compiler.llvm import accumulators as reductions
from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.expressions import apply_row, convert, evaluate, known
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function, Lanes, Part, Value
from staxlang.compiler.llvm.types import lane_numbers
from staxlang.compiler.loops.ir import Accumulator, Let, Loop, Nest, Statement, Store

Carried = list[Value]
STORE_ROWS = {"add": "add", "min": "minimum", "max": "maximum"}


def emit_statement(f: Function, statement: Statement) -> None:
    if isinstance(statement, Nest):
        emit_nest(f, statement)
    elif isinstance(statement, Let):
        emit_let(f, statement)
    else:
        emit_store(f, statement)


def emit_let(f: Function, let: Let) -> None:
    if f.lanes is None:
        f.locals[let.name] = [evaluate(f, let.value)]
        return
    values = [evaluate(f, let.value, part) for part in f.lanes.parts]
    f.locals[let.name] = values if values[0].varying else values[:1]


def emit_store(f: Function, statement: Store) -> None:
    buffer = f.module.buffers[statement.buffer]
    parts: list[Part | None] = list(f.lanes.parts) if f.lanes is not None else [None]
    ready: list[tuple[Part | None, memory.Access, Value]] = []
    for part in parts:
        value = convert(f, evaluate(f, statement.value, part), buffer.dtype)
        indirect = {f"${k}": evaluate(f, node, part) for k, node in enumerate(statement.indirect)}
        where = memory.access(f, buffer, statement.subscripts, indirect)
        if statement.mode != "set":
            old = memory.load(f, buffer, statement.subscripts, indirect)
            value = apply_row(f, STORE_ROWS[statement.mode], (old, value), buffer.dtype)
        ready.append((part, where, value))
        if statement.mode != "set" and where.kind == "uniform":
            f.forget(f.module.root(buffer))
    streams = statement.streaming and f.lanes is not None and f.lanes.whole is not None and ready[0][1].kind == "contiguous"
    if streams:
        _store_streaming(f, ready)
    else:
        _store_parts(f, ready, 0)
    f.forget(f.module.root(buffer))


def _store_parts(f: Function, ready: list[tuple[Part | None, memory.Access, Value]], alignment: int) -> None:
    for part, where, value in ready:
        f.part = part
        memory.store(f, where, value, alignment)


def _store_streaming(f: Function, ready: list[tuple[Part | None, memory.Access, Value]]) -> None:
    """Non-temporal where no lane is masked off (`Lanes.whole` says so, and that addresses are aligned), else plain."""
    assert f.lanes is not None
    n = f.fresh()
    f.emit(f.level, f"br i1 {f.lanes.whole}, label %stream.{n}, label %plain.{n}")
    f.block(f"stream.{n}")
    size = memory.component_size(ready[0][2].dtype) * f.lanes.width
    _store_parts(f, ready, min(size, f.module.target.vector_bytes))
    f.emit(f.level, f"br label %stored.{n}")
    f.block(f"plain.{n}")
    _store_parts(f, ready, 0)
    f.emit(f.level, f"br label %stored.{n}")
    f.block(f"stored.{n}")


# ---- loops ---------------------------------------------------------------------------------------------------------


def run_loop(
    f: Function, start: str, end: str, step: int, carried: Carried, writes: frozenset[str], body: Callable[[str], None]
) -> None:
    """A loop that runs at least once: `body(index)` for index = start, start + step, .. < end; `carried` goes from one run to the next."""
    n = f.fresh()
    outer = f.level
    scope = f.open(f"loop.{n}", writes, False)
    index = f"%i.{n}"
    before = list(carried)
    for k, value in enumerate(before):
        imag = f"%c.{n}.{k}.i" if value.imag else ""
        carried[k] = Value(f"%c.{n}.{k}", value.dtype, value.lanes, scope.level, True, None, imag)
    phis = list(carried)
    body(index)
    following = f.name(f.level, f"add i64 {index}, {step}", "i")
    more = f.name(f.level, f"icmp slt i64 {following}, {end}", "i")
    f.emit(f.level, f"br i1 {more}, label %loop.{n}, label %done.{n}")
    f.close()
    around = f.scopes[outer]
    lines = around.lines
    came, latch = around.label, scope.label
    lines.append(f"br label %loop.{n}")
    lines.append(f"loop.{n}:")
    lines.append(f"{index} = phi i64 [ {start}, %{came} ], [ {following}, %{latch} ]")
    _carry(f, lines, carried, before, phis, came, latch, outer)
    lines += scope.lines
    f.block(f"done.{n}", outer)


def _carry(
    f: Function, lines: list[str], carried: Carried, before: Carried, phis: Carried, came: str, latch: str, outer: int
) -> None:  # fmt: skip
    """The phi nodes of what a loop carries; after it, `carried` is what the last run left."""
    for k, (old, phi, new) in enumerate(zip(before, phis, carried, strict=True)):
        if new is phi:  # the body left it alone
            carried[k] = old
            continue
        for first, name, last in _texts(old, phi, new):
            lines.append(f"{name} = phi {phi.type} [ {first}, %{came} ], [ {last}, %{latch} ]")
        carried[k] = Value(new.text, new.dtype, new.lanes, outer, True, None, new.imag)


def _texts(old: Value, phi: Value, new: Value) -> list[tuple[str, str, str]]:
    pairs = [(old.text, phi.text, new.text)]
    if phi.imag:
        pairs.append((old.imag, phi.imag, new.imag))
    return pairs


def run_if(f: Function, condition: str | None, carried: Carried, writes: frozenset[str], body: Callable[[], None]) -> None:
    """`body` where the i1 holds (None: always); `carried` keeps its values where it does not."""
    if condition is None:
        body()
        return
    n = f.fresh()
    outer = f.level
    scope = f.open(f"then.{n}", writes, True)
    before = list(carried)
    body()
    f.emit(f.level, f"br label %join.{n}")
    f.close()
    around = f.scopes[outer]
    came, left = around.label, scope.label
    around.lines.append(f"br i1 {condition}, label %then.{n}, label %join.{n}")
    around.lines.append(f"then.{n}:")
    around.lines += scope.lines
    f.block(f"join.{n}", outer)
    for k, (old, new) in enumerate(zip(before, carried, strict=True)):
        if new is old:
            continue
        made = Value(f"%j.{n}.{k}", new.dtype, new.lanes, outer, True, None, f"%j.{n}.{k}.i" if new.imag else "")
        for first, name, last in _texts(old, made, new):
            around.lines.append(f"{name} = phi {made.type} [ {first}, %{came} ], [ {last}, %{left} ]")
        carried[k] = made


# ---- nests ---------------------------------------------------------------------------------------------------------


def emit_nest(f: Function, nest: Nest, bounds: tuple[str, str] | None = None) -> None:
    """A nest at the innermost level. bounds: the part of the first loop's range that is to run (a parallel loop's share)."""
    writes = f.module.writes(nest)
    vectors = nest.loops[-1] if nest.loops[-1].kind == "vector" and nest.loops[-1].width > 1 else None
    copies = max(1, vectors.unroll) if vectors is not None else 1
    lanes = vectors.width if vectors is not None else f.lanes.width if f.lanes is not None else 1
    horizontal = vectors is not None or f.lanes is None
    if not horizontal:
        assert f.lanes is not None
        copies = len(f.lanes.parts)
    state = Reduction(nest.accumulators, copies, lanes, f.level)
    own = {loop.index for loop in nest.loops}
    condition = None if bounds is not None else all_positive(f, [loop.extent for loop in nest.loops if not symbols_of(loop.extent) & own])
    results: Carried = state.empty(f.level, 1 if horizontal else lanes, 1 if horizontal else copies)

    def inside() -> None:
        _loops(f, nest, 0, state, writes, bounds)
        results[:] = state.results(f, horizontal)

    run_if(f, condition, results, writes, inside)
    state.bind(f, results, horizontal)


def symbols_of(size: Size) -> frozenset[str]:
    return frozenset() if isinstance(size, int) else symbols(size)


def all_positive(f: Function, extents: list[Size]) -> str | None:
    """An i1: all extents are at least 1; None where that is known."""
    condition: str | None = None
    for extent in dict.fromkeys(extents):
        if isinstance(extent, int) and extent > 0:
            continue
        text, level = size_text(f, extent)
        test = f.name(level, f"icmp sgt i64 {text}, 0", "x")
        condition = test if condition is None else f.name(f.level, f"and i1 {condition}, {test}", "x")
    return condition


def _loops(f: Function, nest: Nest, depth: int, state: Reduction, writes: frozenset[str], bounds: tuple[str, str] | None) -> None:
    if depth == len(nest.loops):
        run_body(f, nest, state)
        return
    loop = nest.loops[depth]
    extent = loop.extent
    inner = symbols_of(extent) & {outer.index for outer in nest.loops[:depth]}

    def inside() -> None:
        if loop.kind == "vector" and loop.width > 1:
            vector_loop(f, loop, nest, state, writes)
            return
        if bounds is not None and depth == 0:
            start, end = bounds
        else:
            start, _ = size_text(f, loop.start)
            end, _ = size_text(f, loop.start + extent)

        def body(index: str) -> None:
            f.indices[loop.index] = index, f.level
            _loops(f, nest, depth + 1, state, writes, None)

        run_loop(f, start, end, 1, state.carried, writes, body)

    run_if(f, all_positive(f, [extent]) if inner else None, state.carried, writes, inside)


def run_body(f: Function, nest: Nest, state: Reduction) -> None:
    for statement in nest.body:
        emit_statement(f, statement)
    state.update(f, nest.accumulators)


def fuses(f: Function, accumulator: Accumulator, part: Part | None) -> bool:
    """Whether the accumulator sums products that nothing else uses: these are multiplied and added in one rounding."""
    node = accumulator.value
    if accumulator.kind != "sum" or node.op not in ("multiply", "square") or node.type is not accumulator.dtype:
        return False
    f.part = part
    return node.type.kind == "f" and node.type.bits >= 32 and known(f, node) is None


class Reduction:
    """The carried state of a nest's accumulators: for each accumulator and part its slots, in one list that loops carry."""

    def __init__(self, accumulators: tuple[Accumulator, ...], copies: int, lanes: int, level: int) -> None:
        self.accumulators = accumulators
        self.copies = copies
        self.carried: Carried = []
        self.sizes: list[int] = []
        for accumulator in accumulators:
            slots = reductions.initial(accumulator, lanes, level)
            self.sizes.append(len(slots))
            self.carried += slots * copies

    def empty(self, level: int, lanes: int, copies: int) -> Carried:
        """The results over no iterations."""
        return [slot for accumulator in self.accumulators for slot in reductions.initial(accumulator, lanes, level) * copies]

    def place(self, number: int, copy: int) -> slice:
        start = sum(size * self.copies for size in self.sizes[:number]) + copy * self.sizes[number]
        return slice(start, start + self.sizes[number])

    def update(self, f: Function, accumulators: tuple[Accumulator, ...]) -> None:
        parts: list[Part | None] = list(f.lanes.parts) if f.lanes is not None else [None]
        for number, accumulator in enumerate(accumulators):
            for copy, part in enumerate(parts):
                place = self.place(number, copy)
                state = self.carried[place]
                mask = part.mask if part is not None else None
                if fuses(f, accumulator, part):
                    factors = [evaluate(f, operand, part) for operand in accumulator.value.operands]
                    self.carried[place] = reductions.update_product(f, state, factors[0], factors[-1], mask)
                    continue
                value = evaluate(f, accumulator.value, part)
                self.carried[place] = reductions.update(f, accumulator, state, value, mask)

    def results(self, f: Function, horizontal: bool) -> Carried:
        """The final states: parts merged as a tree, then lanes (unless lanes are those of a loop around)."""
        done: Carried = []
        for number, accumulator in enumerate(self.accumulators):
            states = [self.carried[self.place(number, copy)] for copy in range(self.copies)]
            if not horizontal:
                done += [value for state in states for value in state]
                continue
            while len(states) > 1:
                pairs = range(0, len(states) - 1, 2)
                merged = [reductions.merge(f, accumulator, states[k], states[k + 1]) for k in pairs]
                states = merged + states[2 * len(merged) :]
            done += reductions.across_lanes(f, accumulator, states[0])
        return done

    def bind(self, f: Function, final: Carried, horizontal: bool) -> None:
        """Make the accumulators' names locals of the open level."""
        place = 0
        for number, accumulator in enumerate(self.accumulators):
            names: dict[str, list[Value]] = {}
            for _ in range(1 if horizontal else self.copies):
                slots = final[place : place + self.sizes[number]]
                place += self.sizes[number]
                for name, value in reductions.results(f, accumulator, slots).items():
                    names.setdefault(name, []).append(value)
            for name, values in names.items():
                for value in values:
                    value.varying = not horizontal
                f.locals[name] = values


# ---- vector loops --------------------------------------------------------------------------------------------------


def vector_loop(f: Function, loop: Loop, nest: Nest, state: Reduction, writes: frozenset[str]) -> None:
    """The innermost loop over lanes; its extent is at least 1."""
    width, copies = loop.width, max(1, loop.unroll)
    block = width * copies
    start, _ = size_text(f, loop.start)
    end, level = size_text(f, loop.start + loop.extent)
    extent = loop.extent
    saved = f.lanes, f.part

    def body(parts: list[Part], index: str, whole: str | None = None) -> None:
        f.indices[loop.index] = index, f.level
        f.lanes = Lanes(loop.index, width, parts, f.level, whole)
        f.part = parts[0]
        run_body(f, nest, state)
        f.lanes, f.part = saved

    def whole_blocks(index: str) -> None:
        body([Part(k * width) for k in range(copies)], index)

    def masked_lanes(index: str, count: int) -> None:
        body([masked_part(f, index, end, k * width, width) for k in range(count)], index)

    if isinstance(extent, int) and extent % block == 0:
        run_loop(f, start, end, block, state.carried, writes, whole_blocks)
        return
    if f.module.masks:
        masked_loop(f, start, end, width, copies, state.carried, writes, body)
        return
    main, _ = size_text(f, extent // block * block)
    middle, _ = size_text(f, loop.start + extent // block * block)
    any_block = None if isinstance(extent, int) else f.name(level, f"icmp sgt i64 {main}, 0", "x")
    if not (isinstance(extent, int) and extent < block):
        run_if(f, any_block, state.carried, writes, lambda: run_loop(f, start, middle, block, state.carried, writes, whole_blocks))
    any_rest = None if isinstance(extent, int) else f.name(level, f"icmp slt i64 {middle}, {end}", "x")
    run_if(
        f, any_rest, state.carried, writes,
        lambda: run_loop(f, middle, end, width, state.carried, writes, lambda index: masked_lanes(index, 1)),
    )  # fmt: skip


def masked_loop(
    f: Function, start: str, end: str, width: int, copies: int, carried: Carried, writes: frozenset[str],
    body: Callable[[list[Part], str], None],
) -> None:  # fmt: skip
    """A vector loop whose body is there once, under masks that are all ones but in the last block.

    The masks are carried by the loop, so whole blocks do not compute them.
    """
    n = f.fresh()
    outer, block = f.level, width * copies
    scope = f.open(f"loop.{n}", writes, False)
    index = f"%i.{n}"
    before = list(carried)
    for k, value in enumerate(before):
        imag = f"%c.{n}.{k}.i" if value.imag else ""
        carried[k] = Value(f"%c.{n}.{k}", value.dtype, value.lanes, scope.level, True, None, imag)
    phis = list(carried)
    masks = [Value(f"%k.{n}.{part}", BOOL, width, scope.level, True) for part in range(copies)]
    body([Part(part * width, mask) for part, mask in enumerate(masks)], index)
    following = f.name(f.level, f"add i64 {index}, {block}", "i")
    left = f.name(f.level, f"sub i64 {end}, {following}", "i")
    whole = f.name(f.level, f"icmp sge i64 {left}, {block}", "i")
    f.emit(f.level, f"br i1 {whole}, label %again.{n}, label %rest.{n}")
    latch = scope.label
    f.block(f"rest.{n}")
    more = f.name(f.level, f"icmp sgt i64 {left}, 0", "i")
    f.emit(f.level, f"br i1 {more}, label %part.{n}, label %done.{n}")
    f.block(f"part.{n}")
    last = [lane_mask(f, left, part * width, width) for part in range(copies)]
    f.emit(f.level, f"br label %again.{n}")
    f.block(f"again.{n}")
    kind = f"<{width} x i1>"
    names = [f.name(f.level, f"phi {kind} [ splat (i1 true), %{latch} ], [ {mask}, %part.{n} ]", "k") for mask in last]
    f.emit(f.level, f"br label %loop.{n}")
    f.close()
    count = f.name(outer, f"sub i64 {end}, {start}", "i")
    first = [lane_mask(f, count, part * width, width) for part in range(copies)]
    around = f.scopes[outer]
    lines, came = around.lines, around.label
    lines.append(f"br label %loop.{n}")
    lines.append(f"loop.{n}:")
    lines.append(f"{index} = phi i64 [ {start}, %{came} ], [ {following}, %again.{n} ]")
    for mask, old, new in zip(masks, first, names, strict=True):
        lines.append(f"{mask.text} = phi {kind} [ {old}, %{came} ], [ {new}, %again.{n} ]")
    _carry(f, lines, carried, before, phis, came, f"again.{n}", outer)
    lines += scope.lines
    f.block(f"done.{n}", outer)


def lane_mask(f: Function, left: str, shift: int, width: int) -> str:
    """The mask of the lanes below `left - shift`, an i64 that may be negative or large."""
    level = f.level
    if shift:
        left = f.name(level, f"sub i64 {left}, {shift}", "m")
    left = f.name(level, f"call i64 @llvm.smin.i64(i64 {left}, i64 {width})", "m")
    kind = "i32" if width <= 16 else "i16"
    short = f.name(level, f"trunc i64 {left} to {kind}", "m")
    wide = f.splat(short, kind, width, level)
    return f.name(level, f"icmp slt <{width} x {kind}> {lane_numbers(kind, width)}, {wide}", "m")


def masked_part(f: Function, index: str, end: str, shift: int, width: int) -> Part:
    """A part whose lanes at or past `end` are masked off."""
    left = f.name(f.level, f"sub i64 {end}, {index}", "m")
    return Part(shift, Value(lane_mask(f, left, shift, width), BOOL, width, f.level, True))
