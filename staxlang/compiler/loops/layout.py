"""How accesses walk memory: strides of each loop index, axes that merge into one, the order of axes, the linear walk of many axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from staxlang.base.records import record
from staxlang.base.sizes import Size, SizeExpression, evaluate, linear_in, symbol, symbols
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.node import Node

NOMINAL = 1024


_NO_STEPS: dict[str, Size] = {}


@record
class Access:
    """One load, store or use of an index as a number: `steps` per loop index, None where it is not affine in them."""

    buffer: str  # "" for a number
    steps: Mapping[str, Size] | None
    names: frozenset[str]  # indices that it depends on at all
    itemsize: int = 0
    write: bool = False


def accesses_of(
    roots: Iterable[Node], writes: Iterable[tuple[str, tuple[Size, ...]]], names: Iterable[str], ex: Expressions
) -> list[Access]:
    """The accesses of expressions and stores over the loop indices `names`."""
    wanted = frozenset(names)
    found: list[Access] = []
    seen: set[Node] = set()
    for root in roots:
        _walk(root, wanted, found, seen, ex)
    for buffer, subscripts in writes:
        found.append(_access(buffer, subscripts, wanted, ex, True))
    return found


def _walk(node: Node, wanted: frozenset[str], found: list[Access], seen: set[Node], ex: Expressions) -> None:
    if node in seen:
        return
    seen.add(node)
    if node.op == "load":
        found.append(_access(node["buffer"], node["subscripts"], wanted, ex, False))
    elif node.op == "size":
        value = node["value"]
        found.append(_linear("", value, symbols(value) & wanted, wanted, 0, False))
    for operand in node.operands:
        _walk(operand, wanted, found, seen, ex)


def access_of(load: Node, names: frozenset[str], ex: Expressions) -> Access:
    """How a load walks memory."""
    return _access(load["buffer"], load["subscripts"], names, ex, False)


def _access(buffer: str, subscripts: tuple[Size, ...], wanted: frozenset[str], ex: Expressions, write: bool) -> Access:
    place = ex.address(buffer, subscripts)
    used = symbols(place) & wanted
    return _linear(buffer, place, used, wanted, ex.buffers[buffer].dtype.itemsize, write)


def _linear(buffer: str, place: Size, used: frozenset[str], wanted: frozenset[str], itemsize: int, write: bool) -> Access:
    if not used:
        return Access(buffer, _NO_STEPS, used, itemsize, write)
    parts = linear_in(place, wanted)
    return Access(buffer, None if parts is None else parts[0], used, itemsize, write)


def guess(size: Size) -> int:
    """A number for comparing sizes where a wrong guess costs time only."""
    return evaluate(size, dict.fromkeys(symbols(size), NOMINAL)) if isinstance(size, SizeExpression) else size


def memory_order(ranges: Sequence[Range], accesses: Sequence[Access]) -> tuple[Range, ...]:
    """The axes, largest step outermost, as most bytes are walked; equal ones stay in order."""
    if len(ranges) < 2 or not accesses:
        return tuple(ranges)
    weight: dict[str, list[int]] = {name: [0, 0] for name, _ in ranges}
    best = max(accesses, key=_leads)
    if best.steps is None:
        return tuple(ranges)
    steps = best.steps
    for name in weight:
        weight[name][0] = abs(guess(steps[name])) if name in steps else 0
    absent = [name for name in weight if name not in steps]
    if absent and not best.write:
        return tuple(ranges)
    return tuple(sorted(ranges, key=lambda one: -weight[one[0]][0] if one[0] in steps else 0)) if not absent else tuple(ranges)


def _leads(access: Access) -> tuple[bool, int, int]:
    return (access.write, len(access.names), access.itemsize) if access.buffer and access.steps is not None else (False, -1, 0)


def merged(ranges: Sequence[Range], accesses: Sequence[Access], ex: Expressions) -> tuple[tuple[Range, ...], dict[str, Size]]:
    """Neighbouring axes that every access walks as one become one; with the subscripts for the indices that are gone.

    Addresses cancel: `B*(m//B) + m%B` is `m` in the algebra of sizes.
    """
    if len(ranges) < 2:
        return tuple(ranges), {}
    groups: list[list[Range]] = [[ranges[0]]]
    for one in ranges[1:]:
        if _merge(groups[-1][-1], one, accesses):
            groups[-1].append(one)
        else:
            groups.append([one])
    made: list[Range] = []
    mapping: dict[str, Size] = {}
    for group in groups:
        if len(group) == 1:
            made.append(group[0])
            continue
        name = ex.fresh("i")
        extent: Size = 1
        for _, one in group:
            extent = extent * one
        made.append((name, extent))
        mapping.update(unravelled(symbol(name), group))
    return tuple(made), mapping


def _merge(outer: Range, inner: Range, accesses: Sequence[Access]) -> bool:
    (a, _), (b, extent) = outer, inner
    for access in accesses:
        if a not in access.names and b not in access.names:
            continue
        if access.steps is None:
            return False
        if access.steps.get(a, 0) != access.steps.get(b, 0) * extent:
            return False
    return True


def unravelled(place: Size, ranges: Sequence[Range]) -> dict[str, Size]:
    """The index of each axis at a place counted in row-major order."""
    mapping: dict[str, Size] = {}
    rest = place
    for name, extent in reversed(ranges[1:]):
        above = rest // extent if extent != 0 else 0  # of an empty range there is no place
        mapping[name] = rest - extent * above
        rest = above
    mapping[ranges[0][0]] = rest
    return mapping


def unit_bytes(name: str, accesses: Iterable[Access]) -> int:
    """How many bytes an element of the accesses that walk `name` by ones have, less those that jump."""
    total = 0
    for access in accesses:
        if access.buffer and name in access.names:
            step = access.steps.get(name, 0) if access.steps is not None else None
            near = isinstance(step, int) and -1 <= step <= 1
            total += access.itemsize if near else -access.itemsize
    return total
