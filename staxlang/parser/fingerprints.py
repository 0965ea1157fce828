"""A parsed definition and a running code object pass through here: is the one the text of the other?

A file may have been edited since it was imported, and a line may hold several lambdas; only the code itself can tell.
"""

from __future__ import annotations

import ast
import opcode
import re
import sys
from collections import Counter
from collections.abc import Sequence, Set
from types import CodeType
from typing import Any, cast

_FUTURE_FLAGS = 0x1FF0000  # the bits of `from __future__` in a code object's flags
_LOAD_GLOBAL = opcode.opmap["LOAD_GLOBAL"]
_LOAD_METHOD = opcode.opmap.get("LOAD_METHOD", -1)  # Python 3.11; since 3.12 a bit of LOAD_ATTR
_ATTRIBUTE_OPS = frozenset((opcode.opmap["LOAD_ATTR"], _LOAD_METHOD))
_METHOD_BIT = sys.version_info >= (3, 12)
_IMPORT = r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n#(]+))|import[ \t]+([^\n#]+))"
_COMPARE = opcode.opmap["COMPARE_OP"]
_COMPARE_SHIFT = 0 if sys.version_info < (3, 12) else 4 if sys.version_info < (3, 13) else 5  # below are hints to the interpreter
_COMPARED_OPS = frozenset(
    number for name, number in opcode.opmap.items() if name.startswith(("BINARY_", "COMPARE_", "UNARY_", "CONTAINS_"))
)


def is_text_of(node: ast.AST, code: CodeType, class_name: str, lines: Sequence[str]) -> bool:
    """Whether the `def` or `lambda`, from a file of these lines, compiles to the given code.

    `class_name` is that of the class whose body holds it, or empty.
    """
    # Methods of names that the module imports are compiled to other instructions than methods of other names.
    imported = _read_as_modules(code)
    if _matches(code, _compile(node, code, class_name, imported)):
        return True
    used = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    more = imported | (_module_imports(lines) & used)  # where a parameter has the name of an import
    return more != imported and _matches(code, _compile(node, code, class_name, more))


def _matches(code: CodeType, compiled: CodeType) -> bool:
    return _equal(code, compiled) or (_is_rewritten(code) and _contains(code, compiled))


def _compile(node: ast.AST, code: CodeType, class_name: str, imported: Set[str]) -> CodeType:
    """The code of a definition taken out of its surroundings: its free names become locals of a function made around it."""
    statement = _bare(node)
    depth = 1
    if class_name:
        # Needed for private names (`__x`) and for `super()`.
        wrapper: Any = ast.parse(f"class {class_name}: pass").body[0]
        wrapper.body = [statement]
        statement, depth = wrapper, depth + 1
    free = [name for name in code.co_freevars if name.isidentifier()]
    if free:
        wrapper = ast.parse(f"def _():\n {' = '.join(free)} = None").body[0]
        wrapper.body.append(statement)
        statement, depth = wrapper, depth + 1
    names = [ast.alias(name) for name in sorted(imported)]
    imports: list[ast.stmt] = [ast.fix_missing_locations(ast.Import(names, lineno=1, col_offset=0))] if names else []
    compiled = compile(ast.Module([*imports, statement], []), "", "exec", code.co_flags & _FUTURE_FLAGS, True)
    for _ in range(depth):
        compiled = next(constant for constant in compiled.co_consts if isinstance(constant, CodeType))
    return compiled


def _read_as_modules(code: CodeType) -> set[str]:
    """The globals that the code reads attributes of, and never as a method: imported names among them are all there."""
    found: set[str] = set()
    methods: set[str] = set()
    pairs, name, high = code.co_code, "", 0
    for place in range(0, len(pairs), 2):
        op = pairs[place]
        if op == 0:  # a cache of the instruction before
            continue
        number = high << 8 | pairs[place + 1]
        high = number if op == opcode.EXTENDED_ARG else 0
        if name and op in _ATTRIBUTE_OPS:
            is_method = op == _LOAD_METHOD or bool(_METHOD_BIT and number & 1)
            (methods if is_method else found).add(name)
        if not high:
            name = code.co_names[number >> 1] if op == _LOAD_GLOBAL else ""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _read_as_modules(constant)
    return found - methods


