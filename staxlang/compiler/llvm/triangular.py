"""Triangular systems and LU factors in machine code: `stax_lapack_..` functions over a BLAS's xTRSM and LAPACK's xGETRF.

Operands are row-major copies of the call's own, and so are results. xGETRF counts columns first: its operand is the matrix transposed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from staxlang.compiler.llvm.lapack import Call
from staxlang.compiler.llvm.routine_text import RoutineText

TRANSPOSITIONS: Final = ("N", "T", "C")
"""What `trans` may be: the matrix, its transpose, its conjugate transpose."""
OUTSIDE: Final[dict[str, str]] = {"trsm": "cblas_{}trsm", "getrf": "{}getrf_", "pivots": ""}
"""The routines that have their text here, and the outside function that each calls, with a letter for the dtype."""
LETTERS: Final = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}
_SIZES: Final = {"f32": 4, "f64": 8, "c64": 8, "c128": 16}
_KINDS: Final = {"f32": "float", "f64": "double", "c64": "float", "c128": "double"}


def direct_call(native: str, dtype: str, options: dict[str, Any], rank: int) -> Call | None:
    """What does the call of a routine of this file; None where nothing in machine code does."""
    if native == "pivots":
        return Call(native, 0, dtype, rank - 1) if dtype == "i64" else None
    if dtype not in LETTERS:
        return None
    way = 0
    if native == "trsm":
        way = int(options["lower"]) + 2 * int(options["unit_diagonal"]) + 4 * TRANSPOSITIONS.index(options["trans"])
    return Call(native, way, dtype, rank - 2)


def direct_text(call: Call, outside: str, wide: bool) -> str:
    """The function for a call; `outside`: the symbol of what it calls, whose integers are i64 where `wide`, else i32."""
    return _WRITERS[call.routine](_Text(call, wide), outside)


class _Text(RoutineText):
    """The lines of one function while it is written."""

    def __init__(self, call: Call, wide: bool) -> None:
        super().__init__()
        self.call = call
        self.whole = "i64" if wide else "i32"

    def operand(self, number: int, *ranks: int) -> tuple[str, list[str]]:
        """(address, extents) of an array in the record; the ranks are those of the ones before it, and its own."""
        first = sum([1 + 2 * rank for rank in ranks[:number]])
        return self.word(first, "ptr"), [self.word(first + 1 + axis) for axis in range(ranks[number])]

    def integer(self, text: str) -> str:
        """An extent as the outside function takes it."""
        return text if self.whole == "i64" else self.value(f"trunc i64 {text} to i32")

    def function(self, *declarations: str) -> str:
        head = [
            *declarations,
            "declare i32 @stax_extern(ptr, ptr)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            f"define i32 @{self.call.symbol}(ptr %record, ptr %text) nounwind {{",
            "entry:",
        ]
        tail = ["  ret i32 0", "refused:", "  %answer = call i32 @stax_extern(ptr %record, ptr %text)", "  ret i32 %answer", "}"]
        return "\n".join([*head, *self.lines, *tail]) + "\n"


def _trsm(t: _Text, outside: str) -> str:
    """x = b, then x = a^-1 x in place. A 0 on the diagonal is told by Python's function."""
    call, dtype, whole = t.call, t.call.dtype, t.whole
    kind, size, complex_ = _KINDS[dtype], _SIZES[dtype], dtype.startswith("c")
    rank = call.batch + 2
    (a, _), (b, extents), (x, _) = [t.operand(number, rank, rank, rank) for number in range(3)]
    rows, sides = extents[-2:]
    count, square, each = t.product(extents[:-2]), t.value(f"mul i64 {rows}, {rows}"), t.value(f"mul i64 {rows}, {sides}")
    t.lines += [f"  %alpha = alloca [2 x {kind}], align 8", f"  store {kind} 1.0, ptr %alpha"]
    t.lines.append(f"  store {kind} 0.0, ptr {t.value(f'getelementptr {kind}, ptr %alpha, i64 1')}")
    triangle, unit, turned = 122 if call.loop & 1 else 121, 132 if call.loop & 2 else 131, 111 + (call.loop >> 2)
    if not call.loop & 2:
        _refuse_zeros(t, a, count, rows, square)
    t.move(b, x, t.product([count, each, str(size)]))
    n, k = t.integer(rows), t.integer(sides)

    def body(index: str) -> None:
        matrix = t.at(a, t.value(f"mul i64 {index}, {square}"), size)
        solved = t.at(x, t.value(f"mul i64 {index}, {each}"), size)
        alpha = "ptr %alpha" if complex_ else f"{kind} 1.0"
        t.lines.append(
            f"  call void @{outside}(i32 101, i32 141, i32 {triangle}, i32 {turned}, i32 {unit}, {whole} {n}, {whole} {k}, {alpha}, "
            f"ptr {matrix}, {whole} {n}, ptr {solved}, {whole} {k})"
        )

    empty = t.value(f"icmp eq i64 {each}, 0")
    t.loop("batch", t.value(f"select i1 {empty}, i64 0, i64 {count}"), body)
    alpha = "ptr" if complex_ else kind
    return t.function(f"declare void @{outside}(i32, i32, i32, i32, i32, {whole}, {whole}, {alpha}, ptr, {whole}, ptr, {whole})")


