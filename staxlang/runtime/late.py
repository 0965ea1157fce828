"""Modules that a process served by its caches never needs - front end, compiler, llvmlite, catalogue - loaded at first use."""

from __future__ import annotations

import gc
import inspect
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn


def compilation() -> Any:
    """The whole way from a function to a version (imports evaluator and compiler)."""
    return _many("staxlang.runtime.compilation")


def _many(name: str) -> Any:
    """A module that loads some two hundred others. All that they make stays, so the collector, which would walk over it dozens of times,
    waits: a tenth of the time that it takes."""
    if name in sys.modules or not gc.isenabled():
        return import_module(name)
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.enable()


def annotated() -> Any:
    """Annotations against calls."""
    return import_module("staxlang.runtime.annotated")


def kernels() -> Any:
    """The module of the kernel objects."""
    return import_module("staxlang.runtime.kernel")


def lowered() -> Any:
    """Lowering for types instead of data."""
    return import_module("staxlang.runtime.lowered")


def operations() -> Any:
    """Calls of `stax.*` outside of kernels."""
    return import_module("staxlang.runtime.operations")


def names() -> Any:
    """The meanings of names (imports the evaluator)."""
    return import_module("staxlang.typecheck.names")


def constants() -> Any:
    """What computes consts and defaults of .stx files (imports the evaluator)."""
    return import_module("staxlang.typecheck.constants")


def printer() -> Any:
    """Trees as text."""
    return import_module("staxlang.parser.printer")


def programs() -> Any:
    return import_module("staxlang.runtime.programs")


def entry_building() -> Any:
    return import_module("staxlang.runtime.entry_building")


def libraries() -> Any:
    return import_module("staxlang.runtime.libraries")


def externs() -> Any:
    """Extern operations of running programs."""
    return import_module("staxlang.runtime.externs")


def interrupts() -> Any:
    """What signals have raised while programs ran."""
    return import_module("staxlang.runtime.interrupts")


def failures() -> Any:
    """What run-time checks raise (imports extern operations)."""
    return import_module("staxlang.runtime.failures")


def native() -> Any:
    """LLVM."""
    return import_module("staxlang.runtime.native")


def engine() -> Any:
    """llvmlite's own loader of object code."""
    return import_module("staxlang.runtime.engine")


def reference() -> Any:
    """The engine that runs graphs under NumPy."""
    return import_module("staxlang.runtime.reference")


def stages() -> Any:
    return import_module("staxlang.runtime.stages")


def logs() -> Any:
    return import_module("staxlang.runtime.logs")


def report() -> Any:
    return import_module("staxlang.runtime.report")


def diagnostics() -> Any:
    return import_module("staxlang.base.diagnostics")


def suggestions() -> Any:
    """Names that were probably meant."""
    return import_module("staxlang.base.suggestions")


def dtypes() -> Any:
    return import_module("staxlang.base.dtypes")


def raise_error(code: str, help: str | None = None, notes: tuple[str, ...] = (), **fields: Any) -> NoReturn:
    """Raise the catalogue's diagnostic `code`, at the user's line that led here."""
    known = diagnostics()
    raise known.error_of([known.diagnose(code, call_sites().call_site(), notes, help, **fields)]) from None


def raise_written(text: str) -> NoReturn:
    """Raise what a `raise` of a program says, at the user's line that led here."""
    known = diagnostics()
    raise known.error_of([known.diagnose_raised(*known.written_exception(text), call_sites().call_site())]) from None


def raise_demand(text: str) -> NoReturn:
    """Raise what a function of the library demands of the data, and does not find."""
    code, requirement = diagnostics().demanded(text)
    raise_error(code, requirement=requirement)


def raise_error_from(cause: BaseException, code: str, **fields: Any) -> NoReturn:
    """Raise the catalogue's diagnostic `code` for a failure of another kind, which stays visible as its cause."""
    known = diagnostics()
    raise known.error_of([known.diagnose(code, call_sites().call_site(), **fields)]) from cause


def plainly(call: Callable[..., Any], *arguments: Any) -> Any:
    """A call on behalf of the user. What the user did wrong is raised from here, without the frames that found it out."""
    try:
        return call(*arguments)
    except Exception as problem:
        if not isinstance(problem, diagnostics().StaxError):
            raise
        raise problem.with_traceback(None) from problem.__cause__


def call_sites() -> Any:
    """The places of the user's calls."""
    return import_module("staxlang.runtime.call_sites")


def warn(text: str) -> None:
    """Warn at the line of the user's that led here; in a thread of our own there is none, and nobody to catch it."""
    level = 2
    frame = inspect.currentframe()
    frame = frame.f_back if frame is not None else None
    while frame is not None and frame.f_globals.get("__name__", "").startswith("staxlang."):
        level += 1
        frame = frame.f_back
    kind = diagnostics().StaxWarning
    if frame is not None and frame.f_globals.get("__name__") != "threading":
        warnings.warn(text, kind, stacklevel=level)
        return
    try:
        warnings.warn_explicit(text, kind, "staxlang", 0)
    except kind:  # warnings are to be errors: of this thread's nobody would hear
        return


def warn_of(code: str, **fields: Any) -> None:
    """Warn of the catalogue's diagnostic `code`."""
    warn(diagnostics().diagnose(code, **fields).render())
