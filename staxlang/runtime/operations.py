"""Calls of `stax.exp`, `stax.softmax` outside of kernels: a kernel of their own runs them. Their signatures and documentation.

Such a kernel is made of a function of one line, `return softmax(x, axis)`, with the parameters of the operation, and kept.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from staxlang.base.diagnostics import StaxError, error_of
from staxlang.base.operations import OPERATIONS, Operation
from staxlang.base.records import NamedTuple, replace
from staxlang.parser import library, tree
from staxlang.parser.printer import to_python
from staxlang.runtime import late
from staxlang.runtime.call_sites import call_site
from staxlang.typecheck import notation
from staxlang.typecheck.named_operations import named_operation

_UFUNC_OPTIONS = "out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True"
_MARKS = {"varargs": "*", "varkeywords": "**"}
_DTYPES = {name: getattr(notation, name) for name in "f16 f32 f64 i32 i64 u8 u16 u32 u64".split()}  # what defaults in the library name


def _cond(condition: Any, then: Callable[..., Any], otherwise: Callable[..., Any], /, *operands: Any) -> Any:
    """`then(*operands)` where the condition holds, else `otherwise(*operands)`.

    In a kernel both are evaluated, and the program chooses between their results, which must have the same types: the choice is no data
    gate and makes no versions.

    >>> stax.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)
    """
    return then(*operands) if condition else otherwise(*operands)


def _gate(value: Any, /) -> Any:
    """A number as a 0-d array of its own or default dtype.

    In a kernel it stays in the program as a tensor: as an index or a condition of `stax.cond` it is not frozen into a version.

    >>> x[stax.gate(k)]
    """
    made = np.array(value)
    if made.ndim:
        late.raise_error("bad-argument", argument="the operand", operation="stax.gate", expected="a number", given=f"{made.ndim} axes")
    return made


_PLAIN: dict[str, Callable[..., Any]] = {"cond": _cond, "gate": _gate}
"""Operations of the language's own, which outside of kernels are plain Python."""


class _Form(NamedTuple):
    """An operation seen from Python: its parameters as text and by kind, and which of them are arrays."""

    header: str
    parameters: tuple[tuple[str, str], ...]  # (kind, name)
    arrays: frozenset[str]
    doc: str


# ---- seen from Python ----


def _form(name: str) -> _Form:
    function = library.library_function(name)
    if function is not None:
        return _library_form(function)
    row = OPERATIONS.get(name)
    return _word_form(name) if row is None or name in _SPOKEN_OTHERWISE else _row_form(row)


def _word_form(name: str) -> _Form:
    """Of an operation that is no row: the parameters of its meaning. Those whose default is no value go into `**options`."""
    parts: list[str] = []
    passed: list[tuple[str, str]] = []
    left_out = False
    names = late.names()
    meaning = names.word(name)
    for parameter in list(inspect.signature(meaning.function).parameters.values())[1:]:
        kind = _KINDS[parameter.kind]
        if kind == "keyword" and not any(one.startswith("*") for one in parts):
            parts.append("*")
        if parameter.default is inspect.Parameter.empty:
            parts.append(f"{_MARKS.get(kind, '')}{parameter.name}")
        elif parameter.default is not names.reductions.MISSING and type(parameter.default.value) in _VALUES and not left_out:
            parts.append(f"{parameter.name}={parameter.default.value!r}")
        else:
            left_out = True
            continue
        passed.append((kind, parameter.name))
    if left_out:
        parts.append("**options")
        passed.append(("varkeywords", "options"))
    doc = inspect.getdoc(getattr(np, name)) or ""
    return _Form(", ".join(parts), tuple(passed), frozenset(), f"{' '.join(doc.partition(chr(10) * 2)[0].split())}\n\nNumPy's `{name}`.")


_SPOKEN_OTHERWISE = frozenset(("where", "real", "imag"))
"""Rows that are functions and no ufuncs in NumPy."""
_KINDS: dict[Any, str] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional", inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "varargs", inspect.Parameter.KEYWORD_ONLY: "keyword", inspect.Parameter.VAR_KEYWORD: "varkeywords",
}  # fmt: skip
_VALUES = (bool, int, float, str, type(None))


