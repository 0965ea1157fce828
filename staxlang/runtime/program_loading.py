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

EXPONENT = "negative exponent"
MASK = "values for a mask"
FINITE = "not finite: "
"""What a run-time check of integers' exponents is stored as. (Checks of indices are stored by their place in the source.)"""

REQUIRED = "required: "
"""What the texts of demands on data begin with."""

EXTERN = "extern "
"""What the texts of extern operations begin with; their names and places follow."""


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
