"""Loops that stay loops, but whose rounds depend on no other: they may run at the same time, each with memory of its own."""

from __future__ import annotations

from staxlang.base.records import replace
from staxlang.base.sizes import symbol
from staxlang.compiler.loops.dependence import Access, accesses, carried
from staxlang.compiler.loops.ir import Definition, LibraryCall, Range
from staxlang.compiler.loops.kept import is_loop, made_inside, movers


def are_apart(step: LibraryCall) -> bool:
    """Whether the rounds of a loop may run in any order, or at once."""
    if step["extent"] is None or step["go"] is not None or movers(step):
        return False
    found = _of_round(step, frozenset(made_inside(step)), ())
    return found is not None and not carried(found, step["index"], step["extent"])


def _of_round(step: LibraryCall, private: frozenset[str], around: tuple[Range, ...]) -> list[Access] | None:
    """What a round reads and writes of what outlives it, loops inside of it over all of their rounds; None where that is not known."""
    found: list[Access] = []
    for one in step["body"].steps:
        if isinstance(one, Definition):
            found += [replace(access, ranges=(*around, *access.ranges)) for access in accesses(one) if access.buffer not in private]
        elif not is_loop(one) or movers(one):
            return None
        else:
            rounds = symbol(f"rounds.{one['index']}") if one["extent"] is None else one["extent"]
            inner = _of_round(one, private.union(made_inside(one)), (*around, (one["index"], rounds)))
            if inner is None:
                return None
            found += inner
    return found


def outlasting(step: LibraryCall) -> list[str]:
    """The buffers of a scheduled loop that are not its rounds' own."""
    return list(dict.fromkeys([view.buffer for view in (*step.outs[:-1], *step.operands)]))
