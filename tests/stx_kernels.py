"""Kernels of .stx text for tests: `kernel(text)` is the last kernel of the text, run like any other."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

import staxlang as stax
from staxlang.base.spans import Source
from staxlang.parser import tree
from staxlang.parser.stx import parse_module
from staxlang.runtime import compilation, lowered
from staxlang.typecheck.captures import LibraryScope
from staxlang.typecheck.evaluator import kernel_function
from staxlang.typecheck.values import FunctionValue

_numbers = itertools.count()
_TREES: dict[Any, tree.Function] = {}


def _function_of(function: Any) -> FunctionValue:
    found = _TREES.get(function)
    return kernel_function(function) if found is None else FunctionValue(found, LibraryScope(), {})


compilation.kernel_function = lowered.kernel_function = _function_of


def kernel(text: str, **options: Any) -> Any:
    """The last definition of a .stx text as a Kernel."""
    module = parse_module(Source(f"test{next(_numbers)}.stx", text))
    function = [item for item in module.items if type(item) is tree.Function][-1]
    names = ", ".join(parameter.name for parameter in function.parameters)
    stub = f"def {function.name}({names}):\n    raise NotImplementedError({text!r})\n"
    file = f"<stx {function.name} {next(_numbers)}>"
    linecache.cache[file] = (len(stub), None, stub.splitlines(True), file)
    space: dict[str, Any] = {}
    exec(compile(stub, file, "exec"), space)
    _TREES[space[function.name]] = function
    return stax.kernel(space[function.name], **options)
