"""Clusters: units that are to run in one kernel over the same outer points ("rows"); which two may become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from staxlang.base.records import record, replace
from staxlang.base.sizes import Size, symbol
from staxlang.base.sizes.expression import only_atom
from staxlang.compiler.loops.expressions import Expressions, extent_of, lone_symbol, replace_symbols
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.loops.units import Unit, covers
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target


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
    partial: bool = False  # some units write a part of a buffer, which nothing in the cluster reads

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
    partial = not sealed and not covers(unit, ex)
    if partial and (ex.buffers[unit.buffer].role == "input" or any(one["buffer"] == unit.buffer for one in ex.loads(unit.body))):
        sealed = "it writes part of a buffer"
    return Cluster((unit,), unit.ranges, not reduces, ex.cost(unit.body), sealed=sealed, partial=partial)


def together(a: Cluster, b: Cluster, pairs: dict[str, str], outer: tuple[Range, ...], pure: bool, ex: Expressions) -> Cluster:
    """Both clusters' units, those of b with their indices renamed as `pairs` says."""
    mapping: dict[str, Size] = {own: symbol(other) for own, other in pairs.items()}
    moved = [renamed(unit, mapping, ex) for unit in b.units]
    units = tuple(sorted((*a.units, *moved), key=lambda unit: unit.number))
    return Cluster(units, outer, pure, a.cost + b.cost, a.over or b.over, partial=a.partial or b.partial)


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


def reads(a: Cluster, b: Cluster, ex: Expressions) -> bool:
    """Whether one reads what the other computes."""
    for left, right in ((a, b), (b, a)):
        written = {unit.buffer for unit in left.units}
        if any(load["buffer"] in written for unit in right.units for load in ex.loads(unit.body)):
            return True
    return False


# ---- questions -----------------------------------------------------------------------------------------------------


def changes_argument(cluster: Cluster, ex: Expressions) -> bool:
    written = {unit.buffer for unit in cluster.units if ex.buffers[unit.buffer].role == "input"}
    return any(load["buffer"] in written for unit in cluster.units for load in ex.loads(unit.body)) if written else False


def changes_what_it_reads(cluster: Cluster, ex: Expressions) -> bool:
    """Whether a unit reads what a later one overwrites, or the new value of what is made from the old one in its place.

    Values of a cluster are computed again where they are read, and in a row that may be after the old value has gone.
    """
    loads = {unit.number: {load["buffer"] for root in (unit.body, *unit.indirect) for load in ex.loads(root)} for unit in cluster.units}
    for writer in cluster.units:
        in_place = writer.buffer in loads[writer.number]
        for reader in cluster.units:
            if reader is not writer and writer.buffer in loads[reader.number] and (in_place or reader.number < writer.number):
                return True
    return False


def is_free_of(size: Size, names: set[str]) -> bool:
    name = lone_symbol(size)
    return name not in names if name is not None else True


def depth_of(cluster: Cluster, ex: Expressions) -> int:
    """How many reductions must be complete before the last pass over the inner axes can run."""
    if cluster.pure:
        return 0
    level: dict[str, int] = {}
    deepest = 0
    names = set(cluster.names)
    for unit in cluster.units:
        below = max([level.get(load["buffer"], 0) for load in ex.loads(unit.body)], default=0)
        within = nested(unit.body, ex)
        if cluster.over and (is_over(unit, names, ex) or names.isdisjoint(unit.indices)):
            continue  # it is made when all rows are complete
        if within or any(name not in names for name in unit.indices):
            deepest = max(deepest, below + max(0, within - 1))
        level[unit.buffer] = below + within
    return deepest


def nested(body: Node, ex: Expressions) -> int:
    """How many reductions of a body stand inside one another; Welford's count twice, for they are opened into two."""
    found: dict[Node, int] = {}
    for node in ex.reduces(body):
        inner = max([found[one] for one in ex.reduces(node.operands[0])], default=0)
        found[node] = inner + (2 if node["kind"] == "welford" else 1)
    return max(found.values(), default=0)


def is_over(unit: Unit, names: set[str], ex: Expressions) -> bool:
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
            yield tuple([one for one in node["ranges"] if one[0] not in names])
        own = tuple([one for one in unit.ranges if one[0] not in names])
        if own:
            yield own


def is_long(cluster: Cluster, ex: Expressions, target: Target) -> bool:
    """Whether a row may not stay in a core's cache."""
    for space in inner_spaces(cluster, ex):
        extent = extent_of([(name, _at_most(extent)) for name, extent in space])
        if not isinstance(extent, int) or extent * 8 > target.l2:
            return True
    return False


def _at_most(extent: Size) -> Size:
    """A block's length where an extent is the least of that and what is left."""
    atom = only_atom(extent)
    if atom is not None and atom.kind == "min":
        return next((part for part in atom.parts if isinstance(part, int)), extent)
    return extent
