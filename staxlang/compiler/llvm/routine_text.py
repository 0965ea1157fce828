"""The lines of a function `i32 (ptr record, ptr text)` while it is written: words of the record, loops, moves of memory."""

from __future__ import annotations

from collections.abc import Callable


class RoutineText:
    """Lines of LLVM text after `entry:`; values are numbered in the order of their making."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def value(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """The block goes on under a name that can be jumped to."""
        self.lines += [f"  br label %{name}", f"{name}:"]

    def word(self, place: int, kind: str = "i64") -> str:
        """A word of the record."""
        return self.load("%record", place, kind)

    def load(self, start: str, place: int, kind: str = "i64") -> str:
        """A word behind an address."""
        return self.value(f"load {kind}, ptr {self.value(f'getelementptr i64, ptr {start}, i64 {place}')}, align 8")

    def store(self, start: str, place: int, text: str, kind: str = "i64") -> None:
        self.emit(f"store {kind} {text}, ptr {self.value(f'getelementptr i64, ptr {start}, i64 {place}')}, align 8")

    def product(self, extents: list[str]) -> str:
        count = "1"
        for extent in extents:
            count = extent if count == "1" else self.value(f"mul i64 {count}, {extent}")
        return count

    def bytes_on(self, start: str, count: str) -> str:
        """The address that many bytes further on."""
        return self.value(f"getelementptr i8, ptr {start}, i64 {count}")

    def at(self, start: str, offset: str, size: int) -> str:
        """The address `offset` elements further on."""
        return self.bytes_on(start, self.value(f"mul i64 {offset}, {size}"))

    def move(self, source: str, target: str, count: str) -> None:
        """`count` bytes, which do not overlap."""
        self.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {count}, i1 false)")

    def loop(self, name: str, count: str, body: Callable[[str], None]) -> None:
        """The body for 0 to count - 1; it may open blocks of its own."""
        lines = self.lines
        lines += [f"  br label %{name}.before", f"{name}.before:", f"  br label %{name}.next", f"{name}.next:"]
        lines.append(f"  %{name} = phi i64 [ 0, %{name}.before ], [ %{name}.more, %{name}.last ]")
        lines.append(f"  %{name}.go = icmp slt i64 %{name}, {count}")
        lines += [f"  br i1 %{name}.go, label %{name}.body, label %{name}.end", f"{name}.body:"]
        body(f"%{name}")
        lines += [f"  br label %{name}.last", f"{name}.last:"]
        lines += [f"  %{name}.more = add i64 %{name}, 1", f"  br label %{name}.next", f"{name}.end:"]
