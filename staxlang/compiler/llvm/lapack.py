"""Linear algebra in machine code: `stax_lapack_..` functions that hand the matrices of a record to NumPy's own inner loops over LAPACK.

    void loop(ptr arguments, ptr dimensions, ptr steps, ptr data)     a PyUFuncGenericFunction: no Python runs, no GIL is needed

The loop goes over one batch axis; what is here goes over the others. Loops that can fail tell it by the floating-point exception "invalid"
(they clear it otherwise). A failed call is made again by Python's function, which knows what to raise.
"""

from __future__ import annotations

import re
from typing import Any, Final

from staxlang.base.records import NamedTuple

SIGNATURE: Final = "ptr, ptr"
INVALID: Final = 1
"""The bit of FE_INVALID (of x86-64 and of AArch64)."""
FLAGS: Final = ("feclearexcept", "fetestexcept")
DTYPES: Final = ("f64", "c128")
"""What NumPy computes in, whatever the precision of the operands."""
_SIZES: Final = {"i32": 4, "f64": 8, "c128": 16}


class Routine(NamedTuple):
    """loops: the generalized ufuncs of `numpy.linalg._umath_linalg` that do it and their signatures; where there are two, the option
    `choice`, a bool, chooses.

    fails: whether data can make it fail. finite: NaN and infinity are handed to Python's function, which refuses them. overwrites: the loop
    writes to its first argument; it is given the first result instead, to which the operand (a row-major copy of its own) is moved before.
    """

    loops: tuple[tuple[str, str], ...]
    choice: str = ""
    fails: bool = True
    finite: bool = False
    overwrites: bool = False


ROUTINES: Final[dict[str, Routine]] = {
    "cholesky": Routine((("cholesky_lo", "(m,m)->(m,m)"), ("cholesky_up", "(m,m)->(m,m)")), "upper"),
    "solve": Routine((("solve", "(m,m),(m,n)->(m,n)"),)),
    "inv": Routine((("inv", "(m,m)->(m,m)"),)),
    "inv_or_nan": Routine((("inv", "(m,m)->(m,m)"),), fails=False),
    "det": Routine((("det", "(m,m)->()"),), fails=False),
    "slogdet": Routine((("slogdet", "(m,m)->(),()"),), fails=False),
    "qr_raw": Routine((("qr_r_raw", "(m,n)->(p)"),), overwrites=True),
    "reflected": Routine((("qr_reduced", "(m,n),(k)->(m,k)"), ("qr_complete", "(m,n),(n)->(m,m)")), "complete"),
    "svd": Routine((("svd_s", "(m,n)->(m,p),(p),(p,n)"), ("svd_f", "(m,n)->(m,m),(p),(n,n)")), "full"),
    "svdvals": Routine((("svd", "(m,n)->(p)"),)),
    "eigh": Routine((("eigh_lo", "(m,m)->(m),(m,m)"), ("eigh_up", "(m,m)->(m),(m,m)")), "upper"),
    "eigvalsh": Routine((("eigvalsh_lo", "(m,m)->(m)"), ("eigvalsh_up", "(m,m)->(m)")), "upper"),
    "eig": Routine((("eig", "(m,m)->(m),(m,m)"),), finite=True),
    "eigvals": Routine((("eigvals", "(m,m)->(m)"),), finite=True),
    "lstsq": Routine((("lstsq", "(m,n),(m,nrhs),()->(n,nrhs),(nrhs),(),(p)"),)),
}


class Call(NamedTuple):
    """One of NumPy's loops as a program calls it: `batch` axes in front of the matrices."""

    routine: str
    loop: int
    dtype: str
    batch: int

    @property
    def symbol(self) -> str:
        return f"stax_lapack_{self.routine}_{self.loop}_{self.dtype}_{self.batch}"

    @property
    def gufunc(self) -> tuple[str, str]:
        """NumPy's name and the signature."""
        return ROUTINES[self.routine].loops[self.loop]


def call_of(native: str, dtype: str, options: dict[str, Any], rank: int) -> Call | None:
    """What does the call of a routine whose first operand has that dtype and rank; None where nothing in machine code does."""
    routine = ROUTINES.get(native)
    if routine is None or dtype not in DTYPES:
        return None
    loop = int(bool(options[routine.choice])) if routine.choice else 0
    return Call(native, loop, dtype, rank - 2)


