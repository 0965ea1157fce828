"""Integer and bool operations as LLVM text, with NumPy's results where C has none (division by zero, wide shifts, least / -1)."""

from __future__ import annotations

# 8 to 32 bit lanes divide through floating point: a float holds quotients of 16-bit, a double those of 32-bit numbers
# exactly enough that rounding never reaches the next integer (x86 has no vector integer division).
_NARROW = {8: "F", 16: "F", 32: "D"}


def narrow_division(op: str, signed: bool, bits: int) -> str:
    """floor_divide, remainder or fmod of vectors of at most 32 bits."""
    wide, letter = _NARROW[bits], "s" if signed else "u"
    middle = "T" if bits == 32 else "S"
    rounding = f"%f = call {wide} @llvm.floor.{wide}({wide} %q)" if op != "fmod" and signed else f"%f = fadd {wide} %q, #{wide}-0.0"
    quotient = f"""
        %x = {letter}itofp T %a to {wide}
        %y = {letter}itofp T %b to {wide}
        %q = fdiv {wide} %x, %y
        {rounding}
        %i = fpto{letter}i {wide} %f to {middle}
        {"%k = trunc S %i to T" if middle == "S" else "%k = add T %i, #0"}
        %z = icmp eq T %b, #0
    """
    if signed:
        quotient += """
        %m = icmp eq T %b, #-1
        %g = sub T #0, %a
        %d = select M %m, T %g, T %k
        """
    else:
        quotient += "%d = add T %k, #0\n"
    if op == "floor_divide":
        return quotient + "%r = select M %z, T #0, T %d"
    return quotient + "%p = mul T %d, %b\n %e = sub T %a, %p\n %r = select M %z, T #0, T %e"


def reciprocal(signed: bool, bits: int) -> str:
    """1 / x rounded to zero; of zero what the conversion of an infinity gives (the least number of 32 and 64 bit signed ones)."""
    lines = f"%x = {'s' if signed else 'u'}itofp T %a to D\n %y = fdiv D #D1.0, %x\n"
    if bits < 32:
        return lines + "%z = fptosi D %y to S\n %r = trunc S %z to T"
    if signed:
        return lines + "%r = fptosi D %y to T"
    return lines + "%z = icmp eq T %a, #0\n %w = fptoui D %y to T\n %r = select M %z, T #0, T %w"


def mixed_comparison(op: str, signed_first: bool) -> str:
    """Comparison of an i64 with a u64, by value: a negative number is less than any unsigned one."""
    unsigned = _COMPARE[op][1]
    negative = "%a" if signed_first else "%b"
    holds = op == "not_equal" or ((op in ("less", "less_equal")) == signed_first and op != "equal")
    return f"%n = icmp slt T {negative}, #0\n %x = icmp {unsigned} T %a, %b\n %r = select M %n, M #M{'true' if holds else 'false'}, M %x"


_SIGNED_DIVISION = """
    %z = icmp eq T %b, #0
    %m = icmp eq T %b, #-1
    %u = or M %z, %m
    %d = select M %u, T #1, T %b
    %q = sdiv T %a, %d
    %p = mul T %q, %d
    %e = sub T %a, %p
"""
_FLOORED = """
    %w = xor T %e, %d
    %n = icmp slt T %w, #0
    %k = icmp ne T %e, #0
    %j = and M %n, %k
"""
_COMPARE = {
    "equal": ("eq", "eq"), "not_equal": ("ne", "ne"), "less": ("slt", "ult"), "less_equal": ("sle", "ule"),
    "greater": ("sgt", "ugt"), "greater_equal": ("sge", "uge"),
}  # fmt: skip

