"""Rows of the table of operations: trigonometric and hyperbolic functions."""

import numpy as np

from staxlang.base.operations.operation import ANY, Operation, row

OPEN_UNIT = (-0.99, 0.99)

TRIGONOMETRIC_ROWS: tuple[Operation, ...] = (
    row(
        "sin", "np.sin math.sin", "fc", np.sin, ("g * conjugate(cos(x))",),
        "The sine of an angle in radians.", "sin(0.0) -> 0.0",
    ),
    row(
        "cos", "np.cos math.cos", "fc", np.cos, ("-g * conjugate(sin(x))",),
        "The cosine of an angle in radians.", "cos(0.0) -> 1.0",
    ),
    row(
        "tan", "np.tan math.tan", "fc", np.tan, ("g * conjugate(1 + square(y))",),
        "The tangent of an angle in radians.", "tan(0.0) -> 0.0", domain=((-1.4, 1.4),),
    ),
    row(
        "arcsin", "np.arcsin np.asin math.asin", "fc", np.arcsin, ("g / conjugate(sqrt((1 - x) * (1 + x)))",),
        "The angle with this sine, from -pi/2 to pi/2.", "arcsin(0.0) -> 0.0", domain=(OPEN_UNIT,),
    ),
    row(
        "arccos", "np.arccos np.acos math.acos", "fc", np.arccos, ("-g / conjugate(sqrt((1 - x) * (1 + x)))",),
        "The angle with this cosine, from 0 to pi.", "arccos(1.0) -> 0.0", domain=(OPEN_UNIT,),
    ),
    row(
        "arctan", "np.arctan np.atan math.atan", "fc", np.arctan, ("g / conjugate(1 + square(x))",),
        "The angle with this tangent, from -pi/2 to pi/2.", "arctan(0.0) -> 0.0",
    ),
    row(
        "arctan2", "np.arctan2 np.atan2 math.atan2", "f", np.arctan2,
        ("g * (b / hypot(a, b)) / hypot(a, b)", "-g * (a / hypot(a, b)) / hypot(a, b)"),
        "The angle of the point (b, a), from -pi to pi.", "arctan2(0.0, 1.0) -> 0.0", domain=(ANY, ANY),
    ),
    row(
        "sinh", "np.sinh math.sinh", "fc", np.sinh, ("g * conjugate(cosh(x))",),
        "The hyperbolic sine.", "sinh(0.0) -> 0.0",
    ),
    row(
        "cosh", "np.cosh math.cosh", "fc", np.cosh, ("g * conjugate(sinh(x))",),
        "The hyperbolic cosine.", "cosh(0.0) -> 1.0",
    ),
    row(
        "tanh", "np.tanh math.tanh", "fc", np.tanh, ("g * conjugate((1 - y) * (1 + y))",),
        "The hyperbolic tangent.", "tanh(0.0) -> 0.0", domain=((-5.0, 5.0),),
    ),
    row(
        "arcsinh", "np.arcsinh np.asinh math.asinh", "fc", np.arcsinh, ("g / conjugate(sqrt(square(x) + 1))",),
        "The inverse of sinh.", "arcsinh(0.0) -> 0.0",
    ),
    row(
        "arccosh", "np.arccosh np.acosh math.acosh", "fc", np.arccosh, ("g / conjugate(sqrt(x - 1) * sqrt(x + 1))",),
        "The inverse of cosh, from 1 upward.", "arccosh(1.0) -> 0.0", domain=((1.01, 10.0),),
    ),
    row(
        "arctanh", "np.arctanh np.atanh math.atanh", "fc", np.arctanh, ("g / conjugate((1 - x) * (1 + x))",),
        "The inverse of tanh, between -1 and 1.", "arctanh(0.0) -> 0.0", domain=(OPEN_UNIT,),
    ),
    row(
        "degrees", "np.degrees np.rad2deg math.degrees", "f", np.degrees, ("g * 57.29577951308232",),
        "Radians to degrees.", "degrees(0.0) -> 0.0", expansion="x * 57.29577951308232", accuracy="correct", flags="cheap",
    ),
    row(
        "radians", "np.radians np.deg2rad math.radians", "f", np.radians, ("g * 0.017453292519943295",),
        "Degrees to radians.", "radians(180.0) -> 3.141592653589793", expansion="x * 0.017453292519943295",
        accuracy="correct", flags="cheap",
    ),
)  # fmt: skip
