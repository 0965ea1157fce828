"""Rows that are walked several times: while the last costly walk computes, the next row is fetched, which nothing else would wait for."""

from __future__ import annotations

from staxlang.base.sizes import Size, linear_in, symbol
from staxlang.base.sizes.expression import size_of
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.memory import access, element_step
from staxlang.compiler.llvm.module import weight
from staxlang.compiler.loops.expressions import subexpressions
from staxlang.compiler.loops.ir import Nest
from staxlang.compiler.node import Node

COSTLY = 14  # from this weight on a body leaves memory idle
LEAST = 8192  # bytes of a row: within two pages the processor looks ahead by itself
# Of a nest (by identity): loads, and how many elements on the next row has the same. Known numbers only: tests at run time would lengthen
# the compilation of each version with unknown sizes by a tenth.
Ahead = dict[int, list[tuple[Node, int]]]


def rows_ahead(f: Function, rows: Nest) -> Ahead:
    """For the nests in a loop over rows: what to fetch of the next row while they run."""
    found: Ahead = {}
    if len(rows.loops) != 1 or sum(isinstance(one, Nest) for one in rows.body) < 2 or f.lanes is not None:
        return found
    row = rows.loops[0].index
    seen: set[tuple[str, Size]] = set()
    for child in rows.body:
        if not isinstance(child, Nest):
            continue
        inner = _innermost(child)
        names = _lines_read(f, inner)
        again = [(load, line) for load, line in names if line in seen]
        seen |= {line for _, line in names}
        loop = inner.loops[-1]
        if again and loop.kind == "vector" and loop.width > 1 and weight(inner.body, inner) >= COSTLY:
            load, (buffer, offset) = again[0]
            linear = linear_in(offset, (row,))
            step = linear[0].get(row, 0) if linear is not None else 0
            if isinstance(step, int) and step != 0 and f.module.buffers[buffer].role == "input":
                found = {id(inner): [(load, step)]}
    return found


def _innermost(nest: Nest) -> Nest:
    while len(nest.body) == 1 and isinstance(nest.body[0], Nest):
        nest = nest.body[0]
    return nest


def _lines_read(f: Function, nest: Nest) -> list[tuple[Node, tuple[str, Size]]]:
    """Direct loads along the nest's last loop, each with (buffer, offset in which that loop's index is called `lane`)."""
    values = [one.value for one in nest.accumulators] + [one.value for one in nest.body if not isinstance(one, Nest)]
    index = nest.loops[-1].index
    found: list[tuple[Node, tuple[str, Size]]] = []
    for node in subexpressions(values):
        if node.op == "load" and not node.operands and node.type.kind != "c":
            offset = size_of(f.module.offset_terms(f.module.buffers[node["buffer"]], node["subscripts"]))
            linear = linear_in(offset, (index,))
            if linear is not None and linear[0].get(index) == 1:
                found.append((node, (node["buffer"], linear[1] + symbol("lane"))))
    return found


def fetch_ahead(f: Function, wanted: list[tuple[Node, int]]) -> None:
    """A prefetch for each part of the lanes that are open; none where a row is too long to stay in the cache, or short."""
    if f.lanes is None:
        return
    saved = f.part
    for load, step in wanted:
        buffer = f.module.buffers[load["buffer"]]
        least, most = LEAST // buffer.dtype.itemsize, f.module.target.l2 // 4 // buffer.dtype.itemsize
        if not least <= abs(step) <= most:
            continue
        for part in f.lanes.parts:
            f.part = part
            where = access(f, buffer, load["subscripts"], {})
            place = f.name(f.level, f"getelementptr {element_step(buffer.dtype)}, ptr {where.pointer}, i64 {step}", "p")
            f.emit(f.level, f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")
    f.part = saved
