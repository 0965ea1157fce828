"""Rows of the table of operations: rounding, signs, parts and the format of floating-point and complex numbers."""

import numpy as np

from staxlang.base.operations.operation import ANY, Operation, row
from staxlang.base.operations.references import frexp_exponent, frexp_mantissa

FORMAT = "none: its result belongs to the number format"

FLOATING_ROWS: tuple[Operation, ...] = (
    row(
        "floor", "np.floor math.floor", "bif", np.floor, ("0",),
        "The greatest integer that is not above x, as a number of x's dtype.", "floor(-1.5) -> -2.0", accuracy="exact",
        flags="cheap idempotent",
    ),
    row(
        "ceil", "np.ceil math.ceil", "bif", np.ceil, ("0",),
        "The least integer that is not below x.", "ceil(-1.5) -> -1.0", accuracy="exact", flags="cheap idempotent",
    ),
    row(
        "trunc", "np.trunc np.fix math.trunc", "bif", np.trunc, ("0",),
        "The integer part, rounded to zero.", "trunc(-1.5) -> -1.0", accuracy="exact", flags="cheap idempotent",
    ),
    row(
        "rint", "np.rint", "fc", np.rint, ("0",),
        "The nearest integer; a half goes to the even one.", "rint(2.5) -> 2.0", accuracy="exact", flags="cheap idempotent",
    ),
    row(
        "copysign", "np.copysign math.copysign", "f", np.copysign, ("where(signbit(a) == signbit(b), g, -g)", "0"),
        "The magnitude of a with the sign of b.", "copysign(2.0, -0.0) -> -2.0", domain=(ANY, ANY), accuracy="exact", flags="cheap",
    ),
    row(
        "nextafter", "np.nextafter math.nextafter", "f", np.nextafter, FORMAT,
        "The number next to a in the direction of b.", "nextafter(0.0, 1.0) -> 5e-324", domain=(ANY, ANY), accuracy="exact",
    ),
    row(
        "spacing", "np.spacing", "f", np.spacing, FORMAT,
        "The distance to the next number away from 0.", "spacing(1.0) -> 2.220446049250313e-16", accuracy="exact",
    ),
    row(
        "ldexp", "np.ldexp math.ldexp", "ldexp", np.ldexp, ("ldexp(g, b)", "0"),
        "a times 2 to the power b.", "ldexp(1.5, 2) -> 6.0", domain=(ANY, (-5.0, 5.0)), accuracy="correct",
    ),
    row(
        "frexp_mantissa", "", "f", frexp_mantissa, ("ldexp(g, -frexp_exponent(x))",),
        "The mantissa of x, of magnitude 1/2 to 1; the first result of np.frexp.", "frexp_mantissa(6.0) -> 0.75", accuracy="exact",
    ),
    row(
        "frexp_exponent", "", "f->i32", frexp_exponent, FORMAT,
        "The exponent of x that goes with frexp_mantissa; the second result of np.frexp.", "frexp_exponent(6.0) -> 3", accuracy="exact",
    ),
    row(
        "heaviside", "np.heaviside", "f", np.heaviside, ("0", "where(a == 0, g, 0)"),
        "0 below zero, b at zero, 1 above it.", "heaviside(0.0, 0.5) -> 0.5",
        expansion="where(a < 0, 0, where(a > 0, 1, where(a == 0, b, a)))", domain=(ANY, ANY), accuracy="exact",
    ),
    row(
        "conjugate", "np.conjugate np.conj method.conjugate method.conj", "ifc", np.conjugate, ("conjugate(g)",),
        "The complex conjugate; a real number itself.", "conjugate(1 + 2j) -> 1 - 2j", accuracy="exact", flags="cheap",
    ),
    row(
        "real", "np.real attribute.real", "bifc->real", np.real, ("g",),
        "The real part.", "real(1 + 2j) -> 1.0", accuracy="exact", flags="cheap",
    ),
    row(
        "imag", "np.imag attribute.imag", "bifc->real", np.imag, ("g * 1j",),
        "The imaginary part; 0 of a real number.", "imag(1 + 2j) -> 2.0", accuracy="exact", flags="cheap",
    ),
)  # fmt: skip
