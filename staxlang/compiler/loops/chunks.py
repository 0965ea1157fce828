"""Few long reductions: each is made in chunks of fixed size, in parallel; the chunks' results combine in a second, small walk."""

from __future__ import annotations

from staxlang.base.dtypes import I64, DType
from staxlang.base.records import record
from staxlang.base.sizes import Size, maximum, substitute, symbol, symbols
from staxlang.base.types import row_major_strides
from staxlang.compiler.loops.assemble import Pass, Plan, Reduction
from staxlang.compiler.loops.expressions import Expressions, extent_of
from staxlang.compiler.loops.ir import Accumulator, Buffer, Let, Loop, Nest, Range, Statement, Store
from staxlang.compiler.loops.layout import unravelled
from staxlang.compiler.loops.nests import Scope, add_pass, in_order, moved, part_of
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# Points of one chunk. The same for every machine and number of threads, so results are too.
CHUNK = 65536


@record
class Partial:
    """Where the chunks' results of a reduction are: buffer[chunk], and for argmin and argmax the positions beside the values."""

    reduction: Reduction
    values: str
    positions: str


def add_temporary(prefix: str, dtype: DType, shape: tuple[Size, ...], ex: Expressions) -> str:
    """A new temporary buffer of the program."""
    name = ex.fresh(prefix)
    ex.buffers[name] = Buffer(name, dtype, shape, row_major_strides(shape), "temporary")
    return name


def make_partials(reductions: list[Reduction], shape: tuple[Size, ...], ex: Expressions) -> list[Partial]:
    made: list[Partial] = []
    for one in reductions:
        values = add_temporary("part", one.dtype, shape, ex)
        finds = one.kind in ("argmin", "argmax")
        made.append(Partial(one, values, add_temporary("place", I64, shape, ex) if finds else ""))
    return made


def store_partials(partials: list[Partial], subscripts: tuple[Size, ...], ex: Expressions) -> list[Statement]:
    """Stores of the reductions' locals into their chunk's place."""
    stores: list[Statement] = []
    for partial in partials:
        one = partial.reduction
        if partial.positions:
            stores.append(Store(partial.positions, subscripts, ex.local(one.name, I64)))
            stores.append(Store(partial.values, subscripts, ex.local(f"{one.name}.value", one.dtype)))
        else:
            stores.append(Store(partial.values, subscripts, ex.local(one.name, one.dtype)))
    return stores


def combine(partials: list[Partial], outer: tuple[Size, ...], chunks: Size, target: Target, ex: Expressions) -> list[Statement]:
    """Binds each reduction's result to its own name again, from the chunks' results."""
    if not partials:
        return []
    index = ex.fresh("c")
    at = (*outer, symbol(index))
    accumulators: list[Accumulator] = []
    after: list[Statement] = []
    table: dict[str, str] = {}
    for partial in partials:
        one = partial.reduction
        name = table[one.name] = ex.fresh(one.kind)
        kind = "sum" if one.kind == "count" else one.kind
        accumulators.append(Accumulator(name, kind, one.dtype, ex.load(partial.values, at), symbol(index) if partial.positions else 0))
        if partial.positions:
            found = ex.make("load", (ex.local(name, I64),), I64, buffer=partial.positions, subscripts=(*outer, symbol("$0")))
            after.append(Let(one.name, found))
        else:
            after.append(Let(one.name, ex.local(name, one.dtype)))
    width = max(1, min([target.lanes(one.dtype.itemsize) for one in accumulators]))
    loop = Loop(index, chunks, "vector", 0, width, 1)
    return [Nest((loop,), (), tuple(accumulators)), *after]


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
    length: Size = CHUNK
    if rest:
        each = extent_of(rest)
        length = max(1, CHUNK // max(1, each)) if isinstance(each, int) else maximum(1, CHUNK // maximum(1, each))
    chunks = -(-extent // length)
    own = tuple([(ex.fresh("i"), size) for _, size in outer])  # the outer axes' own indices in this statement
    mapping: dict[str, Size] = {old: symbol(new) for (old, _), (new, _) in zip(outer, own, strict=True)}
    chunk = ex.fresh("c")
    place = symbol(chunk)
    place_of = unravelled(place, (*own, ("", chunks))) if own else {"": place}
    mapping = {name: place_of[str(new)] for name, new in mapping.items()}
    one = moved(one, one.inner, mapping, ex)
    at = place_of[""]
    scope = Scope(ex, target)
    add_pass(scope, one, streaming, (at * length, part_of(extent, at * length, length)))
    partials = make_partials(one.reductions, (*[size for _, size in own], chunks), ex)
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
        if one.inner and (not isinstance(extent, int) or extent > CHUNK):
            return True
    return False


def over_body(plan: Plan, ex: Expressions, target: Target, streaming: frozenset[str]) -> tuple[Statement, ...]:
    """Rows in chunks, each row's passes and then its part of the reductions over rows; then what follows those."""
    each = extent_of(max([one.inner for one in plan.passes], key=len, default=()))
    each = substitute(each, dict.fromkeys([name for name, _ in plan.outer], 0))  # rows that get shorter count as long as the first
    length = max(1, CHUNK // max(1, each)) if isinstance(each, int) else maximum(1, CHUNK // maximum(1, each))
    rows = extent_of(plan.outer)
    chunks = -(-rows // length)
    chunk, row = ex.fresh("c"), ex.fresh("i")
    mapping = unravelled(symbol(row), plan.outer)
    scope = Scope(ex, target)
    for one in plan.passes:
        add_pass(scope, in_order(moved(one, one.inner, mapping, ex), ex), streaming)
    memo: dict[Node, Node] = {}
    accumulators = tuple([
        Accumulator(r.name, r.kind, r.dtype, ex.substitute(r.value, mapping, memo), 0 if r.position == 0 else symbol(row))
        for r in plan.over
    ])  # fmt: skip
    after = [Store(write.buffer, write.subscripts, write.value) for write in plan.after]
    if chunks == 1:
        return (Nest((Loop(row, rows),), tuple(scope.statements), accumulators), *after)
    start = symbol(chunk) * length
    inside = Nest((Loop(row, part_of(rows, start, length), start=start),), tuple(scope.statements), accumulators)
    partials = make_partials(plan.over, (chunks,), ex)
    body = (inside, *store_partials(partials, (symbol(chunk),), ex))
    return (Nest((Loop(chunk, chunks, "parallel"),), body), *combine(partials, (), chunks, target, ex), *after)
