"""Text of scalar LLVM code as it is written line by line: fresh names, guards that branch to the miss, sizes as i64 arithmetic."""

from __future__ import annotations

from collections.abc import Callable

from staxlang.base.sizes import Condition, Size, SizeExpression
from staxlang.base.sizes.expression import Atom
from staxlang.compiler.llvm.types import float_text


class Writer:
    """Collects a function's lines. Every guard that fails goes to the block `miss`."""

    __slots__ = ("_count", "_known", "env", "externals", "globals", "lines")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.externals: dict[str, str] = {}  # symbol -> its declaration
        self.globals: list[str] = []
        self.env: dict[str, str] = {}  # size symbol -> its i64 value
        self._count = 0
        self._known: dict[object, str] = {}  # what was computed in this block or before it on every way here

    def name(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def op(self, text: str) -> str:
        """A line that gives a value; its name."""
        name = self.name("%v")
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def block(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self._known = {}

    def function(self, result: str, name: str, *parameters: str) -> None:
        self.externals.setdefault(name, f"declare {result} @{name}({', '.join(parameters)}) nounwind")

    def data(self, name: str) -> str:
        """An external object (a type, None): the name of its address."""
        self.externals.setdefault(name, f"@{name} = external global i8")
        return f"@{name}"

    def call(self, result: str, name: str, *arguments: tuple[str, str]) -> str:
        self.function(result, name, *(kind for kind, _ in arguments))
        text = f"call {result} @{name}({', '.join(f'{kind} {value}' for kind, value in arguments)})"
        if result == "void":
            self.do(text)
            return ""
        return self.op(text)

    def load(self, kind: str, base: str, offset: int = 0) -> str:
        if offset:
            base = self.op(f"getelementptr i8, ptr {base}, i64 {offset}")
        return self.op(f"load {kind}, ptr {base}")

    def store(self, kind: str, value: str, base: str, offset: int = 0) -> None:
        if offset:
            base = self.op(f"getelementptr i8, ptr {base}, i64 {offset}")
        self.do(f"store {kind} {value}, ptr {base}")

    def require(self, condition: str, otherwise: str = "miss") -> None:
        label = self.name("ok")
        self.do(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.lines.append(f"{label}:")

    def require_equal(self, kind: str, left: str, right: str, otherwise: str = "miss") -> None:
        self.require(self.op(f"icmp eq {kind} {left}, {right}"), otherwise)

    def either(self, condition: str, then: Callable[[], None], done: str) -> None:
        """Run `then` where the condition holds; both ways go on at the label `done`."""
        label = self.name("then")
        self.do(f"br i1 {condition}, label %{label}, label %{done}")
        self.block(label)
        then()
        self.do(f"br label %{done}")
        self.block(done)

    # ---- sizes ----

    def size(self, size: Size) -> str:
        """A size's value as an i64 operand; its symbols must be in `env`."""
        if not isinstance(size, SizeExpression):
            return str(size)
        total = ""
        for monomial, count in sorted(size.terms.items(), key=lambda term: -term[1]):
            value = "" if count == 1 and monomial else str(count)
            for atom in monomial:
                factor = self._atom(atom)
                value = factor if not value else self._once(f"mul i64 {value}, {factor}")
            total = value if not total else self._once(f"add i64 {total}, {value}")
        return total

    def _once(self, text: str) -> str:
        """`op`, but what was computed already is taken again."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self.op(text)
        return found

    def _atom(self, atom: Atom) -> str:
        if atom.kind == "symbol":
            return self.env[atom.name]
        if atom.kind == "floordiv":
            return self._floor_division(atom)
        first, *rest = map(self.size, atom.parts)
        relation = "slt" if atom.kind == "min" else "sgt"
        for other in rest:
            smaller = self._once(f"icmp {relation} i64 {first}, {other}")
            first = self._once(f"select i1 {smaller}, i64 {first}, i64 {other}")
        return first

    def _floor_division(self, atom: Atom) -> str:
        """Rounds down; a zero divisor gives zero instead of a trap (the guards that rule it out may come later)."""
        above, divisor = atom.parts
        a, b = self.size(above), self.size(divisor)
        if isinstance(divisor, int) and divisor > 0 and divisor & (divisor - 1) == 0:
            return self._once(f"ashr i64 {a}, {divisor.bit_length() - 1}")
        if isinstance(divisor, int) and divisor != 0:
            safe = b
        else:
            zero = self._once(f"icmp eq i64 {b}, 0")
            safe = self._once(f"select i1 {zero}, i64 1, i64 {b}")
        quotient = self._once(f"sdiv i64 {a}, {safe}")
        if atom.nonnegative:
            return quotient
        product = self._once(f"mul i64 {quotient}, {safe}")
        rest = self._once(f"sub i64 {a}, {product}")
        signs = self._once(f"xor i64 {rest}, {safe}")
        inexact = self._once(f"icmp ne i64 {rest}, 0")
        opposite = self._once(f"icmp slt i64 {signs}, 0")
        down = self._once(f"and i1 {inexact}, {opposite}")
        correction = self._once(f"sext i1 {down} to i64")
        return self._once(f"add i64 {quotient}, {correction}")

    def magnitude(self, size: Size) -> str:
        """A number of type double that no part of a size exceeds: where it is below 2^63, the size's own arithmetic has not wrapped."""
        if not isinstance(size, SizeExpression):
            return float_text(float(abs(size)), "double")
        total = ""
        for monomial, count in size.terms.items():
            value = float_text(float(abs(count)), "double")
            for atom in monomial:
                value = self._once(f"fmul double {value}, {self._atom_magnitude(atom)}")
            total = value if not total else self._once(f"fadd double {total}, {value}")
        return total

    def _atom_magnitude(self, atom: Atom) -> str:
        if atom.kind == "symbol":
            number = self._once(f"sitofp i64 {self.env[atom.name]} to double")
            return self._once(self._intrinsic("fabs", number))
        if atom.kind == "floordiv":
            return self.magnitude(atom.parts[0])
        first, *rest = map(self.magnitude, atom.parts)
        for other in rest:
            first = self._once(self._intrinsic("maxnum", first, other))
        return first

    def _intrinsic(self, name: str, *operands: str) -> str:
        self.function("double", f"llvm.{name}.f64", *["double" for _ in operands])
        return f"call double @llvm.{name}.f64({', '.join(f'double {one}' for one in operands)})"

    def condition(self, condition: Condition) -> str:
        relation = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle"}[condition.relation]
        return self.op(f"icmp {relation} i64 {self.size(condition.left)}, {self.size(condition.right)}")
