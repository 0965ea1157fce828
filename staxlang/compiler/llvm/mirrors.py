"""A square matrix's upper triangle copied to its lower one: squares of elements are turned in registers, those of the diagonal and what
is left over one element at a time."""

from __future__ import annotations

import re

from staxlang.compiler.llvm.types import permutation

_ALIGNMENTS = {"float": 4, "double": 8, "i64": 4, "i128": 8}  # that elements surely have: an i64 is a pair of floats


def mirror_text(name: str, kind: str, side: int) -> str:
    """`stax.mirror.NAME(c, ldc, n)`: c[i, j] = c[j, i] for j < i < n. side: of a square, a power of two.

    >>> mirror_text("f32", "float", 8).splitlines()[1]
    'define internal void @stax.mirror.f32(ptr %c, i64 %ldc, i64 %n) nounwind {'
    """
    values = {"NAME": name, "KIND": kind, "SIDE": str(side), "LINE": f"<{side} x {kind}>", "ALIGN": str(_ALIGNMENTS[kind])}
    lines = [
        f"  %r{k}.off = mul i64 %at{k}, %ldc\n  %r{k}.row = getelementptr KIND, ptr %c, i64 %r{k}.off\n"
        f"  %r{k}.from = getelementptr KIND, ptr %r{k}.row, i64 %i\n  %v0.{k} = load LINE, ptr %r{k}.from, align ALIGN"
        for k in range(side)
    ]
    places = [f"  %at{k} = add i64 %j, {k}" for k in range(side)]
    turned, stage = _turned(side), side.bit_length() - 1
    stores = [
        f"  %w{k}.i = add i64 %i, {k}\n  %w{k}.off = mul i64 %w{k}.i, %ldc\n  %w{k}.row = getelementptr KIND, ptr %c, i64 %w{k}.off\n"
        f"  %w{k}.to = getelementptr KIND, ptr %w{k}.row, i64 %j\n  store LINE %v{stage}.{k}, ptr %w{k}.to, align ALIGN"
        for k in range(side)
    ]
    text = _MIRROR.replace("SQUARE", "\n".join([*places, *lines, *turned, *stores]))
    return re.sub("[A-Z]{4,}", lambda word: values[word[0]], text)


def _turned(side: int) -> list[str]:
    """Rows to columns by exchanging ever smaller blocks between pairs of lines."""
    made: list[str] = []
    stage, half = 0, side // 2
    while half:
        low = permutation([k if not k & half else k - half + side for k in range(side)])
        high = permutation([k + half if not k & half else k + side for k in range(side)])
        for one in range(side):
            first, second = one & ~half, one | half
            order = high if one & half else low
            made.append(f"  %v{stage + 1}.{one} = shufflevector LINE %v{stage}.{first}, LINE %v{stage}.{second}, {order}")
        stage, half = stage + 1, half // 2
    return made


_MIRROR = """
define internal void @stax.mirror.NAME(ptr %c, i64 %ldc, i64 %n) nounwind {
entry:
  %some = icmp sgt i64 %n, 1
  br i1 %some, label %strip, label %done
strip:
  %i = phi i64 [ 0, %entry ], [ %after, %next ]
  %after = add i64 %i, SIDE
  %end = call i64 @llvm.smin.i64(i64 %after, i64 %n)
  %whole = icmp sle i64 %after, %n
  %left = icmp sgt i64 %i, 0
  %squares = and i1 %whole, %left
  br i1 %squares, label %square, label %rest
square:
  %j = phi i64 [ 0, %strip ], [ %j.next, %square ]
SQUARE
  %j.next = add i64 %j, SIDE
  %more.squares = icmp slt i64 %j.next, %i
  br i1 %more.squares, label %square, label %rest
rest:
  %start = phi i64 [ 0, %strip ], [ %i, %square ]
  br label %column
column:
  %l = phi i64 [ %start, %rest ], [ %l.next, %copied ]
  %below = add i64 %l, 1
  %least = call i64 @llvm.smax.i64(i64 %i, i64 %below)
  %from.off = mul i64 %l, %ldc
  %from = getelementptr KIND, ptr %c, i64 %from.off
  %any = icmp slt i64 %least, %end
  br i1 %any, label %row, label %copied
row:
  %k = phi i64 [ %least, %column ], [ %k.next, %row ]
  %source = getelementptr KIND, ptr %from, i64 %k
  %value = load KIND, ptr %source, align ALIGN
  %to.off = mul i64 %k, %ldc
  %place = add i64 %to.off, %l
  %to = getelementptr KIND, ptr %c, i64 %place
  store KIND %value, ptr %to, align ALIGN
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %end
  br i1 %more, label %row, label %copied
copied:
  %l.next = add i64 %l, 1
  %on = icmp slt i64 %l.next, %end
  br i1 %on, label %column, label %next
next:
  %further = icmp slt i64 %end, %n
  br i1 %further, label %strip, label %done
done:
  ret void
}
"""
