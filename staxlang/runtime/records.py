"""Whole versions on disk: a second process finds program, entry, guards and gates of a call by the content of function and arguments."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from staxlang.compiler.llvm.entry_plan import EntryPlan, Output, Place
from staxlang.runtime import identity, late
from staxlang.runtime.binding import CallShape
from staxlang.runtime.content import describe, function_digest
from staxlang.runtime.disk import digest
from staxlang.runtime.ground import Ground
from staxlang.runtime.loader import LoadError
from staxlang.runtime.matching import Difference
from staxlang.runtime.plans import shifted
from staxlang.runtime.program_loading import (
    DIVISOR,
    EXPONENT,
    EXTERN,
    FINITE,
    INDEX,
    INTERRUPT,
    MASK,
    REQUIRED,
    WRITTEN,
    Stored,
    load_program,
)
from staxlang.runtime.recipes import RecipeReader, RecipeWriter, Unrecordable
from staxlang.runtime.signature import Item, Prepared
from staxlang.runtime.versions import GateStep, Version


class RestoredFailure:
    """Raises for a failed run-time check of a program that came from disk."""

    is_failure = True

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.checks: tuple[str, ...] = ()

    def __call__(self, status: int) -> None:
        expression = self.checks[status - 1] if status <= len(self.checks) else f"{INDEX}? ?\n{self.kernel}"
        if expression == INTERRUPT:
            late.interrupts().raise_noted()
        if expression.startswith(DIVISOR):
            operation, _, place = expression.removeprefix(DIVISOR).partition(" ")
            late.raise_error("division-by-zero", notes=(f"in {place}",), operation=operation)
        if expression == EXPONENT:
            late.raise_error("negative-power", power="taken from data")
        if expression.startswith(REQUIRED):
            late.raise_demand(expression.removeprefix(REQUIRED))
        if expression.startswith(WRITTEN):
            late.raise_written(expression.removeprefix(WRITTEN))
        if expression.startswith(FINITE):
            late.raise_error("not-finite", expression=expression.removeprefix(FINITE))
        if expression == MASK:
            late.raise_error("assign-mismatch", value="(another number, ...)", target="(chosen by the mask, ...)")
        if expression.startswith(EXTERN):
            name, _, where = expression.removeprefix(EXTERN).partition(" ")
            late.externs().raise_failed(name, where)
        numbers, _, place = expression.removeprefix(INDEX).partition("\n")
        axis, _, extent = numbers.partition(" ")
        late.raise_error("index-out-of-range-at-run", index="taken from data", axis=axis, extent=extent, expression=place)


# ---- keys ----------------------------------------------------------------------------------------------------------


def record_key(ground: Ground, options: str, function: FunctionType, prepared: Prepared, shape: CallShape, extents: str) -> str | None:
    """The key of a call: function, kinds of its arguments, `extents` (constants and symbols), settings. None: something has no content."""
    code = function_digest(function)
    arguments = signature_text(prepared, shape, extents)
    if code is None or arguments is None or ground.store is None:
        return None
    return digest("version", identity.compiler(), identity.machine(ground.target), options, function.__module__ or "", code, arguments)


def signature_text(prepared: Prepared, shape: CallShape, extents: str) -> str | None:
    """The kinds of a call's objects, and which arrays are one; None where an object has no content."""
    parts = [repr(shape), extents]
    first: dict[int, str] = {}
    for item in prepared.items:
        content = _item_content(item)
        if content is None:
            return None
        same = first.setdefault(id(item.value), item.path) if item.kind == "array" else ""
        parts.append(f"{item.kind} {item.path} {item.parent} {content!r} {same}")
    return "\n".join(parts)


