"""Sorting in machine code: `stax_order_..` functions that hand the rows of a record to NumPy's own routines, rows shared out to threads.

    int sort(ptr row, ssize_t count, ptr array)   int argsort(ptr row, ptr places, ssize_t count, ptr array)     0, or -1 without memory

They are those of the dtype (PyArray_ArrFuncs): no Python runs, no GIL is needed, and the array is not looked at for numbers. A call that
they cannot do is handed to Python's function.
"""

from __future__ import annotations

from typing import Any, Final

from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.routine_text import RoutineText

PREFIX: Final = "stax_order_"
ROUTINES: Final = ("sort", "argsort")
KINDS: Final = {"quicksort": 0, "stable": 2}
"""NumPy's numbers of them. (What it does for "heapsort" differs among its versions.)"""
SIZES: Final = {
    "bool": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f16": 2, "f32": 4, "f64": 8, "c64": 8,
    "c128": 16,
}  # fmt: skip
_SHARED: Final = 16384
"""So many elements are worth another thread."""


class OrderCall(NamedTuple):
    """A routine for rows of a dtype, `rank` axes in all."""

    routine: str
    kind: int
    dtype: str
    rank: int

    @property
    def symbol(self) -> str:
        return f"{PREFIX}{self.routine}_{self.kind}_{self.dtype}_{self.rank}"


def order_call(native: str, dtype: str, options: dict[str, Any], rank: int) -> OrderCall | None:
    """What does a call; None where nothing in machine code does."""
    kind = KINDS.get(options["kind"])
    return None if dtype not in SIZES or kind is None else OrderCall(native, kind, dtype, rank)


def read_order(symbol: str) -> OrderCall:
    """What the name of a function says."""
    routine, kind, dtype, rank = symbol.removeprefix(PREFIX).split("_")
    return OrderCall(routine, int(kind), dtype, int(rank))


def order_text(call: OrderCall, outside: str) -> str:
    """The function for a call; `outside`: the symbol of NumPy's routine."""
    parameters = "ptr, i64, ptr" if call.routine == "sort" else "ptr, ptr, i64, ptr"
    return "\n".join([
        f"declare i32 @{outside}({parameters})",
        "declare i32 @stax_extern(ptr, ptr)",
        "declare void @stax_parallel(ptr, ptr, i64, i64)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        *_rows(call, outside),
        *_whole(call),
    ]) + "\n"  # fmt: skip


def _extents(t: RoutineText, call: OrderCall) -> tuple[list[str], str, str]:
    """(extents of the operand, the number of rows, the distance of neighbours in a row)."""
    extents = [t.word(1 + axis) for axis in range(call.rank)]
    rows, empty = t.product(extents[:-1]), t.value(f"icmp eq i64 {extents[-1]}, 0")  # rows of nothing may have no address
    return extents, t.value(f"select i1 {empty}, i64 0, i64 {rows}"), t.word(2 * call.rank)


def _whole(call: OrderCall) -> list[str]:
    t = RoutineText()
    extents, rows, step = _extents(t, call)
    if call.routine == "argsort":  # its rows are read where they lie
        t.lines += [f"  br i1 {t.value(f'icmp eq i64 {step}, 1')}, label %near, label %refused", "near:"]
    context = "%context"
    t.lines += [f"  {context} = alloca [2 x i64], align 8", f"  store ptr %record, ptr {context}, align 8"]
    t.store(context, 1, "0")
    many = t.value(f"icmp sge i64 {t.value(f'mul i64 {rows}, {extents[-1]}')}, {2 * _SHARED}")
    many = t.value(f"and i1 {many}, {t.value(f'icmp sgt i64 {rows}, 1')}")
    least = t.value(f"select i1 {t.value(f'icmp slt i64 {extents[-1]}, 1')}, i64 1, i64 {extents[-1]}")
    grain = t.value(f"add i64 {t.value(f'udiv i64 {_SHARED}, {least}')}, 1")
    t.lines += [
        f"  br i1 {many}, label %shared, label %alone",
        "shared:",
        f"  call void @stax_parallel(ptr @{call.symbol}.rows, ptr {context}, i64 {rows}, i64 {grain})",
        "  br label %done",
        "alone:",
        f"  call void @{call.symbol}.rows(ptr {context}, i64 0, i64 {rows})",
        "  br label %done",
        "done:",
    ]
    good = t.value(f"icmp eq i64 {t.load(context, 1)}, 0")
    t.lines += [
        f"  br i1 {good}, label %finished, label %refused",
        "finished:",
        "  ret i32 0",
        "refused:",
        "  %answer = call i32 @stax_extern(ptr %record, ptr %text)",
        "  ret i32 %answer",
        "}",
    ]
    return [f"define i32 @{call.symbol}(ptr %record, ptr %text) nounwind {{", "entry:", *t.lines]


