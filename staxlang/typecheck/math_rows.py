"""The rows of the operation table that Python's math module spells: their meaning on Python numbers that are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any


def _exp2(x: float) -> float:
    return 2.0**x


def _cbrt(x: float) -> float:
    return math.copysign(abs(x) ** (1 / 3), x)


MATH_ROWS: Mapping[str, Callable[..., Any]] = {
    "exp": math.exp, "exp2": _exp2, "expm1": math.expm1, "log": math.log, "log2": math.log2, "log10": math.log10,
    "log1p": math.log1p, "sqrt": math.sqrt, "cbrt": _cbrt, "sin": math.sin, "cos": math.cos,
    "tan": math.tan, "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arctan2": math.atan2, "sinh": math.sinh,
    "cosh": math.cosh, "tanh": math.tanh, "arcsinh": math.asinh, "arccosh": math.acosh, "arctanh": math.atanh, "hypot": math.hypot,
    "fabs": math.fabs, "fmod": math.fmod, "float_power": math.pow, "copysign": math.copysign, "nextafter": math.nextafter,
    "degrees": math.degrees, "radians": math.radians, "erf": math.erf, "erfc": math.erfc, "gcd": math.gcd, "lcm": math.lcm,
    "isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc,
    "ldexp": math.ldexp,
}  # fmt: skip
"""By row: what math has for it."""
