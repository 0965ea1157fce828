"""The text of one LLVM function while it grows: scopes (a place per loop level to put instructions), names, what was computed already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staxlang.base.dtypes import DType
from staxlang.base.sizes import Size
from staxlang.compiler.llvm.types import element, splat, vector
from staxlang.compiler.node import Node

if TYPE_CHECKING:
    from staxlang.compiler.llvm.module import Module


class Value:
    """A computed value: of `lanes` lanes (1: one scalar, the same for every lane), defined at scope `level`.

    varying: differs between the unrolled parts of a vector loop. reads: buffers whose contents it depends on.
    """

    __slots__ = ("dtype", "imag", "lanes", "level", "reads", "text", "varying")

    def __init__(
        self, text: str, dtype: DType, lanes: int, level: int, varying: bool = False, reads: frozenset[str] | None = None, imag: str = ""
    ) -> None:
        self.text, self.dtype, self.lanes, self.level = text, dtype, lanes, level
        self.varying, self.reads, self.imag = varying, reads, imag

    @property
    def type(self) -> str:
        return vector(element(self.dtype), self.lanes)


class Scope:
    """A straight place in the text: instructions go to the end of `lines`; `label` names the basic block that is open there.

    conditional: it may not run although the scope around it does. writes: buffers stored to while it runs.
    """

    __slots__ = ("conditional", "keys", "label", "level", "lines", "writes")

    def __init__(self, level: int, label: str, writes: frozenset[str], conditional: bool) -> None:
        self.level, self.label, self.writes, self.conditional = level, label, writes, conditional
        self.lines: list[str] = []
        self.keys: list[tuple[dict[Any, Any], object]] = []


class Part:
    """One of the unrolled copies of a vector loop's lanes: lane k has the loop's counter + shift + k as index.

    mask: None where all lanes count.
    """

    __slots__ = ("mask", "memo", "shift")

    def __init__(self, shift: int, mask: Value | None = None) -> None:
        self.shift = shift
        self.mask = mask
        self.memo: dict[object, Value] = {}


class Lanes:
    """The vector loop that is open: its index, its lanes, its parts."""

    __slots__ = ("index", "level", "parts", "whole", "width")

    def __init__(self, index: str, width: int, parts: list[Part], level: int, whole: str | None) -> None:
        self.index, self.width, self.parts, self.level = index, width, parts, level
        self.whole = whole  # an i1: stores may be non-temporal (no lane is masked off, addresses are aligned); None: never


class Function:
    """A function's text being written. Loop indices, locals and sizes that are in reach; values by node, for reuse."""

    __slots__ = (
        "candidates", "count", "entry", "greatest", "guard", "guarded", "indices", "lanes", "locals", "memo", "module", "part",
        "ranges", "registers", "scopes", "sizes",
    )  # fmt: skip

    def __init__(self, module: Module) -> None:
        self.module = module
        self.count = 0
        self.scopes = [Scope(0, "entry", frozenset(), False)]
        self.entry: list[str] = []  # allocas
        self.memo: dict[object, Value] = {}
        self.sizes: dict[object, tuple[str, int]] = {}
        self.indices: dict[str, tuple[str, int]] = {}
        self.ranges: dict[str, tuple[Size, Size]] = {}  # (start, extent) of the loop that an index belongs to
        self.locals: dict[str, list[Value]] = {}
        self.greatest: dict[str, tuple[Node, tuple[tuple[str, Size, Size], ...]]] = {}  # see the module of that name
        self.lanes: Lanes | None = None
        self.part: Part | None = None
        self.guard: Value | None = None  # lanes (or, scalar, whether) the guarded loads may run
        self.guarded: dict[object, Value] = {}
        self.registers: dict[str, Value] = {}  # numbers that loops hold, by the buffer whose memory they would live in
        self.candidates: frozenset[str] = frozenset()  # those that are held from the first store on

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def emit(self, level: int, text: str) -> None:
        self.scopes[level].lines.append(text)

    def name(self, level: int, text: str, prefix: str = "v") -> str:
        """A new name defined as `text` at that level."""
        self.count += 1
        made = f"%{prefix}.{self.count}"
        self.scopes[level].lines.append(f"{made} = {text}")
        return made

    @property
    def level(self) -> int:
        return len(self.scopes) - 1

    # ---- scopes

    def open(self, label: str, writes: frozenset[str], conditional: bool) -> Scope:
        scope = Scope(len(self.scopes), label, writes, conditional)
        self.scopes.append(scope)
        return scope

    def close(self) -> Scope:
        """Leave the innermost scope; its values are no longer in reach. The caller places its lines."""
        scope = self.scopes.pop()
        for table, key in scope.keys:
            table.pop(key, None)
        return scope

    def block(self, label: str, level: int = -1) -> None:
        """Begin a basic block at that level's end."""
        scope = self.scopes[level]
        scope.lines.append(f"{label}:")
        scope.label = label

    def remember(self, table: dict[object, Value], key: object, value: Value) -> Value:
        table[key] = value
        self.scopes[value.level].keys.append((table, key))
        return value

    def remember_size(self, key: object, text: str, level: int) -> tuple[str, int]:
        made = self.sizes[key] = text, level
        self.scopes[level].keys.append((self.sizes, key))
        return made

    def forget(self, buffer: str) -> None:
        """The buffer has been stored to: what was loaded from it is out of date."""
        tables = [self.memo, self.guarded]
        if self.lanes is not None:
            tables += [part.memo for part in self.lanes.parts]
        for table in tables:
            for key in [key for key, value in table.items() if value.reads is not None and buffer in value.reads]:
                del table[key]

    def load_level(self, level: int, buffer: str) -> int:
        """The outermost level from `level` inward at which a load from the buffer gives what it gives here."""
        for scope in reversed(self.scopes):
            if scope.level <= level:
                break
            if scope.conditional or buffer in scope.writes:
                return scope.level
        return level

    # ---- values

    def widen(self, value: Value, lanes: int) -> Value:
        """The value in that many lanes."""
        if value.lanes == lanes:
            return value
        kind = element(value.dtype)
        text = self.splat(value.text, kind, lanes, value.level)
        imag = self.splat(value.imag, kind, lanes, value.level) if value.imag else ""
        return Value(text, value.dtype, lanes, value.level, value.varying, value.reads, imag)

    def splat(self, text: str, kind: str, lanes: int, level: int) -> str:
        """One scalar in every lane; remembered, placed where the scalar is defined."""
        if text[0] != "%" or lanes == 1:
            return splat(text, kind, lanes)
        key = (text, lanes)
        found = self.sizes.get(key)
        if found is None:
            whole = f"<{lanes} x {kind}>"
            first = self.name(level, f"insertelement {whole} poison, {kind} {text}, i64 0", "s")
            made = self.name(level, f"shufflevector {whole} {first}, {whole} poison, <{lanes} x i32> zeroinitializer", "s")
            found = self.remember_size(key, made, level)
        return found[0]

    def mask(self) -> Value | None:
        """Which lanes may touch memory here: the part's own and the guard's; None: all."""
        own = self.part.mask if self.part is not None else None
        guard = self.guard
        if own is None or guard is None:
            return own or guard
        key = ("both", own.text, guard.text)
        found = self.guarded.get(key)
        if found is None:
            wide = self.widen(guard, own.lanes)
            level = max(own.level, wide.level)
            text = self.name(level, f"and {own.type} {own.text}, {wide.text}", "m")
            found = self.remember(self.guarded, key, Value(text, own.dtype, own.lanes, level, True, wide.reads))
        return found
