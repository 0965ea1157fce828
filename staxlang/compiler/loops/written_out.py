"""Short reductions and short axes pass through here and come out written element by element, where a larger array is not made then.

A distance `sqrt(sum[c] (x[j, c] - x[i, c])**2)` has N * N elements, made of N * 3: it is larger than all that it is made of. As a sum over
a loop it would be kept in memory; written out it is a value like any other, which its readers compute where they need it. A sum over j of
such values for each of three c is written as three sums over j, which one kernel makes in one walk: what they share is computed once.
"""

from __future__ import annotations

from itertools import product

from staxlang.base.records import replace
from staxlang.base.sizes import Size
from staxlang.compiler.loops.expressions import Expressions, lone_symbol
from staxlang.compiler.loops.growth import LARGEST, SHORT, Growth, covers, is_short, points
from staxlang.compiler.loops.ir import Definition, LibraryCall, LoopProgram, Range
from staxlang.compiler.loops.units import CHEAP_EXPANDED
from staxlang.compiler.node import Node

_COMBINE_ROWS = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and"}


def written_out(program: LoopProgram, ex: Expressions) -> LoopProgram:
    """The program with short reductions of grown arrays as expressions, and reductions of what these share in one definition for each
    element of a short axis. Sums of at most SHORT terms are in order; all else keeps its order of summation."""
    known = Growth(program, ex)
    steps: list[Definition | LibraryCall] = []
    checked = 0
    for number, step in enumerate(program.steps):
        made = [step] if isinstance(step, LibraryCall) else _written(step, known, ex)
        steps += made
        checked += len(made) if number < program.checked else 0
    live = _live(steps, program, ex)
    kept = tuple([step for step, one in zip(steps, live, strict=True) if one])
    return replace(program, steps=kept, checked=sum(live[:checked]))


def _written(step: Definition, known: Growth, ex: Expressions) -> list[Definition | LibraryCall]:
    if step.mode != "set" or step.indirect or step.walk is not None:
        return [step]
    if known.is_value(step.buffer) and is_short(step.body) and known.grows(step.buffer):
        return [replace(step, body=_in_order(step.body, ex))]
    axes = _axes_apart(step, known, ex)
    if not axes:
        return [step]
    made: list[Definition | LibraryCall] = []
    for places in product(*[range(extent) for _, extent in axes]):
        mapping: dict[str, Size] = {name: place for (name, _), place in zip(axes, places, strict=True)}
        ranges = tuple([one for one in step.ranges if one[0] not in mapping])
        subscripts = tuple([mapping.get(lone_symbol(one) or "", one) for one in step.subscripts])
        body = _at_places(ex.substitute(step.body, mapping), known, ex)
        made.append(replace(step, ranges=ranges, subscripts=subscripts, body=body))
    return made


def _at_places(body: Node, known: Growth, ex: Expressions) -> Node:
    """The expression with values that are read at one place of an axis put in: what does not depend on the place is read as it is."""
    while ex.cost(body) <= LARGEST:
        table: dict[Node, Node] = {}
        for load in ex.loads(body):
            step = known.made.get(load["buffer"])
            if step is None or load.operands or ex.reduces(step.body):
                continue
            mapping = dict(zip([name for name, _ in step.ranges], load["subscripts"], strict=True))
            if any(isinstance(one, int) and extent != 1 for one, (_, extent) in zip(load["subscripts"], step.ranges, strict=True)):
                table[load] = ex.substitute(step.body, mapping)
        if not table:
            break
        body = ex.replace(body, table)
    return body


def _live(steps: list[Definition | LibraryCall], program: LoopProgram, ex: Expressions) -> list[bool]:
    """Which steps make something that is read, or is a result. (Those of a walk read what later ones of it have made, a point before.)"""
    read = {*program.outputs, *program.checks} | {buffer for _, buffer in program.updates}
    for step in steps:
        if isinstance(step, Definition) and step.walk is not None:
            read |= {load["buffer"] for load in ex.loads(step.body)}
    found: list[bool] = []
    for step in reversed(steps):
        live = isinstance(step, LibraryCall) or step.buffer in read or ex.buffers[step.buffer].role != "temporary"
        found.append(live)
        if isinstance(step, LibraryCall):
            read |= {view.buffer for view in (*step.operands, *step.outs)}
        elif live:
            read |= {load["buffer"] for root in (step.body, *step.indirect) for load in ex.loads(root)}
    return found[::-1]


def _in_order(body: Node, ex: Expressions) -> Node:
    """A reduction over a few points as an expression: from the first to the last."""
    ranges: tuple[Range, ...] = body["ranges"]
    value = ex.cast(body.operands[0], body.type)
    found: Node | None = None
    for places in product(*[range(int(extent)) for _, extent in ranges]):  # pyright: ignore[reportArgumentType]  (known, as they are short)
        one = ex.substitute(value, {name: place for (name, _), place in zip(ranges, places, strict=True)})
        found = one if found is None else ex.make(_COMBINE_ROWS[body["kind"]], (found, one), body.type)
    assert found is not None
    return found


def _axes_apart(step: Definition, known: Growth, ex: Expressions) -> list[tuple[str, int]]:
    """The short axes of a reduction's result along which some costly grown value that it reads is the same."""
    node = step.body
    while node.op == "cast":
        node = node.operands[0]
    if node.op != "reduce" or node["kind"] not in _COMBINE_ROWS or is_short(node) or not covers(step, ex):
        return []
    axes = [(name, extent) for name, extent in step.ranges if isinstance(extent, int) and 1 < extent <= SHORT]
    if not axes or points(axes) > SHORT or len(axes) == len(step.ranges):
        return []
    return [one for one in axes if known.shared(step.body, frozenset((one[0],))) > CHEAP_EXPANDED]
