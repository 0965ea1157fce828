"""What the functions of one LLVM module share: buffers and where they are, size symbols, private functions, constants, checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.deferred import deferred
from staxlang.base.sizes import Size
from staxlang.base.sizes.expression import Terms, terms_of
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.forms import FORM_ROWS
from staxlang.compiler.llvm.forms.routines import routine
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.types import component_size, memory
from staxlang.compiler.loops.ir import Buffer, Kernel, Nest, Schedule, Statement, Store
from staxlang.compiler.loops.kept import all_steps, is_loop, movers
from staxlang.compiler.loops.symbols import size_symbols
from staxlang.compiler.node import Node
from staxlang.compiler.target import Target

if TYPE_CHECKING:
    from staxlang.compiler.llvm import sharing
    from staxlang.compiler.loops import apart
else:
    sharing = deferred("staxlang.compiler.llvm.sharing")
    apart = deferred("staxlang.compiler.loops.apart")

CONTEXT = ("arrays", "sizes", "scalars", "arena", "status")  # what every function is given, in this order in the context
HEAVY = 24  # a vector body of more than this weight is not unrolled
WEIGHT_ROWS = {"divide": 4, "sqrt": 4, "floor_divide": 12, "remainder": 12, "fmod": 12, "maximum": 3, "minimum": 3, "load": 1, "cast": 2}


class Module:
    """One module being written."""

    def __init__(self, schedule: Schedule, target: Target, name: str, fast: bool = False, polls: bool = False) -> None:
        self.polls = polls  # loops ask the interpreter for signals
        self.schedule, self.target, self.name, self.fast = schedule, target, name, fast
        self.buffers: dict[str, Buffer] = dict(schedule.program.buffers)
        tiles = [tile for step in all_steps(schedule) if isinstance(step, Kernel) for tile in step.tiles]
        self.buffers |= {tile.name: tile for tile in tiles}
        self.tiles = {tile.name for tile in tiles}
        self.takes_over = dict(schedule.aliases)
        self.places = {allocation.buffer: allocation for allocation in schedule.allocations}
        given = size_symbols(schedule)
        counters = [step["index"] for step in all_steps(schedule) if is_loop(step)]
        self.given = len(given)  # sizes that the caller knows; behind them are the numbers of rounds
        self.symbols = {symbol: k for k, symbol in enumerate((*given, *dict.fromkeys(counters)))}
        self.count = 0
        inputs = [buffer.position for buffer in self.buffers.values() if buffer.role == "input"]
        self.inputs = 1 + max(inputs, default=-1)
        outputs = [buffer.position for buffer in self.buffers.values() if buffer.role == "output"]
        self.arrays = self.inputs + 1 + max(outputs, default=-1)  # addresses that the caller gives; behind them those of what moves
        moving = dict.fromkeys([name for step in all_steps(schedule) for name in movers(step)])
        self.loops_shared = sharing.shared_loops(schedule, target) if counters else []
        for one in self.loops_shared:  # its rounds have arenas of their own: what is elsewhere they find by address
            roots = [self.root(self.buffers[name]) for name in apart.outlasting(one)]
            moving.update(dict.fromkeys([root for root in roots if self.buffers[root].role == "temporary"]))
        self.moving = {name: self.arrays + place for place, name in enumerate(moving)}
        self.slots = scalar_slots(list(self.buffers.values()))
        self.functions: list[str] = []
        self.globals: dict[str, str] = {}
        self.needs: dict[str, str] = {}
        self.metadata = False
        self.streams = False  # some store is non-temporal
        self.externals: dict[str, None] = {}
        self.shared: dict[str, None] = {}  # lines that mathematics wants at module level
        self.masks = target.vector_bytes >= 64  # masked loads and stores cost nothing
        self.soft_half = target.triple.startswith("x86_64") and target.vector_bytes < 32  # f16 conversions came with AVX2's machines
        self.scales = target.vector_bytes >= 64 and target.triple.startswith("x86_64")  # powers of two scale in one instruction
        self.divides = "+avx512vbmi2" in target.features  # since Ice Lake and Zen 4 64 bits are divided nearly as fast as 32
        self.checks: list[Node] = []
        self.looked_at: set[Node] = set()  # values of which is known whether..
        self.bounded: set[Node] = set()  # ..they may be computed under their guard only
        self.ahead: dict[int, list[tuple[Node, int]]] = {}  # of a nest (by identity): loads and where the next row has the same
        self._terms: dict[tuple[str, tuple[Size, ...]], Terms] = {}
        self._writes: dict[int, frozenset[str]] = {}
        self._tails: dict[int, str] = {}

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def declarations(self) -> list[str]:
        """Lines at module level: of external functions, and what mathematics wants."""
        return [*self.externals, *self.shared]

    # ---- buffers

    def root(self, buffer: Buffer) -> str:
        """The buffer whose memory it lives in."""
        name = buffer.name
        while name in self.takes_over:
            name = self.takes_over[name]
        return name

    def base(self, f: Function, buffer: Buffer) -> tuple[str, int]:
        """The address of the buffer's first element, known at function entry."""
        key = ("base", buffer.name)
        found = f.sizes.get(key)
        if found is None:
            found = f.remember_size(key, self._base(f, buffer), 0)
        return found

    def _base(self, f: Function, buffer: Buffer) -> str:
        root = self.buffers[self.root(buffer)]
        slot = self.moving.get(root.name)
        return self.home(f, root) if slot is None else f.name(0, f"load ptr, ptr {self.slot(f, slot)}, align 8", "p")

    def slot(self, f: Function, number: int) -> str:
        """Where an address is found among the arrays'."""
        return f.name(0, f"getelementptr ptr, ptr %arrays, i64 {number}", "p") if number else "%arrays"

    def home(self, f: Function, root: Buffer) -> str:
        """The address of the memory that a buffer begins with."""
        if root.name in self.tiles:
            return self._tile(f, root)
        if root.role == "constant":
            return self._constant(root)
        if root.role == "temporary":
            offset, _ = size_text(f, self.places[root.name].offset)
            return f.name(0, f"getelementptr i8, ptr %arena, i64 {offset}", "p")
        place = self.slot(f, root.position + (self.inputs if root.role == "output" else 0))
        return f.name(0, f"load ptr, ptr {place}, align 8", "p")

    def _constant(self, buffer: Buffer) -> str:
        name = f"@{self.name}.{len(self.globals)}.data"
        found = self.globals.get(buffer.name)
        if found is not None:
            return found.split(" ", 1)[0]
        data = buffer.value or b""
        text = "".join([f"\\{byte:02X}" for byte in data])
        self.globals[buffer.name] = f'{name} = internal constant [{len(data)} x i8] c"{text}", align 64'
        return name

    def offset_terms(self, buffer: Buffer, subscripts: tuple[Size, ...]) -> Terms:
        """The element's offset from the buffer's first element."""
        key = buffer.name, subscripts
        found = self._terms.get(key)
        if found is None:
            total: Size = 0
            for subscript, stride in zip(subscripts, buffer.strides, strict=True):
                total = total + subscript * stride
            found = self._terms[key] = terms_of(total)
        return found

    def size_symbol(self, f: Function, name: str) -> tuple[str, int]:
        place = f.name(0, f"getelementptr i64, ptr %sizes, i64 {self.symbols[name]}", "p")
        text = f.name(0, f"load i64, ptr {place}, align 8", "n")
        made = f.indices[name] = text, 0
        return made

    def _tile(self, f: Function, tile: Buffer) -> str:
        """A tile's memory: on the stack of the function that uses it."""
        elements = 2 if tile.dtype.kind == "c" else 1
        for extent in tile.shape:
            if not isinstance(extent, int):
                raise ValueError(f"tile {tile.name} has the symbolic extent {extent}")
            elements *= extent
        f.count += 1
        name = f"%tile.{f.count}"
        f.entry.append(f"{name} = alloca [{max(1, elements)} x {memory(tile.dtype)}], align 64")
        return name

    # ---- what bodies store to and weigh

    def writes(self, nest: Nest) -> frozenset[str]:
        """The memory (named by its root buffer) that a nest stores to."""
        found = self._writes.get(id(nest))
        if found is None:
            found = self._writes[id(nest)] = frozenset(self._stored(nest.body))
        return found

    def _stored(self, body: tuple[Statement, ...]) -> set[str]:
        names: set[str] = set()
        for statement in body:
            if isinstance(statement, Store):
                names.add(self.root(self.buffers[statement.buffer]))
            elif isinstance(statement, Nest):
                names |= self.writes(statement)
        return names

    def copies(self, nest: Nest) -> int:
        """Unrolled copies of a vector loop's body: one where it is long, since consecutive iterations overlap in the processor anyway."""
        unroll = max(1, nest.loops[-1].unroll)
        return unroll if unroll == 1 or weight(nest.body, nest) <= HEAVY else 1

    def tail(self, nest: Nest) -> str:
        """How a vector loop's last elements are done: "masked" or "scalar"."""
        if self.masks:
            return "masked"
        found = self._tails.get(id(nest))
        if found is None:  # AVX2 has masks for 32 and 64 bit elements; else each lane of a masked access is a branch
            wide = self.target.triple.startswith("x86_64") and self.target.vector_bytes == 32
            least = min([component_size(self.buffers[name].dtype) for name in accessed(nest)], default=4)
            found = self._tails[id(nest)] = "masked" if wide and least >= 4 else "scalar"
        return found

    # ---- private functions and constants

    def need(self, name: str) -> None:
        """A private function that some form calls."""
        if name not in self.needs:
            self.needs[name] = ""
            text, others = routine(name)
            self.needs[name] = text
            for other in others:
                self.need(other)

    def zeros(self) -> str:
        """The address of 64 zero bytes: where a load goes whose value is not wanted."""
        self.globals["zeros"] = "@stax.zeros = internal constant [64 x i8] zeroinitializer, align 64"
        return "@stax.zeros"

    def nontemporal(self) -> str:
        self.metadata = True
        return "!0"

    def fail(self, f: Function, condition: str, node: Node, level: int) -> None:
        """Remember that a run-time check failed, where the i1 holds."""
        if node not in self.checks:
            self.checks.append(node)
        code = 1 + self.checks.index(node)
        n = f.fresh()
        f.emit(level, f"br i1 {condition}, label %bad.{n}, label %good.{n}")
        f.block(f"bad.{n}", level)
        f.emit(level, f"store atomic i32 {code}, ptr %status monotonic, align 4")
        f.emit(level, f"br label %good.{n}")
        f.block(f"good.{n}", level)