def _refuse_zeros(t: _Text, a: str, count: str, rows: str, square: str) -> None:
    kind, size = _KINDS[t.call.dtype], _SIZES[t.call.dtype]

    def diagonal(index: str) -> None:
        matrix = t.at(a, t.value(f"mul i64 {index}, {square}"), size)
        step = t.value(f"add i64 {rows}, 1")

        def element(place: str) -> None:
            at = t.at(matrix, t.value(f"mul i64 {place}, {step}"), size)
            zero = t.value(f"fcmp oeq {kind} {t.value(f'load {kind}, ptr {at}')}, 0.0")
            if t.call.dtype.startswith("c"):
                other = t.value(f"load {kind}, ptr {t.value(f'getelementptr {kind}, ptr {at}, i64 1')}")
                zero = t.value(f"and i1 {zero}, {t.value(f'fcmp oeq {kind} {other}, 0.0')}")
            t.lines += [f"  br i1 {zero}, label %refused, label %element.good", "element.good:"]

        t.loop("element", rows, element)

    t.loop("diagonal", count, diagonal)


def _getrf(t: _Text, outside: str) -> str:
    """The factors in place of the matrix, then the rows that were exchanged, from 0."""
    dtype, whole = t.call.dtype, t.whole
    size, rank = _SIZES[dtype], t.call.batch + 2
    (a, extents), (factors, _), (pivots, places) = [t.operand(number, rank, rank, rank - 1) for number in range(3)]
    columns, rows = extents[-2:]
    count, each, steps = t.product(extents[:-2]), t.value(f"mul i64 {rows}, {columns}"), places[-1]
    t.move(a, factors, t.product([count, each, str(size)]))
    for name, text in (("m", rows), ("n", columns), ("info", "0")):
        t.lines += [f"  %{name} = alloca {whole}, align 8", f"  store {whole} {t.integer(text) if text != '0' else '0'}, ptr %{name}"]
    width = 8 if whole == "i64" else 4

    def body(index: str) -> None:
        matrix, first = t.at(factors, t.value(f"mul i64 {index}, {each}"), size), t.at(pivots, t.value(f"mul i64 {index}, {steps}"), 8)
        t.lines.append(f"  call void @{outside}(ptr %m, ptr %n, ptr {matrix}, ptr %m, ptr {first}, ptr %info)")

        def place(step: str) -> None:  # from the last one: narrow integers are spread out where they lie
            back = t.value(f"sub i64 {t.value(f'sub i64 {steps}, 1')}, {step}")
            found = t.value(f"load {whole}, ptr {t.at(first, back, width)}")
            found = found if width == 8 else t.value(f"sext i32 {found} to i64")
            t.lines.append(f"  store i64 {t.value(f'sub i64 {found}, 1')}, ptr {t.at(first, back, 8)}")

        t.loop("place", steps, place)

    empty = t.value(f"icmp eq i64 {each}, 0")
    t.loop("batch", t.value(f"select i1 {empty}, i64 0, i64 {count}"), body)
    return t.function(f"declare void @{outside}(ptr, ptr, ptr, ptr, ptr, ptr)")


def _pivots(t: _Text, outside: str) -> str:
    """Exchanges of rows, one after the other, of 0, 1, ..: the row that is in each place afterwards."""
    rank = t.call.batch + 1
    (pivots, places), (order, extents) = [t.operand(number, rank, rank) for number in range(2)]
    count, steps, rows = t.product(places[:-1]), places[-1], extents[-1]

    def body(index: str) -> None:
        first, made = t.at(pivots, t.value(f"mul i64 {index}, {steps}"), 8), t.at(order, t.value(f"mul i64 {index}, {rows}"), 8)
        t.loop("row", rows, lambda row: t.lines.append(f"  store i64 {row}, ptr {t.at(made, row, 8)}"))

        def exchange(step: str) -> None:
            other = t.value(f"load i64, ptr {t.at(first, step, 8)}")
            inside = t.value(f"icmp ult i64 {other}, {rows}")
            t.lines += [f"  br i1 {inside}, label %step.good, label %refused", "step.good:"]
            here, there = t.at(made, step, 8), t.at(made, other, 8)
            left, right = t.value(f"load i64, ptr {here}"), t.value(f"load i64, ptr {there}")
            t.lines += [f"  store i64 {right}, ptr {here}", f"  store i64 {left}, ptr {there}"]

        t.loop("step", steps, exchange)

    t.loop("batch", count, body)
    return t.function()


_WRITERS: Final[dict[str, Callable[[_Text, str], str]]] = {"trsm": _trsm, "getrf": _getrf, "pivots": _pivots}
