"""Names of `stax.*` to operations. Calls of them outside of kernels, and questions about them, go to operations.py, loaded then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staxlang.runtime import late
from staxlang.typecheck.named_operations import NamedOperation, named_operation
from staxlang.typecheck.operation_names import NAMESPACE_NAMES, OPERATION_NAMES

if TYPE_CHECKING:
    from inspect import Signature


def operation(name: str) -> NamedOperation | None:
    """The object that `stax.<name>` is (`random.uniform`: of a namespace); None where there is no such operation."""
    space, _, own = name.rpartition(".")
    return named_operation(name) if own in (NAMESPACE_NAMES.get(space, ()) if space else OPERATION_NAMES) else None


def operation_names() -> frozenset[str]:
    return OPERATION_NAMES


def _run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return late.operations().run(name, args, kwargs)


def _describe(name: str) -> tuple[str, Signature]:
    return late.operations().describe(name)


NamedOperation.outside = _run
NamedOperation.description = _describe
