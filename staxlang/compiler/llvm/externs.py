"""Extern operations of a schedule: a record of 8-byte words with addresses, extents and strides, and the call of what does the work.

    i32 @<symbol>(ptr record, ptr text)     0, or another number where it failed

The record holds for each operand, then for each result: its address, its extents, its strides in elements; then for each option, in the
order of their names, a word: of a size or an integer its value, of a bool 0 or 1, else 0. The text names the operation and says what the
record holds (8 bytes of length, then `marshal` data): `stax_extern` serves any call by it, in Python; `stax_lapack_..` are routines in
machine code (lapack.py, triangular.py), `stax_order_..` others (ordering.py), which need the text only where they hand a call on.
What selection.py does is text of the program itself, takes the record alone and cannot fail.
"""

from __future__ import annotations

import marshal
from typing import Any

from staxlang.base.externs import OWN
from staxlang.base.sizes import SizeExpression
from staxlang.base.sizes.expression import terms_of
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.lapack import call_of
from staxlang.compiler.llvm.memory import pointer
from staxlang.compiler.llvm.ordering import ROUTINES, order_call
from staxlang.compiler.llvm.selection import own_text
from staxlang.compiler.llvm.triangular import OUTSIDE, direct_call
from staxlang.compiler.loops.ir import BufferView, LibraryCall

SIZE_OPTION = "size"
"""What stands in the text for an option whose value is in the record."""
ANY_EXTERN = "stax_extern"
SIGNATURE = "ptr, ptr"


def forward_text(symbol: str) -> str:
    """A module with a function of that name that hands its calls to `stax_extern`."""
    return (
        f"declare i32 @{ANY_EXTERN}({SIGNATURE})\n"
        f"define i32 @{symbol}(ptr %record, ptr %text) nounwind {{\n"
        f"  %answer = call i32 @{ANY_EXTERN}(ptr %record, ptr %text)\n  ret i32 %answer\n}}\n"
    )


def emit_extern(f: Function, call: LibraryCall) -> None:
    """The call at the open level; a failed one ends the program."""
    options: tuple[tuple[str, Any], ...] = call["options"]
    views = (*call.operands, *call.outs)
    words = [word for view in views for word in _view_words(f, view)]
    words += [("i64", _option_word(f, value)) for _, value in options]
    f.count += 1
    record = f"%record.{f.count}"
    f.entry.append(f"{record} = alloca [{max(1, len(words))} x i64], align 8")
    for k, (kind, text) in enumerate(words):
        place = f.name(f.level, f"getelementptr i64, ptr {record}, i64 {k}", "p") if k else record
        f.emit(f.level, f"store {kind} {text}, ptr {place}, align 8")
    if call["native"] in OWN:
        _call_own(f, f"{f.module.name}.{call['native']}", record)
    else:
        symbol = _symbol(f, call)
        f.module.externals[f"declare i32 @{symbol}({SIGNATURE})"] = None
        answer = f.name(f.level, f"call i32 @{symbol}(ptr {record}, ptr {_text(f, call)})", "x")
        _end_failed(f, answer, call)
    for view in call.outs:
        f.forget(f.module.root(f.module.buffers[view.buffer]))


def _call_own(f: Function, symbol: str, record: str) -> None:
    """A call of a function that stands in the program once."""
    text = own_text(symbol)
    if text not in f.module.functions:
        f.module.functions.append(text)
    f.emit(f.level, f"call void @{symbol}(ptr {record})")


def _symbol(f: Function, call: LibraryCall) -> str:
    native = call["native"]
    if not native:
        return ANY_EXTERN
    first = call.operands[0]
    find = direct_call if native in OUTSIDE else order_call if native in ROUTINES else call_of
    found = find(native, f.module.buffers[first.buffer].dtype.name, dict(call["options"]), len(first.shape))
    return ANY_EXTERN if found is None else found.symbol


def _view_words(f: Function, view: BufferView) -> list[tuple[str, str]]:
    address, _ = pointer(f, f.module.buffers[view.buffer], terms_of(view.offset), {})
    return [("ptr", address), *[("i64", size_text(f, size)[0]) for size in (*view.shape, *view.strides)]]


def _option_word(f: Function, value: Any) -> str:
    if isinstance(value, (bool, int, SizeExpression)):
        return size_text(f, int(value) if isinstance(value, (bool, int)) else value)[0]
    return "0"


def _text(f: Function, call: LibraryCall) -> str:
    """The constant that says what the record holds."""
    kinds = [[(f.module.buffers[view.buffer].dtype.name, len(view.shape)) for view in views] for views in (call.operands, call.outs)]
    options = tuple([(key, (SIZE_OPTION,) if isinstance(value, SizeExpression) else value) for key, value in call["options"]])
    data = marshal.dumps((call["name"], options, tuple(kinds[0]), tuple(kinds[1])), 2)
    data = len(data).to_bytes(8, "little") + data
    name = f"@{f.module.name}.extern.{len(f.module.globals)}"
    shown = "".join([f"\\{byte:02X}" for byte in data])
    f.module.globals[name] = f'{name} = internal constant [{len(data)} x i8] c"{shown}", align 8'
    return name


def _end_failed(f: Function, answer: str, call: LibraryCall) -> None:
    """Return where the call has failed: an earlier failed check is told first."""
    level, module, n = f.level, f.module, f.fresh()
    module.checks.append(call["check"])
    bad = f.name(level, f"icmp ne i32 {answer}, 0", "m")
    f.emit(level, f"br i1 {bad}, label %bad.{n}, label %good.{n}")
    f.block(f"bad.{n}", level)
    before = f.name(level, "load i32, ptr %status, align 4", "x")
    none = f.name(level, f"icmp eq i32 {before}, 0", "m")
    told = f.name(level, f"select i1 {none}, i32 {len(module.checks)}, i32 {before}", "x")
    if module.streams:
        f.emit(level, "fence seq_cst")
    f.emit(level, f"ret i32 {told}")
    f.block(f"good.{n}", level)
