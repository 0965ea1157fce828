"""Chains of updates at constant places of the first axis (an unrolled loop of `x[3] = ..`), searched by place instead of link by link."""

from __future__ import annotations

from bisect import bisect_right

from staxlang.compiler.node import Node


class UpdateChains:
    """Knows for each update of a chain which earlier one last wrote a place. Chains grow as they are asked about."""

    __slots__ = ("bases", "places", "written")

    def __init__(self) -> None:
        self.places: dict[Node, tuple[int, int]] = {}  # update -> (chain, depth in it)
        self.bases: list[Node] = []  # what each chain's first update changes
        self.written: dict[tuple[int, int], tuple[list[int], list[Node]]] = {}  # (chain, place) -> depths, updates

    def last_writer(self, update: Node, place: int) -> Node:
        """The latest update, this one or before it in its chain, that writes this place of the first axis; the chain's base where none."""
        chain, depth = self._place(update)
        depths, updates = self.written.get((chain, place), ((), ()))
        found = bisect_right(depths, depth)
        return updates[found - 1] if found else self.bases[chain]

    def _place(self, update: Node) -> tuple[int, int]:
        waiting: list[Node] = []
        node = update
        while node not in self.places and writes_constant_place(node):
            waiting.append(node)
            node = node.operands[0]
        above = self.places.get(node)
        for link in reversed(waiting):
            chain, depth = above if above is not None else (-1, -1)
            if above is None or self._continued(chain, depth):
                chain, depth = len(self.bases), -1
                self.bases.append(link.operands[0])
            above = self.places[link] = chain, depth + 1
            depths, updates = self.written.setdefault((chain, link["subscripts"][0]), ([], []))
            depths.append(depth + 1)
            updates.append(link)
            self.written.setdefault((chain, -1), ([], []))[0].append(depth + 1)
        return self.places[update]

    def _continued(self, chain: int, depth: int) -> bool:
        """Has the update at this depth a successor in its chain already?"""
        return self.written[chain, -1][0][-1] > depth


def writes_constant_place(node: Node) -> bool:
    return node.op == "update" and bool(node["subscripts"]) and isinstance(node["subscripts"][0], int)
