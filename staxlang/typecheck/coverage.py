"""What NumPy's names mean in kernels, all of them: read from the tables that programs are compiled by, for documentation and tests."""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from staxlang.base.externs import OWN, find_extern
from staxlang.base.records import NamedTuple
from staxlang.parser import tree
from staxlang.parser.encoding import fields_of
from staxlang.parser.library import library_function, library_index
from staxlang.typecheck import names
from staxlang.typecheck.surface.dtypes import DTypeMeaning
from staxlang.typecheck.surface.elementwise import UfuncMeaning
from staxlang.typecheck.surface.library import WORD_CONSTANTS
from staxlang.typecheck.surface.mathematics import StaticMathMeaning
from staxlang.typecheck.surface.registry import FunctionMeaning, LibraryMeaning, RefusedMeaning
from staxlang.typecheck.surface.ufunc_methods import rows_of
from staxlang.typecheck.values import Meaning

NATIVE, EXTERN, REFUSED = "native", "extern", "refused"
INDEXED = ("mgrid", "ogrid", "r_", "c_", "s_", "index_exp")
"""Objects of NumPy that are used by indexing them."""


class Entry(NamedTuple):
    """A name of NumPy's: what becomes of it. `names` are all names of the same object, the first of them NumPy's own.

    state: NATIVE, EXTERN (through an extern operation, always or for some arguments) or REFUSED.
    route: how; of a refused one what to use instead.
    """

    names: tuple[str, ...]
    state: str
    route: str


def entries() -> dict[str, tuple[Entry, ...]]:
    """All names by where they are."""
    return {
        "The main namespace": tuple(_of_module(np, "np")),
        "Linear algebra": tuple(_of_module(np.linalg, "np.linalg")),
        "Fourier transforms": tuple(_of_module(np.fft, "np.fft")),
        "Methods of arrays": tuple(_of_arrays(True)),
        "Attributes of arrays": tuple(_of_arrays(False)),
        "Methods of ufuncs": tuple(_of_ufuncs()),
    }


# ---- what there is ----


def _of_module(module: ModuleType, path: str) -> Iterator[Entry]:
    """Functions, ufuncs and classes of a namespace; modules, constants, exceptions and the runner of NumPy's tests are none."""
    found: dict[int, tuple[Any, list[str]]] = {}
    for name in sorted(public(module)):
        value = getattr(module, name)
        found.setdefault(id(value), (value, []))[1].append(name)
    for value, spellings in found.values():
        own = getattr(value, "__name__", spellings[0])
        spellings.sort(key=lambda name: (name != own, name))
        yield _entry(tuple(f"{path}.{name}" for name in spellings), _meaning(value), value)


