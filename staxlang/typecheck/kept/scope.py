"""The loops around the place being evaluated that stay in the program, and a state to go back to when one of them cannot."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, Any

from staxlang.base.sizes import Condition, Facts, Interval, Size, SizeExpression, symbol, symbols

if TYPE_CHECKING:
    from staxlang.typecheck.context import EvaluationContext
    from staxlang.typecheck.frames import Frame
    from staxlang.typecheck.values import Storage

MARK = "loop["
"""How the symbols that count rounds begin: a word that can name nothing in either notation."""


class Loops:
    """Part of an evaluation's context. `active`: the symbols that count the rounds of the loops around, outermost first, with their
    ranges. Without any, nothing here is ever asked."""

    __slots__ = ("active", "count", "limit", "shared")

    def __init__(self) -> None:
        self.active: dict[str, Interval] = {}
        self.count = 0
        self.limit = 80  # so many operations of all rounds of a loop together are unrolled: they are optimized as one then
        self.shared: set[Storage] = set()  # memory that a loop carries, which was known elsewhere before the loop

    def make(self, signed: bool = False) -> SizeExpression:
        """A new symbol that counts rounds from 0, or (`signed`) that may be any integer."""
        self.count += 1
        return symbol(f"{MARK}{self.count - 1}]", signed)

    def among(self, size: Size) -> bool:
        """Whether a size is another one in each round of a loop around."""
        return isinstance(size, SizeExpression) and not symbols(size).isdisjoint(self.active)

    def decide(self, condition: Condition, facts: Facts) -> bool | None:
        """Whether a condition holds, in every round of the loops around, or in none."""
        answer = facts.decide(condition)
        if answer is None and self.active and (self.among(condition.left) or self.among(condition.right)):
            return facts.decide(condition, self.active)
        return answer


def learned(before: Facts, now: Facts, names: Set[str]) -> Facts:
    """`before`, and what has been learned since that does not speak of a loop's rounds."""
    made = before
    for condition in now.conditions:
        if condition not in before.conditions and condition.symbols.isdisjoint(names):
            made = made.assume(condition)
    return made


class Checkpoint:
    """What an evaluation has gathered by now, so that an attempt that fails leaves no trace."""

    __slots__ = ("context", "frame", "saved", "undo")

    def __init__(self, frame: Frame) -> None:
        context: EvaluationContext = frame.context
        owner = frame.owner
        self.context, self.frame = context, frame
        branches = context.branches
        self.saved: dict[str, Any] = {
            "facts": context.facts,
            "guards": list(context.guards),
            "gates": list(context.gates),
            "frozen": dict(context.frozen_leaves),
            "asked": dict(context.asked),
            "sizes": list(context.sizes),
            "diagnostics": list(context.diagnostics),
            "written": dict(context.written),
            "late": dict(context.late_reads),
            "masks": dict(context.masks),
            "live": branches.live,
            "inside": branches.inside,
            "lost": dict(branches.lost),
            "journals": list(branches.journals),
            "choices": list(branches.choices),
            "exits": list(owner.exits),
            "ways": list(owner.ways),
            "returned": owner.returned,
            "active": dict(context.loops.active),
        }
        self.undo = context.recorder.trial()

    def go_back(self) -> None:
        """Everything as it was. (Names, containers and what storages hold are the caller's.)"""
        context, owner, saved = self.context, self.frame.owner, self.saved
        self.undo()
        context.facts = saved["facts"]
        context.guards[:] = saved["guards"]
        context.gates[:] = saved["gates"]
        context.frozen_leaves, context.asked = dict(saved["frozen"]), dict(saved["asked"])
        context.diagnostics[:] = saved["diagnostics"]
        context.written, context.late_reads, context.masks = dict(saved["written"]), dict(saved["late"]), dict(saved["masks"])
        branches = context.branches
        branches.live, branches.inside = saved["live"], saved["inside"]
        branches.lost = dict(saved["lost"])
        branches.journals[:] = saved["journals"]
        branches.choices[:] = saved["choices"]
        owner.exits[:] = saved["exits"]
        owner.ways[:] = saved["ways"]
        owner.returned = saved["returned"]
        context.loops.active = dict(saved["active"])
