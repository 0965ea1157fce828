"""The loops around the place being evaluated that stay in the program."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Facts, Interval, Size, SizeExpression, symbol, symbols
from staxlang.base.sizes.bounds import interval_of

if TYPE_CHECKING:
    from staxlang.base.spans import Span
    from staxlang.typecheck.context import CallContext
    from staxlang.typecheck.recorder import Handle
    from staxlang.typecheck.values import Storage

MARK = "loop["
"""How the symbols that count rounds begin: a word that can name nothing in either notation."""


class Left(NamedTuple):
    """What a loop has left a name with, which may be a part of other memory in Python; what that held after the loop."""

    loop: str
    name: str
    held: Mapping[Storage, Handle]


class Loops:
    """Part of an evaluation's context. `active`: the symbols that count the rounds of the loops around, outermost first, with their
    ranges. Without any, nothing here is ever asked."""

    __slots__ = ("active", "count", "left", "limit", "shared", "unrolled")

    def __init__(self) -> None:
        self.active: dict[str, Interval] = {}
        self.count = 0
        self.limit = 80  # so many operations of all rounds of a loop together are unrolled: they are optimized as one then
        self.left: dict[Storage, Left] = {}  # may be read until the other memory is written
        self.unrolled: dict[Span | None, str] = {}  # of loops, by what they go over: why they do not stay
        self.shared: set[Storage] = set()  # memory that a loop carries, which was known elsewhere before the loop

    def stale(self, storage: Storage) -> Left | None:
        """Of memory that a loop has left: whether other memory has been written since that it may be in Python."""
        left = self.left.get(storage) if self.left else None
        return left if left is not None and any(memory.handle is not handle for memory, handle in left.held.items()) else None

    def make(self, signed: bool = False) -> SizeExpression:
        """A new symbol that counts rounds from 0, or (`signed`) that may be any integer."""
        self.count += 1
        return symbol(f"{MARK}{self.count - 1}]", signed)

    def unrolling(self, what: str, place: Span | None) -> str:
        """What a guard says that fixes a loop's rounds."""
        reason = self.unrolled.get(place)
        return f"the loop over {what} is unrolled" + (f", as {reason}" if reason else "")

    def among(self, size: Size) -> bool:
        """Whether a size is another one in each round of a loop around."""
        return isinstance(size, SizeExpression) and not symbols(size).isdisjoint(self.active)

    def decide(self, condition: Condition, facts: Facts) -> bool | None:
        """Whether a condition holds, in every round of the loops around, or in none."""
        answer = facts.decide(condition)
        if answer is None and self.active and (self.among(condition.left) or self.among(condition.right)):
            return facts.decide(condition, self.active)
        return answer

    def sufficient(self, condition: Condition, facts: Facts) -> list[tuple[bool, Condition]]:
        """Conditions on the call's own sizes from which follows that one holds in every round (True), or in none (False)."""
        if not (self.among(condition.left) or self.among(condition.right)):
            return []
        relation, room = condition.relation, facts.simplify(condition.right - condition.left, self.active)
        if not self.among(room):  # the rounds play no part in it
            exact = Condition(relation, 0, room)
            return [(True, exact), (False, exact.negation)]
        if relation not in ("<", "<="):
            return []
        least = int(relation == "<")
        range_of_room = interval_of(room, self.active, facts.known)
        found: list[tuple[bool, Condition]] = []
        if range_of_room.low is not None and not self.among(range_of_room.low):
            found.append((True, Condition("<=", least, range_of_room.low)))
        if range_of_room.high is not None and not self.among(range_of_room.high):
            found.append((False, Condition("<", range_of_room.high, least)))
        return found


def learned(before: Facts, now: Facts, names: Set[str]) -> Facts:
    """`before`, and what has been learned since that does not speak of a loop's rounds."""
    made = before
    for condition in now.conditions:
        if condition not in before.conditions and condition.symbols.isdisjoint(names):
            made = made.assume(condition)
    return made


def refuse_stale(call: CallContext, storage: Storage) -> None:
    """An array that a loop has left a name with, and that may be another one, which has been written since."""
    left = call.context.loops.stale(storage)
    if left is not None:
        reason = f"`{left.name}` may be an array after it that has been written to before it is read here"
        remedy = f"copy it before that is written: {left.name} = {left.name}.copy()"
        call.error("kept-loop", what=f"`{left.loop}`", reason=reason, help=remedy)