def _row_form(row: Operation) -> _Form:
    call, value = row.example.split(" -> ")
    doc = f"{row.doc}\n\n>>> {call}\n{value}"
    operands = ("x",) if row.arity == 1 else tuple(f"x{k}" for k in range(1, row.arity + 1))
    options = tuple(("keyword", option) for option in ("out", "where", "casting", "order", "dtype", "subok"))
    header = f"{', '.join(operands)}, /, {_UFUNC_OPTIONS}"
    return _Form(header, (*(("positional", name) for name in operands), *options), frozenset(operands), doc)


def _library_form(function: tree.Function) -> _Form:
    parts: list[str] = []
    starred = False
    for parameter in function.parameters:
        if parameter.kind == "keyword" and not starred:
            parts.append("*")
        starred = starred or parameter.kind in ("keyword", "varargs")
        default = "" if parameter.default is None else f"={to_python(parameter.default).strip()}"
        parts.append(f"{_MARKS.get(parameter.kind, '')}{parameter.name}{default}")
    arrays = frozenset(parameter.name for parameter in function.parameters if _is_array(parameter.annotation))
    return _Form(", ".join(parts), tuple((parameter.kind, parameter.name) for parameter in function.parameters), arrays, function.doc or "")


def _is_array(annotation: Any) -> bool:
    """`T[*B]`, or `T[*B] | none`."""
    return isinstance(annotation, tree.Subscript) or (isinstance(annotation, tree.Binary) and _is_array(annotation.left))


def _function(name: str, form: _Form) -> Any:
    """The function of one line that a kernel is made of. Its text is kept where the compiler looks for sources."""
    passed = [
        f"{_MARKS[kind]}{parameter}" if kind in _MARKS else f"{parameter}={parameter}" if kind == "keyword" else parameter
        for kind, parameter in form.parameters
    ]
    own = name.rpartition(".")[2]
    text = f"def {own}({form.header}):\n    return {own}({', '.join(passed)})\n"
    file = f"<stax.{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "staxlang", **_DTYPES}
    exec(compile(text, file, "exec"), space)
    made = space[own]
    space[own] = named_operation(name)
    made.__doc__ = form.doc
    return made


class _Outside:
    """How an operation looks and runs outside of kernels."""

    __slots__ = ("form", "function", "kernel")

    def __init__(self, name: str) -> None:
        self.form = _form(name)
        self.function = _function(name, self.form)
        self.kernel: Any = late.kernels().kernel(self.function)


@cache
def _outside(name: str) -> _Outside:
    return _Outside(name)


def kernel_of(name: str) -> Any:
    """The Kernel that serves calls of an operation outside of kernels."""
    return _outside(name).kernel


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`stax.<name>(*args, **kwargs)`. Lists and tuples stand for arrays where the operation takes an array."""
    plain = _PLAIN.get(name)
    if plain is not None:
        return plain(*args, **kwargs)
    found = _outside(name)
    if any(type(value) in (list, tuple) for value in (*args, *kwargs.values())):
        args, kwargs = _with_arrays(found.form, args, kwargs)
    try:
        return found.kernel(*args, **kwargs)
    except StaxError as problem:
        raise _at_the_call(problem, found.function.__code__.co_filename) from problem.__cause__


def _at_the_call(problem: StaxError, file: str) -> StaxError:
    """The error with the user's line in the place of the one line that the kernel is made of."""
    site = call_site()
    places = [one.span if one.span is None or one.span.source.name != file else site or one.span for one in problem.diagnostics]
    return error_of([replace(one, span=place) for one, place in zip(problem.diagnostics, places, strict=True)])


def _with_arrays(form: _Form, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    names = [name for kind, name in form.parameters if kind not in _MARKS]
    wanted = [name in form.arrays for name in names] + [False] * len(args)
    return (
        tuple(_array(value) if array else value for value, array in zip(args, wanted, strict=False)),
        {name: _array(value) if name in form.arrays else value for name, value in kwargs.items()},
    )


def _array(value: Any) -> Any:
    """What NumPy makes of a list; one that it makes no numbers of stays as it is, for the kernel to refuse."""
    if type(value) not in (list, tuple):
        return value
    try:
        made = np.asarray(value)
    except ValueError:
        return value
    return value if made.dtype.hasobject else made


def describe(name: str) -> tuple[str, inspect.Signature]:
    """An operation's documentation and signature."""
    if name in _PLAIN:
        return inspect.getdoc(_PLAIN[name]) or "", inspect.signature(_PLAIN[name])
    form = _form(name)
    return form.doc, inspect.signature(_outside(name).function)
