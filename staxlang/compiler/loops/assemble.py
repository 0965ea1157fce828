"""A cluster becomes a plan: passes over the inner axes in order of dependence, with what each pass reduces and stores."""

from __future__ import annotations

from collections.abc import Iterable

from staxlang.base.dtypes import I64, DType
from staxlang.base.sizes import Size, symbol
from staxlang.compiler.loops.cluster import Cluster
from staxlang.compiler.loops.expressions import Expressions, lone_symbol, replace_symbols
from staxlang.compiler.loops.ir import Range
from staxlang.compiler.loops.openings import open_moments, open_positions, position_of, truth
from staxlang.compiler.loops.units import Unit
from staxlang.compiler.node import Node

# These change while a kernel is planned, so they are plain objects and no records.


class Reduction:
    """`name` = kind over the pass's points of value. Two locals for argmin and argmax (`name`, `name.value`).

    `where` is the position where it is itself a value, else it is the size `position`.
    """

    __slots__ = ("dtype", "kind", "name", "position", "value", "where")

    def __init__(self, name: str, kind: str, dtype: DType, value: Node, position: Size = 0, where: Node | None = None) -> None:
        self.name, self.kind, self.dtype, self.value, self.position, self.where = name, kind, dtype, value, position, where


class Write:
    """buffer[subscripts] = value at every point of the pass."""

    __slots__ = ("buffer", "subscripts", "value")

    def __init__(self, buffer: str, subscripts: tuple[Size, ...], value: Node) -> None:
        self.buffer, self.subscripts, self.value = buffer, subscripts, value


class Pass:
    """One walk over the points `inner` of a row, after all reductions of lower levels are complete. No inner axes: once a row."""

    __slots__ = ("inner", "level", "reductions", "writes")

    def __init__(
        self, level: int, inner: tuple[Range, ...], reductions: list[Reduction] | None = None, writes: list[Write] | None = None
    ) -> None:
        self.level, self.inner = level, inner
        self.reductions: list[Reduction] = [] if reductions is None else reductions
        self.writes: list[Write] = [] if writes is None else writes

    @property
    def names(self) -> frozenset[str]:
        return frozenset([name for name, _ in self.inner])

    def roots(self) -> list[Node]:
        return [one.value for one in self.reductions] + [one.value for one in self.writes]

    def stores(self) -> list[tuple[str, tuple[Size, ...]]]:
        """The elements that are written."""
        return [(one.buffer, one.subscripts) for one in self.writes]


class Plan:
    """What one kernel does for each point of `outer`: passes in order; then reductions over `outer` itself, and what follows them."""

    __slots__ = ("after", "columns", "outer", "over", "passes")

    def __init__(self, outer: tuple[Range, ...], passes: list[Pass]) -> None:
        self.outer, self.passes = outer, passes
        self.over: list[Reduction] = []
        self.columns: list[Column] = []
        self.after: list[tuple[tuple[Range, ...], Write]] = []


class Column:
    """A reduction over the outer points for each point of `ranges`, which `one` walks in each row under indices of its own."""

    __slots__ = ("one", "ranges", "reduction")

    def __init__(self, one: Pass, reduction: Reduction, ranges: tuple[Range, ...]) -> None:
        self.one, self.reduction, self.ranges = one, reduction, ranges


def assemble(cluster: Cluster, stored: frozenset[str], ex: Expressions, positions: bool = False) -> Plan:
    """The cluster's plan; `stored` are the buffers that must be written. `positions`: argmin and argmax are opened, too."""
    values: dict[str, tuple[Unit, Node]] = {}
    made: list[tuple[Unit, Node]] = []
    names = set(cluster.names)
    for unit in cluster.units:
        body = open_moments(_resolved(unit.body, values, names, ex), ex)
        if positions:
            body = open_positions(body, names, ex)
        values[unit.buffer] = unit, body
        made.append((unit, body))
    roots = [(unit, body) for unit, body in made if unit.buffer in stored]
    return _Assembly(cluster, ex).plan(roots)


def _resolved(body: Node, values: dict[str, tuple[Unit, Node]], names: set[str], ex: Expressions) -> Node:
    """The body with the cluster's own values in place of loads of them."""
    table: dict[Node, Node] = {}
    for load in ex.loads(body):
        found = values.get(load["buffer"])
        if found is not None:
            unit, value = found
            mapping: dict[str, Size] = {}
            for own, read in zip(unit.subscripts, load["subscripts"], strict=True):
                name = lone_symbol(own)
                if name is not None and name not in names:
                    mapping[name] = read
            if load.operands:  # inner loads come first, so the table already has what the indices need
                indirect = tuple([ex.replace(operand, table) for operand in load.operands])
                table[load] = ex.index(value, mapping, indirect, {})
            else:
                table[load] = ex.substitute(value, mapping)
    return ex.replace(body, table) if table else body


