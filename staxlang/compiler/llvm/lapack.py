"""Linear algebra in machine code: `stax_lapack_..` functions that hand the matrices of a record to NumPy's own inner loops over LAPACK.

    void loop(ptr arguments, ptr dimensions, ptr steps, ptr data)     a PyUFuncGenericFunction: no Python runs, no GIL is needed

The loop goes over one batch axis; what is here goes over the others, and shares large batches among threads. Loops that can fail tell it
by the floating-point exception "invalid" (they clear it otherwise). A failed call is made again by Python's function, which knows what to
raise.
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
_EACH: Final = 256
"""What a matrix costs beside the cube of its extents, in multiplications."""
_SHARED: Final = 65_536
"""The work of a thread's share of a batch, at least."""
_ALONE: Final = 64
"""From larger matrices on, BLAS has threads of its own."""
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
    whole = _Text(call, types, loop, data)
    part = _Text(call, types, loop, data).part_text() if call.batch else ""
    return whole.text() + part


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
        failed = self._share() if self.call.batch else self._alone()
        if routine.fails:
            self.emit(f"br i1 {failed}, label %refused, label %done")
            self.lines.append("done:")
        if routine.leaves:
            leave_results(self, self.loop_name, blocks[:count], blocks[count:])
        tail = ["  ret i32 0", "refused:", "  %answer = call i32 @stax_extern(ptr %record, ptr %text)", "  ret i32 %answer", "}"]
        head = [
            f"declare i32 @stax_extern({SIGNATURE})",
            *[f"declare i32 @{flag}(i32)" for flag in FLAGS],
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            *(DECLARATIONS if blocks else ()),
            "declare void @stax_parallel(ptr, ptr, i64, i64)",
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

    # ---- the calls of NumPy's loop ----

    def _alone(self) -> str:
        """The call for one matrix of each operand; whether it has failed."""
        self._clear()
        self._fill("1")
        self._call([self.address(number) for number in self._given()])
        return self._raised()

    def _share(self) -> str:
        """Many matrices, among the threads of the pool where that pays; whether one of them has failed."""
        batch = self.call.batch
        self.emit("%context = alloca [2 x i64], align 8")
        self.store("%context", 0, "%record", "ptr")
        self.store("%context", 1, "0")
        count = self.product([self.extent(self._given()[-1], axis) for axis in range(batch)])
        sizes = [self.extent(0, batch + axis) for axis in range(2)]
        most = self.value(f"call i64 @llvm.smax.i64(i64 {sizes[0]}, i64 {sizes[1]})")
        each = self.value(f"add i64 {self.product([*sizes, most])}, {_EACH}")
        wide = self.value(f"icmp sgt i64 {most}, {_ALONE}")  # the library uses threads of its own
        grain = self.value(f"select i1 {wide}, i64 {count}, i64 {self.value(f'udiv i64 {_SHARED}, {each}')}")
        self.emit(f"call void @stax_parallel(ptr @{self.call.symbol}.part, ptr %context, i64 {count}, i64 {grain})")
        return self.value(f"icmp ne i64 {self.load('%context', 1)}, 0")

    def part_text(self) -> str:
        """void (context, begin, end): the matrices with these numbers, in runs along the last batch axis."""
        given, axes = self._given(), range(self.call.batch)
        self.lines.append("  %record = load ptr, ptr %context, align 8")
        self._clear()
        self._fill("0")
        starts = [self.address(number) for number in given]
        extents = [self.extent(given[-1], axis) for axis in axes]
        strides = [[self.stride(number, axis) for axis in axes] for number in given]
        self.lines += ["  br label %before", "before:", "  br label %next", "next:"]
        self.lines += ["  %first = phi i64 [ %begin, %before ], [ %more, %run ]", "  %go = icmp slt i64 %first, %end"]
        self.lines += ["  br i1 %go, label %run, label %finished", "run:"]
        indices = self._unravel("%first", extents)
        room, left = self.value(f"sub i64 {extents[-1]}, {indices[-1]}"), self.value("sub i64 %end, %first")
        run = self.value(f"call i64 @llvm.smin.i64(i64 {room}, i64 {left})")
        self.store("%dimensions", 0, run)
        self._call([self._offset(start, indices, strides[k]) for k, start in enumerate(starts)])
        self.lines += [f"  %more = add i64 %first, {run}", "  br label %next", "finished:"]
        if self.routine.fails:
            self.emit(f"br i1 {self._raised()}, label %failed, label %done")
            self.lines.append("failed:")
            self.emit(f"store atomic i64 1, ptr {self.value('getelementptr i64, ptr %context, i64 1')} seq_cst, align 8")
            self.label("done")
        head = f"define internal void @{self.call.symbol}.part(ptr %context, i64 %begin, i64 %end) nounwind {{\nentry:\n"
        return head + "\n".join([*self.lines, "  ret void", "}"]) + "\n"

    def _clear(self) -> None:
        if self.routine.fails:
            self.emit(f"%cleared = call i32 @feclearexcept(i32 {INVALID})")

    def _raised(self) -> str:
        return self.value(f"icmp ne i32 {self.value(f'call i32 @fetestexcept(i32 {INVALID})')}, 0") if self.routine.fails else "false"

    def _fill(self, count: str) -> None:
        """Dimensions - of the last batch axis, then of the matrices' own axes - and steps."""
        given, batch = self._given(), self.call.batch
        where: dict[str, tuple[int, int]] = {}
        for number, core in zip(given, self.cores, strict=True):
            for axis, name in enumerate(core):
                where.setdefault(name, (number, batch + axis))
        dimensions = [count, *[self.extent(*place) for place in where.values()]]
        steps = [self.stride(number, batch - 1) if batch else "0" for number in given]
        for number, core in zip(given, self.cores, strict=True):
            steps += [self.stride(number, batch + axis) for axis in range(len(core))]
        for name, words in (("dimensions", dimensions), ("steps", steps)):
            self.emit(f"%{name} = alloca [{len(words)} x i64], align 8")
            for k, word in enumerate(words):
                self.store(f"%{name}", k, word)
        self.emit(f"%arguments = alloca [{len(given)} x ptr], align 8")

    def _call(self, addresses: list[str]) -> None:
        for k, address in enumerate(addresses):
            self.store("%arguments", k, address, "ptr")
        data = f"@{self.data}" if self.data else "null"
        self.emit(f"call void @{self.loop_name}(ptr %arguments, ptr %dimensions, ptr %steps, ptr {data})")

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
