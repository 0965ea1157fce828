"""The LLVM emitter: a Schedule in, the text of an LLVM module out."""

from staxlang.compiler.llvm.program import Emission, emit, emit_program

__all__ = ["Emission", "emit", "emit_program"]
