"""Two clusters become one, or the reason why they may not: which index of one is which of the other, and what must hold then."""

from __future__ import annotations

from staxlang.base.records import replace
from staxlang.base.sizes import Size, linear_in, nonnegative
from staxlang.compiler.loops.assemble import Pass, Plan, Reduction
from staxlang.compiler.loops.cluster import (
    Cluster,
    changes_argument,
    changes_what_it_reads,
    depth_of,
    is_few,
    is_free_of,
    is_long,
    is_over,
    reads,
    together,
)  # fmt: skip
from staxlang.compiler.loops.columns import column_axis
from staxlang.compiler.loops.expressions import Expressions, lone_symbol
from staxlang.compiler.loops.openings import FINDING
from staxlang.compiler.loops.units import Unit, covers
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

# More walks over a row than this (each needs a reduction of the one before) do not go into one kernel.
DEEPEST = 6
# Reductions over rows and within them may be made one after the other.
SPLITTABLE = frozenset(("sum", "prod", "min", "max", "any", "all", "count"))


def joined(a: Cluster, b: Cluster, ex: Expressions, target: Target) -> Cluster | str:
    """The cluster of both, or why there is none."""
    if a.sealed or b.sealed:
        return a.sealed or b.sealed
    if (a.partial or b.partial) and not parts_apart(a, b, ex):
        return "one writes part of a buffer"
    made = None if a.partial or b.partial else _over_rows(a, b, ex, target) or _over_rows(b, a, ex, target)
    if made is None:
        pairs = _pairs(a, b, ex)
        if isinstance(pairs, str):
            return pairs
        made = _aligned(a, b, pairs, ex)
    if isinstance(made, str):
        return made
    return _checked(made, (a, b), ex, target)


def parts_apart(a: Cluster, b: Cluster, ex: Expressions) -> bool:
    """Whether clusters, some of which write parts of buffers, touch none of these parts in common: then any order is right."""
    if a.over or b.over:
        return False
    for one, other in ((a, b), (b, a)):
        written = {unit.buffer for unit in one.units if not covers(unit, ex)}
        if any(load["buffer"] in written for unit in other.units for load in ex.loads(unit.body)):
            return False
    return all(_apart(one, other) for one in a.units for other in b.units if one.buffer == other.buffer)


def _apart(one: Unit, other: Unit) -> bool:
    """Whether two units surely write different elements: on some axis the last of one comes before the first of the other."""
    extents = {**dict(one.ranges), **dict(other.ranges)}
    for first, second in zip(one.subscripts, other.subscripts, strict=True):
        if isinstance(first, int) and isinstance(second, int) and first != second:
            return True
        spans = [linear_in(place, frozenset(extents)) for place in (first, second)]
        if any(span is None or len(span[0]) != 1 or set(span[0].values()) != {1} for span in spans):
            continue
        (low, length), (other_low, other_length) = [
            (span[1], extents[name]) for span in spans if span is not None for name in span[0]
        ]
        if nonnegative(other_low - low - length) or nonnegative(low - other_low - other_length):
            return True
    return False


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
        if [pairs[name] for name in b.names] != list(a.names) and not reads(a, b, ex):
            return "they walk their axes in different orders"
        return together(a, b, pairs, a.outer, True, ex)
    rows_a, rows_b = (not a.pure, not b.pure)
    if rows_a and rows_b:
        if len(pairs) != len(a.outer) or len(a.outer) != len(b.outer):
            return "their rows differ"
        return together(a, b, pairs, a.outer, False, ex)
    if a.pure and b.pure:  # the smaller one gives values of rows
        small = a if len(a.outer) < len(b.outer) else b
        if len(pairs) != len(small.outer) or not reads(a, b, ex):
            return "their loops differ"
        outer = tuple([(name, extents_a[name]) for name in a.names if name in pairs.values()])
        large = b if small is a else a
        names = [name for name, _ in outer] if large is a else [name for name in b.names if name in pairs]
        if names != list(large.names[: len(names)]):
            return "the smaller one has not the leading axes"
        return together(a, b, pairs, outer, False, ex)
    rows = a if rows_a else b
    if len(pairs) != len(rows.outer):
        return "their rows differ"
    outer = a.outer if rows_a else tuple([(pairs[name], extent) for name, extent in b.outer])
    return together(a, b, pairs, outer, False, ex)


# ---- reductions over the rows themselves ---------------------------------------------------------------------------


def _over_rows(a: Cluster, b: Cluster, ex: Expressions, target: Target) -> Cluster | str | None:
    """One cluster has rows, the other reduces over just these rows (or goes on with what came of it). None: not this case."""
    if a.over and b.pure:
        return _after_rows(a, b, ex)
    if a.pure or not a.outer or b.pure or b.over or is_few(a.outer, target) or depth_of(b, ex):
        return None
    pairs = _pairs_over(a, b, ex, reads(a, b, ex))
    if isinstance(pairs, str) or pairs is None:
        return pairs
    if b.outer and not _walks_rows(a, ex):
        return None
    return replace(together(a, b, pairs, a.outer, False, ex), over=True)


