"""The native entry of a version as LLVM text: a vectorcall function that tests guards on objects' headers, allocates, runs, returns.

    ptr @<name>(ptr self, ptr args, i64 nargsf, ptr kwnames)                  of a version
    ptr @<name>(ptr self, ptr args, i64 nargsf, ptr kwnames, ptr frame)       of what stands below a data gate

A guard that fails continues with the entry in `@<name>.next`. Data that the runtime fills or reads, all exported:
    <name>.next   address of the next entry            <name>.slots  addresses of the objects that the plan's slots number
    <name>.hits   calls that this entry served         <name>.used   the call counter at the last of them
    <name>.tags   version tags of the globals dicts as they were when all their names were last looked up
    <name>.child  of a gate's entry: address of the first entry for the gate's outcomes
The frame below a gate: [0] the outcome's bits, [1] the entry to go on with when no outcome fits, [2] the frame of that entry. A gate that
counts has the count in [0], which is a size for all that stands below it.
"""

from __future__ import annotations

from collections.abc import Mapping

from staxlang.base.dtypes import DTYPES
from staxlang.base.sizes import Size, SizeExpression
from staxlang.compiler.llvm.entry_checks import EntryWriter
from staxlang.compiler.llvm.entry_plan import EntryPlan, HeaderLayout
from staxlang.compiler.llvm.entry_results import ResultWriter
from staxlang.compiler.llvm.types import float_text

REACH = 2.0**62  # sizes up to this are surely counted in 64 bits
STACK_ARENA = 8192  # scratch up to this size lives on the stack
_CALL = "ptr %self, ptr %args, i64 %nargsf, ptr %kwnames"


def emit_entry(
    plan: EntryPlan,
    name: str,
    program: str,
    words: Mapping[str, tuple[int, ...]],
    layout: HeaderLayout,
    release_work: int = 40_000,
) -> str:
    """The module part that defines the entry `name` over the function `program` of the same module.

    `words` gives for each dtype name the values that a descriptor's kind/type/byteorder/number word may have.
    The GIL is released where the plan's work is at least `release_work`.
    """
    writer = EntryWriter(plan, name, words, layout)
    w = writer.w
    _allocate(writer)
    if plan.outcome is not None:
        w.require_equal("i64", w.load("i64", "%frame"), str(plan.outcome))
    _counted_sizes(writer)
    writer.call_shape()
    writer.places()
    writer.shape_guards()
    _within_reach(writer)
    _count_hit(writer)
    _fill_tables(writer)
    w.do("store i32 0, ptr %overflow")
    results = ResultWriter(writer)
    results.allocate()
    _run(writer, program, release_work)
    if plan.gate is not None:
        _descend(writer, plan.gate)
    else:
        results.give_back()
    _leave(writer)
    return _module(writer)


def _module(writer: EntryWriter) -> str:
    plan, name, w = writer.plan, writer.entry, writer.w
    parameters = f"{_CALL}, ptr %frame" if plan.above else _CALL
    return "\n".join(
        [
            f"@{name}.next = global ptr null",
            f"@{name}.child = global ptr null",
            f"@{name}.slots = global [{max(plan.slots, 1)} x ptr] zeroinitializer",
            f"@{name}.cache = internal global [{max(len(plan.places), 1)} x ptr] zeroinitializer",
            f"@{name}.tags = global [{max(len(writer.dicts), 1)} x i64] zeroinitializer",
            f"@{name}.hits = global i64 0",
            f"@{name}.used = global i64 0",
            *w.globals,
            *w.externals.values(),
            f"define ptr @{name}({parameters}) nounwind {{",
            *(f"  {line}" for line in writer.stack),
            *w.lines,
            "}",
            "",
        ]
    )


def _counted_sizes(writer: EntryWriter) -> None:
    """The sizes that gates above have counted: each frame leads to the one above it."""
    w, frame = writer.w, "%frame"
    for depth, symbol in enumerate(reversed(writer.plan.above)):
        frame = w.load("ptr", frame, 16) if depth else frame
        if symbol is not None:
            w.env[symbol] = w.load("i64", frame)


