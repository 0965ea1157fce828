"""Extern operations of running programs: what a program's record says becomes arrays, the operation runs, its results go to their places.

Programs call `stax_extern(record, text)` (see compiler/llvm/externs.py): a function made by ctypes, which takes the GIL. What an operation
raises is kept for its thread; the program ends with a status, and whoever called it raises what was kept.
"""

from __future__ import annotations

import ctypes
import marshal
import sys
import threading
from typing import Any, Final, NoReturn

import numpy as np

from staxlang.base.diagnostics import Note, StaxError, diagnose, raise_diagnostics
from staxlang.base.dtypes import DTYPES
from staxlang.base.externs import Extern, find_extern, together
from staxlang.base.records import replace
from staxlang.base.spans import Span
from staxlang.compiler.llvm.externs import ANY_EXTERN, SIZE_OPTION
from staxlang.runtime.support import Support

Array = np.ndarray[Any, Any]
PROTOTYPE: Final = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


class Call:
    """What a text says, ready for use: the operation, its operands and results as (dtype, type string, number of axes, read-only)."""

    __slots__ = ("arrays", "count", "options", "row", "sizes", "words")

    def __init__(self, row: Extern, options: tuple[tuple[str, Any], ...], operands: _Kinds, results: _Kinds) -> None:
        self.row = row
        self.count = len(operands)
        self.arrays = [_kind(dtype, rank, k not in row.overwrites) for k, (dtype, rank) in enumerate(operands)]
        self.arrays += [_kind(dtype, rank, False) for dtype, rank in results]
        first = sum([1 + 2 * rank for _, _, rank, _ in self.arrays])  # where the options' words begin
        self.options = dict(options)
        self.sizes = [(name, first + k) for k, (name, value) in enumerate(options) if value == (SIZE_OPTION,)]
        self.words: Any = ctypes.c_int64 * (first + len(options))


_Kinds = tuple[tuple[str, int], ...]


def _kind(dtype: str, rank: int, readonly: bool) -> tuple[Any, str, int, bool]:
    kind = DTYPES[dtype].numpy
    return kind, "<u2" if dtype == "bf16" else kind.str, rank, readonly


class _Memory:
    """Memory that NumPy is told of."""

    __slots__ = ("__array_interface__",)

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


_calls: Final[dict[bytes, Call]] = {}
_raised: Final[dict[int, BaseException]] = {}
"""What operations have raised, by thread, until the program's caller asks."""


def _serve(record: int, text: int) -> int:
    """One call from a program; 1 where it failed. Nothing may be raised through native code."""
    try:
        data = ctypes.string_at(text + 8, ctypes.c_int64.from_address(text).value)
        call = _calls.get(data)
        if call is None or call.row is not find_extern(call.row.name):
            call = _calls[data] = _read(data)
        _run(call, record)
    except BaseException as problem:  # KeyboardInterrupt too is raised where the program returns
        _raised[threading.get_ident()] = problem
        return 1
    return 0


SERVE: Final = PROTOTYPE(_serve)


def provide(support: Support) -> None:
    """Make `stax_extern` known to programs that are loaded."""
    support.symbols.update({ANY_EXTERN: ctypes.cast(SERVE, ctypes.c_void_p).value or 0})


def _read(data: bytes) -> Call:
    name, options, operands, results = marshal.loads(data)
    row = find_extern(name)
    if row is None:
        raise_diagnostics(diagnose("extern-unknown", None, operation=name))
    return Call(row, options, operands, results)


def _run(call: Call, record: int) -> None:
    row, count = call.row, call.count
    words: list[int] = list(call.words.from_address(record))
    arrays: list[Array] = []
    place = 0
    for kind, text, rank, readonly in call.arrays:
        size = kind.itemsize
        middle, end = place + 1 + rank, place + 1 + 2 * rank
        arrays.append(_array(kind, text, readonly, words[place], words[place + 1 : middle], [size * n for n in words[middle:end]]))
        place = end
    options = call.options if not call.sizes else {**call.options, **{name: words[at] for name, at in call.sizes}}
    outs = arrays[count:]
    del arrays[count:]
    if row.into is not None:
        row.into(outs, *arrays, **options)
    else:
        _put(row, outs, together(row.eager(*arrays, **options)))
    for number in range(count):
        if sys.getrefcount(arrays[number]) > 2 or sys.getrefcount(arrays[number].base) > 3:
            # Operands are lent for the call: memory that a function keeps would be another value's a moment later.
            raise_diagnostics(diagnose("extern-keeps", None, operation=row.name))


def _array(kind: Any, text: str, readonly: bool, address: int, shape: list[int], strides: list[int]) -> Array:
    interface = {"shape": tuple(shape), "strides": tuple(strides), "data": (address, readonly), "typestr": text, "version": 3}
    made = np.asarray(_Memory(interface))
    return made.view(kind) if text == "<u2" and kind.kind != "u" else made


def _put(row: Extern, outs: list[Array], results: tuple[Any, ...]) -> None:
    """Results to their places; they must be what the operation's rule has promised."""
    if len(results) == len(outs):
        for out, result in zip(outs, results, strict=True):
            array = np.asarray(result)
            if array.shape != out.shape or array.dtype != out.dtype:
                break
            out[...] = array
        else:
            return
    promised, given = [", ".join([f"{one.dtype}{list(one.shape)}" for one in map(np.asarray, found)]) for found in (outs, results)]
    raise_diagnostics(diagnose("extern-result", None, operation=row.name, given=given or "nothing", expected=promised))


# ---- failures ------------------------------------------------------------------------------------------------------


def raise_failed(name: str, where: str, span: Span | None = None) -> NoReturn:
    """Raise for a program whose extern operation has failed: what it raised, or what it can fail with."""
    problem = _raised.pop(threading.get_ident(), None)
    row = find_extern(name)
    if problem is None or (row is not None and row.failure and isinstance(problem, np.linalg.LinAlgError)):
        reason = str(problem or "") or (row.failure if row is not None else "") or "its native routine reports an error"
        notes = () if span is not None else (Note(None, f"in {where}"),)
        raise_diagnostics(diagnose("extern-failed", span, notes, operation=name.removesuffix("_asked"), reason=reason))
    if isinstance(problem, StaxError):
        raise_diagnostics([replace(one, span=one.span or span) for one in problem.diagnostics])
    problem.add_note(f"in the extern operation {name}, called by {where}")
    raise problem
