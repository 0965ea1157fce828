"""Index variables while what they stand in is evaluated: sizes with ranges, the places that they are read at, what is known there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Facts, Interval, Size, SizeExpression, nonnegative, symbol, symbols
from staxlang.base.spans import Span
from staxlang.typecheck.values import Storage

MARK = "for["
"""How the symbols of index variables begin: a word that can name nothing in either notation."""


class Index:
    """An index variable: `name` as the user calls it, `size` the symbol that stands for it. `stop` is None until its range is known."""

    __slots__ = ("given", "name", "size", "span", "start", "stop")

    def __init__(self, name: str, size: SizeExpression, span: Span | None, start: Size, stop: Size | None) -> None:
        self.name, self.size, self.span, self.start, self.stop = name, size, span, start, stop
        self.given = stop is not None

    @property
    def symbol(self) -> str:
        return str(self.size)

    def __repr__(self) -> str:
        return f"{self.name} in {self.start}..{'?' if self.stop is None else self.stop}"


class Use(NamedTuple):
    """One subscript with indices in it. `array` tells arrays apart; `guarded`: it is read only where a condition on indices holds."""

    subscript: Size
    extent: Size
    axis: int
    array: tuple[Storage, tuple[Size, ...] | None]
    text: str
    span: Span | None
    guarded: bool


class Indices:
    """Part of an evaluation's context: the index variables in force, innermost last. Without any, nothing here is ever asked.

    `uses` gathers subscripts while ranges are still to be found (`searching`); then nothing is proved. `guards` counts the conditions on
    indices that hold at the place being evaluated; `empty` the ranges in force that have no values, so that nothing there ever runs.
    `owns` are the tensors in the making by their storage, `own_reads` where the piece being evaluated reads them; `runs` the definitions
    that stand together, by the function that they stand in.
    """

    __slots__ = ("active", "count", "empty", "guards", "own_reads", "owned", "owns", "runs", "searching", "uses")

    def __init__(self) -> None:
        self.active: dict[str, Index] = {}
        self.count = 0
        self.uses: list[Use] = []
        self.searching = 0
        self.guards = 0
        self.empty = 0
        self.owned = 0
        self.owns: dict[Storage, int] = {}
        self.own_reads: list[Any] = []
        self.runs: dict[int, dict[int, tuple[Any, ...]]] = {}

    def make(self, name: str, span: Span | None, start: Size = 0, stop: Size | None = None) -> Index:
        """A new index variable. Its symbol is no name that anybody can write."""
        signed = not nonnegative(start)
        made = Index(name, symbol(f"{MARK}{self.count}]", signed), span, start, stop)
        self.count += 1
        return made

    def among(self, size: Size) -> list[Index]:
        """The index variables that a size depends on, outermost first."""
        if not isinstance(size, SizeExpression):
            return []
        names = symbols(size)
        return [index for name, index in self.active.items() if name in names]

    def known(self, size: Size) -> bool:
        """Whether all the index variables of a size have their ranges."""
        return all(one.stop is not None and self.known(one.start) and self.known(one.stop) for one in self.among(size))

    def ranges(self) -> dict[str, Interval]:
        """The ranges that are known, of the outermost index first."""
        return {name: Interval(index.start, index.stop - 1) for name, index in self.active.items() if index.stop is not None}

    def proved(self, condition: Condition, facts: Facts) -> bool:
        """Whether a condition holds for every value of the indices, under the guards in force."""
        return bool(self.empty) or facts.decide(condition, self.ranges()) is True or facts.decide(condition) is True

    def range_text(self, index: Index) -> str:
        return f"{self.text(index.start)}..{'?' if index.stop is None else self.text(index.stop)}"

    def text(self, size: Size, more: Mapping[str, Index] | None = None) -> str:
        """A size as the user writes it, with the names of index variables."""
        shown = str(size)
        for name, index in reversed({**self.active, **(more or {})}.items()):
            shown = shown.replace(name, index.name)
        return shown


def since(before: Facts, now: Facts, said: Collection[Condition]) -> Facts:
    """`before`, and what has been learned since but for what was said of a place."""
    made = before
    for condition in now.conditions[len(before.conditions) :]:
        if condition not in said:
            made = made.assume(condition)
    return made
