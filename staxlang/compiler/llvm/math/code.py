"""Straight-line vector code as LLVM text: what a mathematical function appends its instructions to."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

# Floats of this size have no fraction: 1.5 * 2^23 and 1.5 * 2^52, a half above their power of two for negative n.
WHOLE_FROM = {32: 12582912.0, 64: 6755399441055744.0}
# What lifts every power of two down to the least subnormal number's into the normal ones.
RAISED = {32: 64, 64: 128}
_ORDERED = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "unordered": "uno"}


class Code:
    """Instructions on vectors of `width` floats of `bits` bits (width 1: scalars), in order.

    Values are SSA names or constants, as text. `module` collects declarations and constant tables, each a line of its own,
    to be placed once at module level. `native_scale` says that the target scales by powers of two in one instruction (AVX-512's vscalef).
    """

    __slots__ = ("bits", "fresh", "integers", "lines", "masks", "module", "native_scale", "type", "width")

    def __init__(self, bits: int, width: int, fresh: Callable[[], str], native_scale: bool) -> None:
        self.bits, self.width, self.fresh, self.native_scale = bits, width, fresh, native_scale
        self.lines: list[str] = []
        self.module: dict[str, None] = {}
        self.type = self._shaped("float" if bits == 32 else "double")
        self.integers = self._shaped(f"i{bits}")
        self.masks = self._shaped("i1")

    def _shaped(self, element: str) -> str:
        return element if self.width == 1 else f"<{self.width} x {element}>"

    def other(self, bits: int) -> Code:
        """Code of the same width on floats of another size, appending to the same lines."""
        code = Code(bits, self.width, self.fresh, self.native_scale)
        code.lines, code.module = self.lines, self.module
        return code

    # ---- constants ----

    def const(self, value: float) -> str:
        if self.bits == 32:
            value = struct.unpack("f", struct.pack("f", value))[0] if abs(value) < 3.5e38 else value
        element = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return element if self.width == 1 else f"splat ({'float' if self.bits == 32 else 'double'} {element})"

    def whole(self, value: int) -> str:
        return str(value) if self.width == 1 else f"splat (i{self.bits} {value})"

    # ---- instructions ----

    def emit(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def call(self, intrinsic: str, result: str, arguments: Sequence[tuple[str, str]], suffix: str | None = None) -> str:
        name = f"@llvm.{intrinsic}.{suffix or self._suffix(self.type)}"
        types = ", ".join(kind for kind, _ in arguments)
        self.module[f"declare {result} {name}({types})"] = None
        return self.emit(f"call {result} {name}({', '.join(f'{kind} {value}' for kind, value in arguments)})")

    def _suffix(self, kind: str) -> str:
        element = {"float": "f32", "double": "f64"}.get(kind.split()[-1].rstrip(">"), kind.split()[-1].rstrip(">"))
        return element if self.width == 1 else f"v{self.width}{element}"

    def add(self, a: str, b: str) -> str:
        return self.emit(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.emit(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.emit(f"fmul {self.type} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        return self.emit(f"fdiv {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.emit(f"fneg {self.type} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.call("fma", self.type, [(self.type, a), (self.type, b), (self.type, c)])

    def unary(self, intrinsic: str, a: str) -> str:
        """fabs, sqrt, rint, floor, trunc."""
        return self.call(intrinsic, self.type, [(self.type, a)])

    def copysign(self, magnitude: str, sign: str) -> str:
        return self.call("copysign", self.type, [(self.type, magnitude), (self.type, sign)])

    def signed(self, a: str, sign: str) -> str:
        """`a`, which is not negative, with the sign of `sign`: one instruction less than `copysign`."""
        bit = self.integer("and", self.to_bits(sign), self.whole(-(1 << (self.bits - 1))))
        return self.from_bits(self.integer("or", self.to_bits(a), bit))

    def compare(self, relation: str, a: str, b: str) -> str:
        return self.emit(f"fcmp {_ORDERED[relation]} {self.type} {a}, {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        return self.emit(f"select {self.masks} {mask}, {self.type} {a}, {self.type} {b}")

    def select_whole(self, mask: str, a: str, b: str) -> str:
        return self.emit(f"select {self.masks} {mask}, {self.integers} {a}, {self.integers} {b}")

    def logic(self, operation: str, a: str, b: str) -> str:
        """and, or, xor on masks."""
        return self.emit(f"{operation} {self.masks} {a}, {b}")

    def integer(self, operation: str, a: str, b: str) -> str:
        return self.emit(f"{operation} {self.integers} {a}, {b}")

    def compare_whole(self, relation: str, a: str, b: str) -> str:
        return self.emit(f"icmp {relation} {self.integers} {a}, {b}")

    def to_bits(self, a: str) -> str:
        return self.emit(f"bitcast {self.type} {a} to {self.integers}")

    def from_bits(self, a: str) -> str:
        return self.emit(f"bitcast {self.integers} {a} to {self.type}")

    def last_digits(self, a: str) -> str:
        """Integers that end in the digits of a whole float of less than 2^22 (f64: 2^51). No conversion: AVX2 has none for 64 bits."""
        return self.to_bits(self.add(a, self.const(WHOLE_FROM[self.bits])))

    def exponent(self, a: str, one: str) -> tuple[str, str]:
        """(e as a float, the fraction's bits) of positive floats' bits; `one`: the bits of the number that counts as 2**0."""
        digits = 23 if self.bits == 32 else 52
        rest = self.integer("sub", a, one)
        fraction = self.integer("and", rest, self.whole((1 << digits) - 1))
        if self.bits == 32 or self.native_scale:
            return self.emit(f"sitofp {self.integers} {self.integer('ashr', rest, self.whole(digits))} to {self.type}"), fraction
        # Without AVX-512 there are no signed shifts of 64 bits, and no conversions.
        lifted = self.integer("lshr", self.integer("xor", rest, self.whole(-(1 << 63))), self.whole(digits))
        floats = self.from_bits(self.integer("or", lifted, self.whole(1075 << 52)))
        return self.sub(floats, self.const(2.0**52 + 2048)), fraction

    def at_least(self, a: str, low: float) -> str:
        """The greater of both; a NaN stays."""
        return self.select(self.compare("lt", a, self.const(low)), self.const(low), a)

    def clamp(self, a: str, low: float, high: float) -> str:
        """Inside [low, high]; a NaN stays."""
        a = self.at_least(a, low)
        return self.select(self.compare("gt", a, self.const(high)), self.const(high), a)

    # ---- what several functions share ----

    def some(self, mask: str) -> str:
        """Whether any lane of a mask is set."""
        if self.width == 1:
            return mask
        name = f"@llvm.vector.reduce.or.v{self.width}i1"
        self.module[f"declare i1 {name}({self.masks})"] = None
        return self.emit(f"call i1 {name}({self.masks} {mask})")

    def rarely(self, happens: str, old: Sequence[tuple[str, str]], new: Callable[[], Sequence[str]]) -> list[str]:
        """(type, value) each as it is or, where the i1 `happens` is set, what `new` writes, out of the straight line."""
        here, rare, end, join = (self.fresh().lstrip("%") for _ in range(4))
        self.lines += [f"br label %{here}", f"{here}:", f"br i1 {happens}, label %{rare}, label %{join}"]
        self.lines.append(f"{rare}:")
        made = new()
        self.lines += [f"br label %{end}", f"{end}:", f"br label %{join}", f"{join}:"]
        return [self.emit(f"phi {kind} [{was}, %{here}], [{now}, %{end}]") for (kind, was), now in zip(old, made, strict=True)]

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """Even and odd halves by Horner's rule: half the depth, the same count of multiply-adds but one."""
        if len(coefficients) < 5:
            return self.horner(x, coefficients)
        square = self.mul(x, x)
        return self.fma(self.horner(square, coefficients[1::2]), x, self.horner(square, coefficients[0::2]))

    def pairs(self, x: str, square: str, coefficients: Sequence[float]) -> str:
        """Five or six coefficients two by two: one step less deep than by halves, and a little less accurate."""
        low, middle = (self.fma(x, self.const(coefficients[k + 1]), self.stored(coefficients[k])) for k in (0, 2))
        return self.fma(self.fma(self.horner(x, coefficients[4:]), square, middle), square, low)

    def horner(self, x: str, coefficients: Sequence[float]) -> str:
        value = self.const(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            value = self.fma(value, x, self.stored(c))
        return value

    def stored(self, value: float) -> str:
        """A constant from memory, as an operand of the one instruction that takes it: sixteen registers do not hold the coefficients
        beside what is computed, and are shuffled then. AVX-512 has thirty-two and spreads a scalar in passing.
        """
        if self.native_scale or self.width == 1:
            return self.const(value)
        text = self.const(value)
        name = f"@stax.c{self._suffix(self.type)}.{text.rpartition(' ')[2].rstrip(')')}"
        size = self.width * self.bits // 8
        self.module[f"{name} = private unnamed_addr constant {self.type} {text}, align {size}"] = None
        return self.emit(f"load {self.type}, ptr {name}, align {size}")

    def nearest(self, x: str, factor: float = 1.0, less: int = 0, below: bool = False) -> tuple[str, str]:
        """(n, what `scale` takes for 2**(n - less)), n the whole float nearest to x * factor, for n within twice the format's range.

        Adding a number whose last place is 1 rounds; one that is greater by the exponents' bias leaves n's own digits biased.
        `below`: n is not positive, so that 2**(n + RAISED) is a normal number.
        """
        shift = self.const(WHOLE_FROM[self.bits] + (self._bias() + RAISED[self.bits] if below else 2 * self._bias()) - less)
        shifted = self.add(x, shift) if factor == 1.0 else self.fma(x, self.const(factor), shift)
        n = self.sub(shifted, shift)
        if self.native_scale:
            return n, self.sub(n, self.const(less)) if less else n
        return n, self.to_bits(shifted)

    def scale(self, a: str, power: str, below: bool = False) -> str:
        """a * 2**n for what `nearest` gave beside n, right for subnormal results and for overflow."""
        if self.native_scale:
            return self._scale_native(a, power)
        first, second = self._factors(power, below)
        return self.mul(self.mul(a, first), second)

    def scale_grown(self, a: str, power: str, below: bool = False) -> str:
        """(1 + a) * 2**n, rounded as `scale` of the rounded sum would be."""
        if self.native_scale:
            return self._scale_native(self.add(a, self.const(1.0)), power)
        first, second = self._factors(power, below)
        return self.mul(self.fma(first, a, first), second)

    def _factors(self, power: str, below: bool) -> tuple[str, str]:
        """Two numbers whose product is 2**n, which alone may be none that the format has; the second rounds."""
        digits = self.whole(23 if self.bits == 32 else 52)
        if below:
            return self.from_bits(self.integer("shl", power, digits)), self.const(2.0 ** -RAISED[self.bits])
        half = self.integer("lshr", power, self.whole(1))
        rest = self.integer("sub", power, half)
        return self.from_bits(self.integer("shl", half, digits)), self.from_bits(self.integer("shl", rest, digits))

    def _scale_native(self, a: str, n: str) -> str:
        if self.width * self.bits == 512:  # `llvm.ldexp` would convert n to integers and back
            short, mask = ("ps", "i16") if self.bits == 32 else ("pd", "i8")
            whole = [(self.type, a), (self.type, n), (self.type, "poison"), (mask, "-1"), ("i32", "4")]
            return self.call("x86.avx512.mask.scalef", self.type, whole, f"{short}.512")
        exponents = self._shaped("i32")
        power = self.emit(f"fptosi {self.type} {n} to {exponents}")
        return self.call("ldexp", self.type, [(self.type, a), (exponents, power)], f"{self._suffix(self.type)}.{self._suffix(exponents)}")

    def _bias(self) -> int:
        return 127 if self.bits == 32 else 1023

    def scale_usual(self, a: str, n: str) -> str:
        """a * 2**n for a whole float n, where the result is neither subnormal nor overflows."""
        if self.native_scale:
            return self._scale_native(a, n)
        power = self.integer("shl", self.last_digits(n), self.whole(23 if self.bits == 32 else 52))
        return self.from_bits(self.integer("add", self.to_bits(a), power))

    def two_sum(self, a: str, b: str) -> tuple[str, str]:
        """a + b as a rounded sum and its exact error (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B)."""
        total = self.add(a, b)
        back = self.sub(total, a)
        return total, self.add(self.sub(a, self.sub(total, back)), self.sub(b, back))

    def fast_two_sum(self, a: str, b: str) -> tuple[str, str]:
        """The same where |a| >= |b| (Dekker, Numer. Math. 18, 1971)."""
        total = self.add(a, b)
        return total, self.sub(b, self.sub(total, a))

    def two_product(self, a: str, b: str) -> tuple[str, str]:
        total = self.mul(a, b)
        return total, self.fma(a, b, self.neg(total))