INTEGER_ROWS: dict[str, str | tuple[str, str]] = {  # a pair: (signed, unsigned)
    "add": "%r = add T %a, %b",
    "subtract": "%r = sub T %a, %b",
    "multiply": "%r = mul T %a, %b",
    "negative": "%r = sub T #0, %a",
    "absolute": ("%r = call T @llvm.abs.T(T %a, i1 false)", "%r = or T %a, #0"),
    "square": "%r = mul T %a, %a",
    "sign": (
        "%p = icmp sgt T %a, #0\n %n = ashr T %a, #SHIFT\n %o = zext M %p to T\n %r = or T %n, %o",
        "%p = icmp ne T %a, #0\n %r = zext M %p to T",
    ),
    "floor_divide": (
        _SIGNED_DIVISION
        + _FLOORED
        + """
        %t = sext M %j to T
        %f = add T %q, %t
        %g = sub T #0, %a
        %h = select M %m, T %g, T %f
        %r = select M %z, T #0, T %h""",
        "%z = icmp eq T %b, #0\n %d = select M %z, T #1, T %b\n %q = udiv T %a, %d\n %r = select M %z, T #0, T %q",
    ),
    "remainder": (
        _SIGNED_DIVISION
        + _FLOORED
        + """
        %t = select M %j, T %d, T #0
        %f = add T %e, %t
        %r = select M %u, T #0, T %f""",
        "%z = icmp eq T %b, #0\n %d = select M %z, T #1, T %b\n %q = urem T %a, %d\n %r = select M %z, T #0, T %q",
    ),
    "fmod": (
        _SIGNED_DIVISION + "%r = select M %u, T #0, T %e",
        "%z = icmp eq T %b, #0\n %d = select M %z, T #1, T %b\n %q = urem T %a, %d\n %r = select M %z, T #0, T %q",
    ),
    "maximum": ("%r = call T @llvm.smax.T(T %a, T %b)", "%r = call T @llvm.umax.T(T %a, T %b)"),
    "minimum": ("%r = call T @llvm.smin.T(T %a, T %b)", "%r = call T @llvm.umin.T(T %a, T %b)"),
    "fmax": ("%r = call T @llvm.smax.T(T %a, T %b)", "%r = call T @llvm.umax.T(T %a, T %b)"),
    "fmin": ("%r = call T @llvm.smin.T(T %a, T %b)", "%r = call T @llvm.umin.T(T %a, T %b)"),
    **{op: (f"%r = icmp {s} T %a, %b", f"%r = icmp {u} T %a, %b") for op, (s, u) in _COMPARE.items()},
    "logical_and": "%x = icmp ne T %a, #0\n %y = icmp ne T %b, #0\n %r = and M %x, %y",
    "logical_or": "%x = or T %a, %b\n %r = icmp ne T %x, #0",
    "logical_xor": "%x = icmp ne T %a, #0\n %y = icmp ne T %b, #0\n %r = xor M %x, %y",
    "logical_not": "%r = icmp eq T %a, #0",
    "bitwise_and": "%r = and T %a, %b",
    "bitwise_or": "%r = or T %a, %b",
    "bitwise_xor": "%r = xor T %a, %b",
    "invert": "%r = xor T %a, #-1",
    "left_shift": "%o = icmp ult T %b, #BITS\n %s = select M %o, T %b, T #0\n %x = shl T %a, %s\n %r = select M %o, T %x, T #0",
    "right_shift": (
        "%s = call T @llvm.umin.T(T %b, T #SHIFT)\n %r = ashr T %a, %s",
        "%o = icmp ult T %b, #BITS\n %s = select M %o, T %b, T #0\n %x = lshr T %a, %s\n %r = select M %o, T %x, T #0",
    ),
    "isnan": "%r = icmp ne T %a, %a",
    "isinf": "%r = icmp ne T %a, %a",
    "isfinite": "%r = icmp eq T %a, %a",
    "bitwise_count": (
        "%x = call T @llvm.abs.T(T %a, i1 false)\n %y = call T @llvm.ctpop.T(T %x)\n resize %y",
        "%y = call T @llvm.ctpop.T(T %a)\n resize %y",
    ),
    "reciprocal": ("", ""),  # by width, see `reciprocal`
    "power": ("%r = call T @stax.power.signed.T(T %a, T %b)", "%r = call T @stax.power.unsigned.T(T %a, T %b)"),
    "gcd": (
        "%x = call T @llvm.abs.T(T %a, i1 false)\n %y = call T @llvm.abs.T(T %b, i1 false)\n %r = call T @stax.gcd.T(T %x, T %y)",
        "%r = call T @stax.gcd.T(T %a, T %b)",
    ),
    "lcm": (
        "%x = call T @llvm.abs.T(T %a, i1 false)\n %y = call T @llvm.abs.T(T %b, i1 false)\n %r = call T @stax.lcm.T(T %x, T %y)",
        "%r = call T @stax.lcm.T(T %a, T %b)",
    ),
}

BOOL_ROWS: dict[str, str] = {
    "add": "%r = or M %a, %b",
    "multiply": "%r = and M %a, %b",
    "maximum": "%r = or M %a, %b",
    "minimum": "%r = and M %a, %b",
    "fmax": "%r = or M %a, %b",
    "fmin": "%r = and M %a, %b",
    "square": "%r = and M %a, %a",
    "equal": "%x = xor M %a, %b\n %r = xor M %x, #true",
    "not_equal": "%r = xor M %a, %b",
    "less": "%x = xor M %a, #true\n %r = and M %x, %b",
    "less_equal": "%x = xor M %a, #true\n %r = or M %x, %b",
    "greater": "%x = xor M %b, #true\n %r = and M %a, %x",
    "greater_equal": "%x = xor M %b, #true\n %r = or M %a, %x",
    "logical_and": "%r = and M %a, %b",
    "logical_or": "%r = or M %a, %b",
    "logical_xor": "%r = xor M %a, %b",
    "logical_not": "%r = xor M %a, #true",
    "bitwise_and": "%r = and M %a, %b",
    "bitwise_or": "%r = or M %a, %b",
    "bitwise_xor": "%r = xor M %a, %b",
    "invert": "%r = xor M %a, #true",
    "absolute": "%r = or M %a, %a",
    "isnan": "%r = xor M %a, %a",
    "isinf": "%r = xor M %a, %a",
    "isfinite": "%r = or M %a, #true",
    "bitwise_count": "%r = or M %a, %a",
}
