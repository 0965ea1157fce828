"""LLVM text to object code, by the library inside llvmlite. A process served by the disk cache never comes here.

The functions are called in the library itself: the import of `llvmlite.binding` takes longer than the compilation of a kernel. Each module
has a context of its own, so nothing is shared with others who use llvmlite in the process.
"""

# llvmlite has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from importlib import import_module
from typing import Any, Final

import llvmlite  # pyright: ignore  (it has no stubs)
from llvmlite.utils import get_library_name  # pyright: ignore

from staxlang.runtime.forks import Mutex

_mutex: Final = Mutex()
_machines: Final[dict[tuple[str, str, str, int], int]] = {}

_TEXT = POINTER(c_char_p)
_FUNCTION_ROWS: Final[tuple[tuple[str, Any, tuple[Any, ...]], ...]] = (
    ("InitializeNativeTarget", None, ()),
    ("InitializeNativeAsmPrinter", None, ()),
    ("GetDefaultTargetTriple", None, (_TEXT,)),
    ("GetHostCPUName", None, (_TEXT,)),
    ("GetHostCPUFeatures", c_int, (_TEXT,)),
    ("GetTargetFromTriple", c_void_p, (c_char_p, _TEXT)),
    ("CreateTargetMachine", c_void_p, (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p)),
    ("ContextCreate", c_void_p, ()),
    ("ContextDispose", None, (c_void_p,)),
    ("ParseAssembly", c_void_p, (c_void_p, c_char_p, _TEXT)),
    ("SetTarget", None, (c_void_p, c_char_p)),
    ("DisposeModule", None, (c_void_p,)),
    ("TargetMachineEmitToMemory", c_void_p, (c_void_p, c_void_p, c_int, _TEXT)),
    ("GetBufferStart", c_void_p, (c_void_p,)),
    ("GetBufferSize", c_size_t, (c_void_p,)),
    ("DisposeMemoryBuffer", None, (c_void_p,)),
    ("DisposeString", None, (c_char_p,)),
)  # fmt: skip


class _Library:
    """The functions of `_FUNCTION_ROWS`, with their types; the host's code generator is ready."""

    def __init__(self) -> None:
        opened = _open()
        for name, result, arguments in _FUNCTION_ROWS:
            function = getattr(opened, f"LLVMPY_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.InitializeNativeTarget()
        self.InitializeNativeAsmPrinter()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _open() -> ctypes.CDLL:
    path = os.path.join(os.path.dirname(str(llvmlite.__file__)), "binding", str(get_library_name()))
    if sys.platform == "linux":
        _link(path)
    try:
        return ctypes.CDLL(path)
    except OSError:  # not beside its package: llvmlite knows where
        return ctypes.CDLL(import_module("llvmlite.binding.ffi").lib._name)


def _link(path: str) -> None:
    """Load a library by the system's own function: other threads run during the 5 ms of it, which `CDLL` does not let them."""
    try:
        load = ctypes.CDLL(None).dlopen
    except AttributeError:  # kept apart from the C library
        return
    load.restype, load.argtypes = c_void_p, (c_char_p, c_int)
    load(os.fsencode(path), os.RTLD_NOW)


_library: Final = _Library()


class _Text:
    """A string that the library gives back."""

    def __init__(self) -> None:
        self.pointer = c_char_p()

    def take(self) -> str:
        text = (self.pointer.value or b"").decode("utf-8", "replace")
        if self.pointer:
            _library.DisposeString(self.pointer)
        return text


def host() -> tuple[str, str, str]:
    """(triple, cpu, features) as LLVM names them; for systems that do not tell it in a file."""
    triple, cpu, features = _Text(), _Text(), _Text()
    with _mutex.lock:
        _library.GetDefaultTargetTriple(byref(triple.pointer))
        _library.GetHostCPUName(byref(cpu.pointer))
        _library.GetHostCPUFeatures(byref(features.pointer))
    return triple.take(), cpu.take(), ",".join(sorted(features.take().split(","), key=lambda feature: feature[1:]))


def compile_text(text: str, triple: str, cpu: str, features: str, level: int = 1) -> bytes:
    """Object code of a module. The text is trusted to be well typed; LLVM's parser reports what is not (RuntimeError)."""
    return _emitted(text, triple, cpu, features, level, 1)


def assembly(text: str, triple: str, cpu: str, features: str) -> str:
    return _emitted(text, triple, cpu, features, 1, 0).decode()


def _emitted(text: str, triple: str, cpu: str, features: str, level: int, binary: int) -> bytes:
    problem = _Text()
    with _mutex.lock:
        machine = _machine(triple, cpu, features, level)
        context = _library.ContextCreate()
        try:
            module = _library.ParseAssembly(context, text.encode(), byref(problem.pointer))
            if not module:
                raise RuntimeError(f"LLVM IR parsing error\n{problem.take()}")
            try:
                _library.SetTarget(module, triple.encode())
                return _code(machine, module, binary)
            finally:
                _library.DisposeModule(module)
        finally:
            _library.ContextDispose(context)


def _code(machine: int, module: int, binary: int) -> bytes:
    problem = _Text()
    buffer = _library.TargetMachineEmitToMemory(machine, module, binary, byref(problem.pointer))
    if not buffer:
        raise RuntimeError(f"LLVM cannot emit this module: {problem.take()}")
    try:
        return ctypes.string_at(_library.GetBufferStart(buffer), _library.GetBufferSize(buffer))
    finally:
        _library.DisposeMemoryBuffer(buffer)


def _machine(triple: str, cpu: str, features: str, level: int) -> int:
    key = (triple, cpu, features, level)
    machine = _machines.get(key)
    if machine is None:
        problem = _Text()
        target = _library.GetTargetFromTriple(triple.encode(), byref(problem.pointer))
        if not target:
            raise RuntimeError(problem.take())
        # Position-independent small code: constants are reached relative to the instruction, and the loader puts the
        # table of outside addresses next to the code, so nothing depends on where in memory it lands.
        names = (text.encode() for text in (triple, cpu, features))
        machine = _library.CreateTargetMachine(target, *names, level, b"pic", b"small", 0, 0, b"")
        if not machine:
            raise RuntimeError(f"LLVM has no code generator for {triple} {cpu}")
        _machines[key] = machine
    return machine
