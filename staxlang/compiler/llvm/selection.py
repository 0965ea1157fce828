"""Where a vector of bools is true, in machine code that is part of the program: one walk that writes places one behind the other.

    void places(ptr record)     of the record of an extern operation: the mask, the places, the options `fill` and `size`

Eight bools at a time: each place is written, and stays where its bool is true since the next one goes behind it. No step is guessed.
"""

from __future__ import annotations

from staxlang.compiler.llvm.routine_text import RoutineText

_BLOCK = 8


def own_text(symbol: str) -> str:
    """The function."""
    t = RoutineText()
    mask, count, step, result, fill, size = (t.word(k, "ptr" if k in (0, 3) else "i64") for k in (0, 1, 2, 3, 6, 7))
    near, all_blocks = t.value(f"icmp eq i64 {step}, 1"), t.value(f"and i64 {count}, -{_BLOCK}")
    blocks = t.value(f"select i1 {near}, i64 {all_blocks}, i64 0")
    room = t.value(f"sub i64 {size}, {_BLOCK}")
    _whole_blocks(t, mask, result, blocks, room)
    _single_ones(t, mask, result, (count, step, size))
    t.loop("rest", t.value(f"sub i64 {size}, %found"), lambda k: t.emit(
        f"store i64 {fill}, ptr {t.at(result, t.value(f'add i64 %found, {k}'), 8)}, align 8"
    ))  # fmt: skip
    return "\n".join([f"define internal void @{symbol}(ptr %record) nounwind {{", "entry:", *t.lines, "  ret void", "}"])


def _whole_blocks(t: RoutineText, mask: str, result: str, blocks: str, room: str) -> None:
    """Blocks of bools that lie side by side, while there is room for all of a block's places. Blocks without a true one are passed over."""
    t.lines += [
        "  br label %block",
        "block:",
        "  %at = phi i64 [ 0, %entry ], [ %at.next, %block.last ]",
        "  %kept = phi i64 [ 0, %entry ], [ %kept.next, %block.last ]",
    ]
    more, fits = t.value(f"icmp slt i64 %at, {blocks}"), t.value(f"icmp sle i64 %kept, {room}")
    t.lines += [f"  br i1 {t.value(f'and i1 {more}, {fits}')}, label %block.read, label %single", "block.read:"]
    bools = t.value(f"load <{_BLOCK} x i8>, ptr {t.bytes_on(mask, '%at')}, align 1")
    true = t.value(f"icmp ne <{_BLOCK} x i8> {bools}, zeroinitializer")
    bits = t.value(f"zext i8 {t.value(f'bitcast <{_BLOCK} x i1> {true} to i8')} to i64")
    t.lines += [f"  br i1 {t.value(f'icmp eq i64 {bits}, 0')}, label %block.last, label %block.write", "block.write:"]
    kept = "%kept"
    for k in range(_BLOCK):
        place = t.value(f"add i64 %at, {k}") if k else "%at"
        t.emit(f"store i64 {place}, ptr {t.at(result, kept, 8)}, align 8")
        one = t.value(f"and i64 {t.value(f'lshr i64 {bits}, {k}')}, 1")
        kept = t.value(f"add i64 {kept}, {one}")
    t.lines += [
        "  br label %block.last",
        "block.last:",
        f"  %kept.next = phi i64 [ %kept, %block.read ], [ {kept}, %block.write ]",
        f"  %at.next = add i64 %at, {_BLOCK}",
        "  br label %block",
    ]


def _single_ones(t: RoutineText, mask: str, result: str, numbers: tuple[str, str, str]) -> None:
    """One bool after the other, while there are any and there is room: what is left, and bools with a distance. `%found`: all places."""
    count, step, size = numbers
    t.lines += [
        "single:",
        "  %one = phi i64 [ %at, %block ], [ %one.next, %single.write ]",
        "  %found = phi i64 [ %kept, %block ], [ %found.next, %single.write ]",
    ]
    more, fits = t.value(f"icmp slt i64 %one, {count}"), t.value(f"icmp slt i64 %found, {size}")
    t.lines += [f"  br i1 {t.value(f'and i1 {more}, {fits}')}, label %single.write, label %filling", "single.write:"]
    t.emit(f"store i64 %one, ptr {t.at(result, '%found', 8)}, align 8")
    found = t.value(f"load i8, ptr {t.bytes_on(mask, t.value(f'mul i64 %one, {step}'))}, align 1")
    true = t.value(f"icmp ne i8 {found}, 0")
    t.lines += [
        f"  %found.next = add i64 %found, {t.value(f'zext i1 {true} to i64')}",
        "  %one.next = add i64 %one, 1",
        "  br label %single",
        "filling:",
    ]
