"""About how many operations the algorithms of dense linear algebra make, on real matrices of these shapes.

The counts are those of Golub and Van Loan, Matrix Computations (4th edition), chapters 3 to 8; iterations take what they take on average.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

Shape = tuple[int, ...]
Count = Callable[..., float]


def cubes(factor: float) -> Count:
    """Of square matrices: a multiple of the cube of their extent, each."""

    def count(a: Shape, *rest: Shape) -> float:
        return prod(a[:-2]) * factor * a[-1] ** 3

    return count


def rectangle(tall: float, square: float) -> Count:
    """Of m rows and n columns, m the greater: `tall` m n^2 + `square` n^3, each."""

    def count(a: Shape, *rest: Shape) -> float:
        most, least = max(a[-2:]), min(a[-2:])
        return prod(a[:-2]) * (tall * most * least**2 + square * least**3)

    return count


def solved(a: Shape, b: Shape) -> float:
    """Elimination and two substitutions for each right side."""
    return prod(a[:-2]) * (2 / 3 * a[-1] ** 3 + 2 * a[-1] ** 2 * b[-1])


def substituted(a: Shape, b: Shape) -> float:
    return prod(a[:-2]) * a[-1] ** 2 * b[-1]


def reflected(h: Shape, tau: Shape) -> float:
    """The first columns of the product of as many reflections."""
    return prod(h[:-2]) * (2 * h[-2] * tau[-1] ** 2 - 2 / 3 * tau[-1] ** 3)
