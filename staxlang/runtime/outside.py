"""`stax.softmax(x)` outside a kernel: each operation's name gets a kernel that calls just it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from staxlang.runtime.kernel import kernel
from staxlang.typecheck.named_operations import NamedOperation, named_operation
from staxlang.typecheck.names import operation_named

_kernels: dict[str, Callable[..., Any]] = {}


def operation(name: str) -> NamedOperation | None:
    """The object for a name of the table or the standard library; None where there is none."""
    return operation_named(name)


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operation applied at once."""
    found = _kernels.get(name)
    if found is None:
        found = _kernels[name] = _kernel_of(named_operation(name))
    return found(*args, **kwargs)


def _kernel_of(called: NamedOperation) -> Callable[..., Any]:
    def alone(*args: Any, **kwargs: Any) -> Any:
        return called(*args, **kwargs)

    alone.__name__ = alone.__qualname__ = called.name
    return kernel(alone)


NamedOperation.outside = staticmethod(run)
