"""Drawn statements: a row for each kind, with how often it is drawn. To teach the generator another kind - kept loops, say - add a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.drawn.pieces import EXACT, pick, places, subscript

if TYPE_CHECKING:
    from tests.drawn.generator import Generator

Lines = list[str]
SIGNS = (("+=", 5), ("-=", 3), ("*=", 3), ("//=", 1), ("|=", 1), ("&=", 1), ("/=", 1), ("%=", 1), ("**=", 1))


def fresh(g: Generator) -> Lines:
    return [f"{g.name()} = {g.expressions.draw(g.random.randint(1, 3))}"]


def alias(g: Generator) -> Lines:
    return [f"{g.name()} = {g.expressions.view()}"]


def target(g: Generator, name: str) -> str:
    """A place in an array that can be written: the whole, a part, a part of a part."""
    shape = g.expressions.names[name].shape
    place = f"{name}[{subscript(g.random, shape)}]"
    kind = g.random.random()
    if kind < 0.1:
        return f"{name}.T[{subscript(g.random, shape[::-1])}]"
    if kind < 0.2 and shape:
        return f"{place}[{g.random.choice(('1:', '::-1', ':1', '...', '::2'))}]"
    return place if kind < 0.9 else f"{name}[...]"


def set_part(g: Generator) -> Lines:
    name = g.expressions.array()
    return [f"{target(g, name)} = {g.expressions.value(name, g.random.randint(0, 2))}"]


def shifted(g: Generator) -> Lines:
    """Parts of one array on both sides: the new value of an element may be an old one beside it."""
    name = g.expressions.array(1)
    one, other = g.random.choice(
        (("1:", ":-1"), (":-1", "1:"), ("::-1", ":"), ("1:-1", "2:"), ("1:-1", ":-2"), ("2:", ":-2"), ("::2", "1::2"))
    )
    lead = "" if g.random.random() < 0.7 or g.expressions.names[name].ndim < 2 else ":, "
    factor = g.random.choice(("", " * 2", " + k", f" - {name}[{lead}{one}]"))
    return [f"{name}[{lead}{one}] {g.random.choice(('=', '=', '+=', '-='))} {name}[{lead}{other}]{factor}"]


def augmented(g: Generator) -> Lines:
    sign = pick(g.random, SIGNS)
    name = g.expressions.array()
    place = name if g.random.random() < 0.4 else target(g, name)
    value = g.expressions.value(name, g.random.randint(0, 2))
    return [f"{place} {sign} {EXACT.format(value) if sign in ('//=', '%=') else value}"]


def masked(g: Generator) -> Lines:
    name = g.expressions.array(1)
    mask = g.expressions.mask(name)
    kind = g.random.random()
    if kind < 0.4:
        return [f"{name}[{mask}] {g.random.choice(('=', '+=', '*='))} {g.expressions.value(name, 0)}"]
    if kind < 0.75:
        other = g.expressions.array(1)
        return [f"m = {mask}", f"{name}[m] {g.random.choice(('=', '+='))} {other}[m] {g.random.choice(('', '* 2', f'+ {name}[m]'))}"]
    if kind < 0.9:
        return [f"{name}[~({mask})] = {g.expressions.value(name, 0)}"]
    return [f"{g.name()} = {name}[{mask}].{g.random.choice(('sum()', 'prod()', 'any()'))}"]


def by_places(g: Generator) -> Lines:
    name = g.expressions.array(1)
    shape = g.expressions.names[name].shape
    if not shape or not shape[0]:
        return []
    value = g.expressions.value(name, 0)
    chosen = places(g.random, shape[0], g.random.random() < 0.7)
    kind = g.random.random()
    if kind < 0.45:
        return [f"{name}[{chosen}] {g.random.choice(('=', '+=', '*='))} {value}"]
    if kind < 0.65:
        added = f"np.{g.random.choice(('add', 'maximum', 'multiply'))}.at({name}, {chosen}, {g.random.choice('12')})"
        return [added] if g.expressions.names[name].dtype.kind != "b" else []
    if kind < 0.8:
        i, j = g.random.randrange(shape[0]), g.random.randrange(shape[0])
        return [f"{name}[[{i}, {j}]] = {name}[[{j}, {i}]]"]
    if kind < 0.9 and len(shape) > 1:
        return [f"{name}[:, {places(g.random, shape[1] or 1, True)}] {g.random.choice(('=', '+='))} {value}"]
    rows, columns = places(g.random, shape[0], True), places(g.random, shape[-1] or 1, True)
    return [f"{name}[np.ix_({rows}, {columns})] {g.random.choice(('=', '+='))} {value}"]


def exchanged(g: Generator) -> Lines:
    name, other = g.expressions.array(1), g.expressions.array(1)
    kind = g.random.random()
    if kind < 0.4:
        return [f"{name}[0], {name}[-1] = {name}[-1]{g.random.choice(('', '.copy()'))}, {name}[0]{g.random.choice(('', '.copy()'))}"]
    if kind < 0.7:
        return [f"{name}, {other} = {other}, {name}"]
    return [f"{name}[...], {other}[...] = {other}, {name}{g.random.choice(('', ' * 2'))}"]


def output(g: Generator) -> Lines:
    name = g.expressions.array()
    part = name if g.random.random() < 0.6 else target(g, name)
    one, other = g.expressions.value(name, 0), g.expressions.value(name, 0)
    kind = g.random.random()
    if kind < 0.5:
        return [f"{g.name()} = np.{g.random.choice(('add', 'multiply', 'subtract', 'maximum'))}({one}, {other}, out={part})"]
    if kind < 0.7:
        return [f"np.{g.random.choice(('negative', 'absolute', 'square'))}({one}, out={part})"]
    if kind < 0.85:
        return [f"np.add({one}, {other}, out={part}, where={EXACT.format(name)} > 0)"]
    return [f"np.copyto({part}, {one}{g.random.choice(('', f', where={EXACT.format(name)} > 0'))})"]


def method(g: Generator) -> Lines:
    name, value = g.expressions.array(), g.expressions.number()
    lines = (f"{name}.fill({value})", f"{name}.sort()", f"np.fill_diagonal({name}, {value})", f"{name} = {name}.copy()")
    return [g.random.choice(lines)]


def number(g: Generator) -> Lines:
    name = g.expressions.array()
    lines = (f"t = t + {name}.sum()", f"t += float(({name}).mean().real)", f"t = t * 2 + {name}.shape[0]",
             f"t = max(t, {name}.size)", f"n = min({name}.shape[0], 2)", f"t = abs(t) + len({name})")  # fmt: skip
    return [g.random.choice(lines)]


def helper(g: Generator) -> Lines:
    name, other = g.expressions.array(1), g.expressions.array()
    calls = (f"change({name}, k)", f"part({name})", f"combined({name}, {other})", f"twice(lambda v: v + t, {name})",
             f"change({name}[::-1], 2)", f"combined({other}, {name}[:1], scale=s)")  # fmt: skip
    call = g.random.choice(calls)
    return [f"{g.name()} = {call}" if g.random.random() < 0.8 else call]


def captured(g: Generator) -> Lines:
    name = g.expressions.array()
    lines = (f"{g.name()} = {name} + G", "G[0] += 1", f"G[1:] *= {g.expressions.number()}", f"{g.name()} = G[::-1]",
             f"G[...] = {name}.sum()")  # fmt: skip
    return [g.random.choice(lines)]


def branch(g: Generator) -> Lines:
    test = g.expressions.truth()
    then, otherwise = g.block(2), g.block(1) if g.random.random() < 0.6 else []
    return [f"if {test}:", *indented(then), *(["else:", *indented(otherwise)] if otherwise else [])] if then else []


def static_loop(g: Generator) -> Lines:
    name = g.expressions.array(1)
    heads = (((f"for i in range({g.random.choice((2, 3))}):", "i = 0"), 4), ((f"for row in {name}:", f"row = {name}[0]"), 1),
             ((f"for i, row in enumerate({name}):", f"i, row = 0, {name}[0]"), 1),
             ((f"for one, i in zip({name}, (1, 2)):", f"one, i = {name}[0], 1"), 1))  # fmt: skip
    head, first = pick(g.random, heads)
    body = g.block(2, first)
    if body and g.random.random() < 0.3 and "i" in first.split(" = ")[0]:
        body.append(f"if i == 1: {g.random.choice(('break', 'continue'))}")
        body += g.block(1, first)
    return [head, *indented(body)] if body else []


def by_round(g: Generator) -> Lines:
    """What uses the number of a round."""
    name, other = g.expressions.array(1), g.expressions.array(1)
    lines = (f"{name}[i % len({name})] += 1", f"{name}[i % len({name})] = {other}[(2 * i + 1) % len({other})]", "t = t * 0.5 + i",
             f"{name}[: i % 3] -= {other}[: i % 3]", f"if i % 3 == 1: {name}[0] = i % 5",
             f"{name}[...] = {name} * 0.5 + {other}")  # fmt: skip
    return [g.random.choice(lines)]


def kept_loop(g: Generator) -> Lines:
    """Too many rounds to unroll."""
    body = g.block(2, "i = 0") + by_round(g)
    if g.random.random() < 0.3:
        body.append(f"if {g.random.choice((g.expressions.truth(), 'i > 17'))}: {g.random.choice(('break', 'continue'))}")
        body += g.block(1, "i = 0")
    return [f"for i in range({g.random.choice(('20', '33', '64', '10 * n', 'n, 40, 2', '25, -1, -1'))}):", *indented(body)]


def while_loop(g: Generator) -> Lines:
    """Until a sum is large, or for some rounds."""
    name = g.expressions.array()
    body = [*g.block(2, "w = 0"), f"{name} += 1", "w += 1"]
    return ["w = 0", f"while w < {g.random.choice((20, 'n + 20'))} and {EXACT.format(f'{name}.sum()')} < 90:", *indented(body)]


def early_return(g: Generator) -> Lines:
    return [f"if {g.expressions.truth()}:", f"    return {g.expressions.array()}, t"]


def indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]


KINDS: tuple[tuple[Callable[[Generator], Lines], int], ...] = (
    (fresh, 10), (alias, 4), (set_part, 8), (shifted, 4), (augmented, 8), (masked, 5), (by_places, 4), (exchanged, 2), (output, 3),
    (method, 1), (number, 2), (helper, 3), (captured, 1), (branch, 2), (static_loop, 2), (early_return, 1),
)  # fmt: skip
LOOPS: tuple[tuple[Callable[[Generator], Lines], int], ...] = ((kept_loop, 4), (while_loop, 2))
"""Loops that stay in the program, drawn where they are asked for."""
COMPOUND = (branch, static_loop, kept_loop, while_loop, early_return)
