"""Stores that lie between one another (`y[2 i] = a`, `y[2 i + 1] = b`): their lanes are shuffled together and stored as whole vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from staxlang.base.sizes.expression import Terms
from staxlang.compiler.llvm import memory
from staxlang.compiler.llvm.expressions import convert, evaluate
from staxlang.compiler.llvm.extents import lane_coefficient, split_by_lanes
from staxlang.compiler.llvm.function import Function, Part, Value
from staxlang.compiler.llvm.types import component_size, permutation, suffix
from staxlang.compiler.llvm.types import memory as storage
from staxlang.compiler.loops.ir import Buffer, Statement, Store
from staxlang.compiler.node import Node

MOST_VALUES = 4  # different ones that are shuffled together
MOST = 8  # stores of a group


def groups(f: Function, body: Sequence[Statement]) -> list[tuple[Statement, list[Store]]]:
    """The statements in order, each with those behind it that are to be stored with it."""
    made: list[tuple[Statement, list[Store]]] = []
    left = list(body)
    while left:
        count = _together(f, left)
        made.append((left[0], [one for one in left[1:count] if isinstance(one, Store)]))
        left = left[count:]
    return made


def _together(f: Function, statements: Sequence[Statement]) -> int:
    """How many of the first statements are stores whose elements lie between one another, with no gap; else 1."""
    first = statements[0]
    if f.lanes is None or len(statements) < 2 or not _is_plain(first) or not _is_plain(statements[1]):
        return 1
    if any(part.mask is not None and part.mask.text[0] == "<" for part in f.lanes.parts):  # a known tail: little to gain
        return 1
    buffer = f.module.buffers[first.buffer]
    begin = f.module.offset_terms(buffer, first.subscripts)
    _, varying = split_by_lanes(f, begin, {})
    step = (lane_coefficient(f, varying) or {}).get(()) if varying else None
    if step is None or not 2 <= step <= min(MOST, len(statements)) or buffer.dtype.kind == "c":
        return 1
    stores = statements[:step]
    for place, one in enumerate(stores):
        if not _is_plain(one) or one.buffer != first.buffer or _distance(begin, f.module.offset_terms(buffer, one.subscripts)) != place:
            return 1
    values = {one.value for one in stores if isinstance(one, Store)}
    if len(values) > MOST_VALUES or any(_reads(f, value, buffer) for value in values):
        return 1
    return step


def _is_plain(statement: Statement) -> TypeGuard[Store]:
    return isinstance(statement, Store) and statement.mode == "set" and not statement.indirect


def _distance(begin: Terms, end: Terms) -> int | None:
    """How many elements lie between two places; None where that is not a number."""
    rest = {monomial: end.get(monomial, 0) - begin.get(monomial, 0) for monomial in {**begin, **end}}
    return rest.get((), 0) if all(not count for monomial, count in rest.items() if monomial) else None


def _reads(f: Function, root: Node, buffer: Buffer) -> bool:
    waiting, seen = [root], {root}
    while waiting:
        node = waiting.pop()
        if node.op == "load" and f.module.root(f.module.buffers[node["buffer"]]) == f.module.root(buffer):
            return True
        waiting += [one for one in node.operands if one not in seen]
        seen.update(node.operands)
    return False


def emit_group(f: Function, stores: Sequence[Store]) -> None:
    assert f.lanes is not None
    buffer = f.module.buffers[stores[0].buffer]
    parts: list[Part] = list(f.lanes.parts)
    for part in parts:
        f.part = part
        nodes = dict.fromkeys([one.value for one in stores])
        made = {node: f.widen(convert(f, evaluate(f, node, part), buffer.dtype), f.lanes.width) for node in nodes}
        _store(f, buffer, stores[0], made, [one.value for one in stores])
    f.forget(f.module.root(buffer))


def _store(f: Function, buffer: Buffer, first: Store, made: dict[Node, Value], order: list[Node]) -> None:
    assert f.lanes is not None
    kind, width, count = storage(buffer.dtype), f.lanes.width, len(order)
    where = memory.access(f, buffer, first.subscripts, {})
    level = max([value.level for value in made.values()])
    texts = {node: memory.to_memory(f, value, level) for node, value in made.items()}
    text = _shuffled(f, [texts[node] for node in order], kind, width, level)
    whole, align, mask = f"<{count * width} x {kind}>", component_size(buffer.dtype), f.mask()
    if mask is None:
        f.emit(f.level, f"store {whole} {text}, ptr {where.pointer}, align {align}")
        return
    repeated = permutation([lane // count for lane in range(count * width)])
    flags = f.name(f.level, f"shufflevector <{width} x i1> {mask.text}, <{width} x i1> poison, {repeated}", "m")
    call = f"call void @llvm.masked.store.{suffix(kind, count * width)}.p0"
    f.emit(f.level, f"{call}({whole} {text}, ptr align {align} {where.pointer}, <{count * width} x i1> {flags})")


def _shuffled(f: Function, texts: list[str], kind: str, width: int, level: int) -> str:
    """The first lanes of all, then the second ones, ..."""
    own = list(dict.fromkeys(texts))
    one, two = f"<{width} x {kind}>", f"<{2 * width} x {kind}>"
    places = [width * own.index(text) + lane for lane in range(width) for text in texts]
    if len(own) <= 2:
        other = own[1] if len(own) == 2 else "poison"
        return f.name(level, f"shufflevector {one} {own[0]}, {one} {other}, {permutation(places)}")
    row = permutation(list(range(2 * width)))
    pairs = [
        f.name(level, f"shufflevector {one} {own[k]}, {one} {own[k + 1] if k + 1 < len(own) else 'poison'}, {row}") for k in (0, 2)
    ]
    return f.name(level, f"shufflevector {two} {pairs[0]}, {two} {pairs[1]}, {permutation(places)}")
