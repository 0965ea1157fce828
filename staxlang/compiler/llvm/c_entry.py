"""A program's entry for C callers: plain pointers, shapes and strides in; an error code out. Nothing of Python or NumPy is in it.

    int32_t name(array, array_shape, array_strides, ..., number, ..., out, out_shape, ...)

An array of rank 0 is a pointer alone; others have their extents and, for arguments, their strides in elements (a null pointer: row-major).
Results are row-major memory of the caller, whose extents are compared with what the kernel gives.
"""

from __future__ import annotations

from collections.abc import Iterable

from staxlang.base.records import NamedTuple
from staxlang.base.sizes import Condition, Size, SizeExpression
from staxlang.compiler.llvm.entry_text import Writer

OK, NULL_POINTER, NEGATIVE_EXTENT, NO_MEMORY = 0, 1, 2, 3
FIRST_OWN = 16  # codes from here on are those of a library's own messages


class CArray(NamedTuple):
    """An argument, or a result (its extents are given to be compared)."""

    name: str
    dtype: str
    shape: tuple[Size, ...]
    written: bool = False


class CNumber(NamedTuple):
    """kind: int (int64_t), float (double), bool, complex (two doubles, real and imaginary part); `symbol`: the size that it is."""

    name: str
    kind: str
    symbol: str | None = None


class CProgram(NamedTuple):
    """A compiled program: its symbol, the sizes that it is given in order, its scratch memory's bytes.

    `strides` are the size symbols of each argument's strides, of the program for any layout; empty where all arguments are row-major.
    """

    symbol: str
    sizes: tuple[str, ...]
    arena: Size
    strides: tuple[tuple[str, ...], ...] = ()


class CEntry(NamedTuple):
    """`order` are the parameters' names in the order of the signature. `arrays` and `scalars` are what the programs are given, in their
    order. `extents`: code of each comparison that an extent can fail; `conditions`: (condition, code). `checks` is the code of the first
    run-time check that a program can fail."""

    name: str
    order: tuple[CArray | CNumber, ...]
    arrays: tuple[str, ...]
    scalars: tuple[str, ...]
    outputs: tuple[CArray, ...]
    extents: dict[tuple[str, int], int]
    conditions: tuple[tuple[Condition, int], ...]
    checks: int
    plain: CProgram
    strided: CProgram | None = None


NUMBER_ROWS = {"int": ("i64",), "float": ("double",), "bool": ("i8",), "complex": ("double", "double")}


def c_entry_text(entry: CEntry, triple: str) -> str:
    """The module of an entry and of the function that tells its results' extents, `name_shapes`."""
    return f'target triple = "{triple}"\n' + _entry(entry) + _shapes(entry) + _DECLARATIONS


_DECLARATIONS = """
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
"""


def _parameters(entry: CEntry, shapes_only: bool) -> list[str]:
    found: list[str] = []
    for one in entry.order:
        if isinstance(one, CNumber):
            if not shapes_only or one.kind == "int":
                parts = NUMBER_ROWS[one.kind]
                found += [f"{kind} {'zeroext ' if kind == 'i8' else ''}%{one.name}.{place}" for place, kind in enumerate(parts)]
        else:
            found += [] if shapes_only else [f"ptr %{one.name}.data"]
            if one.shape:
                found += [f"ptr %{one.name}.shape"] + ([] if shapes_only else [f"ptr %{one.name}.strides"])
    for out in entry.outputs:
        found += [] if shapes_only else [f"ptr %{out.name}.data"]
        found += [f"ptr %{out.name}.shape"] if out.shape else []
    return found


