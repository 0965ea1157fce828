"""Plans in the form that the runtime matches and stores: sizes as ints or as texts of Python expressions over `s0`, `s1`, ..."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from staxlang.compiler.llvm.entry_plan import EntryPlan, Output, Place

# An array check's fields that hold sizes, and result nodes' fields that do.
SIZES_OF_RESULT = {"view": (3, 4, 5), "part": (3, 4, 5), "size": (1,)}


class SizeNames:
    """Symbols of a plan to the short names that stand for them in texts."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def text(self, size: Any) -> int | str:
        """A Size as an int, or as the text of a Python expression."""
        if isinstance(size, int):
            return size
        terms: list[str] = []
        for monomial, count in size.terms.items():
            factors = [self._atom(atom) for atom in monomial]
            terms.append("*".join(factors if count == 1 and factors else [str(count), *factors]))
        return "+".join(terms)

    def _atom(self, atom: Any) -> str:
        if atom.kind == "symbol":
            return self.name(atom.name)
        parts = [str(self.text(part)) for part in atom.parts]
        if atom.kind == "floordiv":
            return f"(({parts[0]})//({parts[1]}))"
        return f"{atom.kind}({', '.join(parts)})"

    def name(self, symbol: str) -> str:
        return self.names.setdefault(symbol, f"s{len(self.names)}")

    def many(self, sizes: Any) -> Any:
        return None if sizes is None else tuple(self.text(size) for size in sizes)


def encode(plan: EntryPlan, asked: Mapping[Any, tuple[int, str]] | None = None) -> tuple[EntryPlan, tuple[str, ...]]:
    """The plan with its sizes as texts, and the symbols' own names in the order of `s0`, `s1`, ...

    `asked` gives the line and the reason of conditions.
    """
    names = SizeNames()
    places = tuple(place._replace(check=_check(place.check, names)) for place in plan.places)
    symbols = tuple((names.name(symbol), place) for symbol, place in plan.symbols)
    reasons = asked or {}
    conditions = tuple((c.relation, names.text(c.left), names.text(c.right), reasons.get(c, (0, ""))) for c in plan.conditions)
    outputs = tuple(output._replace(shape=names.many(output.shape)) for output in plan.outputs)
    encoded = plan._replace(
        places=places,
        symbols=symbols,
        conditions=conditions,
        sizes=tuple(names.name(symbol) for symbol in plan.sizes),
        above=tuple(None if symbol is None else names.name(symbol) for symbol in plan.above),
        outputs=outputs,
        result=_result(plan.result, names),
        work=names.text(plan.work),
        arena=names.text(plan.arena),
    )
    return encoded, tuple(names.names)


def _check(check: tuple[Any, ...], names: SizeNames) -> tuple[Any, ...]:
    if check[0] == "array":
        kind, dtype, shape, layout, written = check
        return kind, dtype, names.many(shape), names.many(layout), written
    return check


def _result(tree: tuple[Any, ...], names: SizeNames) -> tuple[Any, ...]:
    kind = tree[0]
    if kind == "tuple":
        return kind, tuple(_result(item, names) for item in tree[1])
    if kind == "build":
        return kind, tree[1], tuple(_result(item, names) for item in tree[2])
    fields = SIZES_OF_RESULT.get(kind, ())
    return tuple(
        part if index not in fields else names.many(part) if isinstance(part, tuple) else names.text(part)
        for index, part in enumerate(tree)
    )


def shape_key(plan: EntryPlan) -> str:
    """An encoded plan as text, without the words for users: equal for equal entries in every process."""
    places = tuple(place._replace(path="", asked=(0, "")) for place in plan.places)
    return repr(plan._replace(places=places, conditions=tuple(condition[:3] for condition in plan.conditions)))


def asked_text(asked: tuple[int, str]) -> str:
    """` (line 12: axis)`; empty where nothing is known."""
    line, reason = asked
    return f" (line {line}{': ' if reason else ''}{reason})" if line else ""


def shifted(plan: EntryPlan, lines: int) -> EntryPlan:
    """The plan with line numbers moved: they are stored relative to the function's first line."""

    def move(asked: tuple[int, str]) -> tuple[int, str]:
        return (asked[0] + lines, asked[1]) if asked[0] else asked

    places = tuple(place._replace(asked=move(place.asked)) for place in plan.places)
    return plan._replace(places=places, conditions=tuple((*condition[:3], move(condition[3])) for condition in plan.conditions))


Environment = dict[str, int]
_CODE: dict[str, Any] = {}
_SCOPE: Mapping[str, Any] = {"__builtins__": {}, "min": min, "max": max}


def evaluate(size: Any, env: Environment) -> int:
    """A size of an encoded plan at a call's values of the symbols."""
    if isinstance(size, int):
        return size
    value = env.get(size)
    if value is not None:
        return value
    code = _CODE.get(size)
    if code is None:
        code = _CODE[size] = compile(size, "<size>", "eval")
    return eval(code, dict(_SCOPE), env)


__all__ = ["EntryPlan", "Environment", "Output", "Place", "encode", "evaluate"]
