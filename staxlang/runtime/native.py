"""LLVM text to object code, through llvmlite (imported here only, so that a process served by the disk cache never pays for it)."""

# llvmlite has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import threading

import llvmlite.binding as llvm

from staxlang.runtime.loader import OWN_LOADER, Code, LoadError, Symbols

_lock = threading.Lock()
_machines: dict[tuple[str, str, str, int], llvm.TargetMachine] = {}
_initialized = False


def _initialize() -> None:
    global _initialized
    if not _initialized:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _initialized = True


def host() -> tuple[str, str, str]:
    """(triple, cpu, features) as LLVM names them; for systems that do not tell it in a file."""
    with _lock:
        _initialize()
        return llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine(triple: str, cpu: str, features: str, level: int) -> llvm.TargetMachine:
    key = (triple, cpu, features, level)
    machine = _machines.get(key)
    if machine is None:
        _initialize()
        target = llvm.Target.from_triple(triple)
        # Position-independent small code: constants are reached relative to the instruction, and the loader puts the
        # table of outside addresses next to the code, so nothing depends on where in memory it lands.
        machine = target.create_target_machine(cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small")
        _machines[key] = machine
    return machine


def compile_text(text: str, triple: str, cpu: str, features: str, level: int = 2) -> bytes:
    """Object code of a module. The text is trusted to be well typed; LLVM's parser reports what is not (RuntimeError)."""
    with _lock:
        machine = _machine(triple, cpu, features, level)
        module = llvm.parse_assembly(text)
        module.triple = triple
        return machine.emit_object(module)


def assembly(text: str, triple: str, cpu: str, features: str) -> str:
    with _lock:
        machine = _machine(triple, cpu, features, 2)
        module = llvm.parse_assembly(text)
        module.triple = triple
        return machine.emit_assembly(module)


_engine: llvm.ExecutionEngine | None = None


def load_with_engine(data: bytes, symbols: Symbols, exported: tuple[str, ...], needed: tuple[str, ...]) -> Code:
    """Load by llvmlite's engine, where the own loader does not know the object format. Never unloaded."""
    global _engine
    with _lock:
        _initialize()
        for name in needed:
            llvm.add_symbol(name, symbols.address(name))
        if _engine is None:
            machine = llvm.Target.from_default_triple().create_target_machine(jit=True, codemodel="jitdefault")
            _engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        _engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        _engine.finalize_object()
        addresses = {name: _engine.get_function_address(name) or _engine.get_global_value_address(name) for name in exported}
    missing = [name for name, address in addresses.items() if not address]
    if missing:
        raise LoadError(f"the engine did not find {', '.join(missing)}")
    return Code(addresses, None, None)


__all__ = ["OWN_LOADER", "assembly", "compile_text", "host", "load_with_engine"]
