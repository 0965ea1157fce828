"""Dtype rules: from operands' dtypes to the dtypes that an operation computes in and the one it gives, as NumPy's ufuncs do.

A rule is a text: classes of loops that exist (`b` bool, `i` integers, `f` floats, `c` complex), then where the result is of another
dtype `->bool`, `->real` (a complex number's component), or a dtype's name; `!` in front refuses operands that are all bool. Rules
that are not of this form have names: divide, float_power, compare, logical, ldexp, where.

The loop is that of the operands' common dtype, if there is one; else the first, in NumPy's order, that all operands safely cast to.
"""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.dtypes import (
    BF16,
    BOOL,
    C64,
    C128,
    DTYPES,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    DType,
    can_cast,
    complex_of,
    concrete,
    promote,
    real_of,
)  # fmt: skip
from staxlang.base.operations.operation import Operation

Resolved = tuple[tuple[DType, ...], DType]

_CLASS_ROWS: dict[str, tuple[DType, ...]] = {
    "b": (BOOL,),
    "i": (I8, U8, I16, U16, I32, U32, I64, U64),
    "f": (F16, BF16, F32, F64),
    "c": (C64, C128),
}
_LDEXP_ROWS = tuple((x, exponent) for x in _CLASS_ROWS["f"] for exponent in (I32, I64))
_RESOLVED: dict[tuple[str, tuple[DType, ...]], Resolved | str] = {}


def result_type(operation: Operation, operands: tuple[DType, ...]) -> Resolved:
    """The dtypes that operands are cast to and the result's. TypeError where NumPy refuses the operands' dtypes.

    Weak operands (Python numbers) take their width from the others, or the default one. A comparison of a signed integer with u64
    keeps both dtypes, (i64, u64), and is exact.

    >>> from staxlang.base.operations import OPERATIONS
    >>> result_type(OPERATIONS["exp"], (I32,)), result_type(OPERATIONS["add"], (BOOL, BOOL))
    (((f64,), f64), ((bool, bool), bool))
    """
    key = operation.dtype_rule, operands
    found = _RESOLVED.get(key)
    if found is None:
        if len(operands) != operation.arity:
            raise TypeError(f"{operation.name} takes {operation.arity} operands, not {len(operands)}")
        found = _RESOLVED[key] = _resolve(operation.dtype_rule, _with_widths(operands))
    if isinstance(found, str):
        raise TypeError(found)
    return found


def loop_for(operation: Operation, operands: tuple[DType, ...], wanted: DType) -> Resolved:
    """The dtypes that operands are cast to where the result's is asked for, `dtype=`. TypeError where no loop of NumPy's gives it.

    >>> from staxlang.base.operations import OPERATIONS
    >>> loop_for(OPERATIONS["sqrt"], (I32,), F32), loop_for(OPERATIONS["absolute"], (C64,), F32)
    (((f32,), f32), ((c64,), f32))
    """
    rule = operation.dtype_rule
    classes, _, result = rule.removeprefix("!").partition("->")
    if rule in ("compare", "logical", "where") or result not in ("", "real"):
        if wanted is not (DTYPES[result] if result in DTYPES else BOOL):
            raise TypeError(f"it has no loop that gives {wanted.name}")
        return result_type(operation, operands)
    if rule == "ldexp" and wanted.kind == "f":
        return result_type(operation, (wanted, operands[1]))
    loop = wanted
    if rule == "float_power" and wanted not in (F64, C128):
        loop = None
    elif result == "real" and wanted.kind in "cf":
        loop = None if wanted.kind == "c" else _complex_loop(operands, wanted)
    made = {"divide": "fc", "float_power": "fc", "ldexp": ""}.get(rule, classes)
    if loop is None or ("i" if loop.kind == "u" else loop.kind) not in made:
        raise TypeError(f"it has no loop that gives {wanted.name}")
    return (loop,) * len(operands), wanted


def _complex_loop(operands: tuple[DType, ...], component: DType) -> DType:
    return complex_of(component) if component in (F32, F64) and any(dtype.kind == "c" for dtype in operands) else component


def _with_widths(operands: tuple[DType, ...]) -> tuple[DType, ...]:
    """Weak operands keep their weakness only beside one that is neither weak nor bool."""
    if all(dtype.weak or dtype.kind == "b" for dtype in operands):
        return tuple(map(concrete, operands))
    return operands


def _resolve(rule: str, operands: tuple[DType, ...]) -> Resolved | str:
    named = _NAMED_ROWS.get(rule)
    if named is not None:
        return named(operands)
    classes, _, result = rule.partition("->")
    if classes[0] == "!":
        classes = classes[1:]
        if all(dtype is BOOL for dtype in operands):
            return "it has no loop for bool"
    loop = _loop(classes, operands)
    if loop is None:
        return f"it has no loop for {_listed(operands)}"
    given = BOOL if result == "bool" else real_of(loop) if result == "real" else DTYPES[result] if result else loop
    return (loop,) * len(operands), given


def _loop(classes: str, operands: tuple[DType, ...]) -> DType | None:
    common = concrete(promote(*operands))
    kind = "i" if common.kind == "u" else common.kind
    if kind in classes:
        return common
    for name in classes:
        for loop in _CLASS_ROWS[name]:
            if all(can_cast(dtype, loop) for dtype in operands):
                return loop
    return None


def _listed(operands: tuple[DType, ...]) -> str:
    names = [dtype.name for dtype in operands]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _divide(operands: tuple[DType, ...]) -> Resolved:
    common = concrete(promote(*operands))
    common = common if common.kind in "fc" else F64
    return (common, common), common


def _float_power(operands: tuple[DType, ...]) -> Resolved:
    common = C128 if any(dtype.kind == "c" for dtype in operands) else F64
    return (common, common), common


def _compare(operands: tuple[DType, ...]) -> Resolved:
    a, b = operands
    if not a.weak and not b.weak and {a.kind, b.kind} == {"i", "u"} and 64 in (a.bits if a.kind == "u" else b.bits,):
        return ((I64, U64) if a.kind == "i" else (U64, I64)), BOOL
    common = concrete(promote(a, b))
    return (common, common), BOOL


def _logical(operands: tuple[DType, ...]) -> Resolved:
    return (BOOL,) * len(operands), BOOL


def _ldexp(operands: tuple[DType, ...]) -> Resolved | str:
    if operands[0].weak and operands[0].kind == "f":
        operands = F64, operands[1]
    for loop in _LDEXP_ROWS:
        if can_cast(operands[0], loop[0]) and can_cast(operands[1], loop[1]):
            return loop, loop[0]
    return f"it has no loop for {_listed(operands)}"


def _where(operands: tuple[DType, ...]) -> Resolved:
    common = concrete(promote(*operands[1:]))
    return (BOOL, common, common), common


_NAMED_ROWS: dict[str, Callable[[tuple[DType, ...]], Resolved | str]] = {
    "divide": _divide, "float_power": _float_power, "compare": _compare, "logical": _logical, "ldexp": _ldexp, "where": _where,
}  # fmt: skip
