"""Stored programs to loaded ones, without the compiler: each program's code is in the process once."""

from __future__ import annotations

from typing import Any

from staxlang.runtime import late
from staxlang.runtime.disk import Store
from staxlang.runtime.running import program_function
from staxlang.runtime.support import Support, load
from staxlang.runtime.versions import Program

Stored = tuple[Any, ...]
"""(object code, `declare` lines of outside functions, size symbols, scratch bytes, work, number of run-time checks): what marshal keeps."""

# What run-time checks are stored as: of signals, of divisors, of exponents, of values for a mask, of an index (axis, extent, and in the
# next line the place in the source), of finite results, of demands on data, of extern operations (their name and place follow).
INTERRUPT = "interrupted"
DIVISOR = "divisor: "
EXPONENT = "negative exponent"
MASK = "values for a mask"
INDEX = "index: "
FINITE = "not finite: "
REQUIRED = "required: "
WRITTEN = "raised: "  # module:class:words
EXTERN = "extern "


def load_program(support: Support, target: Any, store: Store | None, key: str, stored: Stored) -> Program:
    """Raises LoadError where the object does not fit."""
    found = support.programs.get(key)
    if found is None:
        data, externals, *_ = stored
        if externals:
            late.libraries().provide(support, target, store, externals)
        name = f"p{key}"
        code = load(data, support.symbols, (name,))
        found = support.programs[key] = Program(name, code, program_function(code.addresses[name]), key)
        support.symbols.add(name, code.addresses[name])
    return found
