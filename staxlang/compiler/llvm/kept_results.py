"""Results that one call leaves for the next: what a data gate has asked for is not computed again by the program behind it.

`@stax_kept_results` holds a block or nothing: which loop has run, the extents of its operands, their bytes, its results. It is taken by an
atomic exchange, and is another call's only if loop, extents and every byte of the operands are the same; otherwise it is let go. Nothing is
kept of very large operands. So a call gives what it would give without it, in any number of threads. Operands are row-major.
"""

from __future__ import annotations

from typing import Final

from staxlang.base.records import NamedTuple
from staxlang.compiler.llvm.routine_text import RoutineText

KEPT: Final = "stax_kept_results"
_MOST: Final = 1 << 29
"""Bytes from which nothing is kept: computing twice is better than running out of memory."""
DECLARATIONS: Final = (
    f"@{KEPT} = external global i64", "declare ptr @malloc(i64)", "declare void @free(ptr)", "declare i32 @memcmp(ptr, ptr, i64)",
)  # fmt: skip


class Block(NamedTuple):
    """An array of a call: where it is, its extents, its bytes."""

    address: str
    extents: list[str]
    bytes: str


def take_results(t: RoutineText, loop: str, operands: list[Block], results: list[Block]) -> None:
    """Return with the results that are kept if they are those of these operands."""
    kept = t.value(f"atomicrmw xchg ptr @{KEPT}, i64 0 seq_cst")
    t.emit(f"br i1 {t.value(f'icmp eq i64 {kept}, 0')}, label %kept.none, label %kept.some")
    t.lines.append("kept.some:")
    block = t.value(f"inttoptr i64 {kept} to ptr")
    words = [t.value(f"ptrtoint ptr @{loop} to i64"), *[extent for one in operands for extent in one.extents]]
    same = "true"
    for place, word in enumerate(words):
        same = t.value(f"and i1 {same}, {t.value(f'icmp eq i64 {t.load(block, place)}, {word}')}")
    t.emit(f"br i1 {same}, label %kept.extents, label %kept.other")
    t.lines.append("kept.extents:")
    at = t.bytes_on(block, str(8 * len(words)))
    for number, one in enumerate(operands):
        answer = t.value(f"call i32 @memcmp(ptr {at}, ptr {one.address}, i64 {one.bytes})")
        t.emit(f"br i1 {t.value(f'icmp eq i32 {answer}, 0')}, label %kept.same.{number}, label %kept.other")
        t.lines.append(f"kept.same.{number}:")
        at = t.bytes_on(at, one.bytes)
    for one in results:
        t.move(at, one.address, one.bytes)
        at = t.bytes_on(at, one.bytes)
    t.emit(f"call void @free(ptr {block})")
    t.emit("ret i32 0")
    t.lines.append("kept.other:")
    t.emit(f"call void @free(ptr {block})")
    t.label("kept.none")


def leave_results(t: RoutineText, loop: str, operands: list[Block], results: list[Block]) -> None:
    """Keep the results with what they are of."""
    words = [t.value(f"ptrtoint ptr @{loop} to i64"), *[extent for one in operands for extent in one.extents]]
    size = str(8 * len(words))
    for one in (*operands, *results):
        size = t.value(f"add i64 {size}, {one.bytes}")
    t.emit(f"br i1 {t.value(f'icmp ult i64 {size}, {_MOST}')}, label %keep.some, label %left")
    t.lines.append("keep.some:")
    block = t.value(f"call ptr @malloc(i64 {size})")
    t.emit(f"br i1 {t.value(f'icmp eq ptr {block}, null')}, label %left, label %keep")
    t.lines.append("keep:")
    for place, word in enumerate(words):
        t.store(block, place, word)
    at = t.bytes_on(block, str(8 * len(words)))
    for one in (*operands, *results):
        t.move(one.address, at, one.bytes)
        at = t.bytes_on(at, one.bytes)
    before = t.value(f"atomicrmw xchg ptr @{KEPT}, i64 {t.value(f'ptrtoint ptr {block} to i64')} seq_cst")
    t.emit(f"call void @free(ptr {t.value(f'inttoptr i64 {before} to ptr')})")
    t.label("left")
