"""A nest's accumulators as one list of values that loops carry: a state per accumulator and unrolled part."""

from __future__ import annotations

from staxlang.base.dtypes import BOOL, I64
from staxlang.compiler.llvm import accumulators as reductions
from staxlang.compiler.llvm import working
from staxlang.compiler.llvm.blocks import Carried
from staxlang.compiler.llvm.expressions import apply_row, evaluate, known
from staxlang.compiler.llvm.function import Function, Part, Value
from staxlang.compiler.loops.ir import Accumulator, Nest
from staxlang.compiler.node import Interner


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


INITIAL_ROWS = {"plain": reductions.initial, "flagged": working.initial_flagged, "numbered": working.initial_numbered,
                "first": working.initial_first}  # fmt: skip


def _form(accumulator: Accumulator, nest: Nest) -> str:
    if working.first(accumulator, nest):
        return "first"
    if working.flagged(accumulator):
        return "flagged"
    return "numbered" if working.numbered(accumulator, nest) else "plain"


class Reduction:
    """The carried state of a nest's accumulators: for each accumulator and part its slots, in one list that loops carry.

    alone: there is a state of single elements beside those in lanes, for a tail that runs without vectors.
    forms: per accumulator "plain", or the working state that its loops carry (`working`), on machines with masks.
    """

    def __init__(
        self, accumulators: tuple[Accumulator, ...], copies: int, lanes: int, level: int, nest: Nest, interner: Interner,
        alone: bool = False, masks: bool = False,
    ) -> None:  # fmt: skip
        self.accumulators = accumulators
        self.copies = copies
        self.alone = alone
        self.groups = copies + alone
        self.loop = nest.loops[-1]
        self.carried: Carried = []
        self.sizes: list[int] = []
        self.forms = [_form(one, nest) if masks and lanes > 1 and not alone else "plain" for one in accumulators]
        both = list(zip(accumulators, self.forms, strict=True))
        self.conditions = [working.condition(one, interner) if form == "first" else one.value for one, form in both]
        ends = [form == "first" or one.kind in ("any", "all") for one, form in both]
        self.stops = bool(ends) and all(ends) and lanes > 1 and not alone and not nest.body and self.loop.kind == "vector"
        self.plain_sizes = [len(reductions.initial(one, 1, level)) for one in accumulators]
        for accumulator, form in zip(accumulators, self.forms, strict=True):
            slots = INITIAL_ROWS[form](accumulator, lanes, level)
            self.sizes.append(len(slots))
            self.carried += slots * copies
            if alone:
                self.carried += reductions.initial(accumulator, 1, level)

    def empty(self, level: int, lanes: int, copies: int) -> Carried:
        """The results over no iterations."""
        return [slot for accumulator in self.accumulators for slot in reductions.initial(accumulator, lanes, level) * copies]

    def place(self, number: int, copy: int) -> slice:
        start = sum(size * self.groups for size in self.sizes[:number]) + copy * self.sizes[number]
        return slice(start, start + self.sizes[number])

    def update(self, f: Function) -> None:
        parts: list[Part | None] = list(f.lanes.parts) if f.lanes is not None else [None]
        first = self.copies if self.alone and f.lanes is None else 0
        for number, accumulator in enumerate(self.accumulators):
            if self.forms[number] != "plain":
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
        parts = f.lanes.parts
        places = [self.place(number, copy) for copy in range(len(parts))]
        values = [] if self.forms[number] == "first" else [evaluate(f, accumulator.value, part) for part in parts]
        states = [self.carried[place] for place in places]
        masks = [part.mask for part in parts]
        form = self.forms[number]
        if form == "first":
            values = [evaluate(f, self.conditions[number], part) for part in parts]
            states = [working.update_first(f, self.loop, value, mask) for value, mask in zip(values, masks, strict=True)]
        elif form == "flagged":
            states = working.update_flagged(f, accumulator, states, values, masks)
        else:
            states = [
                working.update_numbered(f, accumulator, self.loop, state, value, mask, part.shift)
                for state, value, mask, part in zip(states, values, masks, parts, strict=True)
            ]
        for place, state in zip(places, states, strict=True):
            self.carried[place] = state

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

    def _settled(self, f: Function, number: int, accumulator: Accumulator, copy: int) -> list[Value]:
        state, form = self.carried[self.place(number, copy)], self.forms[number]
        if form == "first":
            return working.settle_first(f, accumulator, self.loop, copy, state)
        if form == "flagged":
            return working.settle_flagged(f, state)
        return working.settle_numbered(f, accumulator, self.loop, state) if form == "numbered" else state

    def results(self, f: Function, horizontal: bool) -> Carried:
        """The final states: parts merged as a tree, then lanes (unless lanes are those of a loop around)."""
        done: Carried = []
        for number, accumulator in enumerate(self.accumulators):
            states = [self._settled(f, number, accumulator, copy) for copy in range(self.copies)]
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
