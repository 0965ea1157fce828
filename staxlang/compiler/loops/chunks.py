"""Few long reductions: each is made in chunks of fixed size, in parallel; the chunks' results combine in a second, small walk."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I64, DType
from staxlang.base.records import record
from staxlang.base.sizes import Size, linear_in, maximum, minimum, symbol, symbols
from staxlang.base.types import row_major_strides
from staxlang.compiler.loops.assemble import Pass, Plan, Reduction
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Accumulator, Buffer, Let, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import unravelled
from staxlang.compiler.loops.nests import Scope, add_pass, in_order, moved, part_of, vector_shape
from staxlang.compiler.loops.openings import FINDING, best_kind, matches
from staxlang.compiler.target import Target

# Points of one chunk. The same for every machine and number of threads, so results are too.
CHUNK = 65536
# Bytes of one chunk where only places are looked for: the chunk that has the best value is walked a second time.
SEARCHED = 16384


@record
class Partial:
    """Where the chunks' results of a reduction are: buffer[.., chunk].

    Of argmin and argmax they are the values, and `search` is the walk in which the place is found again, in the best chunk only;
    where that cannot be done, `positions` holds the chunks' places.
    """

    reduction: Reduction
    values: str
    positions: str = ""
    search: Search | None = None


@record
class Search:
    """A chunked pass: the walk of its points, and how many places along its first axis a chunk has."""

    inner: tuple[Range, ...]
    length: Size


def add_temporary(prefix: str, dtype: DType, shape: tuple[Size, ...], ex: Expressions) -> str:
    """A new temporary buffer of the program."""
    name = ex.fresh(prefix)
    ex.buffers[name] = Buffer(name, dtype, shape, row_major_strides(shape), "temporary")
    return name


def make_partials(reductions: list[Reduction], shape: tuple[Size, ...], ex: Expressions, search: Search | None = None) -> list[Partial]:
    made: list[Partial] = []
    for one in reductions:
        values = add_temporary("part", one.dtype, shape, ex)
        if one.kind not in FINDING:
            made.append(Partial(one, values))
        elif search is not None and ex.can_index(one.value, [search.inner[0][0]]) and linear_in(one.position, (search.inner[0][0],)):
            made.append(Partial(one, values, "", search))
        else:
            made.append(Partial(one, values, add_temporary("place", I64, shape, ex)))
    return made


def of_chunks(partials: list[Partial], one: Pass) -> Pass:
    """The pass that a chunk runs: where the place is searched for later, only the best value."""
    found = {partial.reduction.name for partial in partials if partial.search is not None}
    reductions = [
        Reduction(f"{r.name}.value", best_kind(r.kind), r.dtype, r.value) if r.name in found else r for r in one.reductions
    ]  # fmt: skip
    return Pass(one.level, one.inner, reductions, one.writes)


def store_partials(partials: list[Partial], subscripts: tuple[Size, ...], ex: Expressions) -> list[Statement]:
    """Stores of the reductions' locals into their chunk's place."""
    stores: list[Statement] = []
    for partial in partials:
        one = partial.reduction
        if partial.positions:
            stores.append(Store(partial.positions, subscripts, ex.local(one.name, I64)))
        name = f"{one.name}.value" if one.kind in FINDING else one.name
        stores.append(Store(partial.values, subscripts, ex.local(name, one.dtype)))
    return stores


def combine(partials: list[Partial], outer: tuple[Size, ...], chunks: Size, target: Target, ex: Expressions) -> list[Statement]:
    """Binds each reduction's result to its own name again, from the chunks' results."""
    if not partials:
        return []
    index = ex.fresh("c")
    at = (*outer, symbol(index))
    accumulators: list[Accumulator] = []
    after: list[Statement] = []
    for partial in partials:
        one = partial.reduction
        name = ex.fresh(one.kind)
        kind = "sum" if one.kind == "count" else one.kind
        dtype = I64 if kind in FINDING else one.dtype
        accumulators.append(Accumulator(name, kind, dtype, ex.load(partial.values, at), symbol(index) if kind in FINDING else 0))
        if partial.positions:
            found = ex.make("load", (ex.local(name, I64),), I64, buffer=partial.positions, subscripts=(*outer, symbol("$0")))
            after.append(Let(one.name, found))
        elif partial.search is not None:
            after += _find(partial.reduction, partial.search, name, target, ex)
        else:
            after.append(Let(one.name, ex.local(name, one.dtype)))
    width = max(1, min([target.lanes(one.value.type.itemsize) for one in accumulators]))
    loop = Loop(index, chunks, "vector", 0, width, 1)
    return [Nest((loop,), (), tuple(accumulators)), *after]


def _find(one: Reduction, search: Search, best: str, target: Target, ex: Expressions) -> list[Statement]:
    """Walks the chunk that has the best value once more, for the first place of that value.

    The last chunk may be short: the walk begins so far before it that it ends with it. No chunk before the best one has that value.
    """
    (first, extent), *rest = search.inner
    step, begin = ex.fresh("i"), ex.fresh("v")
    from_here = ex.local(begin, I64)
    length = minimum(search.length, extent)
    value = ex.index(one.value, {first: symbol("$0") + symbol(step)}, (from_here,), {})
    parts = linear_in(one.position, (first,))
    assert parts is not None
    stride, others = parts[0].get(first, 0), parts[1]
    place = ex.make("add", (ex.make("multiply", (from_here, ex.size(stride)), I64), ex.size(others + stride * symbol(step))), I64)
    none = ex.const((1 << 63) - 1, I64)
    held = matches(value, ex.local(f"{best}.value", one.dtype), ex)
    found = ex.make("where", (held, place, none), I64)
    loops = [Loop(step, length), *[Loop(name, size) for name, size in rest]]
    width, unroll = vector_shape((held,) if len(loops) == 1 else (found,), 1, loops[-1].extent, ex, target)
    loops[-1] = Loop(loops[-1].index, loops[-1].extent, "vector", 0, width, unroll)
    walk = Nest(tuple(loops), (), (Accumulator(one.name, "min", I64, found),))
    start = ex.make("multiply", (ex.local(best, I64), ex.size(search.length)), I64)
    if extent != length and not (isinstance(extent, int) and isinstance(search.length, int) and extent % search.length == 0):
        start = ex.make("minimum", (start, ex.size(extent - length)), I64)
    return [Let(begin, start), walk]


def chunked_body(plan: Plan, ex: Expressions, target: Target, streaming: frozenset[str]) -> tuple[Statement, ...]:
    """A plan whose passes over inner axes need nothing of each other: chunks of them in parallel, then what needs the results."""
    statements: list[Statement] = []
    results: list[tuple[list[Partial], Size]] = []
    rows = [one for one in plan.passes if not one.inner]
    for one in plan.passes:
        if one.inner:
            made, partials, chunks = _chunked_pass(one, plan.outer, ex, target, streaming)
            statements += made
            if partials:
                results.append((partials, chunks))
    finish: list[Statement] = []
    outer = tuple([symbol(name) for name, _ in plan.outer])
    for partials, chunks in results:
        finish += combine(partials, outer, chunks, target, ex)
    for one in rows:
        finish += [Store(write.buffer, write.subscripts, write.value) for write in one.writes]
    if finish and plan.outer:
        return (*statements, Nest(tuple([Loop(name, extent) for name, extent in plan.outer]), tuple(finish)))
    return (*statements, *finish)


def _chunked_pass(
    one: Pass, outer: tuple[Range, ...], ex: Expressions, target: Target, streaming: frozenset[str]
) -> tuple[list[Statement], list[Partial], Size]:
    one = in_order(one, ex)
    (_, extent), *rest = one.inner
    points = points_of_chunk(one)
    length: Size = points
    if rest:
        each = extent_of(rest)
        length = max(1, points // max(1, each)) if isinstance(each, int) else maximum(1, points // maximum(1, each))
    chunks = -(-extent // length)
    own = tuple([(ex.fresh("i"), size) for _, size in outer])  # the outer axes' own indices in this statement
    mapping: dict[str, Size] = {old: symbol(new) for (old, _), (new, _) in zip(outer, own, strict=True)}
    chunk = ex.fresh("c")
    place = symbol(chunk)
    place_of = unravelled(place, (*own, ("", chunks))) if own else {"": place}
    mapping = {name: place_of[str(new)] for name, new in mapping.items()}
    at = place_of[""]
    scope = Scope(ex, target)
    partials = make_partials(one.reductions, (*[size for _, size in own], chunks), ex, Search(one.inner, length))
    own_pass = moved(of_chunks(partials, one), one.inner, mapping, ex)
    add_pass(scope, own_pass, streaming, (at * length, part_of(extent, at * length, length)))
    scope.statements += store_partials(partials, (*[place_of[name] for name, _ in own], at), ex)
    loop = Loop(chunk, extent_of(own) * chunks, "parallel")
    return [Nest((loop,), tuple(scope.statements))], partials, chunks


def can_chunk(plan: Plan) -> bool:
    """Whether no pass over inner axes needs another one's result, and all rows are equally long."""
    walks = [one for one in plan.passes if one.inner]
    return bool(walks) and not plan.over and all(one.level == 0 for one in walks) and are_even(plan)


def are_even(plan: Plan) -> bool:
    """Whether the inner extents are the same for all rows."""
    names = {name for name, _ in plan.outer}
    return all(names.isdisjoint(symbols(extent)) for one in plan.passes for _, extent in one.inner)


def is_chunked(plan: Plan, ex: Expressions) -> bool:
    """Whether some walk is long enough (or not known to be short) for chunks to pay."""
    for one in plan.passes:
        extent = extent_of(one.inner)
        if one.inner and (not isinstance(extent, int) or extent > points_of_chunk(one)):
            return True
    return False


def ends_early(plan: Plan) -> bool:
    """Whether some walk looks for the first true (false) one: it may end long before all chunks are walked."""
    return any(r.kind in FINDING and r.value.type is BOOL for one in plan.passes for r in one.reductions)


def points_of_chunk(one: Pass) -> int:
    """How many points a chunk of the pass has."""
    if one.writes or not one.reductions or any(r.kind not in FINDING for r in one.reductions):
        return CHUNK
    return SEARCHED // max([r.dtype.itemsize for r in one.reductions])