def _rows(call: OrderCall, outside: str) -> list[str]:
    """The function for the rows from `begin` to `end`; that one failed is told by the context's second word."""
    t = RoutineText()
    rank, size = call.rank, SIZES[call.dtype]
    t.lines.append("  %record = load ptr, ptr %context, align 8")
    extents, _, step = _extents(t, call)
    strides = [t.word(1 + rank + axis) for axis in range(rank - 1)]
    source, target, count = t.word(0, "ptr"), t.word(1 + 2 * rank, "ptr"), extents[-1]
    near = t.value(f"icmp eq i64 {step}, 1")

    def row(index: str) -> None:
        number = t.value(f"add i64 %begin, {index}")
        first = t.at(source, _offset(t, number, extents[:-1], strides), size)
        if call.routine == "sort":
            result = t.at(target, t.value(f"mul i64 {number}, {count}"), size)
            _copy(t, first, result, count, step, near, size)
            answer = t.value(f"call i32 @{outside}(ptr {result}, i64 {count}, ptr null)")
        else:
            result = t.at(target, t.value(f"mul i64 {number}, {count}"), 8)
            t.loop("place", count, lambda place: t.emit(f"store i64 {place}, ptr {t.at(result, place, 8)}, align 8"))
            answer = t.value(f"call i32 @{outside}(ptr {first}, ptr {result}, i64 {count}, ptr null)")
        t.lines += [f"  br i1 {t.value(f'icmp eq i32 {answer}, 0')}, label %sorted, label %failed", "failed:"]
        t.store("%context", 1, "1")
        t.lines += ["  br label %sorted", "sorted:"]

    t.loop("row", t.value("sub i64 %end, %begin"), row)
    return [
        f"define internal void @{call.symbol}.rows(ptr %context, i64 %begin, i64 %end) nounwind {{", "entry:", *t.lines, "  ret void", "}",
    ]  # fmt: skip


def _offset(t: RoutineText, number: str, extents: list[str], strides: list[str]) -> str:
    """Where a row begins, in elements."""
    total, left = "0", number
    for axis in reversed(range(len(extents))):
        index = left
        if axis:
            index, left = t.value(f"urem i64 {left}, {extents[axis]}"), t.value(f"udiv i64 {left}, {extents[axis]}")
        total = t.value(f"add i64 {total}, {t.value(f'mul i64 {index}, {strides[axis]}')}")
    return total


def _copy(t: RoutineText, source: str, target: str, count: str, step: str, near: str, size: int) -> None:
    """A row to where it is sorted."""
    t.lines += [f"  br i1 {near}, label %whole, label %spread", "whole:"]
    t.move(source, target, t.value(f"mul i64 {count}, {size}"))
    t.lines += ["  br label %copied", "spread:"]
    kind, align = f"i{8 * size}", min(size, 8)

    def element(place: str) -> None:
        found = t.value(f"load {kind}, ptr {t.at(source, t.value(f'mul i64 {place}, {step}'), size)}, align {align}")
        t.emit(f"store {kind} {found}, ptr {t.at(target, place, size)}, align {align}")

    t.loop("element", count, element)
    t.lines += ["  br label %copied", "copied:"]
