"""`stax.exp`, `stax.softmax`: operations and library functions as Python objects, known to the evaluator by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from inspect import Signature


class NamedOperation:
    """An operation of the table or a function of the standard library. One object per name.

    Inside a kernel it is what its name says. Outside, a call goes to `outside`; `description` gives documentation and signature. The
    runtime sets both.
    """

    __slots__ = ("name",)
    outside: ClassVar[Callable[[str, tuple[Any, ...], dict[str, Any]], Any] | None] = None
    description: ClassVar[Callable[[str], tuple[str, Signature]] | None] = None

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        run = NamedOperation.outside
        if run is None:
            raise TypeError(f"stax.{self.name} is called inside kernels; no runtime is loaded that could run it here")
        return run(self.name, args, kwargs)

    @property
    def __name__(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return None if NamedOperation.description is None else NamedOperation.description(self.name)[0]

    @property
    def __signature__(self) -> Signature:
        if NamedOperation.description is None:
            raise AttributeError("__signature__")
        return NamedOperation.description(self.name)[1]

    def __get__(self, instance: object, owner: type | None = None) -> NamedOperation:
        """As a ufunc in a class: no method. (`help` documents objects with a `__get__` as functions.)"""
        return self

    def __repr__(self) -> str:
        return f"stax.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return named_operation, (self.name,)


_MADE: dict[str, NamedOperation] = {}


def named_operation(name: str) -> NamedOperation:
    """The object that stands for an operation; whether there is one of that name is not asked here (see names.word)."""
    found = _MADE.get(name)
    if found is None:
        found = _MADE[name] = NamedOperation(name)
    return found
