"""The support module loaded and bound: symbols for entries, recycled memory. One per process, made at first need."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

from staxlang.compiler.llvm.entry_plan import HeaderLayout
from staxlang.compiler.llvm.support import support_text
from staxlang.compiler.target import Target
from staxlang.runtime import headers, late
from staxlang.runtime.disk import Store, digest
from staxlang.runtime.loader import OWN_LOADER, Code, LoadError, Symbols, load_object

_EXPORTED: Final = (
    "stax_clock", "stax_miss_function", "stax_capsule", "stax_kept_bytes", "stax_keep_limit", "stax_mapped_bytes", "stax_miss",
    "stax_gate_miss", "stax_raise", "stax_new_array", "stax_allocate", "stax_release", "stax_trim", "stax_handler",
)  # fmt: skip


def build(text: str, target: Target, level: int = 1) -> bytes:
    """Object code of LLVM text (loads llvmlite)."""
    return late.native().compile_text(text, target.triple, target.cpu, target.features, level)


def load(data: bytes, symbols: Symbols, exported: tuple[str, ...]) -> Code:
    """Load an object: by the own loader where it knows the system's object files, else by llvmlite's engine."""
    if OWN_LOADER:
        code = load_object(data, symbols)
        for name in exported:
            if name not in code.addresses:
                raise LoadError(f"the object has no {name}")
        return code
    return late.engine().load_with_engine(data, symbols, exported)


class Support:
    """The process's native ground: `symbols` for loading entries, `layout` and `words` for writing them."""

    def __init__(self, data: bytes) -> None:
        """Raises LoadError where the object does not fit this process."""
        self.layout: HeaderLayout = headers.layout()
        self.words = headers.dtype_words(self.layout)
        self.symbols = Symbols()
        self.symbols.update(headers.numpy_symbols())
        self.code = load(data, self.symbols, _EXPORTED)
        self.libraries: list[Code] = []
        self.programs: dict[str, Any] = {}  # loaded programs by their keys
        self.symbols.update(self.code.addresses)
        self._bind_memory()

    @staticmethod
    def stored(target: Target, store: Store | None, identity: str) -> Support | None:
        """From disk; None where it is not there or does not fit."""
        data = store.get(_key(target, identity)) if store is not None else None
        try:
            return None if data is None else Support(data)
        except LoadError:
            return None

    @staticmethod
    def built(target: Target, store: Store | None, identity: str) -> Support:
        data = build(support_text(array_flags=headers.ARRAY_FLAGS, array_handler=headers.ARRAY_HANDLER), target, 0)
        if store is not None:
            store.put(_key(target, identity), data)
        return Support(data)

    def address(self, name: str) -> int:
        return self.code.addresses[name]

    def _bind_memory(self) -> None:
        """Results in recycled blocks carry this capsule: NumPy gives their memory back through it."""
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self._capsule = make(self.address("stax_handler"), b"mem_handler", None)
        write_pointer(self.address("stax_capsule"), id(self._capsule))

    def set_miss_function(self, function: Callable[..., Any]) -> None:
        self._miss_function = function
        write_pointer(self.address("stax_miss_function"), id(function))

    # ---- recycled memory ----

    def memory(self) -> dict[str, int]:
        """Bytes of blocks: mapped in all, and kept for reuse."""
        read = {name: headers.word(self.address(f"stax_{name}_bytes")) for name in ("mapped", "kept")}
        return {"mapped": read["mapped"], "kept": read["kept"]}

    def trim(self) -> None:
        """Give the kept blocks back to the system."""
        ctypes.PYFUNCTYPE(None)(self.address("stax_trim"))()

    def keep_at_most(self, limit: int) -> None:
        write_pointer(self.address("stax_keep_limit"), limit)


def _key(target: Target, identity: str) -> str:
    return digest("support", identity, target.triple, target.cpu, target.features)


def write_pointer(address: int, value: int) -> None:
    ctypes.c_uint64.from_address(address).value = value
