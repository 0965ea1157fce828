"""Reductions over axes that memory walks in jumps: vectors run along a kept axis, results of a strip of columns stay in tiles."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.base.dtypes import BOOL, I8, I16, I32, I64, DType, integer_bounds
from staxlang.base.sizes import Size, linear_in, maximum, minimum, substitute, symbol, symbols
from staxlang.compiler.loops.assemble import Pass, Plan, Reduction, Write
from staxlang.compiler.loops.chunks import are_even, make_partials
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Buffer, Let, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import Access, accesses_of, memory_order, merged, unit_bytes, unravelled
from staxlang.compiler.loops.nests import Scope, finds, moved, part_of, vector_shape
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# Points of one chunk of rows and the least and most rows in it; sums are rounded the same on every machine.
CHUNK = 262144
FEWEST_ROWS, MOST_ROWS = 64, 1024
# Rows that are combined with one another before they meet the tile.
TOGETHER = 8
# Rows left over by such groups are combined where the tile is filled, up to this cost; else in a loop of their own.
ODD_ROWS = 24
# From this cost on a value that is the same for all rows is made once a column.
WORTH_A_TILE = 4
# A strip of columns is at least so wide (bytes): whole cache lines, and enough of them for the hardware to fetch ahead.
NARROWEST = 256

_INDICES: dict[int, DType] = {1: I8, 2: I16, 4: I32, 8: I64}  # numbers of rows, as wide as the values beside them
COMBINE_ROWS = {
    "sum": "add", "count": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and",
}  # fmt: skip


def column_axis(plan: Plan, ex: Expressions) -> str | None:
    """The kept axis that vectors should run along; None where the reduced axes are the better ones."""
    outer = [name for name, _ in plan.outer]
    score = dict.fromkeys(outer, 0)
    best = 0
    for one in plan.passes:
        if one.inner:
            accesses = accesses_of(one.roots(), one.stores(), [*outer, *one.names], ex)
            best = max([best, *[unit_bytes(name, accesses) for name in one.names]])
            for name in outer:
                score[name] += unit_bytes(name, accesses)
    # The loop over rows is outside the one over columns: how many rows there are must not depend on the column.
    uneven = {name for one in plan.passes for _, extent in one.inner for name in symbols(extent)}
    outer = [name for name in outer if name not in uneven]
    if not outer or all(not one.inner for one in plan.passes):
        return None
    sliding = _sliding(plan, outer, ex)
    if sliding is not None:
        return sliding
    column = max(outer, key=lambda name: (score[name], outer.index(name)))
    return column if score[column] > best else None


def _sliding(plan: Plan, outer: Sequence[str], ex: Expressions) -> str | None:
    """A kept axis along which windows slide: `x[i + k]` is contiguous along i as well as along k, and there are more i than k."""
    kept = dict(plan.outer)
    for one in plan.passes:
        inner = dict(one.inner)
        for access in accesses_of([r.value for r in one.reductions], (), [*outer, *inner], ex):
            near = [name for name, step in (access.steps or {}).items() if access.buffer and step == 1]
            for name in near:
                if name in outer and any(other in inner and _is_window(inner[other], kept[name]) for other in near):
                    return name
    return None


def _is_window(extent: Size, kept: Size) -> bool:
    """Whether a window of this extent is presumably shorter than the axis that it slides along."""
    return not isinstance(kept, int) or (extent if isinstance(extent, int) else FEWEST_ROWS) <= kept


def strip_of_columns(
    plan: Plan, column: str, strip: str, ex: Expressions, target: Target, tiles: list[Buffer]
) -> tuple[Size, list[Statement]]:
    """How many strips of columns there are, and the statements of the one whose number the index `strip` is."""
    made = _Columns(plan, column, ex, target, tiles)
    return -(-made.extent // made.width), made.strip(symbol(strip) * made.width)


def columns_body(
    plan: Plan, column: str, ex: Expressions, target: Target, tiles: list[Buffer], chunked: bool = True
) -> tuple[Statement, ...]:
    """The kernel of a plan along a column axis; adds its tiles to `tiles`. Not `chunked`: the reduced axes are short."""
    return _Columns(plan, column, ex, target, tiles).body(chunked)


class _Columns:
    __slots__ = ("column", "direct", "ex", "extent", "found", "plan", "rows", "target", "tiles", "together", "width")

    def __init__(self, plan: Plan, column: str, ex: Expressions, target: Target, tiles: list[Buffer]) -> None:
        self.plan, self.column, self.ex, self.target, self.tiles = plan, column, ex, target, tiles
        self.extent = dict(plan.outer)[column]
        self.rows = tuple([one for one in plan.outer if one[0] != column])
        self.found: dict[Node, Node] = {}  # a reduction's local -> the load of its place
        self.direct: dict[Node, tuple[str, tuple[Size, ...]]] = {}  # a reduction's local -> a buffer that it is made in
        self.together = TOGETHER
        self.width = self._strip()

    def body(self, chunked: bool) -> tuple[Statement, ...]:
        strips = -(-self.extent // self.width)
        plan = self.plan
        flat = all(one.level == 0 for one in plan.passes if one.inner)
        if chunked and flat and self._few() and are_even(plan) and any(one.reductions for one in plan.passes):
            return self._chunked(strips)
        place, mapping, loops = self._parallel(self.rows, strips)
        return self._wrapped(loops, self._strip_statements(plan, place[""], mapping, None))

    def strip(self, start: Size) -> list[Statement]:
        return self._strip_statements(self.plan, start, {}, None)

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
            subscripts = (*[axes[name] for name, _ in own], at, symbol(column))
            for partial in partials:
                value, position = self._locals(partial.reduction)
                part.direct[value] = partial.values, subscripts
                part.direct[position] = partial.positions or partial.values, subscripts
            made = part._strip_statements(part.plan, place[""], axes, (start, part_of(extent, start, length)))
            statements += part._wrapped(loops, made)
            again = [
                Reduction(p.reduction.name, "sum" if p.reduction.kind == "count" else p.reduction.kind, p.reduction.dtype,
                          ex.load(p.values, self._at(chunk)), where=ex.load(p.positions, self._at(chunk)) if p.positions else None)
                for p in partials
            ]  # fmt: skip
            last.insert(0, Pass(0, ((chunk, chunks),), again))
        if any(one.reductions or one.writes for one in last):
            finish = _Columns(Plan(self.plan.outer, last), self.column, ex, self.target, self.tiles)
            finish.width, finish.together = self.width, 1
            place, mapping, loops = finish._parallel(self.rows, strips)
            loops = tuple([Loop(loop.index, loop.extent) for loop in loops])  # little work: not worth a function of its own
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
            one.roots(), one.stores(), [*one.names, *[name for name, _ in self.plan.outer]], self.ex
        )
        ranges, mapping = merged(one.inner if finds(one) else memory_order(one.inner, accesses), accesses, self.ex)
        return moved(one, ranges, mapping, self.ex)

    def _strip_statements(self, plan: Plan, start: Size, mapping: dict[str, Size], window: tuple[Size, Size] | None) -> list[Statement]:
        """The passes of a plan over the columns from `start`; `window` restricts the outermost inner axis."""
        scope = Scope(self.ex, self.target)
        statements = scope.statements
        passes = [self._without_copies(moved(one, one.inner, mapping, self.ex)) for one in plan.passes]
        for one in passes:
            if one.inner and window is None:
                one = self._in_order(one)
            roots = [self.ex.replace(root, self.found) for root in one.roots()]
            roots = scope.hoisted(roots, one.names | {self.column})
            if one.inner:
                roots = self._once_a_column(roots, one.names, start, statements)
            count = len(one.reductions)
            writes = [Write(w.buffer, w.subscripts, v) for w, v in zip(one.writes, roots[count:], strict=True)]
            if not one.inner:
                if writes:
                    statements.append(self._nest((), tuple([Store(w.buffer, w.subscripts, w.value) for w in writes]), start))
                continue
            for reduction, value in zip(one.reductions, roots, strict=False):
                reduction.value = value
            statements += self._pass(one, writes, start, window)
        return statements

    def _once_a_column(self, roots: list[Node], inner: frozenset[str], start: Size, statements: list[Statement]) -> list[Node]:
        """The roots with what is costly and the same for all rows made before the loop over rows, in tiles."""
        ex = self.ex
        table: dict[Node, Node] = {}
        seen: set[Node] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node in seen or not node.operands:
                continue
            seen.add(node)
            if inner.isdisjoint(ex.free(node)) and ex.cost(node) - len(ex.loads(node)) >= WORTH_A_TILE:
                table[node] = ex.load(*self._tile(node.type, start))
            else:
                stack += node.operands[:1] if node.op == "guard" else node.operands
        if table:
            statements.append(self._nest((), tuple([Store(to["buffer"], to["subscripts"], node) for node, to in table.items()]), start))
        memo: dict[Node, Node] = {}
        return [ex.replace(root, table, memo) for root in roots]

    def _tile(self, dtype: DType, start: Size) -> tuple[str, tuple[Size, ...]]:
        name = self.ex.fresh("tile")
        tile = self.ex.buffers[name] = Buffer(name, dtype, (self.width,), (1,), "temporary")
        self.tiles.append(tile)
        return name, (symbol(self.column) - start,)

    def _columns_loop(self, start: Size, values: Sequence[Node]) -> Loop:
        width, _ = vector_shape(values, 0, self.extent, self.ex, self.target)
        return Loop(self.column, part_of(self.extent, start, self.width), "vector", start, width)

    def _without_copies(self, one: Pass) -> Pass:
        """A result that is just a reduction's value is the place where that is made."""
        left: list[Write] = []
        for write in one.writes:
            node = write.value
            if one.inner or node.op != "local" or node in self.direct or self.ex.buffers[write.buffer].dtype is not node.type:
                left.append(write)
            else:
                self.direct[node] = write.buffer, write.subscripts
        return Pass(one.level, one.inner, one.reductions, left)

    def _nest(self, loops: tuple[Loop, ...], body: tuple[Statement, ...], start: Size) -> Nest:
        values = [one.value for one in body if not isinstance(one, Nest)]
        return Nest((*loops, self._columns_loop(start, values)), body)

    def _pass(self, one: Pass, writes: list[Write], start: Size, window: tuple[Size, Size] | None) -> list[Statement]:
        ex = self.ex
        loops = [Loop(name, extent) for name, extent in one.inner]
        if window is not None:
            loops[0] = Loop(loops[0].index, window[1], start=window[0])
        stores = tuple([Store(w.buffer, w.subscripts, w.value) for w in writes])
        together = 1 if writes else self._together(one, loops[-1].extent)
        last = loops[-1]
        odd = self._odd_rows(one, last, together) if len(loops) == 1 else None
        fills: list[Statement] = []
        for number, reduction in enumerate(one.reductions):
            self._make_tile(reduction, start, fills, one.inner, window, odd[number] if odd is not None else None)
        statements: list[Statement] = []
        if fills:
            statements.append(self._nest((), tuple(fills), start))
        if together == 1:
            body = (*stores, *self._accumulate(one.reductions, [[r.value] for r in one.reductions]))
            return [*statements, self._nest(tuple(loops), body, start)]
        block = ex.fresh("b")
        whole = last.extent // together
        values: list[list[Node]] = []
        first = last.start + symbol(block) * together
        for reduction in one.reductions:
            values.append([ex.substitute(reduction.value, {last.index: first + k}) for k in range(together)])
        body = self._accumulate(one.reductions, values, last.index, first)
        statements.append(self._nest((*loops[:-1], Loop(block, whole)), body, start))
        rest = last.extent - whole * together
        if rest != 0 and odd is None:
            loop = Loop(last.index, rest, start=last.start + whole * together)
            body = self._accumulate(one.reductions, [[r.value] for r in one.reductions])
            statements.append(self._nest((*loops[:-1], loop), body, start))
        return statements

    def _odd_rows(self, one: Pass, last: Loop, together: int) -> list[Node] | None:
        """What the reductions begin with: the rows left over by groups of `together`; None where those have their own loop."""
        ex = self.ex
        if any(r.kind in ("argmin", "argmax") for r in one.reductions):
            return None
        whole = last.extent // together
        rest = last.extent - whole * together
        most = rest if isinstance(rest, int) else together - 1
        if most == 0 or most * sum([ex.cost(r.value) for r in one.reductions]) > ODD_ROWS:
            return None
        begin = last.start + whole * together
        made: list[Node] = []
        for reduction in one.reductions:
            nothing = neutral(reduction.kind, reduction.dtype, ex)
            rows: list[Node] = []
            for k in range(most):
                row = begin + k
                if not isinstance(rest, int):  # a masked load beyond the last page is slow although it reads nothing
                    row = last.start + minimum(whole * together + k, last.extent - 1)
                value = ex.substitute(reduction.value, {last.index: row})
                if reduction.kind == "count":
                    value = ex.cast(value, I64)
                if not isinstance(rest, int):
                    value = ex.make("guard", (ex.make("less", (ex.size(k), ex.size(rest)), BOOL), value, nothing), reduction.dtype)
                rows.append(value)
            made.append(tree(COMBINE_ROWS[reduction.kind], rows, ex))
        return made

    def _together(self, one: Pass, extent: Size) -> int:
        """Rows of the innermost axis that are combined before the tile is touched (fewer where addresses are costly to compile)."""
        if any(r.kind in ("argmin", "argmax") for r in one.reductions):
            return self._places_together(one, extent)
        cost = sum([self.ex.cost(r.value) for r in one.reductions])
        together = min(self.together, TOGETHER if cost <= 6 else 4 if cost <= 16 else 2 if cost <= 24 else 1)
        if not isinstance(extent, int) or not isinstance(self.extent, int):
            together = min(together, 4)
        while together > 1 and isinstance(extent, int) and together > extent:
            together //= 2
        return together

    def _places_together(self, one: Pass, extent: Size) -> int:
        """The same where places are found: the best of a few rows is found before its place meets the tile, whose elements are wide."""
        steps = [linear_in(r.position, (one.inner[-1][0],)) for r in one.reductions]
        even = all(step is not None and isinstance(step[0].get(one.inner[-1][0], 0), int) for step in steps)
        alone = all(r.kind in ("argmin", "argmax") and r.where is None and r.dtype.kind in "biuf" for r in one.reductions)
        if not (even and alone) or self.together == 1 or sum([self.ex.cost(r.value) for r in one.reductions]) > 4:
            return 1
        known = isinstance(extent, int) and isinstance(self.extent, int)
        most = TOGETHER if known and all(r.dtype.kind != "f" for r in one.reductions) else 4
        while most > 1 and isinstance(extent, int) and most > extent:
            most //= 2
        return most

    # ---- tiles ----

    def _make_tile(
        self, reduction: Reduction, start: Size, fills: list[Statement], inner: tuple[Range, ...], window: tuple[Size, Size] | None,
        begins: Node | None,
    ) -> None:  # fmt: skip
        ex = self.ex
        value, position = self._locals(reduction)
        place = self._place(value, start)
        if reduction.kind not in ("argmin", "argmax"):
            fills.append(Store(*place, neutral(reduction.kind, reduction.dtype, ex) if begins is None else begins))
            return
        first: dict[str, Size] = {name: 0 for name, _ in inner}
        extents: list[Size] = [extent for _, extent in inner]
        if window is not None:
            first[inner[0][0]], extents[0] = window
        begin = ex.substitute(reduction.value, first)
        for extent in extents:
            if not isinstance(extent, int) or extent == 0:
                begin = ex.make("guard", (ex.make("less", (ex.size(0), ex.size(extent)), BOOL), begin, ex.const(0, begin.type)), begin.type)
        fills.append(Store(*place, begin))
        where = ex.size(reduction.position) if reduction.where is None else reduction.where
        fills.append(Store(*self._place(position, start), ex.substitute(where, first)))

    def _locals(self, reduction: Reduction) -> tuple[Node, Node]:
        """The locals of a reduction's value and position (the same one where there is no position)."""
        name = reduction.name
        if reduction.kind in ("argmin", "argmax"):
            return self.ex.local(f"{name}.value", reduction.dtype), self.ex.local(name, I64)
        value = self.ex.local(name, reduction.dtype)
        return value, value

    def _place(self, local: Node, start: Size) -> tuple[str, tuple[Size, ...]]:
        """Where a reduction's value is while it grows: in a buffer that it goes to anyway, else in a tile."""
        place = self.direct.get(local)
        if place is None:
            place = self._tile(local.type, start)
        self.found[local] = self.ex.load(*place)
        return place

    def _accumulate(
        self, reductions: Sequence[Reduction], values: list[list[Node]], row: str = "", first: Size = 0
    ) -> tuple[Statement, ...]:
        """The reductions after values of one row, or of several: those of the index `row` from `first` on."""
        ex = self.ex
        statements: list[Statement] = []
        for reduction, each in zip(reductions, values, strict=True):
            if reduction.kind in ("argmin", "argmax"):
                value, position = self._best_of(reduction, each, row, first, statements)
                statements += self._keep_best(reduction, value, position)
                continue
            value = self.found[self._locals(reduction)[0]]
            op = COMBINE_ROWS[reduction.kind]
            if reduction.kind == "count":
                each = [ex.cast(one, I64) for one in each]
            made = ex.make(op, (value, tree(op, each, ex)), reduction.dtype)
            statements.append(Store(value["buffer"], value["subscripts"], made))
        return tuple(statements)

    def _best_of(
        self, reduction: Reduction, each: Sequence[Node], row: str, first: Size, statements: list[Statement]
    ) -> tuple[Node, Node]:
        """The first best one of values of rows that follow one another, and its place."""
        ex = self.ex
        if len(each) == 1:
            return each[0], reduction.where if reduction.where is not None else ex.size(reduction.position)
        narrow = _INDICES[reduction.dtype.itemsize]
        pairs = [(self._named(value, statements), ex.const(k, narrow)) for k, value in enumerate(each)]
        while len(pairs) > 1:
            better: list[tuple[Node, Node]] = []
            for one, other in zip(pairs[::2], pairs[1::2], strict=True):
                take = self._named(self._is_better(reduction, other[0], one[0]), statements)
                chosen = [ex.make("where", (take, new, old), old.type) for new, old in zip(other, one, strict=True)]
                better.append((self._named(chosen[0], statements), self._named(chosen[1], statements)))
            pairs = better
        (value, number), parts = pairs[0], linear_in(reduction.position, (row,))
        assert parts is not None
        moved = ex.make("multiply", (ex.cast(number, I64), ex.size(parts[0].get(row, 0))), I64)
        return value, ex.make("add", (moved, ex.size(substitute(reduction.position, {row: first}))), I64)

    def _named(self, value: Node, statements: list[Statement]) -> Node:
        name = self.ex.fresh("v")
        statements.append(Let(name, value))
        return self.ex.local(name, value.type)

    def _is_better(self, reduction: Reduction, value: Node, best: Node) -> Node:
        """Whether a later value takes the place of the best one so far; a NaN is greater and less than anything."""
        ex = self.ex
        least = reduction.kind == "argmin"
        if reduction.dtype.kind == "f":  # "not (value >= best)" holds where value is less, and where one of them is a NaN
            better = ex.make("logical_not", (ex.make("greater_equal" if least else "less_equal", (value, best), BOOL),), BOOL)
            return ex.make("logical_and", (better, ex.make("equal", (best, best), BOOL)), BOOL)
        better = ex.make("less" if least else "greater", (value, best), BOOL)
        if reduction.dtype.kind == "c":
            better = ex.make("logical_or", (better, ex.make("not_equal", (value, value), BOOL)), BOOL)
            better = ex.make("logical_and", (better, ex.make("equal", (best, best), BOOL)), BOOL)
        return better

    def _keep_best(self, reduction: Reduction, value: Node, position: Node) -> list[Statement]:
        """The first greatest (least) value so far and its place."""
        ex = self.ex
        best, place = [self.found[local] for local in self._locals(reduction)]
        made: list[Statement] = []
        new = self._named(value, made)
        take = self._named(self._is_better(reduction, new, best), made)
        made.append(Store(place["buffer"], place["subscripts"], ex.make("where", (take, position, place), I64)))
        made.append(Store(best["buffer"], best["subscripts"], ex.make("where", (take, new, best), value.type)))
        return made


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
        end = float("inf") if least else float("-inf")
        return ex.const(complex(end, end) if dtype.kind == "c" else end, dtype)
    if dtype is BOOL:
        return ex.const(least, dtype)
    low, high = integer_bounds(dtype)
    return ex.const(high if least else low, dtype)