def public(module: ModuleType) -> Iterator[str]:
    """The names of a namespace that can be called or indexed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in dir(module):
            value = None if name.startswith("_") else getattr(module, name)
            if value is None or isinstance(value, ModuleType) or type(value).__name__ == "PytestTester":
                continue
            if isinstance(value, type) and issubclass(value, Exception):
                continue
            if callable(value) or (module is np and name in INDEXED):
                yield name


def _meaning(value: Any) -> Meaning | None:
    if any(value is one for one in WORD_CONSTANTS.values()):
        return None
    return names.resolve(value) or names.indexed(value) or names.refused(value)


def _of_arrays(methods: bool) -> Iterator[Entry]:
    for name in dir(np.ndarray):
        if name.startswith("_") or callable(getattr(np.ndarray, name)) is not methods:
            continue
        yield _entry((f".{name}()" if methods else f".{name}",), names.method(name) if methods else names.attribute(name), None)


def _of_ufuncs() -> Iterator[Entry]:
    for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
        native, others = rows_of(method)
        if native:
            yield Entry((f"ufunc.{method}",), NATIVE, "of " + _listed(native) if others else "of all")
        if others:
            yield Entry((f"ufunc.{method}",), EXTERN, f"{_extern(f'ufunc.{method}')}, of " + ("all others" if native else "all"))


# ---- what becomes of it ----


def _entry(spellings: tuple[str, ...], meaning: Meaning | None, value: Any) -> Entry:
    if isinstance(meaning, UfuncMeaning):
        return Entry(spellings, NATIVE, f"the operation `{meaning.row}`")
    if isinstance(meaning, DTypeMeaning):
        return Entry(spellings, NATIVE, f"conversion to `{meaning.dtype.name}`")
    if isinstance(meaning, StaticMathMeaning):
        return Entry(spellings, NATIVE, "when compiling, of values that are known then")
    if isinstance(meaning, LibraryMeaning):
        return _of_library(spellings, meaning.function)
    if isinstance(meaning, FunctionMeaning):
        return _of_function(spellings, meaning.function)
    if isinstance(meaning, RefusedMeaning):
        return Entry(spellings, REFUSED, meaning.advice or "")
    if value is not None and any(value is one for one in (*WORD_CONSTANTS.values(), np.s_, np.index_exp)):
        return Entry(spellings, NATIVE, "when compiling")
    return Entry(spellings, REFUSED, "")


def _of_function(spellings: tuple[str, ...], function: Callable[..., Any]) -> Entry:
    called = [one for one in function.__code__.co_consts if isinstance(one, str) and "." in one and find_extern(one) is not None]
    if called:
        return Entry(spellings, EXTERN, ", ".join(map(_extern, called)))
    return Entry(spellings, NATIVE, f"`typecheck/surface/{function.__module__.rpartition('.')[2]}.py`")


def _of_library(spellings: tuple[str, ...], function: str) -> Entry:
    always, sometimes = [{name for name in names if not _is_own(name)} for names in externs_of(function)]
    route = f"`stdlib/{library_index()[function].file}`"
    if always:
        return Entry(spellings, EXTERN, f"{route}: " + ", ".join(map(_extern, sorted(always))))
    if sometimes:
        return Entry(spellings, EXTERN, f"{route}, for some arguments: " + ", ".join(map(_extern, sorted(sometimes))))
    return Entry(spellings, NATIVE, route)


def _is_own(name: str) -> bool:
    """Whether an extern operation is done in the program itself."""
    row = find_extern(name)
    return row is not None and row.native in OWN


def _extern(name: str) -> str:
    row = find_extern(name)
    return f"`{name}`" if row is None or row.native else f"`{name}` (by NumPy itself)"


def _listed(rows: tuple[str, ...]) -> str:
    return ", ".join(f"`{row}`" for row in rows)


# ---- the library's definitions ----


_known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}


def externs_of(function: str) -> tuple[frozenset[str], frozenset[str]]:
    """The extern operations that a function of the library comes to: on every path, and on any."""
    if function not in _known:
        _known[function] = frozenset(), frozenset()  # what it says of itself, where it calls itself
        definition = library_function(function)
        if definition is not None:
            found = _Found(function.rpartition(".")[0], _own(definition))
            found.walk(definition.body, True)
            _known[function] = frozenset(found.always), frozenset(found.some | found.always)
    return _known[function]


def _own(definition: tree.Function) -> frozenset[str]:
    """The names of its parameters, which are no functions of the library."""
    return frozenset(parameter.name for parameter in definition.parameters)


class _Found:
    """What a definition's text comes to; `space` is its namespace, `own` are names that stand for values of its own."""

    def __init__(self, space: str, own: frozenset[str]) -> None:
        self.space = space
        self.own = own
        self.always: set[str] = set()
        self.some: set[str] = set()

    def walk(self, node: Any, sure: bool) -> None:
        if isinstance(node, tuple):
            for one in node:
                self.walk(one, sure)
            return
        if not isinstance(node, tree.TreeNode):
            return
        into = self.always if sure else self.some
        if isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.id == "extern":
            into.add(getattr(node.arguments[0], "value", ""))
        if isinstance(node, tree.Name) and (called := self._function(node.id)):
            surely, perhaps = externs_of(called)
            into.update(surely)
            self.some.update(perhaps)
        branches = isinstance(node, (tree.If, tree.Conditional))
        for name in fields_of(type(node)):
            self.walk(getattr(node, name), sure and not (branches and name != "test"))

    def _function(self, name: str) -> str:
        """The library's function that a name is, "" where it is none."""
        if name in self.own:
            return ""
        inner = f"{self.space}.{name}"
        if self.space and inner in library_index():
            return inner
        return name if name in library_index() and names.word(name) is None else ""


def _words(node: Any) -> frozenset[str]:
    if isinstance(node, tuple):
        return frozenset[str]().union(*map(_words, node))
    if isinstance(node, tree.Name):
        return frozenset((node.id,))
    if not isinstance(node, tree.TreeNode):
        return frozenset()
    return frozenset[str]().union(*(_words(getattr(node, name)) for name in fields_of(type(node))))
