"""Clusters: units that are to run in one kernel over the same outer points ("rows"); which two may become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from staxlang.base.records import record, replace
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.expressions import Expressions, extent_of, lone_symbol, replace_symbols
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.loops.units import Unit
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# More walks over a row than this (each needs a reduction of the one before) do not go into one kernel.
DEEPEST = 6


@record
class Cluster:
    """Units in program order over shared outer indices.

    pure: pointwise definitions only, `outer` is all of their indices. Otherwise each unit has the outer indices among its own and
    the rest (stored axes, reduced axes) is inner. `over`: some units reduce the outer indices themselves (a loss over rows).
    """

    units: tuple[Unit, ...]
    outer: tuple[Range, ...]
    pure: bool
    cost: int
    over: bool = False
    sealed: str = ""  # why nothing may join it

    @property
    def title(self) -> str:
        return "+".join([unit.buffer for unit in self.units])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.outer])


def single(unit: Unit, ex: Expressions) -> Cluster:
    """The cluster of one unit."""
    reduces = ex.reduces(unit.body)
    sealed = ""
    if unit.mode != "set" or unit.indirect:
        sealed = "it scatters"
    elif unit.body.op == "scan":
        sealed = "it is a scan"
    elif not covers(unit, ex):
        sealed = "it writes part of a buffer"
    return Cluster((unit,), unit.ranges, not reduces, ex.cost(unit.body), sealed=sealed)


def covers(unit: Unit, ex: Expressions) -> bool:
    """Whether a unit writes every element of its buffer, each at the subscripts that are its indices."""
    extents = dict(unit.ranges)
    for subscript, extent in zip(unit.subscripts, ex.buffers[unit.buffer].shape, strict=True):
        name = lone_symbol(subscript)
        if not (name in extents and extents[name] == extent) and not (subscript == 0 and extent == 1):
            return False
    return True


def joined(a: Cluster, b: Cluster, ex: Expressions, target: Target) -> Cluster | str:
    """The cluster of both, or why there is none."""
    if a.sealed or b.sealed:
        return a.sealed or b.sealed
    made = _over_rows(a, b, ex)
    if made is None:
        pairs = _pairs(a, b, ex)
        if isinstance(pairs, str):
            return pairs
        made = _aligned(a, b, pairs, ex)
    if isinstance(made, str):
        return made
    return _checked(made, ex, target)


# ---- which index of one is which of the other ----------------------------------------------------------------------


def _pairs(a: Cluster, b: Cluster, ex: Expressions) -> dict[str, str] | str:
    """Outer index of b -> outer index of a: from reads of each other's values, else from shared inputs, else by position."""
    found: dict[str, str] = {}
    outer_a, outer_b = dict(a.outer), dict(b.outer)
    strong = False
    for left, right, outer_left, outer_right in ((a, b, outer_a, outer_b), (b, a, outer_b, outer_a)):
        written = {unit.buffer: unit for unit in left.units}
        for unit in right.units:
            for load in ex.loads(unit.body):
                source = written.get(load["buffer"])
                if source is None:
                    continue
                strong = True
                for own, read in zip(source.subscripts, load["subscripts"], strict=True):
                    name, other = lone_symbol(own), lone_symbol(read)
                    if name not in outer_left or other not in outer_right or outer_left[name] != outer_right[other]:
                        continue
                    pair = (other, name) if left is a else (name, other)
                    if found.setdefault(pair[0], pair[1]) != pair[1]:
                        return f"{unit.buffer} reads {source.buffer} at different places"
    if not strong:
        _pair_shared(a, b, found, ex)
        if not found and [extent for _, extent in a.outer] == [extent for _, extent in b.outer]:
            found = dict(zip(b.names, a.names, strict=True))
    if len(set(found.values())) != len(found):
        return "one index would stand for two"
    return found


def _pair_shared(a: Cluster, b: Cluster, found: dict[str, str], ex: Expressions) -> None:
    """Indices that walk the same axis of the same buffer."""
    outer_a, outer_b = dict(a.outer), dict(b.outer)
    loads: dict[str, Node] = {}
    for unit in a.units:
        for load in ex.loads(unit.body):
            loads.setdefault(load["buffer"], load)
    for unit in b.units:
        for load in ex.loads(unit.body):
            other = loads.get(load["buffer"])
            if other is None:
                continue
            for one, two in zip(other["subscripts"], load["subscripts"], strict=True):
                name_a, name_b = lone_symbol(one), lone_symbol(two)
                if name_a in outer_a and name_b in outer_b and outer_a[name_a] == outer_b[name_b]:
                    if name_b not in found and name_a not in found.values():
                        found[name_b] = name_a