class _Entry:
    """Lines of one function. `codes` are the codes that some test can leave with."""

    def __init__(self, entry: CEntry) -> None:
        self.entry = entry
        self.w = Writer()
        self.codes: dict[int, None] = {}
        self.dims: dict[str, list[str]] = {}

    def require(self, condition: str, code: int) -> None:
        self.codes[code] = None
        self.w.require(condition, f"fail{code}")

    def pointers(self, names: Iterable[str]) -> None:
        for name in names:
            self.require(self.w.op(f"icmp ne ptr %{name}, null"), NULL_POINTER)

    def extents(self) -> None:
        """Each extent is not negative; the first place of a symbol binds it; what is no bare symbol is compared."""
        w = self.w
        waiting: list[tuple[str, Size, int]] = []
        for one in self.entry.order:
            if isinstance(one, CNumber):
                if one.symbol is not None:
                    w.env[one.symbol] = f"%{one.name}.0"
                continue
            registers = self.dims[one.name] = [w.load("i64", f"%{one.name}.shape", 8 * axis) for axis in range(len(one.shape))]
            for axis, (register, size) in enumerate(zip(registers, one.shape, strict=True)):
                self.require(w.op(f"icmp sge i64 {register}, 0"), NEGATIVE_EXTENT)
                name = bare_symbol(size)
                if name is not None and name not in w.env:
                    w.env[name] = register
                else:
                    waiting.append((register, size, self.entry.extents[one.name, axis]))
        for register, size, code in waiting:
            self.require(w.op(f"icmp eq i64 {register}, {w.size(size)}"), code)
        for condition, code in self.entry.conditions:
            self.require(w.condition(condition), code)

    def leave(self) -> list[str]:
        for code in self.codes:
            self.w.block(f"fail{code}")
            self.w.do(f"ret i32 {code}")
        return self.w.lines


def bare_symbol(size: Size) -> str | None:
    """The name of a size that is one symbol."""
    if not isinstance(size, SizeExpression) or len(size.terms) != 1:
        return None
    (monomial, count), *_ = size.terms.items()
    return monomial[0].name if count == 1 and len(monomial) == 1 and monomial[0].kind == "symbol" else None


def _shapes(entry: CEntry) -> str:
    """`int32_t name_shapes(argument shapes and ints, out shapes)`: fills in the results' extents."""
    state = _Entry(entry)
    ranked = [one.name for one in (*entry.order, *entry.outputs) if isinstance(one, CArray) and one.shape]
    state.pointers(f"{name}.shape" for name in ranked)
    state.extents()
    for out in entry.outputs:
        for axis, size in enumerate(out.shape):
            state.w.store("i64", state.w.size(size), f"%{out.name}.shape", 8 * axis)
    state.w.do("ret i32 0")
    parameters = ", ".join(_parameters(entry, True))
    return "\n".join([f"define i32 @{entry.name}_shapes({parameters}) nounwind {{", *state.leave(), "}", ""])


def _entry(entry: CEntry) -> str:
    state = _Entry(entry)
    w = state.w
    arrays = [one for one in entry.order if isinstance(one, CArray)]
    state.pointers(f"{one.name}.data" for one in (*arrays, *entry.outputs))
    state.pointers(f"{one.name}.shape" for one in (*arrays, *entry.outputs) if one.shape)
    state.extents()
    for out in entry.outputs:
        for axis, size in enumerate(out.shape):
            register = w.load("i64", f"%{out.name}.shape", 8 * axis)
            state.require(w.op(f"icmp eq i64 {register}, {w.size(size)}"), entry.extents[out.name, axis])
    _fill(state)
    if entry.strided is None:
        _run(state, entry.plain)
    else:
        plain, any_layout = w.name("plain"), w.name("strided")
        w.do(f"br i1 {_row_major(state, arrays)}, label %{plain}, label %{any_layout}")
        w.block(any_layout)
        _run(state, entry.strided)
        w.block(plain)
        _run(state, entry.plain)
    programs = [program for program in (entry.plain, entry.strided) if program is not None]
    stack = [
        f"  %arrays = alloca [{max(1, len(entry.arrays) + len(entry.outputs))} x ptr], align 16",
        f"  %sizes = alloca [{max(1, *[len(program.sizes) for program in programs])} x i64], align 16",
        f"  %scalars = alloca [{2 * max(1, len(entry.scalars))} x i64], align 16",
    ]
    declared = [f"declare hidden i32 @{program.symbol}(ptr, ptr, ptr, ptr)" for program in programs]
    parameters = ", ".join(_parameters(entry, False))
    return "\n".join([*declared, f"define i32 @{entry.name}({parameters}) nounwind {{", *stack, *state.leave(), "}", ""])


