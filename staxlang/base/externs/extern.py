"""What an extern operation is, and the table of them: the door for what the language cannot say (LAPACK, FFT, sorting, users' own)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, cast

from staxlang.base.records import NamedTuple
from staxlang.base.types import TensorType

Options = tuple[tuple[str, Any], ...]
"""The arguments of a call that are no arrays, by name, sorted: plain numbers and texts, tuples of them, sizes."""


DEMAND: Final = "demand: "
"""What the names of run-time checks begin with that say what the data must be."""
RAISED: Final = "raise: "
"""And of those that raise what the program says: `module:class:words` stands behind it."""
DIVISION: Final = "division: "
"""What the name of a divisor's check begins with; the operator follows."""
OWN: Final = frozenset(("places",))
"""The native routines whose text is part of the program that calls them: nothing outside is called, and they cannot fail."""


class Pruned(NamedTuple):
    """A cheaper call that gives the results that are used: `results` maps each of them to its place among the cheaper one's."""

    name: str
    options: Mapping[str, Any]
    results: Mapping[int, int]


class Extern(NamedTuple):
    """An operation beside the language, declared once. It is pure: equal operands give equal results, and nobody sees it run.

    name: dotted, as programs refer to it on disk and in texts.
    result: `(*types, **options)` of the operands gives the result's TensorType, or a tuple of them. It raises where they do not fit.
    eager: `(*arrays, **options)` gives the result, or a tuple of them. It says what the operation means.
    into: the same with results written to arrays that are there: `(outs, *arrays, **options)`; None: results of `eager` are copied.
    native: the routine of compiler/llvm that does it in machine code; "": the program calls `eager`.
    failure: what data can make it fail with (`eager` raises LinAlgError then); "": users' operations raise what they raise.
    overwrites: numbers of operands that `eager` may change: they are private copies then. Others are not to be written to.
        Results never share memory with operands.
    adjoint: the function of the standard library that gives the operands' adjoints from operands, results and the results' adjoints.
    prune: `(used, options)` gives a cheaper call where only some results (their numbers) are used, None where there is none.
    flops: `(*shapes)` of the operands gives about how many operations on real numbers it makes, for reports.
    doc: one line.
    """

    name: str
    result: Callable[..., Any]
    eager: Callable[..., Any]
    doc: str
    into: Callable[..., None] | None = None
    native: str = ""
    failure: str = ""
    overwrites: tuple[int, ...] = ()
    adjoint: str = ""
    prune: Callable[[frozenset[int], Mapping[str, Any]], Pruned | None] | None = None
    flops: Callable[..., float] | None = None

    def results(self, types: tuple[TensorType, ...], options: Options) -> tuple[TensorType, ...]:
        """The results' types. Whatever the rule raises comes out."""
        return together(self.result(*types, **dict(options)))

    def run(self, arrays: tuple[Any, ...], options: Options) -> tuple[Any, ...]:
        """The results for arrays, by `eager`."""
        return together(self.eager(*arrays, **dict(options)))


def together(results: Any) -> tuple[Any, ...]:
    """One result, or several, as a tuple."""
    return tuple(cast("tuple[Any, ...]", results)) if isinstance(results, (tuple, list)) else (results,)


_FAMILIES: Final[dict[str, str]] = {"linalg": "linear", "fft": "fourier", "sort": "ordering", "ufunc": "ufuncs", "memory": "reading"}
"""First parts of the names that are Stax's own, and their modules."""
_known: dict[str, Extern] = {}


def find_extern(name: str) -> Extern | None:
    """The operation of that name; Stax's own are loaded with the first of their family."""
    found = _known.get(name)
    if found is None:
        module = _FAMILIES.get(name.partition(".")[0])
        if module is not None:
            for one in import_module(f"staxlang.base.externs.{module}").EXTERN_ROWS:
                _known.setdefault(one.name, one)
            found = _known.get(name)
    return found


def is_reserved(name: str) -> bool:
    """Whether a name belongs to Stax's own operations."""
    return name.partition(".")[0] in _FAMILIES


def add_extern(extern: Extern) -> None:
    """Put a user's operation into the table; one of the same name is replaced."""
    _known[extern.name] = extern
