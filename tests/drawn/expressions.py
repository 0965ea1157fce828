"""Drawn expressions over the arrays that a program has so far."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.drawn.pieces import CASTABLE, EXACT, pick, places, subscript

UNARY = (
    ("-({v})", 4), ("np.abs({v})", 4), ("np.sqrt(np.abs({v}))", 2), ("np.exp(-np.abs({v}))", 1), ("np.tanh({v})", 1), ("np.sin({v})", 1),
    ("np.square({v})", 2), ("({v}) ** 2", 2), ("~({v})", 1), ("np.floor(⟦{v}⟧)", 1), ("np.sign(⟦{v}⟧)", 1), ("np.rint(⟦{v}⟧)", 1),
    ("np.conj({v})", 1), ("({v}).real + 0", 1), ("({v}).imag + 0", 1), ("np.isfinite({v})", 1), ("np.log1p(np.abs({v}))", 1), ("+({v})", 1),
    ("np.clip(⟦{v}⟧, -1, 2)", 2), ("({v}).clip(0, None)", 1), ("np.reciprocal(np.abs({v}) + 1.5)", 1), ("np.nan_to_num({v})", 1),
)  # fmt: skip

SHAPING = (
    ("({v}).T", 4), ("({v})[::-1]", 3), ("({v}).reshape(-1)", 3), ("({v}).ravel()", 1), ("({v})[None]", 2), ("({v})[..., None]", 2),
    ("np.roll({v}, 1)", 1), ("np.roll({v}, -1, axis=0)", 2), ("np.flip({v})", 1), ("np.squeeze({v})", 1), ("np.swapaxes({v}, 0, -1)", 2),
    ("np.concatenate([{v}, {v}])", 1), ("np.stack([{v}, {v} * 2])", 1), ("np.repeat({v}, 2, axis=0)", 1), ("np.tile({v}, 2)", 1),
    ("np.broadcast_to({v}, (2, *({v}).shape))", 1), ("np.atleast_2d({v})", 1), ("np.moveaxis({v}, 0, -1)", 1), ("({v}).copy()", 2),
    ("np.diagonal({v})", 1), ("np.triu({v})", 1), ("np.tril({v}, -1)", 1), ("np.diff({v}, axis=0)", 1), ("np.pad({v}, 1)", 1),
    ("np.rot90({v})", 1), ("np.append({v}, {v}[:1], axis=0)", 1), ("np.hstack(({v}, {v}))", 1), ("np.vstack(({v}, {v}))", 1),
    ("np.delete({v}, 0, axis=0)", 1), ("np.outer({v}, {v})", 1), ("np.array([{v}[0], {v}[-1]])", 1), ("np.expand_dims({v}, 0)", 1),
)  # fmt: skip

REDUCED = (
    ("({v}).sum({a})", 4), ("({v}).mean({a})", 2), ("np.max({v}, {a})", 2), ("({v}).min({a})", 2), ("np.prod({v}, {a})", 1),
    ("np.any({v}, {a})", 1), ("np.all({v}, {a})", 1), ("np.argmax(⟦{v}⟧, {b})", 1), ("np.argmin(⟦{v}⟧, {b})", 1),
    ("np.cumsum({v}, {b})", 2), ("np.count_nonzero({v}, {b})", 1), ("np.std({v}, {a})", 1), ("np.ptp({v}, {a})", 1),
    ("np.sort(⟦{v}⟧, {b})", 1), ("np.argsort(⟦{v}⟧, {b}, kind='stable')", 1), ("np.median({v}, {b})", 1), ("np.add.reduce({v}, {b})", 1),
    ("np.maximum.accumulate(({v}).real, axis=0)", 1), ("np.linalg.norm({v})", 1), ("np.logical_or.reduce({v}, {b})", 1),
)  # fmt: skip

BINARY = (
    ("({v}) + ({w})", 8), ("({v}) - ({w})", 6), ("({v}) * ({w})", 6), ("({v}) / (np.abs({w}) + 1)", 2), ("np.maximum({v}, {w})", 2),
    ("np.minimum({v}, {w})", 2),
    ("⟦{v}⟧ // (np.abs(⟦{w}⟧) + 1)", 1), ("⟦{v}⟧ % (np.abs(⟦{w}⟧) + 2)", 1), ("({v}) & ({w})", 1),
    ("({v}) | ({w})", 1), ("({v}) ^ ({w})", 1), ("⟦{v}⟧ > ⟦{w}⟧", 2), ("⟦{v}⟧ == ⟦{w}⟧", 1), ("⟦{v}⟧ <= ⟦{w}⟧", 1), ("({v}) @ ({w})", 1),
    ("np.where(⟦{v}⟧ > ⟦{w}⟧, {v}, {w})", 2), ("np.hypot({v}, {w})", 1), ("np.add.outer({v}, {w})", 1), ("np.logical_and({v}, {w})", 1),
    ("np.where({v}, {w}, 0)", 1), ("np.copysign({v}, {w})", 1), ("np.dot({v}, {w})", 1), ("({v}) << 1", 1),
    ("np.floor_divide(⟦{v}⟧, 2)", 1),
)  # fmt: skip

NUMBERS = (
    ("k", 3),
    ("s", 3),
    ("2", 2),
    ("-1", 1),
    ("0.5", 2),
    ("1.5", 1),
    ("n", 1),
    ("len(x)", 1),
    ("True", 1),
    ("np.float32(0.5)", 1),
    ("np.int16(3)", 1),
    ("t", 1),
)

CASTS = ("f4", "f8", "i8", "i4", "u1", "?", "c16")


class Expressions:
    """Draws texts of expressions; `names` are the arrays at hand, with their values at this point of the program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: dict[str, Any] = {}

    def arrays(self) -> list[str]:
        return [name for name, value in self.names.items() if isinstance(value, np.ndarray)]

    def array(self, rank: int = 0) -> str:
        """A name of an array of at least a rank, newer ones more often."""
        fitting = [name for name in self.arrays() if self.names[name].ndim >= rank] or self.arrays()
        return self.random.choices(fitting, [1 + place for place in range(len(fitting))])[0]

    def view(self) -> str:
        name = self.array()
        kind = self.random.random()
        if kind < 0.45:
            return name
        shape = self.names[name].shape
        if kind < 0.85:
            return f"{name}[{subscript(self.random, shape)}]"
        return pick(self.random, SHAPING[:8]).format(v=name)

    def picked(self) -> str:
        """Elements chosen by integers or by a mask."""
        name = self.array(1)
        extent = self.names[name].shape[0] if self.names[name].ndim else 0
        if not extent:
            return name
        kind = self.random.random()
        if kind < 0.5:
            return f"{name}[{places(self.random, extent, False)}]"
        if kind < 0.65:
            return f"{name}[..., np.array({places(self.random, self.names[name].shape[-1] or 1, False)})]"
        if kind < 0.75:
            return f"np.take({name}, {places(self.random, extent, False)}, axis=0)"
        if kind < 0.85:
            return f"{name}[np.ix_({places(self.random, extent, True)}, {places(self.random, extent, True)})]"
        return f"np.where({EXACT.format(name)} > 0, {name}, 0)"

    def number(self) -> str:
        return pick(self.random, NUMBERS)

    def value(self, name: str, depth: int) -> str:
        """What is written into an array: whole numbers take only what every cast agrees on."""
        text = self.number() if self.random.random() < 0.3 else self.draw(depth)
        value = self.names[name]
        return CASTABLE.format(text) if isinstance(value, np.ndarray) and value.dtype.kind in "iub" else text

    def axis(self) -> tuple[str, str]:
        """Keywords of a reduction, with and without keepdims."""
        plain = self.random.choice(("axis=0", "axis=-1", "axis=0", "axis=None", "axis=-1"))
        return plain + self.random.choice(("", "", ", keepdims=True")), plain

    def draw(self, depth: int = 2) -> str:
        """An expression that is probably an array."""
        if depth == 0:
            return self.view() if self.random.random() < 0.8 else self.picked()
        below = lambda: self.draw(depth - 1)
        match pick(self.random, (("leaf", 3), ("unary", 3), ("binary", 6), ("scalar", 4), ("reduced", 2), ("shaping", 3), ("cast", 1))):
            case "leaf":
                return self.draw(0)
            case "unary":
                return pick(self.random, UNARY).format(v=below())
            case "binary":
                return pick(self.random, BINARY).format(v=below(), w=self.draw(0))
            case "scalar":
                one, other = self.random.choice([(below(), self.number()), (self.number(), below())])
                return pick(self.random, BINARY[:7]).format(v=one, w=other)
            case "reduced":
                a, b = self.axis()
                return pick(self.random, REDUCED).format(v=below(), a=a, b=b)
            case "shaping":
                return pick(self.random, SHAPING).format(v=self.draw(0))
            case _:
                return f"({CASTABLE.format(below())}).astype({self.random.choice(CASTS)!r})"

    def mask(self, name: str) -> str:
        """A mask for an array of that name."""
        other = self.array(1) if self.random.random() < 0.3 else name
        return f"{EXACT.format(other)} {self.random.choice(('>', '<=', '==', '!='))} {self.random.choice(('0', '1', 'k'))}"

    def truth(self) -> str:
        """A condition, on data, on numbers or on sizes."""
        name = self.array()
        return pick(
            self.random,
            (
                (f"{EXACT.format(f'{name}.sum()')} > {self.random.choice(('0', '3', 'k'))}", 3),
                ("k > 1", 1),
                ("s < 1", 1),
                (f"{name}.ndim == {self.random.randint(0, 2)}", 1),
                (f"{name}.size > {self.random.choice((3, 6, 10))}", 1),
                (f"({EXACT.format(name)} > 1).any()", 1),
                (f"{EXACT.format('t')} > 2", 1),
            ),
        )
