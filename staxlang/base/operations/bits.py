"""Rows of the table of operations: bits and integers."""

import numpy as np

from staxlang.base.operations.operation import Operation, row

INTEGERS = ((0.0, 100.0), (0.0, 100.0))
SHIFTS = ((0.0, 100.0), (0.0, 7.0))
NOT_REAL = "none: its operands are integers"

BIT_ROWS: tuple[Operation, ...] = (
    row(
        "bitwise_and", "np.bitwise_and binary.& operator.and_ operator.iand", "bi", np.bitwise_and, NOT_REAL,
        "And, bit by bit.", "bitwise_and(6, 3) -> 2", domain=INTEGERS, accuracy="exact",
        flags="commutative associative idempotent cheap",
    ),
    row(
        "bitwise_or", "np.bitwise_or binary.| operator.or_ operator.ior", "bi", np.bitwise_or, NOT_REAL,
        "Or, bit by bit.", "bitwise_or(6, 3) -> 7", domain=INTEGERS, accuracy="exact",
        flags="commutative associative idempotent cheap",
    ),
    row(
        "bitwise_xor", "np.bitwise_xor binary.^ operator.xor operator.ixor", "bi", np.bitwise_xor, NOT_REAL,
        "Exclusive or, bit by bit.", "bitwise_xor(6, 3) -> 5", domain=INTEGERS, accuracy="exact", flags="commutative associative cheap",
    ),
    row(
        "invert", "np.invert np.bitwise_not np.bitwise_invert unary.~ operator.invert operator.inv", "bi", np.invert, NOT_REAL,
        "Each bit turned; of a bool, not.", "invert(6) -> -7", domain=((0.0, 100.0),), accuracy="exact", flags="cheap",
    ),
    row(
        "left_shift", "np.left_shift np.bitwise_left_shift binary.<< operator.lshift operator.ilshift", "i", np.left_shift, NOT_REAL,
        "Bits moved to the left; 0 when moved by the width or more.", "left_shift(3, 2) -> 12", domain=SHIFTS, accuracy="exact",
        flags="cheap",
    ),
    row(
        "right_shift", "np.right_shift np.bitwise_right_shift binary.>> operator.rshift operator.irshift", "i", np.right_shift, NOT_REAL,
        "Bits moved to the right, the sign moving in; by the width or more, all sign.", "right_shift(12, 2) -> 3", domain=SHIFTS,
        accuracy="exact", flags="cheap",
    ),
    row(
        "gcd", "np.gcd math.gcd", "!i", np.gcd, NOT_REAL,
        "The greatest common divisor, never negative.", "gcd(12, 18) -> 6", domain=INTEGERS, accuracy="exact",
        flags="commutative associative idempotent",
    ),
    row(
        "lcm", "np.lcm math.lcm", "!i", np.lcm, NOT_REAL,
        "The least common multiple, never negative.", "lcm(4, 6) -> 12", domain=INTEGERS, accuracy="exact", flags="commutative",
    ),
    row(
        "bitwise_count", "np.bitwise_count", "i->u8", np.bitwise_count, NOT_REAL,
        "How many bits of the absolute value are 1.", "bitwise_count(7) -> 3", domain=((0.0, 100.0),), accuracy="exact", flags="cheap",
    ),
)  # fmt: skip