def _allocate(writer: EntryWriter) -> None:
    plan, add = writer.plan, writer.stack.append
    add(f"%arrays = alloca [{max(len(plan.arrays) + len(plan.outputs), 1)} x ptr], align 16")
    add(f"%sizes = alloca [{max(len(plan.sizes), 1)} x i64], align 16")
    add(f"%scalars = alloca [{2 * max(len(plan.scalars), 1)} x i64], align 16")
    add("%overflow = alloca i32")
    if any(place.check[0] == "dict" for place in plan.places):
        writer.stack.extend(("%position = alloca i64", "%key = alloca ptr", "%item = alloca ptr"))
    if any(place.step[0] == "method" for place in plan.places):
        writer.stack.extend(("%nowhere = alloca ptr", "store ptr null, ptr %nowhere"))
    for index, output in enumerate(plan.outputs):
        if not output.shape:
            add(f"%out{index}.value = alloca [{max(output.itemsize, 16)} x i8], align 64")
    if isinstance(plan.arena, int) and 0 < plan.arena <= STACK_ARENA:
        add(f"%stack = alloca [{plan.arena} x i8], align 64")
    if plan.gate is not None:
        add("%below = alloca [3 x i64], align 16")


def _within_reach(writer: EntryWriter) -> None:
    """What 64 bits do not count is left to the runtime, whose integers do: sizes of memory, products of extents."""
    plan, w = writer.plan, writer.w
    sizes = [plan.work, *[extent for output in plan.outputs for extent in output.shape]]
    checked = [size for size in sizes if isinstance(size, SizeExpression) and any(len(monomial) > 1 for monomial in size.terms)]
    if isinstance(plan.arena, SizeExpression):
        checked.append(plan.arena)
    for size in dict.fromkeys(checked):
        w.require(w.op(f"fcmp olt double {w.magnitude(size)}, {float_text(REACH, 'double')}"))


def _count_hit(writer: EntryWriter) -> None:
    """Count the hit, and remember when it was (the runtime's least-recently-used order)."""
    w, name = writer.w, writer.entry
    w.store("i64", w.op(f"add i64 {w.load('i64', f'@{name}.hits')}, 1"), f"@{name}.hits")
    w.externals.setdefault("stax_clock", "@stax_clock = external global i64")
    clock = w.op(f"add i64 {w.load('i64', '@stax_clock')}, 1")
    w.store("i64", clock, "@stax_clock")
    w.store("i64", clock, f"@{name}.used")


def _fill_tables(writer: EntryWriter) -> None:
    """The program's arguments: addresses of the inputs, values of the size symbols, run-time numbers in slots of eight bytes."""
    plan, w = writer.plan, writer.w
    for position, place in enumerate(plan.arrays):
        w.store("ptr", writer.data[place], "%arrays", 8 * position)
    for position, symbol in enumerate(plan.sizes):
        w.store("i64", w.env[symbol], "%sizes", 8 * position)
    offset = 0
    for place, kind in plan.scalars:
        for register in writer.numbers[place]:
            w.store("double" if kind in ("float", "complex") else "i64", register, "%scalars", offset)
            offset += 8


def _run(writer: EntryWriter, program: str, release_work: int) -> None:
    """Call the program, without the GIL where the work is worth it; scratch memory from the recycled blocks where it is large."""
    plan, w = writer.plan, writer.w
    scratch = "null"
    owned = False
    if isinstance(plan.arena, int) and plan.arena <= STACK_ARENA:
        scratch = "%stack" if plan.arena else "null"
    else:
        scratch, owned = w.call("ptr", "stax_allocate", ("i64", w.size(plan.arena))), True
        w.require(w.op(f"icmp ne ptr {scratch}, null"), "memory")
    tables = f"(ptr %arrays, ptr %sizes, ptr %scalars, ptr {scratch})"
    held = _held(writer) if not isinstance(plan.work, int) or plan.work >= release_work else []
    for array in held:
        w.call("void", "Py_IncRef", ("ptr", array))
    status = _released(writer, plan.work, release_work, f"call i32 @{program}{tables}")
    for array in held:
        w.call("void", "Py_DecRef", ("ptr", array))
    if owned:
        w.call("void", "stax_release", ("ptr", scratch))
    if plan.fail >= 0:
        w.do(f"store i32 {status}, ptr %overflow")
        w.require_equal("i32", status, "0", "failed")


