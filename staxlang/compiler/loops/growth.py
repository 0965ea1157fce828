"""Values are weighed here: of what each is computed, what that costs, and whether it is larger than all that it is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from staxlang.base.dtypes import BOOL
from staxlang.base.sizes import Size, SizeExpression, evaluate, nonnegative, symbols
from staxlang.compiler.loops.expressions import Expressions, lone_symbol
from staxlang.compiler.loops.ir import Definition, LibraryCall, LoopProgram, Range
from staxlang.compiler.node import Node

# What an unknown size counts as where alternatives are weighed; never part of what is generated.
NOMINAL = 1024
# A reduction over so many points, and axes of results of so many together, are written out.
SHORT = 8
# An array this many times as large as any that it is computed from is grown: it may be better computed again than kept.
GROWTH = 4
# No value is computed in its readers' place that takes more instructions than this.
LARGEST = 200

SHORT_KINDS = frozenset(("sum", "prod", "min", "max", "any", "all"))


def nominal(shape: Sequence[Size]) -> int:
    """The number of elements of a shape where each unknown size counts as NOMINAL."""
    total = 1
    for extent in shape:
        total *= extent if not isinstance(extent, SizeExpression) else max(1, evaluate(extent, dict.fromkeys(symbols(extent), NOMINAL)))
    return total


def covers(step: Any, ex: Expressions) -> bool:
    """Whether a step writes every element of its buffer, each at the subscripts that are its indices."""
    extents = dict(step.ranges)
    for subscript, extent in zip(step.subscripts, ex.buffers[step.buffer].shape, strict=True):
        name = lone_symbol(subscript)
        if not (name in extents and extents.pop(name) == extent) and not (subscript == 0 and extent == 1):
            return False
    return all(nonnegative(extent - 1) for extent in extents.values())  # nothing is written where another loop does not run


def is_short(body: Node) -> bool:
    """Whether a body is a reduction over a few points, which are known."""
    if body.op != "reduce" or body["kind"] not in SHORT_KINDS or body.get("part") is not None:
        return False
    if body["kind"] in ("any", "all") and body.operands[0].type is not BOOL:
        return False
    return 0 < points(body["ranges"]) <= SHORT


def points(ranges: Iterable[Range]) -> int:
    """The number of points of a space, more than SHORT where it is not known."""
    total = 1
    for _, extent in ranges:
        total *= extent if isinstance(extent, int) else SHORT + 1
    return total


class Growth:
    """What is known of the values of a program: what each is made of, and whether it is larger than that."""

    def __init__(self, program: LoopProgram, ex: Expressions) -> None:
        self.ex = ex
        self.program = program
        kept = {*program.outputs, *program.checks} | {buffer for _, buffer in program.updates}
        self.made: dict[str, Definition] = {}  # the temporaries that are computed element by element, of what is there before
        written: set[str] = set()
        for step in program.steps:
            if isinstance(step, LibraryCall):
                kept |= {view.buffer for view in (*step.operands, *step.outs)}
        for step in program.steps:
            if not isinstance(step, Definition):
                continue
            if step.buffer in written or step.buffer in kept or not self._is_plain(step):
                self.made.pop(step.buffer, None)
            else:
                self.made[step.buffer] = step
            written.add(step.buffer)
        self._cost: dict[str, int] = {}
        self._largest: dict[str, int] = {}  # of values: the elements of the largest array in memory that one is computed from
        for step in program.steps:
            if isinstance(step, Definition) and self.made.get(step.buffer) is step:
                self._weigh(step)

    def _weigh(self, step: Definition) -> None:
        """In the program's order: what a value reads has been weighed before."""
        loads = self.ex.loads(step.body)
        times = points(step.body["ranges"]) if step.body.op == "reduce" else 1
        inner = sum([self.cost(load["buffer"]) for load in loads])
        self._cost[step.buffer] = min(1 << 20, (self.ex.cost(step.body) + inner) * times)
        self._largest[step.buffer] = max([self.largest(load["buffer"]) for load in loads], default=0)

    def _is_plain(self, step: Definition) -> bool:
        if step.mode != "set" or step.indirect or step.walk is not None or self.ex.buffers[step.buffer].role != "temporary":
            return False
        reduces = self.ex.reduces(step.body)
        return step.body.op != "scan" and covers(step, self.ex) and (not reduces or is_short(step.body))

    def is_value(self, buffer: str) -> bool:
        return buffer in self.made

    def largest(self, buffer: str) -> int:
        """The number of elements of the largest array in memory that a value is computed from; of an array its own. Numbers count 0."""
        found = self._largest.get(buffer)
        if found is None:
            shape = self.ex.buffers[buffer].shape
            found = self._largest[buffer] = nominal(shape) if shape else 0
        return found

    def cost(self, buffer: str) -> int:
        """About how many instructions an element of a value takes, all that it is computed from included; of what is in memory none."""
        return self._cost.get(buffer, 0)

    def grows(self, buffer: str) -> bool:
        """Whether a value is much larger than all that it is computed from, and no more than a kernel can compute in its place."""
        if buffer not in self.made or self.cost(buffer) > LARGEST:
            return False
        return nominal(self.ex.buffers[buffer].shape) >= GROWTH * self.largest(buffer) > 0

    def shared(self, body: Node, names: frozenset[str]) -> int:
        """The cost of the dearest grown value in an expression that is the same for all values of the indices."""
        dearest = 0
        waiting = [(body, names)]
        seen: set[tuple[str, frozenset[str]]] = set()
        while waiting:
            node, own = waiting.pop()
            for load in self.ex.loads(node):
                step = self.made.get(load["buffer"])
                if step is None or load.operands:
                    continue
                inner = _dependent(step, load["subscripts"], own)
                if not inner and self.grows(step.buffer):
                    dearest = max(dearest, self.cost(step.buffer))
                if inner and (step.buffer, inner) not in seen:
                    seen.add((step.buffer, inner))
                    waiting.append((step.body, inner))
        return dearest


def _dependent(step: Definition, subscripts: tuple[Size, ...], names: frozenset[str]) -> frozenset[str]:
    """Which indices of a definition depend on the given ones of a reader."""
    return frozenset([own for (own, _), one in zip(step.ranges, subscripts, strict=True) if not names.isdisjoint(symbols(one))])