def scalar_slots(buffers: list[Buffer]) -> dict[str, int]:
    """The 8-byte slot where each scalar begins."""
    slots: dict[str, int] = {}
    slot = 0
    for buffer in sorted([b for b in buffers if b.role == "scalar"], key=lambda b: b.position):
        slots[buffer.name] = slot
        slot += 2 if buffer.dtype.kind == "c" else 1
    return slots


def accessed(nest: Nest) -> set[str]:
    """The buffers that a nest's own statements load from and store to."""
    names = {statement.buffer for statement in nest.body if isinstance(statement, Store)}
    waiting = [accumulator.value for accumulator in nest.accumulators]
    for statement in nest.body:
        if not isinstance(statement, Nest):
            waiting.append(statement.value)
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += node.operands
            if node.op == "load":
                names.add(node["buffer"])
    return names


def weight(body: tuple[Statement, ...], nest: Nest | None = None) -> int:
    """About how many instructions a body is, once per part."""
    seen: set[Node] = set()
    total = 0
    waiting: list[Node] = [accumulator.value for accumulator in nest.accumulators] if nest is not None else []
    for statement in body:
        if isinstance(statement, Nest):
            total += weight(statement.body, statement)
        else:
            waiting.append(statement.value)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += node.operands
            if node.operands or node.op == "load":
                total += WEIGHT_ROWS.get(node.op) or (1 if node.op in FORM_ROWS else 16)
    return total
