"""A state of an evaluation to go back to, when a loop cannot stay in the program or its body is to be evaluated once more."""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from staxlang.base.sizes import Condition
from staxlang.typecheck.context import EvaluationContext
from staxlang.typecheck.frames import Frame
from staxlang.typecheck.guards import ContentGuard, FrozenScalar, ShapeGuard
from staxlang.typecheck.joins import restore, snapshot
from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import Storage

Guard = ShapeGuard | FrozenScalar | ContentGuard


class Checkpoint:
    """What an evaluation has gathered by now. `journal` holds, from now on, what each storage held before it was written; `alone`: until
    the checkpoint is closed no other journal is told."""

    __slots__ = ("context", "frame", "journal", "names", "saved", "sizes", "undo")

    def __init__(self, frame: Frame, alone: bool = False) -> None:
        context = frame.context
        owner, branches = frame.owner, context.branches
        self.context, self.frame = context, frame
        self.saved: dict[str, Any] = {
            "facts": context.facts,
            "guards": list(context.guards),
            "gates": list(context.gates),
            "frozen": dict(context.frozen_leaves),
            "asked": dict(context.asked),
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
        self.sizes = len(context.sizes)
        self.names = snapshot(frame)
        self.journal: dict[Storage, Handle] = {}
        branches.journals[:] = [self.journal] if alone else [*branches.journals, self.journal]
        self.undo = context.recorder.trial()

    def put_back(self) -> None:
        """Names, containers and memory as they were."""
        for storage, handle in self.journal.items():
            storage.handle = handle
            if handle is storage.original:
                storage.written = None
        restore(self.frame, self.names)

    def close(self) -> None:
        """What is written from now on is no longer noted here."""
        self.context.branches.journals[:] = self.saved["journals"]

    def go_back(self) -> None:
        """Everything as it was, but for what is known of the call by now and is not asked for again."""
        context, owner, saved = self.context, self.frame.owner, self.saved
        self.put_back()
        self.undo()
        learned = [guard for guard in context.guards[len(saved["guards"]) :] if self._stays(guard)]
        context.facts = saved["facts"]
        context.guards[:] = [*saved["guards"], *learned]
        for guard in learned:
            if isinstance(guard, ShapeGuard):
                context.assume(guard.condition)
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

    def _stays(self, guard: Guard) -> bool:
        """A captured object is looked into once, a number becomes a size once: what that asks of a call is not asked again."""
        if isinstance(guard, ContentGuard):
            return True
        return isinstance(guard, ShapeGuard) and is_sign(guard.condition) and not guard.condition.symbols.isdisjoint(self._new_sizes())

    def _new_sizes(self) -> set[str]:
        context: EvaluationContext = self.context
        return {binding.symbol for binding in context.sizes[self.sizes :]} | context.counts.known.keys()


def is_sign(condition: Condition) -> bool:
    """Whether a condition says of a size that it is negative, or that it is not."""
    return (condition.relation == "<" and condition.right == 0) or (condition.relation == "<=" and condition.left == 0)
