"""Schedules written by hand, compiled with llvmlite and run on NumPy arrays through ctypes."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from staxlang.base.dtypes import BOOL, DTYPES, I64, DType, from_numpy
from staxlang.base.sizes import Size, evaluate, symbol
from staxlang.compiler.llvm.program import Emission, emit
from staxlang.compiler.loops.ir import (
    Accumulator,
    Allocation,
    Buffer,
    Kernel,
    Let,
    LibraryCall,
    Loop,
    LoopProgram,
    Nest,
    Schedule,
    Statement,
    Store,
)  # fmt: skip
from staxlang.compiler.loops.symbols import size_symbols
from staxlang.compiler.node import Interner, Node
from staxlang.compiler.target import Target
from staxlang.runtime import native
from staxlang.runtime.loader import Code, Symbols, load_object


@functools.cache
def host() -> tuple[str, str, str]:
    """(triple, cpu, features) of this machine."""
    return native.host()


def host_target(**changes: Any) -> Target:
    """A target that this machine can run."""
    triple, cpu, features = host()
    given: dict[str, Any] = {"triple": triple, "cpu": cpu, "features": features, "vector_bytes": 64 if "+avx512vl" in features else 32}
    return Target(**{**given, **changes})


class Compiled:
    """An LLVM module in memory, verified, and libraries whose functions it calls."""

    def __init__(
        self,
        text: str,
        libraries: Sequence[str] = (),
        symbols: Mapping[str, int] | None = None,
        machine: tuple[str, str, str] | None = None,
    ) -> None:
        self.symbols = Symbols()
        self.symbols.update(dict(symbols or {}))
        self.codes: list[Code] = []
        for part in (*libraries, text):
            llvm.parse_assembly(part).verify()
            code = load_object(native.compile_text(part, *(machine or host())), self.symbols)
            self.symbols.update(code.addresses)
            self.codes.append(code)

    def address(self, name: str) -> int:
        return self.codes[-1].addresses[name]


def assembly(text: str) -> str:
    return native.assembly(text, *host())


class Program:
    """A schedule compiled for this machine: call it with arrays (inputs, then outputs), sizes by name and scalars."""

    def __init__(
        self, schedule: Schedule, target: Target | None = None, libraries: Sequence[str] = (), symbols: Mapping[str, int] | None = None
    ) -> None:
        self.schedule = schedule
        target = target or host_target()
        self.emission: Emission = emit(schedule, target, "kernel")
        self.names = size_symbols(schedule)
        try:
            self.compiled = Compiled(self.emission.text, libraries, symbols, (target.triple, target.cpu, target.features))
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{self.emission.text}") from None
        self.function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(self.compiled.address("kernel"))

    def prepare(self, arrays: Sequence[np.ndarray], sizes: Mapping[str, int] | None = None, scalars: Sequence[Any] = ()) -> Any:
        """A function without arguments that runs the program on these arrays."""
        sizes = sizes or {}
        pointers = np.array([array.ctypes.data for array in arrays] or [0], np.uint64)
        numbers = np.array([sizes[name] for name in self.names] or [0], np.int64)
        slots = scalar_slots(scalars)
        arena_bytes = evaluate(self.schedule.arena_bytes, dict(sizes))
        space = np.zeros(arena_bytes + 64, np.uint8)
        arena = (space.ctypes.data + 63) & ~63
        function, given = self.function, (pointers.ctypes.data, numbers.ctypes.data, slots.ctypes.data, arena)

        def run() -> int:
            return function(*given)

        run.keep = (arrays, pointers, numbers, slots, space)  # type: ignore[attr-defined]
        return run

    def __call__(self, *arrays: np.ndarray, scalars: Sequence[Any] = (), **sizes: int) -> int:
        return self.prepare(arrays, sizes, scalars)()


def scalar_slots(scalars: Sequence[Any]) -> np.ndarray:
    """Numbers in 8-byte slots, as the program reads them."""
    words: list[int] = []
    for value in scalars:
        if isinstance(value, (bool, np.bool_, int, np.integer)):
            words.append(int(value) & (2**64 - 1))
        else:
            parts = [value.real, value.imag] if isinstance(value, complex) else [value]
            words += np.array(parts, np.float64).view(np.uint64).tolist()
    return np.array(words or [0], np.uint64)


class Sketch:
    """Writes a schedule down: buffers, expressions, kernels.

    >>> s = Sketch()
    >>> n = s.size("N")
    >>> x, y = s.input("x", "f32", (n,)), s.output("y", "f32", (n,))
    >>> i = s.size("i")
    >>> s.kernel(s.nest([s.vector(i, n, 16)], s.store(y, (i,), s.op("add", s.load(x, i), s.const(1.0, "f32")))))
    """

    def __init__(self) -> None:
        self.interner = Interner()
        self.buffers: dict[str, Buffer] = {}
        self.steps: list[Kernel | LibraryCall] = []
        self.counts = {"input": 0, "output": 0, "scalar": 0, "temporary": -1, "constant": -1}
        self.allocations: list[Allocation] = []
        self.aliases: list[tuple[str, str]] = []
        self.arena: Size = 0

    def size(self, name: str) -> Size:
        return symbol(name)

    def buffer(
        self, name: str, dtype: str, shape: Sequence[Size], role: Any, strides: Sequence[Size] | None = None, value: bytes | None = None
    ) -> str:
        made = Buffer(
            name, DTYPES[dtype], tuple(shape), tuple(strides) if strides is not None else row_major(shape), role, self.counts[role], value
        )
        if role in ("input", "output", "scalar"):
            self.counts[role] += 1
        self.buffers[name] = made
        return name

    def input(self, name: str, dtype: str, shape: Sequence[Size], strides: Sequence[Size] | None = None) -> str:
        return self.buffer(name, dtype, shape, "input", strides)

    def output(self, name: str, dtype: str, shape: Sequence[Size], strides: Sequence[Size] | None = None) -> str:
        return self.buffer(name, dtype, shape, "output", strides)

    def temporary(self, name: str, dtype: str, shape: Sequence[Size]) -> str:
        made = self.buffer(name, dtype, shape, "temporary")
        size: Size = DTYPES[dtype].itemsize
        for extent in shape:
            size = size * extent
        self.allocations.append(Allocation(name, self.arena, size))
        self.arena = self.arena + (size + 63) // 64 * 64
        return made

    def tile(self, name: str, dtype: str, shape: Sequence[int]) -> Buffer:
        return Buffer(name, DTYPES[dtype], tuple(shape), row_major(shape), "temporary")

    # ---- expressions

    def op(self, op: str, *operands: Node, type: str | DType | None = None) -> Node:
        dtype = DTYPES[type] if isinstance(type, str) else type or operands[-1].type
        return self.interner.make(op, operands, dtype)

    def const(self, value: Any, dtype: str) -> Node:
        return self.interner.make("const", (), DTYPES[dtype], value=value)

    def value(self, size: Size) -> Node:
        return self.interner.make("size", (), I64, value=size)

    def load(self, buffer: str | Buffer, *subscripts: Size, indirect: Sequence[Node] = ()) -> Node:
        dtype = buffer.dtype if isinstance(buffer, Buffer) else self.buffers[buffer].dtype
        name = buffer.name if isinstance(buffer, Buffer) else buffer
        return self.interner.make("load", tuple(indirect), dtype, buffer=name, subscripts=tuple(subscripts))

    def cast(self, value: Node, dtype: str) -> Node:
        return self.interner.make("cast", (value,), DTYPES[dtype])

    def local(self, name: str, dtype: str) -> Node:
        return self.interner.make("local", (), DTYPES[dtype], name=name)

    def guard(self, condition: Node, value: Node, other: Node) -> Node:
        return self.interner.make("guard", (condition, value, other), value.type)

    def compare(self, op: str, *operands: Node) -> Node:
        return self.interner.make(op, operands, BOOL)

    # ---- statements

    def store(self, buffer: str | Buffer, subscripts: Sequence[Size], value: Node, **options: Any) -> Store:
        return Store(buffer.name if isinstance(buffer, Buffer) else buffer, tuple(subscripts), value, **options)

    def let(self, name: str, value: Node) -> Let:
        return Let(name, value)

    def serial(self, index: Size, extent: Size, start: Size = 0) -> Loop:
        return Loop(str(index), extent, "serial", start)

    def parallel(self, index: Size, extent: Size, start: Size = 0) -> Loop:
        return Loop(str(index), extent, "parallel", start)

    def vector(self, index: Size, extent: Size, width: int, unroll: int = 1, start: Size = 0) -> Loop:
        return Loop(str(index), extent, "vector", start, width, unroll)

    def nest(self, loops: Sequence[Loop], *body: Statement, accumulators: Sequence[Accumulator] = ()) -> Nest:
        return Nest(tuple(loops), tuple(body), tuple(accumulators))

    def accumulator(self, name: str, kind: str, value: Node, dtype: str | None = None, position: Size = 0) -> Accumulator:
        return Accumulator(name, kind, DTYPES[dtype] if dtype else value.type, value, position)

    def kernel(self, *body: Statement, tiles: Sequence[Buffer] = (), work: Size = 0) -> None:
        self.steps.append(Kernel(f"k{len(self.steps)}", tuple(body), tuple(tiles), work))

    def schedule(self) -> Schedule:
        outputs = tuple(buffer.name for buffer in self.buffers.values() if buffer.role == "output")
        program = LoopProgram(self.interner, self.buffers, (), outputs)
        return Schedule(program, tuple(self.steps), tuple(self.allocations), self.arena, tuple(self.aliases))

    def compile(self, target: Target | None = None, libraries: Sequence[str] = ()) -> Program:
        return Program(self.schedule(), target, libraries)


def row_major(shape: Sequence[Size]) -> tuple[Size, ...]:
    strides: list[Size] = []
    step: Size = 1
    for extent in reversed(list(shape)):
        strides.append(step)
        step = step * extent
    return tuple(reversed(strides))


def dtype_name(array: np.ndarray) -> str:
    found = from_numpy(array.dtype)
    assert found is not None
    return found.name
