"""Whole programs by a seed. Each statement is tried as soon as it is drawn: NumPy runs the program, and all values are known."""

from __future__ import annotations

import re
from random import Random
from typing import Any, NamedTuple

import numpy as np

from tests.drawn import statements
from tests.drawn.exactness import castable, exact
from tests.drawn.expressions import Expressions
from tests.drawn.pieces import DTYPES, EXTENTS, LAYOUTS, pick, values

HELPERS = """
def change(v, k):
    v[0] = v[0] + k
    v *= 2
    return v


def part(v):
    return v[1:], v.sum()


def combined(a, b, scale=2):
    c = a * scale
    c[:1] += 1
    b = b + c
    return b


def twice(f, v):
    return f(f(v))
"""
PARAMETERS = "x, y, z, k, s, n"


class Drawn(NamedTuple):
    """A program: the text that makes its arguments and captured array, and that of the function `f`."""

    seed: int
    made: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.made}\n{HELPERS}\n\n{plain(self.body)}"


def plain(text: str) -> str:
    return re.sub("[⟦⟪]", "(", re.sub("[⟧⟫]", ")", text))


def probed(text: str) -> str:
    return re.sub("[⟧⟫]", ")", text.replace("⟦", "exact_(").replace("⟪", "castable_("))


class Generator:
    def __init__(self, seed: int, loops: bool = False) -> None:
        self.seed = seed
        self.kinds = (*statements.KINDS, *(statements.LOOPS if loops else ()))
        self.random = Random(seed)
        self.expressions = Expressions(self.random)
        self.made = self._arguments()
        self.lines: list[str] = []
        self.depth = 0

    def name(self) -> str:
        return self.random.choice(("a", "b", "c", "d", "x"))

    def drawn(self) -> Drawn:
        self._replay()
        for _ in range(self.random.randint(2, 7)):
            lines = self._statement()
            if lines:
                self.lines += lines
        return Drawn(self.seed, self.made, self._function([*self.lines, f"return {self._result()}"]))

    def block(self, count: int, *given: str) -> list[str]:
        """The body of a branch or loop: statements that run one after the other where it begins, after the lines `given` (which are
        no part of it: what binds a loop's names). The state is put back by who tries the whole."""
        self.depth += 1
        lines: list[str] = []
        for _ in range(self.random.randint(1, count)):
            lines += self._statement([*given, *lines])
        self.depth -= 1
        return lines

    def _statement(self, before: list[str] | None = None) -> list[str]:
        """A statement that runs where the program stands (after `before`, in a block), or nothing after a few attempts."""
        kinds = self.kinds if self.depth < 2 else [row for row in self.kinds if row[0] not in statements.COMPOUND]
        for _ in range(6):
            lines = pick(self.random, kinds)(self)
            if lines and self._runs([*(before or ()), *lines]):
                return lines
        return []

    # ---- trying ----

    def _runs(self, lines: list[str]) -> bool:
        """Whether lines run after those that are accepted. Then the state is that after them; else that before."""
        self._replay()
        if self._execute(lines):
            return True
        self._replay()
        return False

    def _replay(self) -> None:
        self.space = self._globals()
        self.space |= dict(zip(PARAMETERS.split(", "), self.space["arguments"]()), t=0)
        self._execute(self.lines)

    def _execute(self, lines: list[str]) -> bool:
        text = (
            "def f_():\n    pass\n" + probed("\n".join(lines))
            if not any("return" in line for line in lines)
            else probed(self._wrapped(lines))
        )
        try:
            with np.errstate(all="ignore"):
                exec(compile(text, "<attempt>", "exec"), self.space)
        except Exception:
            return False
        self._look()
        return all(_tame(value) for value in self.space.values())

    def _wrapped(self, lines: list[str]) -> str:
        """Lines with a `return` run as if it were not taken."""
        return "\n".join(line.split("return")[0] + "pass" if "return" in line else line for line in lines)

    def _look(self) -> None:
        known = {name: value for name, value in self.space.items() if len(name) < 4 and isinstance(value, np.ndarray)}
        if not self.depth:  # what a loop has bound last is a copy of a row, in NumPy a view of it
            known = {name: value for name, value in known.items() if name not in ("row", "one")}
        self.expressions.names = known

    def _globals(self) -> dict[str, Any]:
        space: dict[str, Any] = {"np": np, "exact_": exact, "castable_": castable}
        exec(self.made + HELPERS, space)
        return space

    # ---- text ----

    def _arguments(self) -> str:
        lines = [f"{name} = {self._array()}" for name in "xy"]
        others = (("x", 1), ("x[1:] if x.ndim else x", 1), ("y.T", 1), ("x[::-1] if x.ndim else x", 1), ("y", 1))
        lines.append("z = " + pick(self.random, ((self._array(), 6), *others)))
        if self.random.random() < 0.1:
            lines.append(f"if x.dtype.kind == 'f' and x.ndim: x[..., :1] = {self.random.choice(('np.nan', 'np.inf', '-np.inf', '-0.0'))}")
        k, s, n = self.random.randint(-2, 4), self.random.choice((0.5, -1.5, 2.0)), self.random.randint(0, 3)
        body = "\n".join("    " + line for line in [*lines, f"return x, y, z, {k}, {s}, {n}"])
        return f"G = {values(self.random, (3,), self.random.choice(('f8', 'f4', 'i8')))}\n\n\ndef arguments():\n{body}\n"

    def _array(self) -> str:
        rank = pick(self.random, ((1, 4), (2, 6), (3, 1), (0, 1)))
        shape = tuple(self.random.choice(EXTENTS) for _ in range(rank))
        if self.random.random() < 0.03 and rank:
            shape = (0, *shape[1:])
        text = values(self.random, shape, self.random.choice(DTYPES))
        return pick(self.random, LAYOUTS).format(a=text) if rank else text

    def _result(self) -> str:
        shown = [name for name in self.space if len(name) == 1 and name not in ("f", "k", "s", "n", "G")]
        chosen = self.random.sample(shown, min(len(shown), self.random.randint(1, 4)))
        parts = [self.expressions.view() if self.random.random() < 0.2 else name for name in chosen]
        if len(parts) == 1:
            return parts[0]
        return pick(
            self.random,
            ((", ".join(parts), 6), (f"[{', '.join(parts)}]", 1), ("{" + ", ".join(f"{k}: {p}" for k, p in enumerate(parts)) + "}", 1)),
        )

    def _function(self, lines: list[str]) -> str:
        return f"def f({PARAMETERS}):\n    t = 0\n" + "\n".join("    " + line for line in lines) + "\n"


def _tame(value: Any) -> bool:
    """Nothing so large that the rounding of what was added to it shows."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.size:
        finite = np.abs(value[np.isfinite(value)].astype(complex))
        return not finite.size or finite.max() < (300 if value.dtype.itemsize == 2 else 1e5)
    return not isinstance(value, (int, float)) or abs(value) < 1e9 or value != value


def draw(seed: int, loops: bool = False) -> Drawn | None:
    """The program of a seed; None where the whole does not run (a loop's later rounds may not fit, say)."""
    drawn = Generator(seed, loops).drawn()
    space: dict[str, Any] = {"np": np, "exact_": exact, "castable_": castable}
    try:
        with np.errstate(all="ignore"):
            exec(drawn.made + HELPERS + probed(drawn.body), space)
            space["f"](*space["arguments"]())
    except Exception:
        return None
    return drawn