def read_symbol(symbol: str) -> Call:
    """What the name of a function says."""
    routine, loop, dtype, batch = symbol.removeprefix("stax_lapack_").rsplit("_", 3)
    return Call(routine, int(loop), dtype, int(batch))


def _cores(signature: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The core axes of a generalized ufunc's operands and results: `(m,n),(k)->(m,k)`."""
    left, right = signature.split("->")
    first, second = [[tuple(part.split(",")) if part else () for part in re.findall(r"\((.*?)\)", side)] for side in (left, right)]
    return first, second


def routine_text(call: Call, types: tuple[str, ...], loop: str, data: str) -> str:
    """The function for a call. `types`: the dtypes of operands and results; `loop`: the symbol of NumPy's loop; `data`: of its data."""
    return _Text(call, types, loop, data).text()


class _Text:
    """The lines of one function while it is written."""

    def __init__(self, call: Call, types: tuple[str, ...], loop: str, data: str) -> None:
        self.call, self.types, self.loop, self.data = call, types, loop, data
        self.routine = ROUTINES[call.routine]
        operands, results = _cores(call.gufunc[1])
        self.cores = [*operands, *results]
        self.shown = self.cores
        if self.routine.overwrites:  # the record holds one more: the first result is what the operand becomes
            self.shown = [*operands, operands[0], *results]
        self.lines: list[str] = []
        self.count = 0

    def text(self) -> str:
        name = self.call.symbol
        lines = self.lines
        if self.routine.overwrites:
            self._move()
        if self.routine.finite:
            self._refuse_not_finite()
        if self.routine.fails:
            lines.append(f"  %cleared = call i32 @feclearexcept(i32 {INVALID})")
        self._fill()
        self._batches()
        if self.routine.fails:
            lines += [f"  %raised = call i32 @fetestexcept(i32 {INVALID})", "  %failed = icmp ne i32 %raised, 0"]
            lines.append("  br i1 %failed, label %refused, label %done")
        else:
            lines.append("  br label %done")
        tail = ["done:", "  ret i32 0"]
        if self.routine.fails or self.routine.finite:
            tail += ["refused:", f"  %answer = call i32 @stax_extern({SIGNATURE.replace(',', ' %record,')} %text)", "  ret i32 %answer"]
        head = [
            f"declare i32 @stax_extern({SIGNATURE})",
            *[f"declare i32 @{flag}(i32)" for flag in FLAGS],
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            f"declare void @{self.loop}(ptr, ptr, ptr, ptr)",
            *([f"@{self.data} = external global i8"] if self.data else []),
            f"define i32 @{name}(ptr %record, ptr %text) nounwind {{",
            "entry:",
        ]
        return "\n".join([*head, *lines, *tail, "}"]) + "\n"

    # ---- words of the record ----

    def value(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def _first(self, number: int) -> int:
        return sum([1 + 2 * (self.call.batch + len(core)) for core in self.shown[:number]])

    def _word(self, number: int, kind: str = "i64") -> str:
        place = self.value(f"getelementptr i64, ptr %record, i64 {number}")
        return self.value(f"load {kind}, ptr {place}, align 8")

    def address(self, number: int) -> str:
        return self._word(self._first(number), "ptr")

    def extent(self, number: int, axis: int) -> str:
        return self._word(self._first(number) + 1 + axis)

    def stride(self, number: int, axis: int) -> str:
        """In bytes. `number` is the place in the record."""
        rank = self.call.batch + len(self.shown[number])
        return self.value(f"mul i64 {self._word(self._first(number) + 1 + rank + axis)}, {_SIZES[self.types[self._typed(number)]]}")

    def _typed(self, number: int) -> int:
        return max(0, number - 1) if self.routine.overwrites else number

    def _given(self) -> list[int]:
        """The places in the record of the loop's arguments."""
        return list(range(1, len(self.shown))) if self.routine.overwrites else list(range(len(self.shown)))

    # ---- parts ----

    def _fill(self) -> None:
        """Dimensions and steps: of the last batch axis, then of the matrices' own axes."""
        given, batch = self._given(), self.call.batch
        where: dict[str, tuple[int, int]] = {}
        for number, core in zip(given, self.cores, strict=True):
            for axis, name in enumerate(core):
                where.setdefault(name, (number, batch + axis))
        dimensions = [self.extent(given[-1], batch - 1) if batch else "1"]
        dimensions += [self.extent(*place) for place in where.values()]
        steps = [self.stride(number, batch - 1) if batch else "0" for number in given]
        for number, core in zip(given, self.cores, strict=True):
            steps += [self.stride(number, batch + axis) for axis in range(len(core))]
        for name, words in (("dimensions", dimensions), ("steps", steps)):
            self.lines.append(f"  %{name} = alloca [{len(words)} x i64], align 8")
            for k, word in enumerate(words):
                self.lines.append(f"  store i64 {word}, ptr {self.value(f'getelementptr i64, ptr %{name}, i64 {k}')}, align 8")
        self.lines.append(f"  %arguments = alloca [{len(given)} x ptr], align 8")

    def _batches(self) -> None:
        """One call for each element of the batch axes but the last."""
        given, leading = self._given(), list(range(max(0, self.call.batch - 1)))
        starts = [self.address(number) for number in given]
        extents = [self.extent(given[-1], axis) for axis in leading]
        strides = [[self.stride(number, axis) for axis in leading] for number in given]
        count = self._product(extents)
        given_data = f"@{self.data}" if self.data else "null"

        def body(index: str) -> None:
            indices = self._unravel(index, extents)
            for k, start in enumerate(starts):
                place = self._offset(start, indices, strides[k])
                self.lines.append(f"  store ptr {place}, ptr {self.value(f'getelementptr ptr, ptr %arguments, i64 {k}')}, align 8")
            self.lines.append(f"  call void @{self.loop}(ptr %arguments, ptr %dimensions, ptr %steps, ptr {given_data})")

        self._loop("batch", count, body)

    def _refuse_not_finite(self) -> None:
        """On to `refused` where the first operand holds NaN or infinity: x * 0 is not 0 then."""
        rank = self.call.batch + len(self.shown[0])
        extents, strides = [self.extent(0, axis) for axis in range(rank)], [self.stride(0, axis) for axis in range(rank)]
        start = self.address(0)
        self.lines.append("  %sum = alloca double, align 8\n  store double 0.0, ptr %sum")

        def body(index: str) -> None:
            place = self._offset(start, self._unravel(index, extents), strides)
            for part in range(2 if self.types[0].startswith("c") else 1):
                one = self.value(f"load double, ptr {self.value(f'getelementptr double, ptr {place}, i64 {part}')}")
                more = self.value(f"fadd double {self.value('load double, ptr %sum')}, {self.value(f'fmul double {one}, 0.0')}")
                self.lines.append(f"  store double {more}, ptr %sum")

        self._loop("element", self._product(extents), body)
        total = self.value("load double, ptr %sum")
        self.lines.append(f"  br i1 {self.value(f'fcmp oeq double {total}, 0.0')}, label %finite, label %refused\nfinite:")

    def _move(self) -> None:
        """The operand to the first result; both are row-major."""
        rank = self.call.batch + len(self.shown[0])
        count = self._product([self.extent(0, axis) for axis in range(rank)])
        size = self.value(f"mul i64 {count}, {_SIZES[self.types[0]]}")
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {self.address(1)}, ptr {self.address(0)}, i64 {size}, i1 false)")

    # ---- pieces ----

    def _product(self, extents: list[str]) -> str:
        count = "1"
        for extent in extents:
            count = extent if count == "1" else self.value(f"mul i64 {count}, {extent}")
        return count

    def _unravel(self, index: str, extents: list[str]) -> list[str]:
        """The subscripts of the element with that number."""
        found: list[str] = []
        for extent in reversed(extents[1:]):
            found.insert(0, self.value(f"urem i64 {index}, {extent}"))
            index = self.value(f"udiv i64 {index}, {extent}")
        return [index, *found] if extents else []

    def _offset(self, start: str, indices: list[str], strides: list[str]) -> str:
        for index, stride in zip(indices, strides, strict=True):
            start = self.value(f"getelementptr i8, ptr {start}, i64 {self.value(f'mul i64 {index}, {stride}')}")
        return start

    def _loop(self, name: str, count: str, body: Any) -> None:
        lines = self.lines
        lines += [f"  br label %{name}.before", f"{name}.before:", f"  br label %{name}.next", f"{name}.next:"]
        lines.append(f"  %{name} = phi i64 [ 0, %{name}.before ], [ %{name}.more, %{name}.body ]")
        lines.append(f"  %{name}.go = icmp slt i64 %{name}, {count}")
        lines += [f"  br i1 %{name}.go, label %{name}.body, label %{name}.end", f"{name}.body:"]
        body(f"%{name}")
        lines += [f"  %{name}.more = add i64 %{name}, 1", f"  br label %{name}.next", f"{name}.end:"]
