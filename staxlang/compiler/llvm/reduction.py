"""A nest's accumulators as one list of values that loops carry: a state per accumulator and unrolled part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.dtypes import BOOL, I64
from staxlang.compiler.llvm import accumulators as reductions
from staxlang.compiler.llvm import places, working
from staxlang.compiler.llvm.blocks import Carried
from staxlang.compiler.llvm.expressions import apply_row, evaluate, known
from staxlang.compiler.llvm.function import Function, Part, Value
from staxlang.compiler.loops.ir import Accumulator, Nest
from staxlang.compiler.node import Interner

if TYPE_CHECKING:
    from staxlang.compiler.llvm import greatest
else:
    greatest = deferred("staxlang.compiler.llvm.greatest")


def fuses(f: Function, accumulator: Accumulator, part: Part | None) -> bool:
    """Whether the accumulator sums products that nothing else uses: these are multiplied and added in one rounding."""
    node = accumulator.value
    if accumulator.kind != "sum" or node.op not in ("multiply", "square") or node.type is not accumulator.dtype:
        return False
    f.part = part
    return node.type.kind == "f" and node.type.bits >= 32 and known(f, node) is None


def counted(accumulators: tuple[Accumulator, ...]) -> tuple[Accumulator, ...]:
    """Sums of bools as integers become counts: a population count of the mask instead of wide additions."""
    if not any(accumulator.kind == "sum" and accumulator.value.op == "cast" for accumulator in accumulators):
        return accumulators
    made: list[Accumulator] = []
    for one in accumulators:
        inner = one.value.operands[0] if one.kind == "sum" and one.value.op == "cast" and one.dtype is I64 else None
        truth = inner is not None and inner.type is BOOL and one.value.type is I64
        made.append(Accumulator(one.name, "count", I64, inner) if truth and inner is not None else one)
    return tuple(made)


INITIAL_ROWS = {"plain": reductions.initial, "flagged": working.initial_flagged, "marked": working.initial_marked,
                "first": working.initial_first}  # fmt: skip


def _form(accumulator: Accumulator, nest: Nest, alone: bool, masks: bool) -> str:
    if working.first(accumulator, nest):
        return "first"
    if working.flagged(accumulator) and not alone:
        return "flagged" if masks else "marked"
    return "numbered" if places.numbered(accumulator, nest) and not alone else "plain"


class Reduction:
    """The carried state of a nest's accumulators: for each accumulator and part its slots, in one list that loops carry.

    The form "numbered" has one state for all parts.

    alone: there is a state of single elements beside those in lanes, for a tail that runs without vectors.
    forms: per accumulator "plain", or the working state that its loops carry (`working`).
    masks: lanes of truth have registers of their own.
    """

    def __init__(
        self, accumulators: tuple[Accumulator, ...], copies: int, lanes: int, level: int, nest: Nest, interner: Interner,
        alone: bool = False, masks: bool = False,
    ) -> None:  # fmt: skip
        self.accumulators = accumulators
        self.copies = copies
        self.alone = alone
        self.nest, self.loop = nest, nest.loops[-1]
        self.carried: Carried = []
        self.sizes: list[int] = []
        self.starts: list[int] = []
        self.forms = [_form(one, nest, alone, masks) if lanes > 1 else "plain" for one in accumulators]
        both = list(zip(accumulators, self.forms, strict=True))
        self.conditions = [working.condition(one, interner) if form == "first" else one.value for one, form in both]
        ends = [form == "first" or one.kind in ("any", "all") for one, form in both]
        self.stops = bool(ends) and all(ends) and lanes > 1 and not nest.body and self.loop.kind == "vector"
        self.plain_sizes = [len(reductions.initial(one, 1, level)) for one in accumulators]
        for accumulator, form in zip(accumulators, self.forms, strict=True):
            shared = form == "numbered"
            slots = places.initial(accumulator, lanes, level, masks) if shared else INITIAL_ROWS[form](accumulator, lanes, level)
            self.starts.append(len(self.carried))
            self.sizes.append(len(slots))
            self.carried += slots * (1 if shared else copies)
            if alone:
                self.carried += reductions.initial(accumulator, 1, level)

    def empty(self, level: int, lanes: int, copies: int) -> Carried:
        """The results over no iterations."""
        return [slot for accumulator in self.accumulators for slot in reductions.initial(accumulator, lanes, level) * copies]

    def place(self, number: int, copy: int) -> slice:
        """Where a copy's slots are; those of single elements come after the copies'."""
        start = self.starts[number] + copy * self.sizes[number]
        return slice(start, start + (self.sizes if copy < self.copies else self.plain_sizes)[number])

    def update(self, f: Function) -> None:
        parts: list[Part | None] = list(f.lanes.parts) if f.lanes is not None else [None]
        first = self.copies if self.alone and f.lanes is None else 0
        for number, accumulator in enumerate(self.accumulators):
            if self.forms[number] != "plain" and f.lanes is not None:
                self._update_working(f, number, accumulator)
                continue
            for copy, part in enumerate(parts, first):
                place = self.place(number, copy)
                state = self.carried[place]
                mask = part.mask if part is not None else None
                if fuses(f, accumulator, part):
                    factors = [evaluate(f, operand, part) for operand in accumulator.value.operands]
                    self.carried[place] = reductions.update_product(f, state, factors[0], factors[-1], mask)
                    continue
                value = evaluate(f, accumulator.value, part)
                self.carried[place] = reductions.update(f, accumulator, state, value, mask)

    def _update_working(self, f: Function, number: int, accumulator: Accumulator) -> None:
        assert f.lanes is not None
        parts, form = f.lanes.parts, self.forms[number]
        masks = [part.mask for part in parts]
        values = [evaluate(f, self.conditions[number], part) for part in parts]
        if form == "numbered":
            own = self.place(number, 0)
            self.carried[own] = places.update(f, accumulator, self.loop, self.carried[own], values, masks)
            return
        slots = [self.place(number, copy) for copy in range(len(parts))]
        if form == "first":
            states = [working.update_first(f, self.loop, value, mask) for value, mask in zip(values, masks, strict=True)]
        else:
            states = working.update_flagged(f, accumulator, [self.carried[own] for own in slots], values, masks)
        for own, state in zip(slots, states, strict=True):
            self.carried[own] = state

    def stop(self, f: Function, copies: int) -> str | None:
        """An i1: no further value can change any result, as the first so many copies tell. None: that is not looked at."""
        if not self.stops:
            return None
        texts: list[str] = []
        for number, accumulator in enumerate(self.accumulators):
            truths = [self.carried[self.place(number, copy)][0] for copy in range(copies)]
            op = "logical_and" if accumulator.kind == "all" else "logical_or"
            while len(truths) > 1:
                pairs = range(0, len(truths) - 1, 2)
                truths = [apply_row(f, op, (truths[k], truths[k + 1]), BOOL) for k in pairs] + truths[len(truths) & ~1 :]
            one = truths[0]
            kind = "and" if accumulator.kind == "all" else "or"
            text = f.name(one.level, f"call i1 @llvm.vector.reduce.{kind}.v{one.lanes}i1({one.type} {one.text})", "m")
            texts.append(f.name(one.level, f"xor i1 {text}, true", "m") if kind == "and" else text)
        made = texts[0]
        for text in texts[1:]:
            made = f.name(f.level, f"and i1 {made}, {text}", "m")
        return made

    def results(self, f: Function, horizontal: bool) -> Carried:
        """The final states: parts merged as a tree, then lanes (unless lanes are those of a loop around)."""
        done: Carried = []
        for number, accumulator in enumerate(self.accumulators):
            states, form = [self.carried[self.place(number, copy)] for copy in range(self.copies)], self.forms[number]
            if form == "first":
                states = [working.settle_first(f, accumulator, self.loop, states)]
            elif form == "numbered":
                states = [places.settle(f, accumulator, self.loop, self.copies, states[0])]
            elif form != "plain":
                states = [working.settle_flagged(f, state) for state in states]
            if not horizontal:
                done += [value for state in states for value in state]
                continue
            while len(states) > 1:
                pairs = range(0, len(states) - 1, 2)
                merged = [reductions.merge(f, accumulator, states[k], states[k + 1]) for k in pairs]
                states = merged + states[2 * len(merged) :]
            final = reductions.across_lanes(f, accumulator, states[0])
            if self.alone:
                final = reductions.merge(f, accumulator, final, self.carried[self.place(number, self.copies)])
            done += final
        return done

    def bind(self, f: Function, final: Carried, horizontal: bool) -> None:
        """Make the accumulators' names locals of the open level."""
        place = 0
        for number, accumulator in enumerate(self.accumulators):
            names: dict[str, list[Value]] = {}
            for _ in range(1 if horizontal else self.copies):
                slots = final[place : place + self.plain_sizes[number]]
                place += self.plain_sizes[number]
                for name, value in reductions.results(f, accumulator, slots).items():
                    names.setdefault(name, []).append(value)
            for name, values in names.items():
                for value in values:
                    value.varying = not horizontal
                f.locals[name] = values
            if horizontal and accumulator.kind == "max":
                greatest.note_greatest(f, accumulator, self.nest, f.locals[accumulator.name][0])
