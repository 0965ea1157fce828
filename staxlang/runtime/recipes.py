"""The objects that an entry points to, as recipes: how another process finds the same ones, and how it sees that they are the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, cast

import numpy as np

from staxlang.compiler.llvm.entry_plan import EntryPlan, Place
from staxlang.runtime.containers import MAKERS, look_up
from staxlang.runtime.content import Content, describe
from staxlang.runtime.matching import Matcher

Recipe = tuple[Any, ...]
_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


class Unrecordable(Exception):
    """Something has no description by content: the version stays in its process."""


class RecipeWriter:
    """Recipes for a plan's slots.

    ("own function")                                                             the kernel's
    ("own globals") ("globals", module) ("own cell", k) ("cell of", slot, k)     where names are looked up
    ("at", place, content) ("type at", place, content) ("code of", slot)         what stands at a place, compared by content
    ("constant", value) ("dtype", text) ("numpy", dtype, bytes) ("named", module, name) ("class", module, name, digest)
    ("made", class, recipe) ("failure")
    """

    def __init__(self, plan: EntryPlan, slots: Sequence[Any], function: FunctionType) -> None:
        self.plan = plan
        self.slots = slots
        self.function = function
        self.recipes: list[Recipe | None] = [None] * len(slots)

    def write(self) -> list[Recipe]:
        for number, value in enumerate(self.slots):
            if value is self.function:
                self._set(number, ("own function",))
        for place in self.plan.places:
            if place.step[0] == "slot" and isinstance(self.slots[place.step[1]], type):  # a class that others are reached through
                self._set(place.step[1], self._plain(self.slots[place.step[1]]))
        for index, place in enumerate(self.plan.places):
            self._check(index, place.check)
        for place in self.plan.places:
            self._step(place)
        return [recipe if recipe is not None else self._plain(self.slots[number]) for number, recipe in enumerate(self.recipes)]

    def _set(self, slot: int, recipe: Recipe) -> None:
        if self.recipes[slot] is None:
            self.recipes[slot] = recipe

    def _check(self, index: int, check: tuple[Any, ...]) -> None:
        kind = check[0]
        if kind in ("same", "equal", "text", "function"):
            self._set(check[1], ("at", index, _described(self.slots[check[1]])))
        if kind == "function":
            self._set(check[2], ("code of", check[1]))
        elif kind in ("type", "numpy scalar"):
            self._set(check[-1], ("type at", index, _described(self.slots[check[-1]])))

    def _step(self, place: Place) -> None:
        if place.step[0] == "global":
            self._set(place.step[1], self._globals(self.slots[place.step[1]]))
        elif place.step[0] == "cell":
            self._set(place.step[1], self._cell(self.slots[place.step[1]]))

    def _globals(self, names: dict[str, Any]) -> Recipe:
        if names is self.function.__globals__:
            return ("own globals",)
        module = names.get("__name__")
        if isinstance(module, str) and getattr(sys.modules.get(module), "__dict__", None) is names:
            return ("globals", module)
        raise Unrecordable

    def _cell(self, cell: Any) -> Recipe:
        for index, own in enumerate(self.function.__closure__ or ()):
            if own is cell:
                return ("own cell", index)
        for number, value in enumerate(self.slots):
            for index, other in enumerate((value.__closure__ or ()) if isinstance(value, FunctionType) else ()):
                if other is cell:
                    return ("cell of", number, index)
        raise Unrecordable

    def _plain(self, value: Any) -> Recipe:
        """What comes from no place: names, keys, dtypes, constants of the result, makers of containers."""
        kind = cast("Any", type(value))
        if kind in _CONSTANTS or (kind is tuple and all(type(item) in _CONSTANTS for item in value)):
            return ("constant", value)
        if kind.__name__ in MAKERS and MAKERS[kind.__name__] is kind:
            recipe = value.recipe()
            if recipe is not None:
                return ("made", kind.__name__, recipe)
        elif getattr(value, "is_failure", False):
            return ("failure",)
        else:
            content = _described(value)
            if content[0] in ("dtype", "numpy", "named", "class"):
                return content
        raise Unrecordable


def _described(value: Any) -> Content:
    content = describe(value)
    if content is None:
        raise Unrecordable
    return content


class RecipeReader:
    """Slots from recipes, in this process, for a call's values."""

    def __init__(self, recipes: Sequence[Recipe], plan: EntryPlan, function: FunctionType, values: dict[str, Any], failure: Any) -> None:
        self.recipes = recipes
        self.plan = plan
        self.function = function
        self.failure = failure
        self.slots: list[Any] = [None] * len(recipes)
        self._missing = set(range(len(recipes)))
        self._reader = Matcher(plan, self.slots, (), values)

    def read(self) -> list[Any] | None:
        """None where something is not what it was."""
        try:
            for number, recipe in enumerate(self.recipes):
                form = _FORMS.get(recipe[0])
                if form is not None:
                    self._fill(number, form(self, recipe))
            self._dependent()
            for index, place in enumerate(self.plan.places):
                value = self._reader.read(place)
                self._reader.objects.append(value)
                if not self._compare(index, value):
                    return None
        except (LookupError, AttributeError, ValueError, TypeError):
            return None
        return None if self._missing else self.slots

    def _fill(self, number: int, value: Any) -> None:
        self.slots[number] = value
        self._missing.discard(number)

    def _compare(self, index: int, value: Any) -> bool:
        for number, recipe in enumerate(self.recipes):
            if recipe[0] in ("at", "type at") and recipe[1] == index:
                found = cast("Any", value if recipe[0] == "at" else type(value))
                if describe(found) != recipe[2]:
                    return False
                self._fill(number, found)
                self._dependent()
        return True

    def _dependent(self) -> None:
        """Slots that follow from a function in another slot."""
        for number, recipe in enumerate(self.recipes):
            if number in self._missing and recipe[0] in ("cell of", "code of") and recipe[1] not in self._missing:
                function = self.slots[recipe[1]]
                self._fill(number, function.__closure__[recipe[2]] if recipe[0] == "cell of" else function.__code__)


def _named(recipe: Recipe) -> Any:
    found = look_up(recipe[1], recipe[2])
    if found is None or (recipe[0] == "class" and describe(found) != recipe):
        raise LookupError(recipe[2])
    return found


_FORMS: dict[str, Callable[[RecipeReader, Recipe], Any]] = {
    "own function": lambda reader, recipe: reader.function,
    "own globals": lambda reader, recipe: reader.function.__globals__,
    "globals": lambda reader, recipe: sys.modules[recipe[1]].__dict__,
    "own cell": lambda reader, recipe: cast("Any", reader.function.__closure__)[recipe[1]],
    "constant": lambda reader, recipe: sys.intern(recipe[1]) if type(recipe[1]) is str else recipe[1],
    "dtype": lambda reader, recipe: np.dtype(recipe[1]),
    "numpy": lambda reader, recipe: np.frombuffer(recipe[2], recipe[1])[0],
    "named": lambda reader, recipe: _named(recipe),
    "class": lambda reader, recipe: _named(recipe),
    "made": lambda reader, recipe: MAKERS[recipe[1]].of(recipe[2]),
    "failure": lambda reader, recipe: reader.failure,
}
