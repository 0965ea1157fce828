"""What a row of the table of operations is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.base.records import record

Intervals = tuple[tuple[float, float], ...]


@record
class Operation:
    """A scalar operation, declared once.

    Operands are called `x` (one), `a`, `b` (two) or `c`, `a`, `b` (three) in texts.

    spellings: "np.add", "math.exp", "operator.add" (functions of these modules), "binary.+", "unary.-" (Python's operators),
        "builtins.abs", "method.conj", "attribute.real", "stax.erf".
    dtype_rule: see rules.py.
    reference: the NumPy function that says what it means.
    derivative: for each operand the adjoint as text over the operands, `g` (the incoming adjoint) and `y` (the result), "0" where
        the operation is locally constant in it; or "none: reason".
    expansion: an equal text for engines that have no direct form; None where a form is required.
    domain: for each operand the interval that generated tests draw from.
    accuracy: exact (bit for bit NumPy's, no rounding), correct (correctly rounded), default (2.5 ULP in f32, 1.5 in f64).
    flags: commutative, associative (exactly), idempotent, cheap (no more than an addition), boolean (its result is bool).
    example: `call -> value`.
    """

    name: str
    arity: int
    spellings: tuple[str, ...]
    dtype_rule: str
    reference: Callable[..., Any]
    derivative: tuple[str, ...] | str
    expansion: str | None
    domain: Intervals
    accuracy: str
    flags: frozenset[str]
    doc: str
    example: str

    @property
    def operands(self) -> tuple[str, ...]:
        """The operands' names in texts."""
        return OPERAND_NAMES[self.arity]


OPERAND_NAMES: dict[int, tuple[str, ...]] = {1: ("x",), 2: ("a", "b"), 3: ("c", "a", "b")}
ANY = (-10.0, 10.0)
POSITIVE = (1e-3, 10.0)
UNIT = (-1.0, 1.0)
TRUTH = (0.0, 1.0)


def row(
    name: str,
    spellings: str,
    dtype_rule: str,
    reference: Callable[..., Any],
    derivative: tuple[str, ...] | str,
    doc: str,
    example: str,
    *,
    expansion: str | None = None,
    domain: Intervals = (ANY,),
    accuracy: str = "default",
    flags: str = "",
) -> Operation:
    """A row; its number of operands is its domain's. Spellings and flags are lists with spaces between; `stax.<name>` is always one."""
    spelled = tuple(dict.fromkeys((*spellings.split(), f"stax.{name}")))
    return Operation(
        name, len(domain), spelled, dtype_rule, reference, derivative, expansion, domain, accuracy, frozenset(flags.split()), doc, example
    )
