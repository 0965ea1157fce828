"""Interfaces to object files and, with the system's linker, to a shared library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from staxlang.base.diagnostics import written_exception
from staxlang.base.records import NamedTuple
from staxlang.base.settings import Settings
from staxlang.base.sizes import Condition
from staxlang.compiler.llvm.c_entry import FIRST_OWN, NEGATIVE_EXTENT, NO_MEMORY, NULL_POINTER, CEntry, CProgram, c_entry_text
from staxlang.compiler.llvm.library import PRODUCTS
from staxlang.compiler.llvm.pool import pool_text
from staxlang.compiler.llvm.products import products_text
from staxlang.compiler.loops.schedule import size_symbols
from staxlang.compiler.target import Target
from staxlang.runtime import late
from staxlang.runtime.ahead.header import header_text
from staxlang.runtime.ahead.interface import Interface
from staxlang.runtime.program_loading import DIVISOR, EXPONENT, FINITE, INDEX, MASK, REQUIRED, WRITTEN
from staxlang.runtime.programs import check_text, stages
from staxlang.runtime.support import build

_COMMON = {
    0: "no error", NULL_POINTER: "a null pointer was given for an array or its shape", NEGATIVE_EXTENT: "an extent is negative",
    NO_MEMORY: "no memory for temporaries",
}  # fmt: skip
_OWN = ("stax_parallel", *PRODUCTS)
_LINKERS = ("cc", "gcc", "clang")


class Library(NamedTuple):
    """What was written: `library` is None where no linker was found (then the objects are to be linked by the caller)."""

    library: Path | None
    objects: tuple[Path, ...]
    header: Path
    interfaces: tuple[Interface, ...]


def build_library(interfaces: Sequence[Interface], output: Path, header: Path, target: Target, settings: Settings) -> Library:
    """Compile and link. With an output that ends in `.o`, or without a linker, object files are all there is."""
    prefix = output.name.partition(".")[0].removeprefix("lib").replace("-", "_")
    objects: dict[str, bytes] = {}
    messages = dict(_COMMON)
    code = FIRST_OWN
    for one in interfaces:
        code = _add_kernel(one, objects, messages, code, target, settings)
    objects["pool"] = build(_hidden(pool_text(target.triple)), target)
    objects["products"] = build(products_text(target), target, 3)
    objects["library"] = build(_library_text(prefix, messages, target), target)
    header.write_text(header_text(output.name, prefix, _linking(output), interfaces), encoding="utf-8")
    linker = None if output.suffix == ".o" else _linker()
    if linker is None:
        written = _write(objects, output.parent, prefix)
        return Library(None, written, header, tuple(interfaces))
    with tempfile.TemporaryDirectory() as folder:
        _link(linker, _write(objects, Path(folder), prefix), output)
    return Library(output, (), header, tuple(interfaces))


def _add_kernel(
    one: Interface, objects: dict[str, bytes], messages: dict[int, str], code: int, target: Target, settings: Settings
) -> int:
    """Adds a kernel's objects and messages; the next free code."""
    extents: dict[tuple[str, int], int] = {}
    conditions: list[tuple[Condition, int]] = []
    for place, text in one.extent_messages.items():
        extents[place] = code
        messages[code] = text
        code += 1
    for condition, text in one.condition_messages.items():
        conditions.append((condition, code))
        messages[code] = text
        code += 1
    programs: list[CProgram] = []
    first_check = code
    for kind, graph in (("plain", one.graph), ("strided", one.strided)):
        if graph is None:
            continue
        symbol = f"{one.name}_{kind}"
        made = stages(graph, target, settings, symbol, polls=False)
        _refuse_outside(one, made.emission.externals)
        objects[symbol] = build(made.emission.text.replace(f"define i32 @{symbol}(", f"define hidden i32 @{symbol}("), target)
        for number in range(len(made.emission.checks)):
            messages[first_check + number] = f"{one.name}: {_check_message(check_text(made, number))}"
        code = max(code, first_check + len(made.emission.checks))
        strides = one.strides if kind == "strided" else ()
        programs.append(CProgram(symbol, size_symbols(made.schedule), made.schedule.arena_bytes, strides))
    entry = CEntry(one.name, one.order, one.arrays, one.scalars, one.outputs, extents, tuple(conditions), first_check, *programs)
    objects[one.name] = build(c_entry_text(entry, target.triple), target)
    return code


def _check_message(text: str) -> str:
    """A run-time check of a program that has failed, as a caller of the library reads it."""
    if text == EXPONENT:
        return "an integer is raised to a negative power"
    if text.startswith(DIVISOR):
        operation, _, place = text.removeprefix(DIVISOR).partition(" ")
        return f"`{operation}` divides a Python number by zero: {place}"
    if text == MASK:
        return "a mask chooses another number of elements than there are values"
    if text.startswith(REQUIRED):
        return text.removeprefix(REQUIRED)
    if text.startswith(WRITTEN):
        return written_exception(text.removeprefix(WRITTEN))[0]
    if text.startswith(FINITE):
        return f"the result is not finite: {text.removeprefix(FINITE)}"
    numbers, _, place = text.removeprefix(INDEX).partition("\n")
    axis, _, extent = numbers.partition(" ")
    return f"an index is out of range: axis {axis} has {extent} elements: {place}"


