"""Rows of the table of operations: functions that NumPy lacks and that must not be opened into forms that cancel."""

from staxlang.base.operations.operation import Operation, row
from staxlang.base.operations.references import erf, erfc, sigmoid, softplus

SPECIAL_ROWS: tuple[Operation, ...] = (
    row(
        "erf", "math.erf", "f", erf, ("g * 1.1283791670955126 * exp(-square(x))",),
        "The error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.", "erf(0.0) -> 0.0", domain=((-3.0, 3.0),),
    ),
    row(
        "erfc", "math.erfc", "f", erfc, ("g * -1.1283791670955126 * exp(-square(x))",),
        "1 - erf(x) without cancellation for large x.", "erfc(0.0) -> 1.0", domain=((-3.0, 3.0),),
    ),
    row(
        "sigmoid", "", "f", sigmoid, ("g * y * (1 - y)",),
        "1 / (1 + exp(-x)).", "sigmoid(0.0) -> 0.5",
    ),
    row(
        "softplus", "", "f", softplus, ("g * sigmoid(x)",),
        "log(1 + exp(x)) without overflow.", "softplus(0.0) -> 0.6931471805599453",
        expansion="maximum(x, 0) + log1p(exp(-absolute(x)))",
    ),
)  # fmt: skip
