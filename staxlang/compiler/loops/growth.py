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
        self._leaves: dict[str, frozenset[str]] = {}
        self._cost: dict[str, int] = {}

    def _is_plain(self, step: Definition) -> bool:
        if step.mode != "set" or step.indirect or step.walk is not None or self.ex.buffers[step.buffer].role != "temporary":
            return False
        reduces = self.ex.reduces(step.body)
        return step.body.op != "scan" and covers(step, self.ex) and (not reduces or is_short(step.body))

    def is_value(self, buffer: str) -> bool:
        return buffer in self.made

    def leaves(self, buffer: str) -> frozenset[str]:
        """The arrays in memory that a value is computed from."""
        found = self._leaves.get(buffer)
        if found is None:
            step = self.made.get(buffer)
            found = frozenset((buffer,))
            if step is not None:
                found = frozenset([leaf for load in self.ex.loads(step.body) for leaf in self.leaves(load["buffer"])])
            self._leaves[buffer] = found
        return found

    def cost(self, buffer: str) -> int:
        """About how many instructions an element of a value takes, all that it is computed from included."""
        found = self._cost.get(buffer)
        if found is None:
            step = self.made.get(buffer)
            found = 0
            if step is not None:
                times = points(step.body["ranges"]) if step.body.op == "reduce" else 1
                inner = sum([self.cost(load["buffer"]) for load in self.ex.loads(step.body)])
                found = min(1 << 20, (self.ex.cost(step.body) + inner) * times)
            self._cost[buffer] = found
        return found

    def grows(self, buffer: str) -> bool:
        """Whether a value is much larger than all that it is computed from, and no more than a kernel can compute in its place."""
        sizes = [nominal(self.ex.buffers[leaf].shape) for leaf in self.leaves(buffer) if self.ex.buffers[leaf].shape]
        return bool(sizes) and nominal(self.ex.buffers[buffer].shape) >= GROWTH * max(sizes) and self.cost(buffer) <= LARGEST

    def shared(self, body: Node, names: frozenset[str]) -> int:
        """The cost of the dearest grown value in an expression that is the same for all values of the indices."""
        dearest = 0
        for load in self.ex.loads(body):
            step = self.made.get(load["buffer"])
            if step is None or load.operands:
                continue
            inner = _dependent(step, load["subscripts"], names)
            if inner:
                dearest = max(dearest, self.shared(step.body, inner))
            elif self.grows(step.buffer):
                dearest = max(dearest, self.cost(step.buffer))
        return dearest


def _dependent(step: Definition, subscripts: tuple[Size, ...], names: frozenset[str]) -> frozenset[str]:
    """Which indices of a definition depend on the given ones of a reader."""
    return frozenset([own for (own, _), one in zip(step.ranges, subscripts, strict=True) if not names.isdisjoint(symbols(one))])
