"""Object code to callable addresses: mapped, relocated, bound to the process's symbols, made executable."""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
from typing import Final

from staxlang.runtime import elf
from staxlang.runtime.elf import LoadError

READ, WRITE, EXECUTE = 1, 2, 4
_MACHINES: Final = {"x86_64": elf.X86_64, "aarch64": elf.AARCH64}

# Whether objects are loaded by this file; elsewhere llvmlite's engine does it (engine.py).
OWN_LOADER: Final = sys.platform == "linux" and platform.machine() in _MACHINES

_process = ctypes.CDLL(None) if sys.platform != "win32" else ctypes.pythonapi


class Symbols:
    """Addresses by name: what was added here first, then the process's own symbols (CPython, libc)."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def add(self, name: str, address: int) -> None:
        self._known[name] = address

    def knows(self, name: str) -> bool:
        return name in self._known

    def address(self, name: str) -> int:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._look_up(name)
        return known

    def _look_up(self, name: str) -> int:
        for library in (ctypes.pythonapi, _process):
            try:
                return ctypes.addressof(ctypes.c_char.in_dll(library, name))
            except ValueError:
                continue
        raise LoadError(f"no symbol {name} in this process")

    def update(self, addresses: dict[str, int]) -> None:
        self._known.update(addresses)

    def known(self) -> dict[str, int]:
        """What was added, and what was looked up."""
        return self._known


class Renamed(Symbols):
    """Symbols, some of which an object calls by other names."""

    def __init__(self, symbols: Symbols, names: dict[str, str]) -> None:
        self._known = symbols.known()
        self._names = names
        self._symbols = symbols

    def address(self, name: str) -> int:
        return self._symbols.address(self._names.get(name, name))


class Code:
    """A loaded object: its exported addresses. The memory stays mapped until `free` is called."""

    __slots__ = ("_memory", "_view", "addresses", "size")

    def __init__(self, addresses: dict[str, int], memory: mmap.mmap | None, view: ctypes.c_char | None) -> None:
        self.addresses = addresses
        self._memory = memory
        self._view = view
        self.size = len(memory) if memory is not None else 0

    def free(self) -> None:
        """Unmap. Only when no thread can be inside and nothing points to it."""
        self.addresses = {}
        self._view = None
        if self._memory is not None:
            self._memory.close()
            self._memory = None


def load_object(data: bytes, symbols: Symbols) -> Code:
    """Load a relocatable object; raises LoadError where it is damaged, foreign or refers to unknown symbols."""
    object_file = elf.parse(data)
    if object_file.machine != _MACHINES.get(platform.machine()):
        raise LoadError("the object is for another machine")
    layout = elf.plan(object_file)
    memory = mmap.mmap(-1, layout.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    view = ctypes.c_char.from_buffer(memory)
    base = ctypes.addressof(view)
    image, exported = elf.relocate(object_file, layout, base, symbols.address)
    memory[:] = bytes(image)
    _protect(base, layout.code_end, READ | EXECUTE)
    if layout.constants_end > layout.code_end:
        _protect(base + layout.code_end, layout.constants_end - layout.code_end, READ)
    if object_file.machine == elf.AARCH64:
        _flush(base, layout.code_end)
    return Code(exported, memory, view)


def _protect(address: int, size: int, rights: int) -> None:
    if size and _process.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), rights) != 0:
        raise LoadError("the system does not let memory be made executable")


def _flush(address: int, size: int) -> None:
    """aarch64 keeps instruction and data caches apart."""
    clear = ctypes.CDLL("libgcc_s.so.1")["__clear_cache"]
    clear(ctypes.c_void_p(address), ctypes.c_void_p(address + size))