def _refuse_outside(one: Interface, externals: Sequence[str]) -> None:
    """What a program calls in this process does not exist in another."""
    for line in externals:
        name = line.partition("@")[2].partition("(")[0]
        if name.startswith("stax_") and name not in _OWN:
            shown = "linear algebra of NumPy's LAPACK" if name.startswith("stax_lapack_") else f"`{name}`"
            late.raise_error("not-buildable", kernel=one.kernel, what=f"it needs {shown}, which runs inside Python",
                             help="keep that part on the Python side, and build the rest")  # fmt: skip


def _hidden(text: str) -> str:
    """Two libraries in one process must not take each other's functions."""
    return text.replace("\ndefine void @stax_", "\ndefine hidden void @stax_").replace("\ndefine i32 @stax_", "\ndefine hidden i32 @stax_")


def _library_text(prefix: str, messages: dict[int, str], target: Target) -> str:
    """The messages, the number of threads, and what is done when the library is loaded and unloaded."""
    lines = [f'target triple = "{target.triple}"']
    cases: list[str] = []
    blocks: list[str] = []
    for code, text in sorted({**messages, -1: "an unknown code"}.items()):
        data = text.encode() + b"\0"
        escaped = "".join([f"\\{byte:02X}" for byte in data])
        name = f"@message.{code}" if code >= 0 else "@message.unknown"
        lines.append(f'{name} = internal constant [{len(data)} x i8] c"{escaped}"')
        if code >= 0:
            cases.append(f"    i32 {code}, label %m{code}")
            blocks.append(f"m{code}:\n  ret ptr {name}")
    text = _LIBRARY.replace("{prefix}", prefix).replace("{CASES}", "\n".join(cases)).replace("{BLOCKS}", "\n".join(blocks))
    return "\n".join([*lines, text])


_LIBRARY = """
declare void @stax_pool_threads(i32)
declare void @stax_pool_stop()
declare void @stax_pool_reset()
declare i64 @sysconf(i32)
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @pthread_atfork(ptr, ptr, ptr)
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @loaded, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @stax_pool_stop, ptr null }]

define ptr @{prefix}_message(i32 %code) nounwind {
  switch i32 %code, label %unknown [
{CASES}
  ]
{BLOCKS}
unknown:
  ret ptr @message.unknown
}

define void @{prefix}_threads(i32 %n) nounwind {
  call void @stax_pool_threads(i32 %n)
  ret void
}

define internal void @loaded() nounwind {
entry:
  %cpus = alloca [16 x i64], align 8
  %r = call i32 @sched_getaffinity(i32 0, i64 128, ptr %cpus)
  br label %count
count:
  %k = phi i64 [ 0, %entry ], [ %k1, %count ]
  %n = phi i64 [ 0, %entry ], [ %n1, %count ]
  %place = getelementptr i64, ptr %cpus, i64 %k
  %word = load i64, ptr %place, align 8
  %bits = call i64 @llvm.ctpop.i64(i64 %word)
  %n1 = add i64 %n, %bits
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, 16
  br i1 %more, label %count, label %done
done:
  %failed = icmp slt i32 %r, 0
  %usable = select i1 %failed, i64 1, i64 %n1
  %short = trunc i64 %usable to i32
  call void @stax_pool_threads(i32 %short)
  %f = call i32 @pthread_atfork(ptr null, ptr null, ptr @stax_pool_reset)
  ret void
}
"""


def _linker() -> str | None:
    return next((found for name in _LINKERS if (found := shutil.which(name))), None)


def _linking(output: Path) -> str:
    return "-lm -lpthread" if output.suffix == ".o" else f"-l{output.name.partition('.')[0].removeprefix('lib')}"


def _write(objects: dict[str, bytes], folder: Path, prefix: str) -> tuple[Path, ...]:
    written: list[Path] = []
    for name, data in objects.items():
        path = folder / f"{prefix}_{name.removeprefix(f'{prefix}_')}.o"
        path.write_bytes(data)
        written.append(path)
    return tuple(written)


def _link(linker: str, objects: tuple[Path, ...], output: Path) -> None:
    """The linker writes beside the output, which is replaced when all is well."""
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")
    named = [f"-Wl,-soname,{output.name}"] if sys.platform == "linux" else []
    command = [linker, "-shared", "-o", str(unfinished), *map(str, objects), *named, "-lpthread", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        unfinished.unlink(missing_ok=True)
        late.raise_error("linking-failed", command=" ".join(command[:4]), output=done.stderr.strip()[-2000:] or f"code {done.returncode}")
    os.replace(unfinished, output)