class _Assembly:
    __slots__ = ("cluster", "complete", "ex", "level", "made", "names", "passes", "spaces", "table")

    def __init__(self, cluster: Cluster, ex: Expressions) -> None:
        self.cluster, self.ex = cluster, ex
        self.names = frozenset(cluster.names)
        self.table: dict[Node, Node] = {}
        self.level: dict[Node, int] = {}
        self.passes: dict[tuple[int, tuple[Size, ...]], Pass] = {}
        self.complete: set[Node] = set()  # reductions that are complete after all rows only
        self.made = Plan(cluster.outer, [])
        self.spaces: dict[tuple[Size, ...], tuple[Range, ...]] = {}

    def plan(self, roots: Iterable[tuple[Unit, Node]]) -> Plan:
        ex = self.ex
        roots = list(roots)
        for unit, body in roots:
            for node in ex.reduces(body):
                if node not in self.table:
                    self._add_reduction(node, unit.ranges)
        for unit, body in roots:
            reduces = ex.reduces(body)
            value = ex.replace(body, self.table)
            if any(node in self.complete for node in reduces):
                self.made.after.append((unit.ranges, Write(unit.buffer, unit.subscripts, value)))
                continue
            level = max([self.level[node] + 1 for node in reduces], default=0)
            inner = tuple([one for one in unit.ranges if one[0] not in self.names])
            found, mapping = self._pass(level, inner)
            subscripts = tuple([replace_symbols(one, mapping) for one in unit.subscripts])
            found.writes.append(Write(unit.buffer, subscripts, ex.substitute(value, mapping)))
        self.made.passes = sorted(self.passes.values(), key=lambda one: (one.level, bool(one.inner)))
        return self.made

    def _add_reduction(self, node: Node, kept: tuple[Range, ...]) -> None:
        ex = self.ex
        kind, dtype = node["kind"], node.type
        if any(name in self.names for name, _ in node["ranges"]):
            self._add_over(node, kept)
            return
        operand = node.operands[0]
        within = ex.reduces(operand)
        level = self.level[node] = max([self.level[one] + 1 for one in within], default=0)
        value = ex.replace(operand, self.table)
        if kind in ("any", "all", "count"):
            value = truth(value, ex)
        ranges: tuple[Range, ...] = node["ranges"]
        finds = kind in ("argmin", "argmax")
        made = Reduction("", kind, value.type if finds else dtype, value, position_of(ranges))
        found, mapping = self._pass(level, ranges)
        made.value, made.position = ex.substitute(value, mapping), replace_symbols(made.position, mapping)
        same = next((r for r in found.reductions if (r.kind, r.dtype, r.value) == (kind, made.dtype, made.value)), None)
        if same is None:
            found.reductions.append(made)
        else:
            made = same
        made.name = made.name or ex.fresh(kind)
        self.table[node] = ex.cast(ex.local(made.name, I64), dtype) if finds else ex.local(made.name, dtype)

    def _add_over(self, node: Node, kept: tuple[Range, ...]) -> None:
        """A reduction over the rows: of a value of each row (what it reduces within a row comes first), or of each column."""
        ex = self.ex
        kind, operand = node["kind"], node.operands[0]
        within = tuple([one for one in node["ranges"] if one[0] not in self.names])
        if within:
            inner = ex.make("reduce", (operand,), node.type, kind=kind, ranges=within, part=None)
            self._add_reduction(inner, ())
            operand, kind = inner, "sum" if kind == "count" else kind
        reduces = ex.reduces(operand)
        for one in reduces:
            if one not in self.table:
                self._add_reduction(one, ())
        level = self.level[node] = max([self.level[one] + 1 for one in reduces], default=0)
        value = ex.replace(operand, self.table)
        if kind in ("any", "all", "count"):
            value = truth(value, ex)
        finds = kind in ("argmin", "argmax")
        made = Reduction(ex.fresh(kind), kind, value.type if finds else node.type, value, position_of(node["ranges"]))
        ranges = tuple([one for one in kept if one[0] in ex.free(node)])
        if ranges:
            found, mapping = self._pass(level, ranges)
            made.value = ex.substitute(value, mapping)
            self.made.columns.append(Column(found, made, ranges))
        else:
            self.made.over.append(made)
        self.complete.add(node)
        self.table[node] = ex.cast(ex.local(made.name, I64), node.type) if finds else ex.local(made.name, node.type)

    def _pass(self, level: int, inner: tuple[Range, ...]) -> tuple[Pass, dict[str, Size]]:
        """The pass of that level over a space with these extents, and how to rename the indices to the pass's."""
        extents = tuple([extent for _, extent in inner])
        found = self.passes.get((level, extents))
        if found is None:  # passes over equal extents have the same indices, so that equal values are the same node
            same = self.spaces.setdefault(extents, inner)
            found = self.passes[level, extents] = Pass(level, same)
        return found, {own: symbol(name) for (own, _), (name, _) in zip(inner, found.inner, strict=True) if own != name}
