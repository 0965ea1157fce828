"""Text of drawn programs: what an expression can be made of. Nothing here is sure to be valid; the one who draws tries it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

# ⟦expression⟧ stands where a value of floats decides something (a comparison, a rounding, an order): what is drawn is kept only
# if rounding cannot have touched that value, so that a last bit that differs decides nothing.
EXACT = "⟦{}⟧"
# ⟪expression⟫: becomes a whole number or a boolean, so it must be one that all casts agree on: finite, small, not negative.
CASTABLE = "⟪{}⟫"

FLOATS, INTEGERS = ("f8", "f8", "f4", "f2"), ("i8", "i8", "i4", "i2", "u1", "u4")
DTYPES = (*FLOATS, *INTEGERS, "?", "c16", "c8", ">f8", ">i4")
EXTENTS = (1, 2, 3, 3, 4, 4, 4, 5)

LAYOUTS = (
    ("{a}", 6),
    ("{a}.copy(order='F')", 2),
    ("np.repeat({a}, 2, axis=-1)[..., ::2]", 2),
    ("{a}[::-1]", 1),
    ("np.ascontiguousarray({a}.T).T", 1),
    ("np.concatenate([{a}, {a}])[len({a}):]", 1),
    ("np.ascontiguousarray(np.moveaxis({a}, 0, -1)[..., ::-1])[..., ::-1].T.T if {a}.ndim < 2 else {a}[:, ::-1].copy()[:, ::-1]", 1),
)


def pick(random: Random, rows: Any) -> Any:
    """One of (what, weight) pairs."""
    rows = tuple(rows)
    return random.choices([row[0] for row in rows], [row[1] for row in rows])[0]


def values(random: Random, shape: tuple[int, ...], dtype: str) -> str:
    """The text of an array of small numbers that any dtype holds exactly."""
    count = int(np.prod(shape))
    step, modulus = random.choice((1, 3, 5, 7)), random.choice((2, 5, 7, 9))
    start = 0 if dtype in ("u1", "u4", "?") else random.choice((0, 1, 3))
    text = f"(np.arange({count}) * {step} % {modulus} - {start}).reshape({shape})"
    if dtype == "?":
        return f"({text} % 2 == 0)"
    if np.dtype(dtype).kind in "fc" and random.random() < 0.7:
        text = f"({text} / {random.choice((2, 4))})"
    if np.dtype(dtype).kind == "c":
        text = f"({text} * (1 + {random.choice((0.5, 1, -2))}j))"
    return f"{text}.astype({dtype!r})"


def subscript(random: Random, shape: tuple[int, ...]) -> str:
    """A basic subscript that mostly fits, without the brackets."""
    if not shape:
        return random.choice(("...", "()"))
    parts = [_item(random, extent) for extent in shape[: random.randint(1, len(shape))]]
    if random.random() < 0.15:
        parts.insert(random.randint(0, len(parts)), random.choice(("None", "np.newaxis")))
    if random.random() < 0.2:
        parts = [*parts[:1], "...", *parts[1:]] if random.random() < 0.5 or len(parts) < len(shape) else ["...", *parts]
    return ", ".join(parts)


def _item(random: Random, extent: int) -> str:
    n = extent
    kind = random.random()
    if kind < 0.25 and n:
        return str(random.randrange(-n, n))
    if kind < 0.4:
        return random.choice((":", "::-1", "::2", "1::2", "::-2"))
    if kind < 0.5:
        return random.choice(("1:-1", "1:", ":-1", ":2", "-2:", "n:", ":n", "n - 1", "-n:"))
    low = random.randint(0, n)
    high = random.randint(min(n, low + (random.random() < 0.9)), n)
    step = random.choice(("", "", "", ":2", ":-1"))
    return f"{low}:{high}{step}" if step != ":-1" else f"{high}:{low}:-1"


def places(random: Random, extent: int, distinct: bool) -> str:
    """Integers of an axis, as a list."""
    count = random.randint(1, max(1, min(extent, 4)))
    chosen = random.sample(range(extent), count) if distinct else [random.randrange(extent) for _ in range(count)]
    return str([one - extent if random.random() < 0.2 else one for one in chosen])
