"""An entry's plan to object code. Sizes that are texts (a plan from disk) are read back first."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from staxlang.base.sizes import Condition, parse_size
from staxlang.compiler.llvm.entry import emit_entry
from staxlang.compiler.llvm.entry_plan import EntryPlan
from staxlang.compiler.target import Target
from staxlang.runtime.plans import SIZES_OF_RESULT
from staxlang.runtime.support import Support, build


def build_entry(plan: EntryPlan, name: str, program: str, support: Support, target: Target) -> bytes:
    text = emit_entry(decode(plan), name, program, support.words, support.layout)
    return _built(f"{text}declare i32 @{program}(ptr, ptr, ptr, ptr)\n", target)


@lru_cache(32)
def _built(text: str, target: Target) -> bytes:
    """Remembered: kernels that take and give arrays of the same types have the same entry, but for the program's address."""
    return build(text, target, 0)


def decode(plan: EntryPlan) -> EntryPlan:
    """The plan with sizes instead of texts (their symbols are named `s0`, `s1`, ..)."""
    return plan._replace(
        places=tuple(place._replace(check=_check(place.check)) for place in plan.places),
        conditions=tuple(map(_condition, plan.conditions)),
        outputs=tuple(output._replace(shape=_sizes(output.shape)) for output in plan.outputs),
        result=_result(plan.result),
        work=_size(plan.work),
        arena=_size(plan.arena),
    )


def _condition(condition: Any) -> Condition:
    if isinstance(condition, Condition):
        return condition
    relation, left, right, _ = condition
    return Condition(relation, _size(left), _size(right))


def _size(size: Any) -> Any:
    return parse_size(size) if isinstance(size, str) else size


def _sizes(sizes: Any) -> Any:
    return None if sizes is None else tuple(map(_size, sizes))


def _check(check: tuple[Any, ...]) -> tuple[Any, ...]:
    if check[0] != "array":
        return check
    kind, dtype, shape, layout, written = check
    return kind, dtype, _sizes(shape), _sizes(layout), written


def _result(tree: tuple[Any, ...]) -> tuple[Any, ...]:
    if tree[0] in ("tuple", "build"):
        return (*tree[:-1], tuple(map(_result, tree[-1])))
    fields = SIZES_OF_RESULT.get(tree[0], ())
    return tuple(
        part if index not in fields else _sizes(part) if isinstance(part, tuple) else _size(part) for index, part in enumerate(tree)
    )
