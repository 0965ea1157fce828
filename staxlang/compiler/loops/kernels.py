"""One cluster becomes the body of one kernel: the form is chosen here."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL
from staxlang.base.records import replace
from staxlang.base.sizes import symbol
from staxlang.base.types import element_count
from staxlang.compiler.loops.assemble import Write, assemble
from staxlang.compiler.loops.chunks import can_chunk, chunked_body, ends_early, is_chunked
from staxlang.compiler.loops.cluster import Cluster, is_few
from staxlang.compiler.loops.columns import column_axis, columns_body
from staxlang.compiler.loops.expressions import Expressions, lone_symbol
from staxlang.compiler.loops.ir import Buffer, Kernel, Loop, Nest, Statement, Store
from staxlang.compiler.loops.keep import keep_values
from staxlang.compiler.loops.nests import finds, finds_out_of_order, moved_write, vector_shape
from staxlang.compiler.loops.over import over_body
from staxlang.compiler.loops.rows import flat_body, outer_loops, rows_body, with_merged_rows
from staxlang.compiler.loops.units import Unit
from staxlang.compiler.loops.walks import walk_body
from staxlang.compiler.loops.work import work_of
from staxlang.compiler.target import Target

_COMBINE_ROWS = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and"}


def kernel_of(name: str, cluster: Cluster, stored: frozenset[str], again: frozenset[str], ex: Expressions, target: Target) -> Kernel:
    """The kernel of a cluster; `stored` are the buffers it has to write, `again` those that a later step reads."""
    tiles: list[Buffer] = []
    streaming = frozenset([buffer for buffer in stored - again if streams(ex.buffers[buffer], target)])
    body = _body(cluster, stored, streaming, ex, target, tiles)
    for tile in tiles:
        del ex.buffers[tile.name]
    kernel = Kernel(name, body, tuple(tiles))
    return replace(kernel, work=work_of(kernel, ex))


def streams(buffer: Buffer, target: Target) -> bool:
    """Whether a result may be so large that it had better bypass the caches."""
    size = element_count(buffer.shape) * buffer.dtype.itemsize
    return buffer.role == "output" and (not isinstance(size, int) or size >= target.streaming_bytes)


def _body(
    cluster: Cluster, stored: frozenset[str], streaming: frozenset[str], ex: Expressions, target: Target, tiles: list[Buffer]
) -> tuple[Statement, ...]:
    first = cluster.units[0]
    if first.walk is not None:
        return walk_body(cluster, lambda one, written: _body(one, written, frozenset(), ex, target, tiles), ex, target, tiles)
    if first.body.op == "scan":
        return scan_body(first, ex, target)
    if first.mode != "set" or first.indirect:
        return scatter_body(first, ex, target)
    plan = assemble(cluster, stored, ex)
    if cluster.pure:
        return flat_body(plan, ex, target, streaming, tiles)
    plan = with_merged_rows(plan, ex)
    over = bool(plan.over or plan.columns)
    column = None if over else column_axis(plan, ex)
    chunked = can_chunk(plan) and is_few(plan.outer, target) and is_chunked(plan, ex) and not ends_early(plan)
    places = [one for one in plan.passes if finds(one)]
    if column is None and places and (not chunked or any(finds_out_of_order(one, ex) for one in places)):
        plan = with_merged_rows(assemble(cluster, stored, ex, positions=True), ex)
        chunked = chunked and can_chunk(plan)
    kept = keep_values(plan, ex, tiles if column is None else None, streaming)
    streaming -= {one.buffer for one in kept}
    if over:
        return over_body(plan, ex, target, streaming, tiles)
    if column is not None:
        return columns_body(plan, column, ex, target, tiles)
    if chunked:
        return chunked_body(plan, ex, target, streaming)
    return rows_body(plan, ex, target, streaming)


def scan_body(unit: Unit, ex: Expressions, target: Target) -> tuple[Statement, ...]:
    """Each element combines the one before it along the scanned axis (already written) with its own value."""
    index = unit.body["index"]
    scanned = [one for one in unit.ranges if one[0] == index]
    others = [one for one in unit.ranges if one[0] != index]
    value = unit.body.operands[0]
    if scanned:
        before = ex.load(unit.buffer, tuple([one - 1 if lone_symbol(one) == index else one for one in unit.subscripts]))
        combined = ex.make(_COMBINE_ROWS[unit.body["kind"]], (before, value), value.type)
        later = ex.make("less", (ex.size(0), ex.size(symbol(index))), BOOL)
        value = ex.make("guard", (later, combined, value), value.type)
    last = unit.ranges[-1:] if others and unit.ranges[-1][0] != index else ()
    loops, mapping = outer_loops([one for one in others if one not in last], ex)
    write = moved_write(Write(unit.buffer, unit.subscripts, value), mapping, ex, {})
    inner = tuple([Loop(name, extent) for name, extent in scanned])
    store = (Store(write.buffer, write.subscripts, write.value),)
    if last:
        width, unroll = vector_shape((write.value,), 0, last[0][1], ex, target)
        inner = (*inner, Loop(last[0][0], last[0][1], "vector", 0, width, unroll))
    return (Nest((*loops, *inner), store),) if loops or inner else store


def scatter_body(unit: Unit, ex: Expressions, target: Target) -> tuple[Statement, ...]:
    """In row-major order, one after the other; in vectors along a last axis that is no part of an index."""
    store = Store(unit.buffer, unit.subscripts, unit.body, unit.mode, indirect=unit.indirect)
    if not unit.ranges:
        return (store,)
    *rest, (name, extent) = unit.ranges
    loops = [Loop(one, size) for one, size in rest]
    if _walks_alone(name, unit, ex):
        width, unroll = vector_shape((unit.body,), 0, extent, ex, target)
        loops.append(Loop(name, extent, "vector", 0, width, unroll))
    else:
        loops.append(Loop(name, extent))
    return (Nest(tuple(loops), (store,)),)


def _walks_alone(name: str, unit: Unit, ex: Expressions) -> bool:
    """Whether different values of an index always mean different elements."""
    plain = any(lone_symbol(one) == name for one in unit.subscripts)
    return plain and not any(name in ex.free(node) for node in unit.indirect)