def _pairs_over(a: Cluster, b: Cluster, ex: Expressions, strong: bool) -> dict[str, str] | str | None:
    """Reduced index of b -> outer index of a, complete for each unit of b."""
    outer = dict(a.outer)
    places: dict[str, tuple[Size, ...]] = {}
    for unit in a.units:
        if strong:
            places[unit.buffer] = unit.subscripts
        else:
            for load in ex.loads(unit.body):
                places.setdefault(load["buffer"], load["subscripts"])
    pairs: dict[str, str] = {}
    for unit in b.units:
        reduced = {name: extent for node in ex.reduces(unit.body) for name, extent in node["ranges"]}
        found: dict[str, str] = {}  # outer index -> the reduced one that walks it: one for all reads of a unit
        for load in ex.loads(unit.body):
            for one, two in zip(places.get(load["buffer"], ()), load["subscripts"], strict=False):
                name, other = lone_symbol(one), lone_symbol(two)
                if name is None or other is None or name not in outer or reduced.get(other) != outer[name]:
                    continue
                if pairs.setdefault(other, name) != name or found.setdefault(name, other) != other:
                    return f"{unit.buffer} reads {load['buffer']} at different places"
        kinds = {node["kind"] for node in ex.reduces(unit.body)}
        more = len(reduced) > len(found)
        if len(found) != len(outer) or (more and unit.ranges):
            return None
        if not kinds <= (SPLITTABLE if more or unit.ranges else SPLITTABLE | FINDING):
            return None
    return pairs if len(set(pairs.values())) == len(outer) else None


def _after_rows(a: Cluster, b: Cluster, ex: Expressions) -> Cluster | str | None:
    """Pointwise units that read nothing of the rows but what was reduced over all of them."""
    names = set(a.names)
    written = {unit.buffer: unit for unit in a.units}
    extents = dict(b.outer)
    pairs: dict[str, str] = {}
    found = False
    for unit in b.units:
        for load in ex.loads(unit.body):
            source = written.get(load["buffer"])
            if source is None:
                continue
            if not names.isdisjoint(source.indices):
                return None
            found = True
            own = dict(source.ranges)
            for one, two in zip(source.subscripts, load["subscripts"], strict=True):
                name, other = lone_symbol(one), lone_symbol(two)
                if name is None and one == two:
                    continue
                if name is None or other is None or extents.get(other) != own.get(name) or pairs.setdefault(other, name) != name:
                    return f"{unit.buffer} reads {source.buffer} at other points than it is computed at"
    if not found or len(pairs) != len(b.outer) or len(set(pairs.values())) != len(pairs):
        return None
    return together(a, b, pairs, a.outer, False, ex)


def _walks_rows(a: Cluster, ex: Expressions) -> bool:
    """Whether memory is contiguous along the rows rather than across them."""
    passes = [
        Pass(0, node["ranges"], [Reduction("", "sum", node.type, node.operands[0])])
        for unit in a.units if not is_over(unit, set(a.names), ex) for node in ex.reduces(unit.body)
    ]  # fmt: skip
    return column_axis(Plan(a.outer, passes), ex) is None


# ---- what a cluster must satisfy -----------------------------------------------------------------------------------


def _checked(made: Cluster, parts: tuple[Cluster, Cluster], ex: Expressions, target: Target) -> Cluster | str:
    """The cluster made of two, if it may be."""
    written = {unit.buffer: unit for unit in made.units}
    pure = made.pure and parts[0].pure and parts[1].pure  # then reads within each of them are right still
    home = {unit.buffer: number for number, part in enumerate(parts) for unit in part.units} if pure else {}
    for unit in made.units:
        for load in ex.loads(unit.body):
            source = written.get(load["buffer"])
            if source is None or (pure and home[source.buffer] == home[unit.buffer]):
                continue
            wrong = _wrong_read(made, unit, source, load, ex)
            if wrong is not None:
                return wrong
    for number, unit in enumerate(made.units):
        for later in made.units[number + 1 :]:
            if unit.buffer == later.buffer and unit.subscripts != later.subscripts and not _apart(unit, later):
                return f"{unit.buffer} is written in two orders"
    if not made.pure and changes_argument(made, ex):
        return "it changes an argument that it reads"
    if not made.pure and changes_what_it_reads(made, ex):
        return "it overwrites what it reads"
    before, depth = max([depth_of(part, ex) for part in parts]), depth_of(made, ex)
    if depth > DEEPEST:
        return "a row would be walked too often"
    if depth > before and is_few(made.outer, target) and is_long(made, ex, target):
        return "the rows are too few for the threads and too long for the cache"
    return made


def _wrong_read(made: Cluster, unit: Unit, source: Unit, load: Node, ex: Expressions) -> str | None:
    """Why a unit may not read another one's value there, if it may not."""
    names = set(made.names)
    if made.over and names.isdisjoint(source.indices):  # complete after all rows only
        rows = not names.isdisjoint(unit.indices) or is_over(unit, names, ex)
        return f"{unit.buffer} needs {source.buffer}, which is complete after all rows" if rows else None
    for own, read in zip(source.subscripts, load["subscripts"], strict=True):
        if own != read and (made.pure or not is_free_of(own, names)):
            return f"{unit.buffer} reads {source.buffer} at other points than it is computed at"
    if load.operands and not ex.can_index(source.body, set(source.indices) - names):
        return f"{unit.buffer} gathers from {source.buffer}"
    return None
