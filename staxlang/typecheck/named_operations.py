"""`stax.exp`, `stax.softmax`: operations and library functions as Python objects, known to the evaluator by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class NamedOperation:
    """An operation of the table or a function of the standard library. One object per name.

    Inside a kernel it is what its name says. Outside, a call goes to `outside`, which the runtime sets.
    """

    __slots__ = ("name",)
    outside: ClassVar[Callable[..., Any] | None] = None

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        run = NamedOperation.outside
        if run is None:
            raise TypeError(f"stax.{self.name} is called inside kernels; no runtime is loaded that could run it here")
        return run(self.name, args, kwargs)

    @property
    def __name__(self) -> str:
        return self.name

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
