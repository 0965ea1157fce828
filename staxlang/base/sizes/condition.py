"""Conditions on sizes: what a guard tests, what a fact states."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from staxlang.base.records import record
from staxlang.base.sizes.expression import Size
from staxlang.base.sizes.queries import evaluate, substitute, symbols

_COMPARE: dict[str, Callable[[int, int], bool]] = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le}
_NEGATED = {"==": ("!=", False), "!=": ("==", False), "<": ("<=", True), "<=": ("<", True)}


@record
class Condition:
    """`left relation right`; relation is one of `==`, `!=`, `<`, `<=`."""

    relation: str
    left: Size
    right: Size

    def __post_init__(self) -> None:
        if self.relation not in _COMPARE:
            raise ValueError(f"{self.relation!r} is not a relation between sizes")

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"

    @property
    def negation(self) -> Condition:
        """The condition that holds exactly where this one does not."""
        relation, swap = _NEGATED[self.relation]
        return Condition(relation, self.right, self.left) if swap else Condition(relation, self.left, self.right)

    @property
    def symbols(self) -> frozenset[str]:
        return symbols(self.left) | symbols(self.right)

    def holds(self, env: Mapping[str, int]) -> bool:
        """Whether it is true for these values of the symbols."""
        return _COMPARE[self.relation](evaluate(self.left, env), evaluate(self.right, env))

    def substitute(self, mapping: Mapping[str, Size]) -> Condition:
        return Condition(self.relation, substitute(self.left, mapping), substitute(self.right, mapping))


def compare(text: str, left: Size, right: Size) -> Condition:
    """A condition by Python's operator, `>` and `>=` included.

    >>> str(compare(">", 3, 2))
    '2 < 3'
    """
    if text in (">", ">="):
        return Condition("<" if text == ">" else "<=", right, left)
    return Condition(text, left, right)