def _held(writer: EntryWriter) -> list[str]:
    """The arrays that nobody else holds fast: while the GIL is released, another thread may rebind a name, or empty a list. (The call's
    own arguments belong to the caller.)"""
    steps = {place: writer.plan.places[place].step[0] for place in writer.plan.arrays}
    return [writer.objects[place] for place, step in steps.items() if step not in ("argument", "slot")]


def _released(writer: EntryWriter, work: Size, threshold: int, call: str) -> str:
    w = writer.w
    if isinstance(work, int):
        if work < threshold:
            return w.op(call)
        state = w.call("ptr", "PyEval_SaveThread")
        status = w.op(call)
        w.call("void", "PyEval_RestoreThread", ("ptr", state))
        return status
    amount = w.size(work)
    large, small, done = w.name("large"), w.name("small"), w.name("done")
    w.do(f"br i1 {w.op(f'icmp sge i64 {amount}, {threshold}')}, label %{large}, label %{small}")
    w.block(large)
    state = w.call("ptr", "PyEval_SaveThread")
    first = w.op(call)
    w.call("void", "PyEval_RestoreThread", ("ptr", state))
    w.do(f"br label %{done}")
    w.block(small)
    second = w.op(call)
    w.do(f"br label %{done}")
    w.block(done)
    return w.op(f"phi i32 [ {first}, %{large} ], [ {second}, %{small} ]")


def _descend(writer: EntryWriter, dtype: str) -> None:
    """Hand the replayed value to the entries below; they go on with this entry's next one if none of them knows it."""
    w, name = writer.w, writer.entry
    width = 8 * min(DTYPES[dtype].itemsize, 8)
    bits = w.load(f"i{width}", "%out0.value")
    if width < 64:
        bits = w.op(f"zext i{width} {bits} to i64")
    w.store("i64", bits, "%below")
    w.store("ptr", w.load("ptr", f"@{name}.next"), "%below", 8)
    w.store("ptr", "%frame" if writer.plan.above else "null", "%below", 16)
    child = w.load("ptr", f"@{name}.child")
    answer = w.op(f"call ptr {child}({_CALL}, ptr %below)")
    w.do(f"ret ptr {answer}")


def _leave(writer: EntryWriter) -> None:
    """The blocks off the straight way: a failed run-time check, no memory, an exception while looking, a missed guard."""
    plan, w, name = writer.plan, writer.w, writer.entry
    if plan.fail >= 0:
        w.block("failed")
        w.call("void", "stax_raise", ("ptr", writer.slot(plan.fail)), ("i32", w.load("i32", "%overflow")))
        w.do(f"br label %{writer.undo()}")
    w.block("memory")
    w.call("ptr", "PyErr_NoMemory")
    w.do(f"br label %{writer.undo()}")
    for index in range(len(writer.made) - 1, -1, -1):
        w.block(f"undo{index}")
        w.call("void", "Py_DecRef", ("ptr", writer.made[index]))
        w.do(f"br label %{f'undo{index - 1}' if index else 'undone'}")
    w.block("undone")
    w.require_equal("i32", w.load("i32", "%overflow"), "0", "nothing")  # else it has run
    kind = w.load("ptr", w.data("PyExc_MemoryError"))
    lacking = w.op(f"icmp ne i32 {w.call('i32', 'PyErr_ExceptionMatches', ('ptr', kind))}, 0")
    w.do(f"br i1 {lacking}, label %error, label %nothing")  # the runtime will say what could not be had
    w.block("nothing")
    w.do("ret ptr null")
    w.block("error")
    w.call("void", "PyErr_Clear")
    w.do("br label %miss")
    w.block("miss")
    following = w.load("ptr", f"@{name}.next")
    parameters = f"{_CALL}, ptr %frame" if plan.above else _CALL
    w.do(f"%answer = musttail call ptr {following}({parameters})")
    w.do("ret ptr %answer")
