"""Elementary functions as inlined vector code: a row of the operation table in, LLVM instructions out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from staxlang.base.deferred import deferred
from staxlang.compiler.llvm.math.code import Code

error_function = deferred("staxlang.compiler.llvm.math.error_function")
exponential = deferred("staxlang.compiler.llvm.math.exponential")
logarithm = deferred("staxlang.compiler.llvm.math.logarithm")
power = deferred("staxlang.compiler.llvm.math.power")
trigonometric = deferred("staxlang.compiler.llvm.math.trigonometric")

Form = tuple[Any, str]
"""A module and the name of a function in it `(code, operands..) -> name`: a kernel loads the families of functions that it has."""

# Functions with a form of their own in both formats.
DIRECT_ROWS: dict[str, Form] = {
    "exp": (exponential, "exp"),
    "exp_nonpositive": (exponential, "exp_nonpositive"),
    "exp2": (exponential, "exp2"),
    "expm1": (exponential, "expm1"),
    "tanh": (exponential, "tanh"),
    "sigmoid": (exponential, "sigmoid"),
    "log": (logarithm, "log"),
    "log1p": (logarithm, "log1p"),
    "log2": (logarithm, "log2"),
    "log10": (logarithm, "log10"),
    "softplus": (logarithm, "softplus"),
    "sin": (trigonometric, "sin"),
    "cos": (trigonometric, "cos"),
    "sinh": (exponential, "sinh"),
    "cosh": (exponential, "cosh"),
    "tan": (trigonometric, "tan"),
    "arctan": (trigonometric, "arctan"),
    "arctan2": (trigonometric, "arctan2"),
    "arcsin": (trigonometric, "arcsin"),
    "arccos": (trigonometric, "arccos"),
    "cbrt": (power, "cbrt"),
    "erf": (error_function, "erf"),
    "power": (power, "power"),
}

# Functions whose f32 form is the f64 one, rounded.
THROUGH_F64_ROWS: dict[str, Form] = {
    "logaddexp": (logarithm, "logaddexp"),
    "logaddexp2": (logarithm, "logaddexp2"),
    "arcsinh": (logarithm, "arcsinh"),
    "arccosh": (logarithm, "arccosh"),
    "arctanh": (logarithm, "arctanh"),
    "erfc": (error_function, "erfc"),
    "hypot": (power, "hypot"),
}

F32_ROWS: dict[str, Form] = {"hypot": (power, "hypot_f32")}

FUNCTIONS = frozenset(DIRECT_ROWS) | frozenset(THROUGH_F64_ROWS)


def expand_math(
    name: str, dtype: str, width: int, operands: Sequence[str], fresh: Callable[[], str], native_scale: bool = False
) -> tuple[list[str], str, tuple[str, ...]]:
    """Instructions that compute an elementary function of vectors.

    `dtype` is f32 or f64, `width` the number of lanes (1: scalars), `operands` SSA names or constants, `fresh` gives unused SSA names
    (with `%`; some are used as labels: the instructions may end in another block than they began in).
    Returns the instructions, the result's name, and lines to be placed once at module level (declarations, tables, functions).
    """
    code = Code(32 if dtype == "f32" else 64, width, fresh, native_scale)
    form = DIRECT_ROWS.get(name) or (F32_ROWS.get(name) if dtype == "f32" else None)
    if form is not None or dtype == "f64":
        result = getattr(*(form or THROUGH_F64_ROWS[name]))(code, *operands)
    else:
        wide = code.other(64)
        extended = [wide.emit(f"fpext {code.type} {operand} to {wide.type}") for operand in operands]
        value = getattr(*THROUGH_F64_ROWS[name])(wide, *extended)
        result = code.emit(f"fptrunc {wide.type} {value} to {code.type}")
    return code.lines, result, tuple(code.module)
