"""Operations without a form of their own: elementary functions (expanded by `math`), and what is said by other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.dtypes import DType
from staxlang.compiler.llvm.function import Function, Value
from staxlang.compiler.llvm.math import FUNCTIONS, expand_math

if TYPE_CHECKING:
    from staxlang.compiler.llvm import complex_functions
    from staxlang.compiler.llvm.complex_functions import Apply
else:
    complex_functions = deferred("staxlang.compiler.llvm.complex_functions")


class MissingForm(Exception):
    """An operation that this emitter cannot write for that dtype."""

    def __init__(self, op: str, dtype: DType) -> None:
        super().__init__(f"{op} has no form for {dtype}")
        self.op, self.dtype = op, dtype


SAME_ROWS = {"float_power": "power"}


def mathematics(f: Function, op: str, operands: tuple[Value, ...], dtype: DType, lanes: int, apply: Apply) -> Value:
    """The operation on values of f32 or f64 (or complex ones), all of that many lanes."""
    kind = operands[0].dtype
    if kind.kind == "c" and op in complex_functions.COMPLEX_FUNCTION_ROWS:
        return complex_functions.COMPLEX_FUNCTION_ROWS[op](complex_functions.Numbers(f, kind, apply), *operands)
    op = SAME_ROWS.get(op, op)
    if op not in FUNCTIONS or dtype.kind != "f":
        raise MissingForm(op, operands[0].dtype)
    level, varying, reads = 0, False, None
    for value in operands:
        level = max(level, value.level)
        varying = varying or value.varying
        if value.reads is not None:
            reads = value.reads if reads is None else reads | value.reads
    lines, result, shared = expand_math(
        op, dtype.name, lanes, [value.text for value in operands], lambda: f"%m.{f.fresh()}", f.module.scales
    )
    scope = f.scopes[level]
    scope.lines += lines
    for line in reversed(lines):
        if line.endswith(":"):
            scope.label = line[:-1].strip()
            break
    for line in shared:
        f.module.shared[line] = None
    return Value(result, dtype, lanes, level, varying, reads)
