"""Object code to addresses by llvmlite's engine, where the own loader does not know the system's object files."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from staxlang.runtime.forks import Mutex
from staxlang.runtime.loader import Code, LoadError, Symbols

_mutex: Final = Mutex()
_llvm: Final[Any] = import_module("llvmlite.binding")
_engine: Any = None


def load_with_engine(data: bytes, symbols: Symbols, exported: tuple[str, ...]) -> Code:
    """Never unloaded. Names that are not in `symbols` are those of the process."""
    global _engine
    with _mutex.lock:
        for name, address in symbols.known().items():
            _llvm.add_symbol(name, address)
        if _engine is None:
            _llvm.initialize_native_target()
            _llvm.initialize_native_asmprinter()
            machine = _llvm.Target.from_default_triple().create_target_machine(jit=True, codemodel="jitdefault")
            _engine = _llvm.create_mcjit_compiler(_llvm.parse_assembly(""), machine)
        _engine.add_object_file(_llvm.ObjectFileRef.from_data(data))
        _engine.finalize_object()
        addresses = {name: _engine.get_function_address(name) or _engine.get_global_value_address(name) for name in exported}
    missing = [name for name, address in addresses.items() if not address]
    if missing:
        raise LoadError(f"the engine did not find {', '.join(missing)}")
    return Code(addresses, None, None)