def _item_content(item: Item) -> Any:
    value = item.value
    if item.kind == "array":
        return (value.dtype.str, value.ndim, None if value.flags.c_contiguous else value.strides)
    if item.kind == "numpy scalar":
        return value.dtype.str
    if item.kind in ("int", "float", "complex"):
        return item.kind
    if item.kind in ("tuple", "list"):
        return len(value)
    if item.kind == "dict":
        return describe(tuple(value))
    if item.kind == "record":
        return describe(type(value))
    # Of an instance, the version's own guards look at what the program has read of it.
    return describe(value) or (describe(type(value)) if item.kind == "object" else None)


def _below(key: str, gate: GateStep) -> str:
    """Where what stands below a gate is stored: for each outcome that decides; of counts for none, one and more, which differ most."""
    return digest("below", key, f"counts {min(max(gate.outcome, -1), 2)}" if gate.counts else repr(gate.outcome))


# ---- saving --------------------------------------------------------------------------------------------------------


def save(ground: Ground, key: str, version: Version, function: FunctionType) -> None:
    """Store a version's gates and the version, each under its own key. What has no content is not stored."""
    store = ground.store
    assert store is not None
    try:
        for gate in version.gates:
            where = (gate.what, gate.line, gate.counts)
            store.put(key, _encoded(gate.plan, gate.slots, gate.names, gate.program.fingerprint, gate.stored, where, function))
            key = _below(key, gate)
        plan, program = version.plan, version.program.fingerprint
        store.put(key, _encoded(plan, version.slots, version.names, program, version.stored, None, function))
    except (Unrecordable, ValueError):
        return


def _encoded(
    plan: EntryPlan,
    slots: list[Any],
    names: tuple[str, ...],
    program: str,
    stored: Stored,
    gate: tuple[str, int, bool] | None,
    function: FunctionType,
) -> bytes:
    """Line numbers are stored relative to the function's first, so that a function that has only moved keeps its versions."""
    recipes = RecipeWriter(plan, slots, function).write()
    first = function.__code__.co_firstlineno
    fields: dict[str, Any] = shifted(plan, -first)._asdict()
    fields |= {"places": tuple([tuple(place) for place in fields["places"]]), "outputs": tuple([tuple(one) for one in plan.outputs])}
    where = None if gate is None else (gate[0], gate[1] - first, gate[2])
    plain: Any = (tuple(fields.values()), recipes, names, program, stored, where)
    return marshal.dumps(plain)


# ---- restoring -----------------------------------------------------------------------------------------------------


def restore(ground: Ground, key: str, function: FunctionType, prepared: Prepared, number: int, failure: RestoredFailure) -> Version | None:
    """The stored version of a call; its gates are replayed on the way. None where there is none, or it does not fit this process."""
    gates: list[GateStep] = []
    first = function.__code__.co_firstlineno
    while True:
        data = ground.store.get(key) if ground.store is not None else None
        if data is None:
            return None
        try:
            plan, recipes, names, fingerprint, stored, where = marshal.loads(data)
            plan = shifted(_plan(plan), first)
            program = load_program(ground.support, ground.target, ground.store, fingerprint, stored)
        except (LoadError, ValueError, EOFError, TypeError):
            return None
        slots = RecipeReader(recipes, plan, function, prepared.values, failure).read()
        if slots is None:
            return None
        if where is None:
            version = Version(number, plan, slots, names, program, tuple(gates))
            version.stored = stored
            failure.checks = stored[-1]
            return version if version.fits(prepared.values) else None
        gate = GateStep(key, plan, slots, names, program, None, where[0], where[1] + first, where[2])
        gate.stored = stored
        gate.outcome = gate.replay(prepared.values, [before.outcome for before in gates])
        if isinstance(gate.outcome, Difference):
            return None
        gates.append(gate)
        key = _below(key, gate)


def _plan(fields: Sequence[Any]) -> EntryPlan:
    plan = EntryPlan(*fields)
    return plan._replace(
        places=tuple(Place(*place) for place in plan.places), outputs=tuple(Output(*output) for output in plan.outputs)
    )
