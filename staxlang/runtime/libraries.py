"""Outside functions that programs call - the thread pool, matrix products of NumPy's BLAS - bound when the first program needs them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from staxlang.base.deferred import deferred
from staxlang.compiler.target import Target
from staxlang.runtime import identity, threads
from staxlang.runtime.disk import Store, digest
from staxlang.runtime.loader import LoadError
from staxlang.runtime.support import Support, build, load

if TYPE_CHECKING:
    from staxlang.compiler.llvm import externs as extern_text
    from staxlang.compiler.llvm import kept_results, library, ordering, polls, triangular
    from staxlang.compiler.llvm import lapack as lapack_text
    from staxlang.runtime import blas, externs, interrupts, lapack, orders
else:
    extern_text, kept_results = deferred("staxlang.compiler.llvm.externs"), deferred("staxlang.compiler.llvm.kept_results")
    lapack_text, library = deferred("staxlang.compiler.llvm.lapack"), deferred("staxlang.compiler.llvm.library")
    ordering, triangular = deferred("staxlang.compiler.llvm.ordering"), deferred("staxlang.compiler.llvm.triangular")
    blas, externs = deferred("staxlang.runtime.blas"), deferred("staxlang.runtime.externs")
    lapack, orders = deferred("staxlang.runtime.lapack"), deferred("staxlang.runtime.orders")
    polls, interrupts = deferred("staxlang.compiler.llvm.polls"), deferred("staxlang.runtime.interrupts")

_KEPT: Final = ctypes.c_uint64()
"""Where a data gate's results wait for the program behind it."""
_PARALLEL = "declare void @stax_parallel(ptr, ptr, i64, i64)"


def provide(support: Support, target: Target, store: Store | None, declarations: Sequence[str]) -> None:
    """See to it that the functions in a program's `declare` lines can be bound."""
    for line in declarations:
        if "@stax_parallel" in line:
            if not support.symbols.knows("stax_parallel"):
                _add(support, target, store, threads.pool_text(target), threads.EXPORTED)
                threads.start(support)
        elif "@stax_gemm_" in line and not support.symbols.knows(library.PRODUCTS[0]):
            _add(support, target, store, _gemm_text(support), library.PRODUCTS)
        elif f"@{polls.POLL}(" in line:
            if not support.symbols.knows(polls.POLL):
                interrupts.provide(support)
                _add(support, target, store, polls.poll_text(), (polls.POLL,))
        elif "@stax_lapack_" in line:
            _provide_lapack(support, target, store, line.partition("@")[2].partition("(")[0])
        elif "@stax_extern(" in line:
            externs.provide(support)
        elif f"@{ordering.PREFIX}" in line:
            _provide_order(support, target, store, line.partition("@")[2].partition("(")[0])


def _provide_lapack(support: Support, target: Target, store: Store | None, symbol: str) -> None:
    """A routine over NumPy's LAPACK; where there is none to be called, one that calls NumPy's function."""
    if support.symbols.knows(symbol):
        return
    externs.provide(support)
    call = lapack_text.read_symbol(symbol)
    provide(support, target, store, (_PARALLEL,))
    text = _direct_text(support, call) if call.routine in triangular.OUTSIDE else _loop_text(support, call)
    _add(support, target, store, text or extern_text.forward_text(symbol), (symbol,))


def _provide_order(support: Support, target: Target, store: Store | None, symbol: str) -> None:
    """A routine over NumPy's sorting; where it cannot be had, one that calls NumPy's function."""
    if support.symbols.knows(symbol):
        return
    externs.provide(support)
    call = ordering.read_order(symbol)
    found = orders.find_order(call)
    if found is None:
        _add(support, target, store, extern_text.forward_text(symbol), (symbol,))
        return
    provide(support, target, store, (_PARALLEL,))
    support.symbols.update({f"{symbol}.numpy": found})
    _add(support, target, store, ordering.order_text(call, f"{symbol}.numpy"), (symbol,), 2)


def _loop_text(support: Support, call: lapack_text.Call) -> str | None:
    """The function over a loop of NumPy's; None where this NumPy has none that can be called."""
    loop, flags = lapack.find_loop(call), lapack.flag_functions()
    if loop is None or flags is None or (lapack_text.ROUTINES[call.routine].fails and not lapack.failures_are_told()):
        return None
    names = f"{call.symbol}.loop", f"{call.symbol}.data" if loop.data else ""
    support.symbols.update({**flags, names[0]: loop.address, names[1]: loop.data, kept_results.KEPT: ctypes.addressof(_KEPT)})
    return lapack_text.routine_text(call, loop.types, *names)


def _direct_text(support: Support, call: lapack_text.Call) -> str | None:
    """The function over a routine of NumPy's BLAS or LAPACK; None where there is none to be called."""
    name = triangular.OUTSIDE[call.routine].format(triangular.LETTERS.get(call.dtype, ""))
    if not name:
        return triangular.direct_text(call, "", True)
    found = blas.find_routine(name)
    if found is None:
        return None
    support.symbols.update({f"{call.symbol}.outside": found[0]})
    return triangular.direct_text(call, f"{call.symbol}.outside", found[1])


def _gemm_text(support: Support) -> str:
    """The product functions over NumPy's BLAS, or where there is none to be called, as loops."""
    found = blas.find()
    if found is None:
        return blas.own_loops()
    support.symbols.update(found.symbols)
    return library.gemm_text(found.wide)


def _add(support: Support, target: Target, store: Store | None, text: str, exported: tuple[str, ...], level: int = 0) -> None:
    """Build (or take from disk) a module and make its functions known. `level`: how much its text is optimized."""
    key = digest("library", text, str(level), target.triple, target.cpu, target.features, identity.compiler())
    data = store.get(key) if store is not None else None
    code = None
    if data is not None:
        try:
            code = load(data, support.symbols, exported)
        except LoadError:
            code = None
    if code is None:
        data = build(text, target, level)
        code = load(data, support.symbols, exported)
        if store is not None:
            store.put(key, data)
    support.libraries.append(code)
    support.symbols.update({name: code.addresses[name] for name in exported})
