"""Rows of the table of operations: arithmetic."""

import numpy as np

from staxlang.base.operations.operation import ANY, POSITIVE, Operation, row

TWO = (ANY, ANY)
DIVISION = (ANY, (0.5, 10.0))

ARITHMETIC_ROWS: tuple[Operation, ...] = (
    row(
        "add", "np.add binary.+ operator.add operator.iadd", "bifc", np.add, ("g", "g"),
        "The sum; of bools, logical or.", "add(1.5, 2.0) -> 3.5", domain=TWO, accuracy="correct", flags="commutative cheap",
    ),
    row(
        "subtract", "np.subtract binary.- operator.sub operator.isub", "!ifc", np.subtract, ("g", "-g"),
        "The difference; bools are refused, as in NumPy.", "subtract(1.5, 2.0) -> -0.5", domain=TWO, accuracy="correct", flags="cheap",
    ),
    row(
        "multiply", "np.multiply binary.* operator.mul operator.imul", "bifc", np.multiply,
        ("g * conjugate(b)", "g * conjugate(a)"),
        "The product; of bools, logical and.", "multiply(1.5, 2.0) -> 3.0", domain=TWO, accuracy="correct", flags="commutative cheap",
    ),
    row(
        "divide", "np.divide np.true_divide binary./ operator.truediv operator.itruediv", "divide", np.divide,
        ("g / conjugate(b)", "-g * conjugate(y / b)"),
        "The quotient; of integers, in f64.", "divide(3, 2) -> 1.5", domain=DIVISION, accuracy="correct",
    ),
    row(
        "floor_divide", "np.floor_divide binary.// operator.floordiv operator.ifloordiv", "if", np.floor_divide, ("0", "0"),
        "The quotient rounded down; integers divided by 0 give 0.", "floor_divide(-7, 2) -> -4", domain=DIVISION, accuracy="exact",
    ),
    row(
        "remainder", "np.remainder np.mod binary.% operator.mod operator.imod", "if", np.remainder, ("g", "-g * floor_divide(a, b)"),
        "What floor_divide leaves: it has the divisor's sign.", "remainder(-7, 2) -> 1", domain=DIVISION, accuracy="exact",
    ),
    row(
        "fmod", "np.fmod math.fmod", "if", np.fmod, ("g", "-g * trunc(a / b)"),
        "What a division rounded to zero leaves: it has the dividend's sign.", "fmod(-7, 2) -> -1", domain=DIVISION, accuracy="exact",
    ),
    row(
        "power", "np.power np.pow binary.** operator.pow operator.ipow math.pow builtins.pow", "ifc", np.power,
        ("g * conjugate(where(b == 0, 0, b * power(a, where(b == 0, 1, b - 1))))", "g * conjugate(y * log(where(a == 0, 1, a)))"),
        "a to the power b; integers to a negative power are refused.", "power(2.0, 3.0) -> 8.0", domain=(POSITIVE, (-3.0, 3.0)),
    ),
    row(
        "float_power", "np.float_power", "float_power", np.float_power,
        ("g * conjugate(where(b == 0, 0, b * float_power(a, where(b == 0, 1, b - 1))))", "g * conjugate(y * log(where(a == 0, 1, a)))"),
        "a to the power b in double precision, for integers too.", "float_power(2, -1) -> 0.5", domain=(POSITIVE, (-3.0, 3.0)),
    ),
    row(
        "negative", "np.negative unary.- operator.neg", "!ifc", np.negative, ("-g",),
        "The number with the other sign.", "negative(2.0) -> -2.0", accuracy="exact", flags="cheap",
    ),
    row(
        "positive", "np.positive unary.+ operator.pos", "!ifc", np.positive, ("g",),
        "The number itself.", "positive(2.0) -> 2.0", accuracy="exact", flags="cheap idempotent",
    ),
    row(
        "absolute", "np.absolute np.abs builtins.abs operator.abs", "bifc->real", np.absolute, ("g * sign(x)",),
        "The absolute value; of a complex number, its modulus.", "absolute(-2.0) -> 2.0", accuracy="exact", flags="cheap idempotent",
    ),
    row(
        "fabs", "np.fabs math.fabs", "f", np.fabs, ("g * sign(x)",),
        "The absolute value as a float.", "fabs(-2) -> 2.0", expansion="absolute(x)", accuracy="exact", flags="cheap idempotent",
    ),
    row(
        "sign", "np.sign", "!ifc", np.sign, ("0",),
        "-1, 0 or 1; NaN stays NaN; of a complex number, it divided by its modulus.", "sign(-2.0) -> -1.0",
        accuracy="exact", flags="idempotent",
    ),
    row(
        "square", "np.square", "ifc", np.square, ("g * conjugate(2 * x)",),
        "The number times itself.", "square(3.0) -> 9.0", expansion="x * x", accuracy="correct", flags="cheap",
    ),
    row(
        "reciprocal", "np.reciprocal", "ifc", np.reciprocal, ("-g * conjugate(square(y))",),
        "1 divided by the number, in its own dtype.", "reciprocal(4.0) -> 0.25", domain=(POSITIVE,), accuracy="correct",
    ),
    row(
        "maximum", "np.maximum", "bifc", np.maximum,
        ("where(a > b, g, where(a == b, 0.5 * g, 0))", "where(b > a, g, where(a == b, 0.5 * g, 0))"),
        "The greater of two; NaN if one is. Equal operands share the adjoint.", "maximum(1.0, 2.0) -> 2.0",
        domain=TWO, accuracy="exact", flags="commutative associative idempotent cheap",
    ),
    row(
        "minimum", "np.minimum", "bifc", np.minimum,
        ("where(a < b, g, where(a == b, 0.5 * g, 0))", "where(b < a, g, where(a == b, 0.5 * g, 0))"),
        "The lesser of two; NaN if one is. Equal operands share the adjoint.", "minimum(1.0, 2.0) -> 1.0",
        domain=TWO, accuracy="exact", flags="commutative associative idempotent cheap",
    ),
    row(
        "fmax", "np.fmax", "bifc", np.fmax,
        ("where((a > b) | isnan(b), g, where(a == b, 0.5 * g, 0))", "where((b > a) | isnan(a), g, where(a == b, 0.5 * g, 0))"),
        "The greater of two; the other one if one is NaN.", "fmax(1.0, 2.0) -> 2.0",
        domain=TWO, accuracy="exact", flags="commutative associative idempotent cheap",
    ),
    row(
        "fmin", "np.fmin", "bifc", np.fmin,
        ("where((a < b) | isnan(b), g, where(a == b, 0.5 * g, 0))", "where((b < a) | isnan(a), g, where(a == b, 0.5 * g, 0))"),
        "The lesser of two; the other one if one is NaN.", "fmin(1.0, 2.0) -> 1.0",
        domain=TWO, accuracy="exact", flags="commutative associative idempotent cheap",
    ),
    row(
        "hypot", "np.hypot math.hypot", "f", np.hypot,
        ("g * where(y == 0, 0, a / where(y == 0, 1, y))", "g * where(y == 0, 0, b / where(y == 0, 1, y))"),
        "The length of (a, b), without overflow in between.", "hypot(3.0, 4.0) -> 5.0", domain=TWO, flags="commutative",
    ),
)  # fmt: skip
