"""Linear algebra in machine code: `stax_lapack_..` functions that hand the matrices of a record to NumPy's own inner loops over LAPACK.

    void loop(ptr arguments, ptr dimensions, ptr steps, ptr data)     a PyUFuncGenericFunction: no Python runs, no GIL is needed

The loop goes over one batch axis; what is here goes over the others. Loops that can fail tell it by the floating-point exception "invalid"
(they clear it otherwise). A failed call is made again by Python's function, which knows what to raise.
"""

from __future__ import annotations

import re
from typing import Any, Final

from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.kept_results import DECLARATIONS, Block, leave_results, take_results
from staxlang.compiler.llvm.routine_text import RoutineText

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
    leaves: bool = False
    takes: bool = False


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
    "eig": Routine((("eig", "(m,m)->(m),(m,m)"),), finite=True, takes=True),
    "eig_asked": Routine((("eig", "(m,m)->(m),(m,m)"),), finite=True, leaves=True),
    "eigvals": Routine((("eigvals", "(m,m)->(m)"),), finite=True, takes=True),
    "eigvals_asked": Routine((("eigvals", "(m,m)->(m)"),), finite=True, leaves=True),
    "lstsq": Routine((("lstsq", "(m,n),(m,nrhs),()->(n,nrhs),(nrhs),(),(p)"),), takes=True),
    "lstsq_asked": Routine((("lstsq", "(m,n),(m,nrhs),()->(n,nrhs),(nrhs),(),(p)"),), leaves=True),
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


class _Text(RoutineText):
    """The lines of one function while it is written."""

    def __init__(self, call: Call, types: tuple[str, ...], loop: str, data: str) -> None:
        super().__init__()
        self.call, self.types, self.loop_name, self.data = call, types, loop, data
        self.routine = ROUTINES[call.routine]
        self.operands, self.results = _cores(call.gufunc[1])
        self.cores = [*self.operands, *self.results]
        self.shown = self.cores
        if self.routine.overwrites:  # the record holds one more: the first result is what the operand becomes
            self.shown = [*self.operands, self.operands[0], *self.results]

    def text(self) -> str:
        routine = self.routine
        if routine.overwrites:
            operand = self.block(0)
            self.move(operand.address, self.address(1), operand.bytes)
        if routine.finite:
            self._refuse_not_finite()
        count = len(self.operands)
        blocks = [self.block(number) for number in range(len(self.shown))] if routine.takes or routine.leaves else []
        if routine.takes:
            take_results(self, self.loop_name, blocks[:count], blocks[count:])
        if routine.fails:
            self.emit(f"%cleared = call i32 @feclearexcept(i32 {INVALID})")
        self._fill()
        self._batches()
        if routine.fails:
            raised = self.value(f"call i32 @fetestexcept(i32 {INVALID})")
            self.emit(f"br i1 {self.value(f'icmp ne i32 {raised}, 0')}, label %refused, label %done")
            self.lines.append("done:")
        if routine.leaves:
            leave_results(self, self.loop_name, blocks[:count], blocks[count:])
        tail = ["  ret i32 0", "refused:", "  %answer = call i32 @stax_extern(ptr %record, ptr %text)", "  ret i32 %answer", "}"]
        head = [
            f"declare i32 @stax_extern({SIGNATURE})",
            *[f"declare i32 @{flag}(i32)" for flag in FLAGS],
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            *(DECLARATIONS if blocks else ()),
            f"declare void @{self.loop_name}(ptr, ptr, ptr, ptr)",
            *([f"@{self.data} = external global i8"] if self.data else []),
            f"define i32 @{self.call.symbol}(ptr %record, ptr %text) nounwind {{",
            "entry:",
        ]
        return "\n".join([*head, *self.lines, *tail]) + "\n"

    # ---- arrays of the record ----

    def _first(self, number: int) -> int:
        return sum([1 + 2 * (self.call.batch + len(core)) for core in self.shown[:number]])

    def address(self, number: int) -> str:
        return self.word(self._first(number), "ptr")

    def extent(self, number: int, axis: int) -> str:
        return self.word(self._first(number) + 1 + axis)

    def stride(self, number: int, axis: int) -> str:
        """In bytes."""
        rank = self.call.batch + len(self.shown[number])
        return self.value(f"mul i64 {self.word(self._first(number) + 1 + rank + axis)}, {self.size(number)}")

    def size(self, number: int) -> int:
        """Bytes of an element."""
        return _SIZES[self.types[max(0, number - 1) if self.routine.overwrites else number]]

    def block(self, number: int) -> Block:
        """A row-major array."""
        extents = [self.extent(number, axis) for axis in range(self.call.batch + len(self.shown[number]))]
        return Block(self.address(number), extents, self.value(f"mul i64 {self.product(extents)}, {self.size(number)}"))

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
            self.emit(f"%{name} = alloca [{len(words)} x i64], align 8")
            for k, word in enumerate(words):
                self.store(f"%{name}", k, word)
        self.emit(f"%arguments = alloca [{len(given)} x ptr], align 8")

    def _batches(self) -> None:
        """One call for each element of the batch axes but the last."""
        given, leading = self._given(), list(range(max(0, self.call.batch - 1)))
        starts = [self.address(number) for number in given]
        extents = [self.extent(given[-1], axis) for axis in leading]
        strides = [[self.stride(number, axis) for axis in leading] for number in given]
        given_data = f"@{self.data}" if self.data else "null"

        def body(index: str) -> None:
            indices = self._unravel(index, extents)
            for k, start in enumerate(starts):
                self.store("%arguments", k, self._offset(start, indices, strides[k]), "ptr")
            self.emit(f"call void @{self.loop_name}(ptr %arguments, ptr %dimensions, ptr %steps, ptr {given_data})")

        self.loop("batch", self.product(extents), body)

    def _refuse_not_finite(self) -> None:
        """On to `refused` where the first operand holds NaN or infinity: x * 0 is not 0 then."""
        rank = self.call.batch + len(self.shown[0])
        extents, strides = [self.extent(0, axis) for axis in range(rank)], [self.stride(0, axis) for axis in range(rank)]
        start = self.address(0)
        self.emit("%sum = alloca double, align 8")
        self.emit("store double 0.0, ptr %sum")

        def body(index: str) -> None:
            place = self._offset(start, self._unravel(index, extents), strides)
            for part in range(2 if self.types[0].startswith("c") else 1):
                one = self.value(f"load double, ptr {self.value(f'getelementptr double, ptr {place}, i64 {part}')}")
                more = self.value(f"fadd double {self.value('load double, ptr %sum')}, {self.value(f'fmul double {one}, 0.0')}")
                self.emit(f"store double {more}, ptr %sum")

        self.loop("element", self.product(extents), body)
        total = self.value("load double, ptr %sum")
        self.emit(f"br i1 {self.value(f'fcmp oeq double {total}, 0.0')}, label %finite, label %refused")
        self.lines.append("finite:")

    # ---- pieces ----

    def _unravel(self, index: str, extents: list[str]) -> list[str]:
        """The subscripts of the element with that number."""
        found: list[str] = []
        for extent in reversed(extents[1:]):
            found.insert(0, self.value(f"urem i64 {index}, {extent}"))
            index = self.value(f"udiv i64 {index}, {extent}")
        return [index, *found] if extents else []

    def _offset(self, start: str, indices: list[str], strides: list[str]) -> str:
        for index, stride in zip(indices, strides, strict=True):
            start = self.bytes_on(start, self.value(f"mul i64 {index}, {stride}"))
        return start
