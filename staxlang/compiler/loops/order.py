"""Which groups of steps must run before which, while groups are merged: direct dependences, and an order that respects them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush


def direct_dependences(reads: Sequence[frozenset[str]], writes: Sequence[frozenset[str]]) -> list[set[int]]:
    """For each step those that must come before it: who wrote last what it reads or writes, and who has read that since then."""
    found: list[set[int]] = []
    writers: dict[str, int] = {}
    readers: dict[str, list[int]] = {}
    for number, (read, written) in enumerate(zip(reads, writes, strict=True)):
        before = {writers[buffer] for buffer in read | written if buffer in writers}
        for buffer in written:
            before.update(readers.pop(buffer, ()))
        found.append(before)
        for buffer in written:
            writers[buffer] = number
        for buffer in read:
            readers.setdefault(buffer, []).append(number)
    return found


class Order:
    """Groups by number. `place` is where each stands in an order that respects the dependences; `at` gives the group at a place.

    Merging looks only at what stands between the two groups, so that groups of neighbours cost little however long the program is.
    """

    __slots__ = ("after", "at", "before", "place", "visited")

    def __init__(self, before: list[set[int]]) -> None:
        self.before = before
        self.after: list[set[int]] = [set() for _ in before]
        for number, others in enumerate(before):
            for other in others:
                self.after[other].add(number)
        self.place = list(range(len(before)))
        self.at: list[int | None] = list(range(len(before)))
        self.visited = 0  # groups that were looked at

    def comes_first(self, a: int, b: int) -> bool:
        """Whether a must run before b, by a dependence between these two."""
        return a in self.before[b]

    def through_third(self, a: int, b: int) -> bool:
        """Whether a path from one to the other leads through a third group."""
        first, last = (a, b) if self.place[a] < self.place[b] else (b, a)
        return any(other in self.before[last] for other in self._following(first, last))

    def _following(self, first: int, last: int) -> Iterator[int]:
        """The groups between that need the first one, directly or not."""
        end = self.place[last]
        seen = {first}
        waiting = [first]
        while waiting:
            for other in self.after[waiting.pop()]:
                if self.place[other] < end and other not in seen:
                    self.visited += 1
                    seen.add(other)
                    waiting.append(other)
                    yield other

    def merge(self, a: int, b: int) -> None:
        """b becomes part of a. No path between them leads through a third group."""
        first, last = (a, b) if self.place[a] < self.place[b] else (b, a)
        later = set(self._following(first, last))
        start, end = self.place[first], self.place[last]
        between = [number for number in self.at[start + 1 : end] if number is not None]
        self.at[start : end + 1] = [None] * (end + 1 - start)
        order = [number for number in between if number not in later] + [a] + [number for number in between if number in later]
        for place, number in enumerate(order, start):
            self.at[place] = number
            self.place[number] = place
        for mine, theirs in ((self.before, self.after), (self.after, self.before)):
            for other in mine[b]:
                theirs[other].discard(b)
                if other != a:
                    theirs[other].add(a)
                    mine[a].add(other)
            mine[b] = set()

    def ordered(self, alive: Sequence[int]) -> list[int]:
        """The groups in an order that respects the dependences; otherwise by their numbers."""
        missing = {number: len(self.before[number]) for number in alive}
        ready = [number for number in alive if not missing[number]]
        heapify(ready)
        order: list[int] = []
        while ready:
            number = heappop(ready)
            order.append(number)
            for other in self.after[number]:
                missing[other] -= 1
                if not missing[other]:
                    heappush(ready, other)
        return order
