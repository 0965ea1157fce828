"""`stax.register_extern`: a function on arrays becomes an operation of the language, with a rule for its results."""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from staxlang.base.externs import Extern, Pruned, add_extern, is_reserved
from staxlang.runtime import late
from staxlang.runtime.content import function_digest
from staxlang.runtime.disk import digest
from staxlang.typecheck.annotation_reading import BadAnnotation
from staxlang.typecheck.annotations import ANY, Annotation
from staxlang.typecheck.extern_operations import ExternOperation, remember
from staxlang.typecheck.extern_rules import bound, declared_parameters, rule_of_annotations, rule_of_function


def register_extern(
    name: str,
    eager: Callable[..., Any],
    *,
    result: Callable[..., Any] | None = None,
    into: Callable[..., None] | None = None,
    adjoint: str = "",
    prune: Callable[[frozenset[int], Mapping[str, Any]], tuple[str, Mapping[str, Any], Mapping[int, int]] | None] | None = None,
    overwrites: Sequence[int] = (),
) -> ExternOperation:
    """Make a function on arrays an operation that kernels can call: what the language cannot say, a library's routine.

    `eager(*arrays, **options)` computes the result, or a tuple of results. In a kernel, arguments by position are arrays, and those by
    name are options, which are known when the kernel is compiled. The operation must be pure: equal arguments, equal results, nothing
    else; a call whose results nobody uses is not made, equal calls are made once. Operands are lent for the call and may not be written to
    (nor kept), but for the numbers in `overwrites`, of which it gets copies. It runs with the GIL held; what it raises, the kernel's call
    raises.

    What the results are is said by `result`, a function of the operands' types: each has `shape` (of ints and symbols), `dtype` and `ndim`;
    it gives one of them, `stax.spec(shape, dtype)`, or a tuple of those. Without it, annotations of `eager` must say it.

    `into(outs, *arrays, **options)`: the same, with results written to arrays that are there, which saves a copy. `prune(used, options)`
    gives, where only the results with numbers in `used` are needed, a cheaper call: (name, options, {number: its number there}), or None.
    `adjoint` names the function of the standard library that differentiates it.

    >>> N, = stax.dims("N")
    >>> def cumulative(y: Tensor[f64, N]) -> Tensor[f64, N]:
    ...     return np.maximum.accumulate(y)
    >>> highest = stax.register_extern("examples.highest", cumulative)
    >>> stax.kernel(lambda y: highest(y) - y)(np.array([1.0, 3.0, 2.0]))
    array([0., 0., 1.])
    """
    parameters, rule, text = _rule(name, eager, result)
    _check(name, eager)
    row = Extern(
        name, rule, eager, (inspect.getdoc(eager) or "").partition("\n")[0], into,
        overwrites=tuple(overwrites), adjoint=adjoint, prune=None if prune is None else _pruning(prune),
    )  # fmt: skip
    pruned = "" if prune is None else _code(prune)
    made = ExternOperation(row, digest(name, text, pruned, repr(tuple(overwrites))), partial(bound, parameters) if parameters else None)
    add_extern(row)
    remember(made)
    return made


def _rule(
    name: str, eager: Callable[..., Any], result: Callable[..., Any] | None
) -> tuple[tuple[tuple[str, Annotation], ...], Callable[..., Any], str]:
    """(what is declared of operands, the rule, the rule as text)."""
    if result is not None:
        return (), rule_of_function(result), _code(result)
    try:
        parameters, returns = declared_parameters(eager)
    except (BadAnnotation, AttributeError, TypeError, ValueError, NameError) as problem:
        late.raise_error("bad-extern", name=name, reason=f"its annotations cannot be read ({problem}); give `result=`")
    rule = rule_of_annotations(parameters, returns)
    if rule is None:
        late.raise_error("bad-extern", name=name, reason="nothing says dtype and shape of its results: annotate it, or give `result=`")
    said = tuple([(name, annotation) for name, annotation in parameters])
    return (said if any(one is not ANY for _, one in said) else ()), rule, repr((said, returns))


def _check(name: str, eager: Any) -> None:
    parts = name.split(".") if isinstance(name, str) else []  # pyright: ignore[reportUnnecessaryIsInstance]
    reason = ""
    if not parts or not all(part.isidentifier() for part in parts):
        reason = "its name must be identifiers with dots between"
    elif is_reserved(name):
        reason = f"names that begin with {parts[0]!r} are Stax's own"
    elif not callable(eager):
        reason = f"{eager!r} is not a function"
    if reason:
        late.raise_error("bad-extern", name=name, reason=reason)


def _code(function: Any) -> str:
    """A function by its code; of another callable, by its name."""
    found = function_digest(function) if isinstance(function, FunctionType) else None
    return found or f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(type(function)))}"


def _pruning(prune: Callable[..., Any]) -> Callable[[frozenset[int], Mapping[str, Any]], Pruned | None]:
    def pruned(used: frozenset[int], options: Mapping[str, Any]) -> Pruned | None:
        found = prune(used, options)
        return None if found is None else Pruned(*found)

    return pruned