def _module_imports(lines: Sequence[str]) -> set[str]:
    """The names that a file's import statements bind."""
    found: set[str] = set()
    for statement in re.finditer(_IMPORT, "".join(lines), re.MULTILINE):
        for part in (statement[1] or statement[2] or statement[3] or "").split(","):
            words = part.split("#")[0].split()
            if words:
                found.add(words[-1] if len(words) > 2 else words[0].split(".")[0])
    return found


def _bare(node: Any) -> Any:
    """The definition without what runs outside of it: decorators, defaults, annotations."""
    old = node.args
    new = ast.arguments(
        posonlyargs=[_bare_argument(argument) for argument in old.posonlyargs],
        args=[_bare_argument(argument) for argument in old.args],
        vararg=old.vararg and _bare_argument(old.vararg),
        kwonlyargs=[_bare_argument(argument) for argument in old.kwonlyargs],
        kw_defaults=[None] * len(old.kwonlyargs),
        kwarg=old.kwarg and _bare_argument(old.kwarg),
        defaults=[],
    )
    if isinstance(node, ast.Lambda):
        return ast.copy_location(ast.Expr(ast.copy_location(ast.Lambda(new, node.body), node)), node)
    kind: Any = ast.FunctionDef if isinstance(node, ast.FunctionDef) else ast.AsyncFunctionDef
    return ast.copy_location(kind(name=node.name, args=new, body=node.body, decorator_list=[], returns=None, type_params=[]), node)


def _bare_argument(argument: ast.arg) -> ast.arg:
    return ast.copy_location(ast.arg(argument.arg, None), argument)


def _equal(code: CodeType, other: CodeType) -> bool:
    return (
        code.co_code == other.co_code
        and code.co_names == other.co_names
        and code.co_varnames == other.co_varnames
        and code.co_freevars == other.co_freevars
        and _arguments(code) == _arguments(other)
        and len(code.co_consts) == len(other.co_consts)
        and all(_equal_constants(a, b) for a, b in zip(code.co_consts, other.co_consts, strict=True))
    )


def _equal_constants(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType):
        return _equal(a, b)
    if isinstance(a, tuple):
        first, second = cast("tuple[Any, ...]", a), cast("tuple[Any, ...]", b)
        return len(first) == len(second) and all(map(_equal_constants, first, second))
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)  # tells 0.0 from -0.0, and makes a NaN equal to itself
    return a == b


def _arguments(code: CodeType) -> tuple[Any, ...]:
    flags = code.co_flags & 0x0C  # whether there are *args and **kwargs
    count = code.co_argcount + code.co_kwonlyargcount + flags.bit_count()
    return code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, flags, code.co_varnames[:count]


def _is_rewritten(code: CodeType) -> bool:
    """Whether pytest has rewritten the function's asserts: its names there start with a sign that no user's name can have."""
    return any(name.startswith("@") for name in code.co_names + code.co_varnames)


def _contains(code: CodeType, other: CodeType) -> bool:
    """Whether `code` does all that `other` does: names, constants, operators."""
    if _arguments(code) != _arguments(other) or not set(other.co_names) <= set(code.co_names):
        return False
    if _operators(other) - _operators(code):
        return False
    mine = _constants(code)
    return all(constant in mine for constant in _constants(other))


def _constants(code: CodeType) -> set[tuple[str, str]]:
    """Every plain constant in the code and in the code inside it."""
    found: set[tuple[str, str]] = set()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _constants(constant)
        else:
            found.add((type(constant).__name__, repr(constant)))
    return found


def _operators(code: CodeType) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    pairs = code.co_code
    for place in range(0, len(pairs), 2):
        if pairs[place] in _COMPARED_OPS:
            shift = _COMPARE_SHIFT if pairs[place] == _COMPARE else 0
            found[pairs[place], pairs[place + 1] >> shift] += 1
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _operators(constant)
    return found