def _fill(state: _Entry) -> None:
    """The programs' arguments: addresses of arguments and results, run-time numbers in slots of eight bytes."""
    w, entry = state.w, state.entry
    for position, name in enumerate((*entry.arrays, *[out.name for out in entry.outputs])):
        w.store("ptr", f"%{name}.data", "%arrays", 8 * position)
    kinds = {one.name: one.kind for one in entry.order if isinstance(one, CNumber)}
    offset = 0
    for name in entry.scalars:
        for place, kind in enumerate(NUMBER_ROWS[kinds[name]]):
            value = f"%{name}.{place}"
            if kind == "i8":
                kind, value = "i64", w.op(f"zext i8 {value} to i64")
            w.store(kind, value, "%scalars", offset)
            offset += 8


def _row_major(state: _Entry, arrays: list[CArray]) -> str:
    """Whether all arguments lie row-major; the strides' values are `%<name>.s<axis>` from here on, in `env` by the strided program."""
    w, entry = state.w, state.entry
    assert entry.strided is not None
    symbols = dict(zip(entry.arrays, entry.strided.strides, strict=True))
    all_plain = "true"
    for one in arrays:
        dims, step, given = state.dims[one.name], "1", f"%{one.name}.strides"
        if not dims or one.name not in symbols:
            continue
        absent = w.op(f"icmp eq ptr {given}, null")
        dense = [step]
        for extent in reversed(dims[1:]):
            step = w.op(f"mul i64 {step}, {extent}")
            dense.append(step)
        dense.reverse()
        read = w.op(f"select i1 {absent}, ptr {given}.dense, ptr {given}")
        for axis, value in enumerate(dense):
            w.store("i64", value, f"{given}.dense", 8 * axis)
        w.lines.insert(0, f"  {given}.dense = alloca [{len(dims)} x i64], align 8")
        for axis, (extent, value) in enumerate(zip(dims, dense, strict=True)):
            stride = w.load("i64", read, 8 * axis)
            w.env[symbols[one.name][axis]] = stride
            same = w.op(f"icmp eq i64 {stride}, {value}")
            short = w.op(f"icmp sle i64 {extent}, 1")
            all_plain = w.op(f"and i1 {all_plain}, {w.op(f'or i1 {same}, {short}')}")
    return all_plain


def _run(state: _Entry, program: CProgram) -> None:
    """Call a program with its sizes and scratch memory, and return its state as a code."""
    w = state.w
    for position, symbol in enumerate(program.sizes):
        w.store("i64", w.env[symbol], "%sizes", 8 * position)
    scratch = "null"
    if program.arena != 0:
        up = w.op(f"add i64 {w.size(program.arena)}, 127")
        scratch = w.op(f"call ptr @aligned_alloc(i64 64, i64 {w.op(f'and i64 {up}, -64')})")
        state.require(w.op(f"icmp ne ptr {scratch}, null"), NO_MEMORY)
    status = w.op(f"call i32 @{program.symbol}(ptr %arrays, ptr %sizes, ptr %scalars, ptr {scratch})")
    if program.arena != 0:
        w.do(f"call void @free(ptr {scratch})")
    failed = w.op(f"icmp ne i32 {status}, 0")
    code = w.op(f"add i32 {status}, {state.entry.checks - 1}")
    w.do(f"ret i32 {w.op(f'select i1 {failed}, i32 {code}, i32 0')}")