# ---- joining -------------------------------------------------------------------------------------------------------


def _aligned(a: Cluster, b: Cluster, pairs: dict[str, str], ex: Expressions) -> Cluster | str:
    extents_a = dict(a.outer)
    if a.pure and b.pure and len(a.outer) == len(b.outer):
        if len(pairs) != len(b.outer):
            return "their loops differ"
        if [pairs[name] for name in b.names] != list(a.names) and not _reads(a, b, ex):
            return "they walk their axes in different orders"
        return _together(a, b, pairs, a.outer, True, ex)
    rows_a, rows_b = (not a.pure, not b.pure)
    if rows_a and rows_b:
        if len(pairs) != len(a.outer) or len(a.outer) != len(b.outer):
            return "their rows differ"
        return _together(a, b, pairs, a.outer, False, ex)
    if a.pure and b.pure:  # the smaller one gives values of rows
        small = a if len(a.outer) < len(b.outer) else b
        if len(pairs) != len(small.outer) or not _reads(a, b, ex):
            return "their loops differ"
        outer = tuple([(name, extents_a[name]) for name in a.names if name in pairs.values()])
        large = b if small is a else a
        names = [name for name, _ in outer] if large is a else [name for name in b.names if name in pairs]
        if names != list(large.names[: len(names)]):
            return "the smaller one has not the leading axes"
        return _together(a, b, pairs, outer, False, ex)
    rows = a if rows_a else b
    if len(pairs) != len(rows.outer):
        return "their rows differ"
    outer = a.outer if rows_a else tuple([(pairs[name], extent) for name, extent in b.outer])
    return _together(a, b, pairs, outer, False, ex)


def _together(a: Cluster, b: Cluster, pairs: dict[str, str], outer: tuple[Range, ...], pure: bool, ex: Expressions) -> Cluster:
    mapping: dict[str, Size] = {own: symbol(other) for own, other in pairs.items()}
    moved = [renamed(unit, mapping, ex) for unit in b.units]
    units = tuple(sorted((*a.units, *moved), key=lambda unit: unit.number))
    return Cluster(units, outer, pure, a.cost + b.cost, a.over or b.over)


def renamed(unit: Unit, mapping: dict[str, Size], ex: Expressions) -> Unit:
    """The unit with indices renamed (those of reductions at its root included)."""
    if not mapping:
        return unit
    ranges = tuple([(_name(name, mapping), extent) for name, extent in unit.ranges])
    subscripts = tuple([replace_symbols(one, mapping) for one in unit.subscripts])
    return replace(unit, ranges=ranges, subscripts=subscripts, body=rename_bound(unit.body, mapping, ex))


def rename_bound(body: Node, mapping: dict[str, Size], ex: Expressions) -> Node:
    """`substitute` that renames the indices which reductions bind, too."""
    table: dict[Node, Node] = {}
    for node in ex.reduces(body):
        if any(name in mapping for name, _ in node["ranges"]):
            ranges = tuple([(_name(name, mapping), extent) for name, extent in node["ranges"]])
            operand = ex.substitute(ex.replace(node.operands[0], table), mapping)
            table[node] = ex.make("reduce", (operand,), node.type, kind=node["kind"], ranges=ranges, part=node.get("part"))
    return ex.substitute(ex.replace(body, table) if table else body, mapping)


def _name(name: str, mapping: dict[str, Size]) -> str:
    return (lone_symbol(mapping[name]) or name) if name in mapping else name


