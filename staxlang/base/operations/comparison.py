"""Rows of the table of operations: comparisons, logic, tests, choice."""

import numpy as np

from staxlang.base.operations.operation import ANY, TRUTH, Operation, row

TWO = (ANY, ANY)
BOTH = (TRUTH, TRUTH)
NOT_REAL = "none: its result is true or false"

COMPARISON_ROWS: tuple[Operation, ...] = (
    row(
        "equal", "np.equal binary.== operator.eq", "compare", np.equal, NOT_REAL,
        "Whether two numbers are equal; NaN equals nothing.", "equal(1.0, 1) -> True",
        domain=TWO, accuracy="exact", flags="commutative cheap boolean",
    ),
    row(
        "not_equal", "np.not_equal binary.!= operator.ne", "compare", np.not_equal, NOT_REAL,
        "Whether two numbers differ.", "not_equal(1.0, 2) -> True", domain=TWO, accuracy="exact", flags="commutative cheap boolean",
    ),
    row(
        "less", "np.less binary.< operator.lt", "compare", np.less, NOT_REAL,
        "Whether a is less than b.", "less(1.0, 2) -> True", domain=TWO, accuracy="exact", flags="cheap boolean",
    ),
    row(
        "less_equal", "np.less_equal binary.<= operator.le", "compare", np.less_equal, NOT_REAL,
        "Whether a is at most b.", "less_equal(2.0, 2) -> True", domain=TWO, accuracy="exact", flags="cheap boolean",
    ),
    row(
        "greater", "np.greater binary.> operator.gt", "compare", np.greater, NOT_REAL,
        "Whether a is greater than b.", "greater(1.0, 2) -> False", domain=TWO, accuracy="exact", flags="cheap boolean",
    ),
    row(
        "greater_equal", "np.greater_equal binary.>= operator.ge", "compare", np.greater_equal, NOT_REAL,
        "Whether a is at least b.", "greater_equal(2.0, 2) -> True", domain=TWO, accuracy="exact", flags="cheap boolean",
    ),
    row(
        "logical_and", "np.logical_and", "logical", np.logical_and, NOT_REAL,
        "Whether both are true (not 0).", "logical_and(2, 0) -> False",
        domain=BOTH, accuracy="exact", flags="commutative associative idempotent cheap boolean",
    ),
    row(
        "logical_or", "np.logical_or", "logical", np.logical_or, NOT_REAL,
        "Whether one is true (not 0).", "logical_or(2, 0) -> True",
        domain=BOTH, accuracy="exact", flags="commutative associative idempotent cheap boolean",
    ),
    row(
        "logical_xor", "np.logical_xor", "logical", np.logical_xor, NOT_REAL,
        "Whether exactly one is true (not 0).", "logical_xor(2, 1) -> False", expansion="a != b",
        domain=BOTH, accuracy="exact", flags="commutative associative cheap boolean",
    ),
    row(
        "logical_not", "np.logical_not operator.not_", "logical", np.logical_not, NOT_REAL,
        "Whether it is false (0).", "logical_not(2) -> False", domain=(TRUTH,), accuracy="exact", flags="cheap boolean",
    ),
    row(
        "isnan", "np.isnan math.isnan", "bifc->bool", np.isnan, NOT_REAL,
        "Whether it is NaN.", "isnan(1.0) -> False", accuracy="exact", flags="cheap boolean",
    ),
    row(
        "isinf", "np.isinf math.isinf", "bifc->bool", np.isinf, NOT_REAL,
        "Whether it is infinite.", "isinf(1.0) -> False", accuracy="exact", flags="cheap boolean",
    ),
    row(
        "isfinite", "np.isfinite math.isfinite", "bifc->bool", np.isfinite, NOT_REAL,
        "Whether it is neither infinite nor NaN.", "isfinite(1.0) -> True", accuracy="exact", flags="cheap boolean",
    ),
    row(
        "signbit", "np.signbit", "f->bool", np.signbit, NOT_REAL,
        "Whether its sign bit is set; -0.0 and negative NaNs have it.", "signbit(-0.0) -> True", accuracy="exact", flags="cheap boolean",
    ),
    row(
        "where", "np.where", "where", np.where, ("0", "where(c, g, 0)", "where(c, 0, g)"),
        "a where c is true, else b. The side that is not taken has no part in the derivative.", "where(True, 1.0, 2.0) -> 1.0",
        domain=(TRUTH, ANY, ANY), accuracy="exact", flags="cheap",
    ),
)  # fmt: skip
