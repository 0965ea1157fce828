"""Reductions over axes that memory walks in jumps: vectors run along a kept axis, results of a strip of columns stay in tiles."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import BOOL, I64, DType, integer_bounds
from staxlang.base.sizes import Size, maximum, minimum, symbol
from staxlang.compiler.loops.assemble import Pass, Plan, Reduction, Write
from staxlang.compiler.loops.chunks import make_partials
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Buffer, Let, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import Access, accesses_of, memory_order, merged, unit_bytes, unravelled
from staxlang.compiler.loops.nests import Scope, moved, vector_shape
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# Points of one chunk of rows and the least and most rows in it; sums are rounded the same on every machine.
CHUNK = 262144
FEWEST_ROWS, MOST_ROWS = 64, 1024
# Rows that are combined with one another before they meet the tile.
TOGETHER = 8
# A strip of columns is at least so wide (bytes): whole cache lines, and enough of them for the hardware to fetch ahead.
NARROWEST = 256

_COMBINE_ROWS = {
    "sum": "add", "count": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and",
}  # fmt: skip


def column_axis(plan: Plan, ex: Expressions) -> str | None:
    """The kept axis that vectors should run along; None where the reduced axes are the better ones."""
    outer = [name for name, _ in plan.outer]
    score = dict.fromkeys(outer, 0)
    best = 0
    for one in plan.passes:
        if one.inner:
            accesses = accesses_of(one.roots(), [(w.buffer, w.subscripts) for w in one.writes], [*outer, *one.names], ex)
            best = max([best, *[unit_bytes(name, accesses) for name in one.names]])
            for name in outer:
                score[name] += unit_bytes(name, accesses)
    if not outer or all(not one.inner for one in plan.passes):
        return None
    column = max(outer, key=lambda name: (score[name], outer.index(name)))
    return column if score[column] > best else None


def columns_body(plan: Plan, column: str, ex: Expressions, target: Target, tiles: list[Buffer]) -> tuple[Statement, ...]:
    """The kernel of a plan along a column axis; adds its tiles to `tiles`."""
    return _Columns(plan, column, ex, target, tiles).body()


class _Columns:
    __slots__ = ("column", "ex", "extent", "found", "plan", "rows", "target", "tiles", "width")

    def __init__(self, plan: Plan, column: str, ex: Expressions, target: Target, tiles: list[Buffer]) -> None:
        self.plan, self.column, self.ex, self.target, self.tiles = plan, column, ex, target, tiles
        self.extent = dict(plan.outer)[column]
        self.rows = tuple([one for one in plan.outer if one[0] != column])
        self.found: dict[Node, Node] = {}  # a reduction's local -> the load of its tile
        self.width = self._strip()

    def body(self) -> tuple[Statement, ...]:
        strips = -(-self.extent // self.width)
        plan = self.plan
        flat = all(one.level == 0 for one in plan.passes if one.inner)
        if flat and self._few() and any(one.reductions for one in plan.passes):
            return self._chunked(strips)
        place, mapping, loops = self._parallel(self.rows, strips)
        return self._wrapped(loops, self._strip_statements(plan, place[""], mapping, None))

    # ---- which strips and chunks ----

    def _strip(self) -> int:
        """Columns of a strip: tiles within half of L1, and where rows are read again all of the strip within half of L2."""
        passes = [one for one in self.plan.passes if one.inner]
        item = max([1, *[r.dtype.itemsize for one in passes for r in one.reductions]])
        total = sum([r.dtype.itemsize + (8 if r.kind in ("argmin", "argmax") else 0) for one in passes for r in one.reductions])
        widest = max(64, self.target.l1 // 2 // max(1, total))
        if any(one.level > 0 for one in passes):
            extent = max([extent_of(one.inner) for one in passes], key=lambda size: size if isinstance(size, int) else 1 << 30)
            fitting = self.target.l2 // 2 // max(1, extent * item) if isinstance(extent, int) else 0
            widest = min(widest, max(NARROWEST // item, fitting))
        return 1 << (widest.bit_length() - 1)

    def _few(self) -> bool:
        """Whether rows and strips do not keep the threads busy, while there is enough work for several."""
        rows = extent_of(self.rows)
        strips = -(-self.extent // self.width) * rows
        few = isinstance(rows, int) and rows < 8 * self.target.cores and (not isinstance(strips, int) or strips < 8 * self.target.cores)
        work = [extent_of(one.inner) * self.extent * rows for one in self.plan.passes if one.inner]
        return few and any(not isinstance(size, int) or size > CHUNK for size in work)

    def _parallel(self, rows: Sequence[Range], last: Size) -> tuple[dict[str, Size], dict[str, Size], tuple[Loop, ...]]:
        """One parallel walk over rows and strips: ("" -> start column, chunk), subscripts of the rows' indices, the loop."""
        axes = [*rows, ("", last)]
        if extent_of(axes) == 1:
            return {"": 0}, dict.fromkeys([name for name, _ in rows], 0), ()
        name = self.ex.fresh("p")
        place = unravelled(symbol(name), axes)
        strip = place.pop("") * self.width
        return {"": strip}, place, (Loop(name, extent_of(axes), "parallel"),)

    def _wrapped(self, loops: tuple[Loop, ...], statements: list[Statement]) -> tuple[Statement, ...]:
        return (Nest(loops, tuple(statements)),) if loops else tuple(statements)

    def _chunked(self, strips: Size) -> tuple[Statement, ...]:
        """Chunks of rows in parallel, each with results of its own; those are reduced like any rows."""
        ex = self.ex
        statements: list[Statement] = []
        last: list[Pass] = []
        for one in self.plan.passes:
            if not one.inner:
                last.append(one)
                continue
            one = self._in_order(one)
            (_, extent), *rest = one.inner
            length = self._chunk_rows(extent_of(rest) * self.extent)
            chunks = -(-extent // length)
            own = tuple([(ex.fresh("i"), size) for _, size in self.rows])
            chunk, column = ex.fresh("c"), ex.fresh("i")
            mapping: dict[str, Size] = {old: symbol(new) for (old, _), (new, _) in zip(self.rows, own, strict=True)}
            mapping[self.column] = symbol(column)
            part = _Columns(Plan((*own, (column, self.extent)), [moved(one, one.inner, mapping, ex)]), column, ex, self.target, self.tiles)
            part.width = self.width
            partials = make_partials(one.reductions, (*[size for _, size in own], chunks, self.extent), ex)
            place, axes, loops = part._parallel((*own, (chunk, chunks)), strips)
            at = axes.pop(chunk)
            start = at * length
            made = part._strip_statements(part.plan, place[""], axes, (start, minimum(length, extent - start)))
            subscripts = (*[axes[name] for name, _ in own], at, symbol(column))
            stores: list[Write] = []
            for partial in partials:
                reduction = partial.reduction
                stores.append(Write(partial.values, subscripts, part._result(reduction, place[""])))
                if partial.positions:
                    stores.append(Write(partial.positions, subscripts, part._position(reduction, place[""])))
            if stores:
                made.append(part._over_columns(stores, place[""]))
            statements += part._wrapped(loops, made)
            again = [
                Reduction(p.reduction.name, "sum" if p.reduction.kind == "count" else p.reduction.kind, p.reduction.dtype,
                          ex.load(p.values, self._at(chunk)), where=ex.load(p.positions, self._at(chunk)) if p.positions else None)
                for p in partials
            ]  # fmt: skip
            last.insert(0, Pass(0, ((chunk, chunks),), again))
        if any(one.reductions or one.writes for one in last):
            finish = _Columns(Plan(self.plan.outer, last), self.column, ex, self.target, self.tiles)
            finish.width = self.width
            place, mapping, loops = finish._parallel(self.rows, strips)
            statements += self._wrapped(loops, finish._strip_statements(finish.plan, place[""], mapping, None))
        return tuple(statements)

    def _at(self, chunk: str) -> tuple[Size, ...]:
        return (*[symbol(name) for name, _ in self.rows], symbol(chunk), symbol(self.column))

    def _chunk_rows(self, each: Size) -> Size:
        if isinstance(each, int):
            return max(FEWEST_ROWS, min(MOST_ROWS, CHUNK // max(1, each)))
        return maximum(FEWEST_ROWS, minimum(MOST_ROWS, CHUNK // maximum(1, each)))

    # ---- one strip ----

    def _in_order(self, one: Pass) -> Pass:
        accesses: list[Access] = accesses_of(
            one.roots(), [(w.buffer, w.subscripts) for w in one.writes], [*one.names, *[name for name, _ in self.plan.outer]], self.ex
        )
        ranges, mapping = merged(memory_order(one.inner, accesses), accesses, self.ex)
        return moved(one, ranges, mapping, self.ex)

    def _strip_statements(self, plan: Plan, start: Size, mapping: dict[str, Size], window: tuple[Size, Size] | None) -> list[Statement]:
        """The passes of a plan over the columns from `start`; `window` restricts the outermost inner axis."""
        scope = Scope(self.ex, self.target, [], {})
        statements = scope.statements
        for one in plan.passes:
            one = moved(one, one.inner, mapping, self.ex)
            if one.inner and window is None:
                one = self._in_order(one)
            roots = [self.ex.replace(root, self.found) for root in one.roots()]
            roots = scope.hoisted(roots, one.names | {self.column})
            count = len(one.reductions)
            writes = [Write(w.buffer, w.subscripts, v) for w, v in zip(one.writes, roots[count:], strict=True)]
            if not one.inner:
                statements.append(self._over_columns(writes, start))
                continue
            for reduction, value in zip(one.reductions, roots, strict=False):
                reduction.value = value
            statements += self._pass(one, writes, start, window)
        return statements

    def _columns_loop(self, start: Size, values: Sequence[Node]) -> Loop:
        extent = minimum(self.width, self.extent - start)
        width, unroll = vector_shape(values, 0, self.extent, Scope(self.ex, self.target, [], {}))
        return Loop(self.column, extent, "vector", start, width, unroll)

    def _over_columns(self, writes: Sequence[Write], start: Size) -> Nest:
        """Stores once a column."""
        return self._nest((), tuple([Store(w.buffer, w.subscripts, w.value) for w in writes]), [w.value for w in writes], start)

    def _nest(self, loops: tuple[Loop, ...], body: tuple[Statement, ...], values: Sequence[Node], start: Size) -> Nest:
        return Nest((*loops, self._columns_loop(start, values)), body)

    def _pass(self, one: Pass, writes: list[Write], start: Size, window: tuple[Size, Size] | None) -> list[Statement]:
        ex = self.ex
        fills: list[Statement] = []
        for reduction in one.reductions:
            self._make_tile(reduction, start, fills)
        statements: list[Statement] = []
        if fills:
            statements.append(self._nest((), tuple(fills), [], start))
        loops = [Loop(name, extent) for name, extent in one.inner]
        if window is not None:
            loops[0] = Loop(loops[0].index, window[1], start=window[0])
        stores = tuple([Store(w.buffer, w.subscripts, w.value) for w in writes])
        together = 1 if writes else self._together(one, loops[-1].extent)
        last = loops[-1]
        if together == 1:
            body = (*stores, *self._accumulate(one.reductions, [[r.value] for r in one.reductions], start))
            return [*statements, self._nest(tuple(loops), body, one.roots(), start)]
        block = ex.fresh("b")
        whole = last.extent // together
        values: list[list[Node]] = []
        first = last.start + symbol(block) * together
        for reduction in one.reductions:
            values.append([ex.substitute(reduction.value, {last.index: first + k}) for k in range(together)])
        body = self._accumulate(one.reductions, values, start)
        statements.append(self._nest((*loops[:-1], Loop(block, whole)), body, [v for each in values for v in each], start))
        rest = last.extent - whole * together
        if rest != 0:
            loop = Loop(last.index, rest, start=last.start + whole * together)
            body = self._accumulate(one.reductions, [[r.value] for r in one.reductions], start)
            statements.append(self._nest((*loops[:-1], loop), body, one.roots(), start))
        return statements

    def _together(self, one: Pass, extent: Size) -> int:
        """Rows of the innermost axis that are combined before the tile is touched."""
        if any(r.kind in ("argmin", "argmax") for r in one.reductions):
            return 1
        cost = sum([self.ex.cost(r.value) for r in one.reductions])
        together = TOGETHER if cost <= 6 else 4 if cost <= 16 else 2 if cost <= 24 else 1
        while together > 1 and isinstance(extent, int) and together > extent:
            together //= 2
        return together

    # ---- tiles ----

    def _make_tile(self, reduction: Reduction, start: Size, fills: list[Statement]) -> None:
        at = (symbol(self.column) - start,)
        value = self._tile(reduction.name, reduction.dtype)
        fills.append(Store(value, at, neutral(reduction.kind, reduction.dtype, self.ex)))
        load = self.ex.load(value, at)
        if reduction.kind in ("argmin", "argmax"):
            position = self._tile(f"{reduction.name}_at", I64)
            fills.append(Store(position, at, self.ex.const(-1, I64)))
            self.found[self.ex.local(reduction.name, I64)] = self.ex.load(position, at)
        else:
            self.found[self.ex.local(reduction.name, reduction.dtype)] = load

    def _tile(self, name: str, dtype: DType) -> str:
        tile = self.ex.fresh(f"tile_{name}_")
        buffer = Buffer(tile, dtype, (self.width,), (1,), "temporary")
        self.tiles.append(buffer)
        self.ex.buffers[tile] = buffer
        return tile

    def _result(self, reduction: Reduction, start: Size) -> Node:
        """The value that a reduction's tile holds."""
        if reduction.kind in ("argmin", "argmax"):
            position = self.found[self.ex.local(reduction.name, I64)]
            tile = self.tiles[[t.name for t in self.tiles].index(position["buffer"]) - 1].name
            return self.ex.load(tile, (symbol(self.column) - start,))
        return self.found[self.ex.local(reduction.name, reduction.dtype)]

    def _position(self, reduction: Reduction, start: Size) -> Node:
        return self.found[self.ex.local(reduction.name, I64)]

    def _accumulate(self, reductions: Sequence[Reduction], values: list[list[Node]], start: Size) -> tuple[Statement, ...]:
        ex = self.ex
        statements: list[Statement] = []
        for reduction, each in zip(reductions, values, strict=True):
            if reduction.kind in ("argmin", "argmax"):
                statements += self._keep_best(reduction, each[0], start)
                continue
            value = self._result(reduction, start)
            op = _COMBINE_ROWS[reduction.kind]
            if reduction.kind == "count":
                each = [ex.cast(one, I64) for one in each]
            made = ex.make(op, (value, tree(op, each, ex)), reduction.dtype)
            statements.append(Store(value["buffer"], value["subscripts"], made))
        return tuple(statements)

    def _keep_best(self, reduction: Reduction, value: Node, start: Size) -> list[Statement]:
        """The first greatest (least) value so far and its place; a NaN is greater and less than anything."""
        ex = self.ex
        best, place = self._result(reduction, start), self._position(reduction, start)
        op = "less" if reduction.kind == "argmin" else "greater"
        better = ex.make(op, (value, best), BOOL)
        if reduction.dtype.kind == "f":
            fresh = ex.make("isnan", (value,), BOOL)
            known = ex.make("isnan", (best,), BOOL)
            better = ex.make("logical_and", (ex.make("logical_or", (better, fresh), BOOL), ex.make("logical_not", (known,), BOOL)), BOOL)
        first = ex.make("less", (place, ex.const(0, I64)), BOOL)
        better = ex.make("logical_or", (better, first), BOOL)
        take, new = ex.fresh("v"), ex.fresh("v")
        take_local, new_local = ex.local(take, BOOL), ex.local(new, value.type)
        position = reduction.where if reduction.where is not None else ex.size(reduction.position)
        return [
            Let(new, value),
            Let(take, better),
            Store(place["buffer"], place["subscripts"], ex.make("where", (take_local, position, place), I64)),
            Store(best["buffer"], best["subscripts"], ex.make("where", (take_local, new_local, best), value.type)),
        ]


def tree(op: str, values: Sequence[Node], ex: Expressions) -> Node:
    """The values combined in a balanced tree."""
    values = list(values)
    while len(values) > 1:
        paired = [ex.make(op, (a, b), a.type) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = paired + ([values[-1]] if len(values) % 2 else [])
    return values[0]


def neutral(kind: str, dtype: DType, ex: Expressions) -> Node:
    """The element that changes nothing."""
    if kind in ("sum", "count", "any"):
        return ex.const(False if dtype is BOOL else 0.0 if dtype.kind == "f" else 0j if dtype.kind == "c" else 0, dtype)
    if kind in ("prod", "all"):
        return ex.const(True if dtype is BOOL else 1.0 if dtype.kind == "f" else 1 + 0j if dtype.kind == "c" else 1, dtype)
    least = kind in ("min", "argmin")
    if dtype.kind in "fc":
        return ex.const(float("inf") if least else float("-inf"), dtype)
    if dtype is BOOL:
        return ex.const(least, dtype)
    low, high = integer_bounds(dtype)
    return ex.const(high if least else low, dtype)