def _over_rows(a: Cluster, b: Cluster, ex: Expressions) -> Cluster | str | None:
    """One cluster has rows, the other reduces over just these rows (or goes on with what came of it). None: not this case."""
    if a.over and b.pure and not b.outer and _reads(a, b, ex):
        return _together(a, b, {}, a.outer, False, ex)
    if a.pure or a.over or not a.outer or b.pure or b.outer or b.over:
        return None
    pairs: dict[str, str] = {}
    outer = dict(a.outer)
    written = {unit.buffer: unit for unit in a.units}
    for unit in b.units:
        reduced = {name: extent for node in ex.reduces(unit.body) for name, extent in node["ranges"]}
        own = 0
        for load in ex.loads(unit.body):
            source = written.get(load["buffer"])
            for one, two in zip(source.subscripts, load["subscripts"], strict=True) if source is not None else ():
                name, other = lone_symbol(one), lone_symbol(two)
                if name is not None and other is not None and name in outer and other in reduced and outer[name] == reduced[other]:
                    own += other not in pairs
                    if pairs.setdefault(other, name) != name:
                        return f"{unit.buffer} reads {load['buffer']} at different places"
        if own != len(outer) or len(reduced) != own:
            return None
    made = _together(a, b, pairs, a.outer, False, ex)
    return replace(made, over=True)


def _reads(a: Cluster, b: Cluster, ex: Expressions) -> bool:
    """Whether one reads what the other computes."""
    for left, right in ((a, b), (b, a)):
        written = {unit.buffer for unit in left.units}
        if any(load["buffer"] in written for unit in right.units for load in ex.loads(unit.body)):
            return True
    return False


# ---- what a cluster must satisfy -----------------------------------------------------------------------------------


def _checked(made: Cluster, ex: Expressions, target: Target) -> Cluster | str:
    names = set(made.names)
    written = {unit.buffer: unit for unit in made.units}
    for unit in made.units:
        for load in ex.loads(unit.body):
            source = written.get(load["buffer"])
            if source is None or (made.over and not source.ranges):
                continue
            for own, read in zip(source.subscripts, load["subscripts"], strict=True):
                if own != read and (made.pure or not ex_disjoint(own, names)):
                    return f"{unit.buffer} reads {source.buffer} at other points than it is computed at"
            if load.operands and not ex.can_index(source.body, set(source.indices) - names):
                return f"{unit.buffer} gathers from {source.buffer}"
    if not made.pure and _changes_argument(made, ex):
        return "it changes an argument that it reads"
    depth = depth_of(made, ex)
    if depth > DEEPEST:
        return "a row would be walked too often"
    if depth and is_few(made.outer, target) and is_long(made, ex, target):
        return "the rows are too few for the threads and too long for the cache"
    return made


def _changes_argument(cluster: Cluster, ex: Expressions) -> bool:
    written = {unit.buffer for unit in cluster.units if ex.buffers[unit.buffer].role == "input"}
    return any(load["buffer"] in written for unit in cluster.units for load in ex.loads(unit.body)) if written else False


def ex_disjoint(size: Size, names: set[str]) -> bool:
    name = lone_symbol(size)
    return name not in names if name is not None else True


def depth_of(cluster: Cluster, ex: Expressions) -> int:
    """How many reductions must be complete before the last pass over the inner axes can run."""
    level: dict[str, int] = {}
    deepest = 0
    names = set(cluster.names)
    for unit in cluster.units:
        below = max([level.get(load["buffer"], 0) for load in ex.loads(unit.body)], default=0)
        reduces = ex.reduces(unit.body)
        if (reduces or any(name not in names for name in unit.indices)) and not _is_over(unit, names, ex):
            deepest = max(deepest, below + any(node["kind"] == "welford" for node in reduces))
        level[unit.buffer] = below + (1 + any(node["kind"] == "welford" for node in reduces) if reduces else 0)
    return deepest


def _is_over(unit: Unit, names: set[str], ex: Expressions) -> bool:
    return bool(names) and any(name in names for node in ex.reduces(unit.body) for name, _ in node["ranges"])


def is_few(outer: Sequence[Range], target: Target) -> bool:
    """Whether there are (surely) not enough rows to keep the threads busy."""
    extent = extent_of(outer)
    return isinstance(extent, int) and extent < 8 * target.cores


def inner_spaces(cluster: Cluster, ex: Expressions) -> Iterable[tuple[Range, ...]]:
    """The spaces that passes over the inner axes walk."""
    names = set(cluster.names)
    for unit in cluster.units:
        for node in ex.reduces(unit.body):
            yield node["ranges"]
        own = tuple([one for one in unit.ranges if one[0] not in names])
        if own:
            yield own


def is_long(cluster: Cluster, ex: Expressions, target: Target) -> bool:
    """Whether a row may not stay in a core's cache."""
    for space in inner_spaces(cluster, ex):
        extent = extent_of(space)
        if not isinstance(extent, int) or extent * 8 > target.l2:
            return True
    return False
