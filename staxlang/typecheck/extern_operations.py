"""Users' extern operations as Python objects."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc, signature
from typing import Any

import numpy as np

from staxlang.base.externs import Extern, find_extern

Bound = Callable[..., Any]
"""(types, same) to the Binding that such operands make of what annotations declare; None where they declare nothing."""


class ExternOperation:
    """An extern operation that a user has registered. In kernels it is a step of the program; outside it runs at once."""

    __slots__ = ("bound", "digest", "row")

    def __init__(self, row: Extern, digest: str, bound: Bound | None = None) -> None:
        self.row = row
        self.digest = digest  # of the rules for its results: programs on disk belong to them
        self.bound = bound

    @property
    def __name__(self) -> str:
        return self.row.name

    @property
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return getdoc(self.row.eager) or self.row.doc

    @property
    def __signature__(self) -> Any:
        return signature(self.row.eager)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        given = [np.array(array) if k in self.row.overwrites else np.asarray(array) for k, array in enumerate(arrays)]
        return self.row.eager(*given, **options)

    def __repr__(self) -> str:
        return f"<extern operation {self.row.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return registered, (self.row.name, self.digest)

_registered: dict[str, ExternOperation] = {}


def registered(name: str, digest: str) -> ExternOperation:
    """The operation of that name, if its rules are those of the digest (for pickles)."""
    found = _registered.get(name)
    if found is None or found.digest != digest or find_extern(name) is not found.row:
        raise LookupError(f"no extern operation {name!r} with these rules is registered in this process")
    return found


def remember(operation: ExternOperation) -> None:
    _registered[operation.row.name] = operation
