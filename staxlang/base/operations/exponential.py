"""Rows of the table of operations: exponentials, logarithms, roots."""

import numpy as np

from staxlang.base.operations.operation import ANY, POSITIVE, Operation, row

EXPONENT = (-10.0, 10.0)

EXPONENTIAL_ROWS: tuple[Operation, ...] = (
    row(
        "exp", "np.exp math.exp", "fc", np.exp, ("g * conjugate(y)",),
        "e to the power x.", "exp(0.0) -> 1.0", domain=(EXPONENT,),
    ),
    row(
        "exp2", "np.exp2 math.exp2", "fc", np.exp2, ("g * conjugate(y) * 0.6931471805599453",),
        "2 to the power x.", "exp2(3.0) -> 8.0", domain=(EXPONENT,),
    ),
    row(
        "expm1", "np.expm1 math.expm1", "fc", np.expm1, ("g * conjugate(y + 1)",),
        "exp(x) - 1 without cancellation near 0.", "expm1(0.0) -> 0.0", domain=(EXPONENT,),
    ),
    row(
        "log", "np.log math.log", "fc", np.log, ("g / conjugate(x)",),
        "The natural logarithm.", "log(1.0) -> 0.0", domain=(POSITIVE,),
    ),
    row(
        "log2", "np.log2 math.log2", "fc", np.log2, ("g / conjugate(x * 0.6931471805599453)",),
        "The logarithm to base 2.", "log2(8.0) -> 3.0", domain=(POSITIVE,),
    ),
    row(
        "log10", "np.log10 math.log10", "fc", np.log10, ("g / conjugate(x * 2.302585092994046)",),
        "The logarithm to base 10.", "log10(1000.0) -> 3.0", domain=(POSITIVE,),
    ),
    row(
        "log1p", "np.log1p math.log1p", "fc", np.log1p, ("g / conjugate(1 + x)",),
        "log(1 + x) without cancellation near 0.", "log1p(0.0) -> 0.0", domain=((-0.9, 10.0),),
    ),
    row(
        "sqrt", "np.sqrt math.sqrt", "fc", np.sqrt, ("g / conjugate(2 * y)",),
        "The square root; NaN below 0. Its derivative at 0 is infinite.", "sqrt(9.0) -> 3.0", domain=(POSITIVE,), accuracy="correct",
    ),
    row(
        "cbrt", "np.cbrt math.cbrt", "f", np.cbrt, ("g / (3 * square(y))",),
        "The cube root, below 0 too.", "cbrt(-8.0) -> -2.0", domain=(POSITIVE,),
    ),
    row(
        "logaddexp", "np.logaddexp", "f", np.logaddexp,
        ("g * where(a == b, 0.5, sigmoid(a - b))", "g * where(a == b, 0.5, sigmoid(b - a))"),
        "log(exp(a) + exp(b)) without overflow.", "logaddexp(0.0, 0.0) -> 0.6931471805599453",
        expansion="where(a == b, a + 0.6931471805599453, maximum(a, b) + log1p(exp(-absolute(a - b))))",
        domain=(ANY, ANY), flags="commutative",
    ),
    row(
        "logaddexp2", "np.logaddexp2", "f", np.logaddexp2,
        (
            "g * where(a == b, 0.5, sigmoid((a - b) * 0.6931471805599453))",
            "g * where(a == b, 0.5, sigmoid((b - a) * 0.6931471805599453))",
        ),
        "log2(2**a + 2**b) without overflow.", "logaddexp2(0.0, 0.0) -> 1.0",
        expansion="where(a == b, a + 1, maximum(a, b) + log1p(exp2(-absolute(a - b))) * 1.4426950408889634)",
        domain=(ANY, ANY), flags="commutative",
    ),
)  # fmt: skip
