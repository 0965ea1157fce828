"""Units are gathered into clusters, each to become one kernel: greedily, the pair that saves most bytes first, while it stays legal."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from staxlang.compiler.loops.cluster import Cluster, single
from staxlang.compiler.loops.expressions import Expressions
from staxlang.compiler.loops.growth import nominal
from staxlang.compiler.loops.ir import Definition, LibraryCall
from staxlang.compiler.loops.join import joined
from staxlang.compiler.loops.order import Order, direct_dependences
from staxlang.compiler.loops.units import Step, Unit
from staxlang.compiler.target import Target

# A kernel is not made larger than this many instructions.
LARGEST_KERNEL = 600
# Of the groups that touch a buffer each is weighed against so many before it and so many after it.
NEAREST = 16


class Fusion:
    """The state of one greedy run: groups (clusters and library calls) and which must come before which."""

    __slots__ = ("ex", "groups", "near", "order", "readers", "reads", "refusals", "target", "touched", "weighed", "writes")

    def __init__(self, steps: Sequence[Step | Cluster], ex: Expressions, target: Target) -> None:
        self.ex, self.target = ex, target
        self.weighed = 0  # pairs of groups
        self.refusals: list[tuple[Cluster, Cluster, str]] = []
        self.groups: list[Cluster | LibraryCall | None] = [
            single(step, ex) if isinstance(step, Unit) else step for step in steps
        ]
        self.reads: list[frozenset[str]] = []
        self.writes: list[frozenset[str]] = []
        for step in steps:
            reads, writes = touched(step, ex)
            self.reads.append(reads)
            self.writes.append(writes)
        self.order = Order(direct_dependences(self.reads, self.writes))
        self.touched = [reads | writes for reads, writes in zip(self.reads, self.writes, strict=True)]
        self.near: dict[str, list[int]] = {}  # of a buffer: the clusters that touch it, in order
        for number, group in enumerate(self.groups):
            if isinstance(group, Cluster) and not group.sealed:
                for buffer in self.touched[number]:
                    self.near.setdefault(buffer, []).append(number)
        self.readers: dict[str, int] = {}
        for reads in self.reads:
            for buffer in reads:
                self.readers[buffer] = self.readers.get(buffer, 0) + 1

    def run(self) -> None:
        best = self._all_gains()  # (-gain, a, b, how often a and b had been merged with others by then)
        heapify(best)
        merged = [0] * len(self.groups)
        while best:
            _, a, b, *then = heappop(best)
            if then != [merged[a], merged[b]] or not self._merge(a, b):
                continue
            merged[a] += 1
            merged[b] += 1
            for other in self._neighbours(a):
                one, two = min(a, other), max(a, other)
                gain = self._gain(one, two)
                if gain > 0:
                    heappush(best, (-gain, one, two, merged[one], merged[two]))

    def _neighbours(self, number: int) -> list[int]:
        """The groups near to one that touch a buffer of it."""
        found: set[int] = set()
        for buffer in self.touched[number]:
            numbers = self.near[buffer]
            at = bisect_left(numbers, number)
            found.update(numbers[max(0, at - NEAREST) : at + NEAREST + 1])
        found.discard(number)
        return sorted(found)

    def _all_gains(self) -> list[tuple[int, int, int, int, int]]:
        pairs: dict[tuple[int, int], None] = {}
        for numbers in self.near.values():
            for at, a in enumerate(numbers):
                for b in numbers[at + 1 : at + NEAREST + 1]:
                    pairs[a, b] = None
        gains = [(-self._gain(a, b), a, b, 0, 0) for a, b in pairs]
        return [one for one in gains if one[0] < 0]

    def _gain(self, a: int, b: int) -> int:
        """Nominal bytes that are not moved when two groups run in one kernel."""
        self.weighed += 1
        first, second = self.groups[a], self.groups[b]
        if not isinstance(first, Cluster) or not isinstance(second, Cluster) or first.sealed or second.sealed:
            return 0
        gain = 0
        for buffer in self.touched[a] & self.touched[b]:
            if buffer in self.writes[a] and buffer in self.writes[b]:
                continue  # each writes a part of it
            moved = self._bytes(buffer)
            gain += moved
            if self.readers.get(buffer) == 1 and self.ex.buffers[buffer].role == "temporary":
                gain += moved
        return gain

    def _bytes(self, buffer: str) -> int:
        found = self.ex.buffers[buffer]
        return 0 if found.role == "scalar" else nominal(found.shape) * found.dtype.itemsize

    def _merge(self, a: int, b: int) -> bool:
        first, second = self.groups[a], self.groups[b]
        if not isinstance(first, Cluster) or not isinstance(second, Cluster):
            return False
        if self.order.through_third(a, b):
            return self._refuse(first, second, "another kernel has to run between them")
        if self.order.comes_first(b, a):
            first, second = second, first
        if first.cost + second.cost > LARGEST_KERNEL:
            return self._refuse(first, second, "the kernel would be too large")
        made = joined(first, second, self.ex, self.target)
        if isinstance(made, str):
            return self._refuse(first, second, made)
        self.groups[a], self.groups[b] = made, None
        self.reads[a] |= self.reads[b]
        self.writes[a] |= self.writes[b]
        for buffer in self.touched[b]:
            self.near[buffer].remove(b)
            if buffer not in self.touched[a]:
                insort(self.near[buffer], a)
        self.touched[a] |= self.touched[b]
        self.reads[b] = self.writes[b] = self.touched[b] = frozenset()
        self.order.merge(a, b)
        return True

    def _refuse(self, first: Cluster, second: Cluster, why: str) -> bool:
        self.refusals.append((first, second, why))
        return False

    def notes(self) -> list[str]:
        """Which groups that share data stayed apart, and why (the last reason found)."""
        home = {unit.number: group for group in self.groups if isinstance(group, Cluster) for unit in group.units}
        found: dict[tuple[str, str], str] = {}
        for first, second, why in self.refusals:
            one, other = home[first.units[0].number], home[second.units[0].number]
            if one is not other:
                found[one.title, other.title] = why
        return [f"{one} and {other} are not fused: {why}" for (one, other), why in found.items()]

    def ordered(self) -> list[Cluster | LibraryCall]:
        """The groups in an order that respects the dependences; otherwise as the program had them."""
        groups = {number: group for number, group in enumerate(self.groups) if group is not None}
        return [groups[number] for number in self.order.ordered(list(groups))]


def fuse(steps: Sequence[Step | Cluster], ex: Expressions, target: Target) -> tuple[list[Cluster | LibraryCall], list[str]]:
    """Clusters and library calls in order, and in words which neighbours were not fused and why."""
    state = Fusion(steps, ex, target)
    state.run()
    return state.ordered(), state.notes()


def touched(step: Step | Definition | Cluster, ex: Expressions) -> tuple[frozenset[str], frozenset[str]]:
    """Buffers that a step reads and those that it writes."""
    if isinstance(step, Cluster):
        found = [touched(unit, ex) for unit in step.units]
        return frozenset([name for reads, _ in found for name in reads]), frozenset([name for _, writes in found for name in writes])
    if isinstance(step, LibraryCall):
        return frozenset(view.buffer for view in step.operands), frozenset(view.buffer for view in step.outs)
    reads = {load["buffer"] for root in (step.body, *step.indirect) for load in ex.loads(root)}
    if step.mode != "set":
        reads.add(step.buffer)
    return frozenset(reads), frozenset((step.buffer,))


def dependences(reads: Sequence[frozenset[str]], writes: Sequence[frozenset[str]]) -> list[int]:
    """For each step the set (bits) of steps that must come before it, directly or not."""
    before: list[int] = []
    for number, others in enumerate(direct_dependences(reads, writes)):
        total = 0
        for other in others:
            total |= before[other] | 1 << other
        before.append(total & ~(1 << number))
    return before
