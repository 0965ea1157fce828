"""A call's objects against a version's plan, in Python: all guards that differ, in the user's words, or what the program needs to run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, cast

import numpy as np

from staxlang.base.records import NamedTuple
from staxlang.runtime.headers import dtype_name
from staxlang.runtime.plans import EntryPlan, Environment, Place, asked_text, evaluate
from staxlang.runtime.signature import class_of

_SHARED = "shared memory"
_SHORT = re.compile(r"\bs(\d+)\b")
_NUMBERS: dict[str, Any] = {"int": int, "float": float, "complex": complex, "bool": bool}


class Difference(NamedTuple):
    """One guard that a call does not meet. `condition` is what the version needs, by the path in the user's words."""

    path: str
    condition: str
    expected: Any
    actual: Any

    @property
    def is_overlap(self) -> bool:
        return self.actual == _SHARED

    def __str__(self) -> str:
        return f"{self.condition}: expected {self.expected}, got {self.actual}"


class Matched(NamedTuple):
    """The object at each place of the plan, and the values of its symbols.

    `given`: where the program gets copies, the caller's own objects, which results are made of.
    """

    objects: list[Any]
    env: Environment
    given: list[Any] | None = None


class Matcher:
    """One attempt to fit a call to a plan."""

    def __init__(self, plan: EntryPlan, slots: list[Any], names: tuple[str, ...], values: dict[str, Any]) -> None:
        self.plan = plan
        self.slots = slots
        self.names = names
        self.values = values
        self.objects: list[Any] = []
        self.env: Environment = {}
        self.differences: list[Difference] = []
        self.renewed: list[tuple[int, Any]] = []  # slots whose object is equal to another one, which now stands for it
        self._asked = ""
        self._lost: set[int] = set()  # places that cannot be read, since what they are reached from differs
        self._later: list[tuple[str, str, Any, int]] = []

    def match(self) -> Matched | list[Difference]:
        for index, place in enumerate(self.plan.places):
            if place.parent in self._lost:
                self._lose(index)
                continue
            try:
                value = self.read(place)
            except (LookupError, AttributeError, ValueError, TypeError):
                self._differ(place.path, f"{place.path} exists", "a value", "none")
                self._lose(index)
                continue
            self.objects.append(value)
            before = len(self.differences)
            self._asked = asked_text(place.asked)
            _CHECKS[place.check[0]](self, place, value, *place.check[1:])
            if len(self.differences) > before:
                self._lost.add(index)
        if not self._lost:
            self._sizes()
        return self.differences or Matched(self.objects, self.env)

    def counted(self, values: Sequence[int]) -> Matched | list[Difference]:
        """The same with what the gates above have given: those of them that count are sizes, and conditions speak of them."""
        self.env.update({symbol: value for symbol, value in zip(self.plan.above, values, strict=True) if symbol is not None})
        self._conditions(waiting=True)
        return self.differences or Matched(self.objects, self.env)

    def read(self, place: Place) -> Any:
        """The object at a place, whose parents have been read before."""
        return _READERS[place.step[0]](self, place)

    def _lose(self, index: int) -> None:
        self.objects.append(None)
        self._lost.add(index)

    def _differ(self, path: str, condition: str, expected: Any, actual: Any) -> None:
        self.differences.append(Difference(path, condition + self._asked, expected, actual))

    def readable(self, size: Any) -> str:
        return _SHORT.sub(lambda found: self.names[int(found[1])], str(size))

    # ---- how objects are reached ----

    def read_parameter(self, place: Place) -> Any:
        return self.values[place.step[1]]

    def read_slot(self, place: Place) -> Any:
        return self.slots[place.step[1]]

    def read_cell(self, place: Place) -> Any:
        return self.slots[place.step[1]].cell_contents

    def read_global(self, place: Place) -> Any:
        return self.slots[place.step[1]][self.slots[place.step[2]]]

    def read_item(self, place: Place) -> Any:
        return self.objects[place.parent][place.step[1]]

    def read_key(self, place: Place) -> Any:
        return self.objects[place.parent][self.slots[place.step[1]]]

    def read_attribute(self, place: Place) -> Any:
        return getattr(self.objects[place.parent], self.slots[place.step[1]])

    def read_method(self, place: Place) -> Any:
        bound = getattr(self.objects[place.parent], self.slots[place.step[1]])
        if class_of(bound) is not MethodType:
            raise AttributeError(self.slots[place.step[1]])
        return bound.__func__

    def read_default(self, place: Place) -> Any:
        _, slot, count, number = place.step
        defaults = self._function(place, slot).__defaults__ or ()
        if len(defaults) != count:
            raise LookupError(number)
        return defaults[number]

    def read_kwdefault(self, place: Place) -> Any:
        defaults: dict[str, Any] | None = self._function(place, place.step[1]).__kwdefaults__
        return (defaults or {})[self.slots[place.step[2]]]

    def _function(self, place: Place, slot: int) -> Any:
        return self.objects[place.parent] if slot < 0 else self.slots[slot]

    # ---- what they must be ----

    def check_array(self, place: Place, value: Any, dtype: str, shape: Any, layout: Any, written: bool) -> None:
        path = place.path
        if type(value) is not np.ndarray:
            return self._differ(path, f"{path} is an array", "numpy.ndarray", type(value).__name__)
        if dtype_name(value.dtype) != dtype or not value.dtype.isnative:
            name = dtype_name(value.dtype) if value.dtype.isnative else None
            self._differ(path, f"{path}.dtype == {dtype}", dtype, name or str(value.dtype))
        if value.ndim != len(shape):
            return self._differ(path, f"{path}.ndim == {len(shape)}", len(shape), value.ndim)
        for axis, (size, extent) in enumerate(zip(shape, value.shape, strict=True)):
            self._extent(f"{path}.shape[{axis}]", size, extent)
        if written and not value.flags.writeable:
            self._differ(path, f"{path} is writable", "writable", "read-only")
        if not value.flags.aligned:
            self._differ(path, f"{path} is aligned", "aligned", "unaligned")
        if layout is None:
            if not value.flags.c_contiguous:
                self._differ(path, f"{path} is row-major", "row-major", f"strides {value.strides}")
            return None
        for axis, stride in enumerate(layout):
            if value.shape[axis] > 1:
                steps, rest = divmod(value.strides[axis], value.itemsize)
                self._extent(f"{path}.strides[{axis}]", stride, steps if not rest else value.strides[axis] / value.itemsize)
            elif type(stride) is str and stride.isidentifier():
                self.env.setdefault(stride, value.strides[axis] // value.itemsize)
        return None

    def _extent(self, path: str, size: Any, extent: Any) -> None:
        if type(size) is str:
            if size.isidentifier() and size not in self.env:
                self.env[size] = extent
            else:
                self._later.append((path, self.readable(size), size, extent))
        elif size != extent:
            self._differ(path, f"{path} == {size}", size, extent)

    def check_numpy_scalar(self, place: Place, value: Any, dtype: str, slot: int) -> None:
        if type(value) is not self.slots[slot]:
            self._differ(place.path, f"{place.path} is a NumPy {dtype}", dtype, type(value).__name__)

    def check_number(self, place: Place, value: Any, kind: str | None = None) -> None:
        kind = str(kind or place.check[0])
        if type(value) is not _NUMBERS[kind]:
            self._differ(place.path, f"type({place.path}) is {kind}", kind, type(value).__name__)
        elif kind == "int" and not -(1 << 63) <= value < 1 << 63:
            self._differ(place.path, f"{place.path} fits 64 bits", "64 bits", value)

    def check_frozen(self, place: Place, value: Any, kind: str, expected: Any) -> None:
        equal = (value == expected and repr(value) == repr(expected)) or (value != value and expected != expected)  # -0.0, NaN
        if type(value) is not _NUMBERS[kind] or not equal:
            self._differ(place.path, f"{place.path} == {expected!r}", expected, value)

    def check_text(self, place: Place, value: Any, slot: int) -> None:
        if type(value) is not str or value != self.slots[slot]:
            self._differ(place.path, f"{place.path} == {self.slots[slot]!r}", self.slots[slot], value)

    def check_same(self, place: Place, value: Any, slot: int) -> None:
        expected = self.slots[slot]
        if value is not expected:
            self._differ(place.path, f"{place.path} is {_short(expected)}", _short(expected), _short(value))

    def check_equal(self, place: Place, value: Any, slot: int) -> None:
        expected = self.slots[slot]
        if value is not expected:
            if type(value) is type(expected) and _equal(value, expected):
                self.renewed.append((slot, value))
            else:
                self._differ(place.path, f"{place.path} == {_short(expected)}", _short(expected), _short(value))

    def check_function(self, place: Place, value: Any, slot: int, code: int) -> None:
        expected = self.slots[slot]
        if value is not expected:
            self._differ(place.path, f"{place.path} is the same function", _short(expected), _short(value))
        elif value.__code__ is not self.slots[code]:
            self._differ(place.path, f"{place.path}'s code has not changed", "the code it had", "another")

    def check_type(self, place: Place, value: Any, slot: int) -> None:
        expected = self.slots[slot]
        if type(value) is not expected:
            self._differ(place.path, f"type({place.path}) is {expected.__name__}", expected.__name__, type(value).__name__)

    def check_tuple(self, place: Place, value: Any, count: int) -> None:
        self._sequence(place, value, tuple, count)

    def check_list(self, place: Place, value: Any, count: int) -> None:
        self._sequence(place, value, list, count)

    def _sequence(self, place: Place, value: Any, kind: type, count: int) -> None:
        if type(value) is not kind:
            self._differ(place.path, f"type({place.path}) is {kind.__name__}", kind.__name__, type(value).__name__)
        elif len(value) != count:
            self._differ(place.path, f"len({place.path}) == {count}", count, len(value))

    def check_dict(self, place: Place, value: Any, slots: tuple[int, ...]) -> None:
        expected = [self.slots[slot] for slot in slots]
        if class_of(value) is not dict:
            return self._differ(place.path, f"type({place.path}) is dict", "dict", type(value).__name__)
        keys: list[Any] = list(value)
        if keys != expected:
            return self._differ(place.path, f"list({place.path}) == {expected}", expected, keys)
        self.renewed.extend((slot, key) for slot, key in zip(slots, keys, strict=True) if key is not self.slots[slot])
        return None

    def check_alias(self, place: Place, value: Any, other: int) -> None:
        if value is not self.objects[other]:
            path = self.plan.places[other].path
            self._differ(place.path, f"{place.path} is {path}", "the same object", "another one")

    def check_any(self, place: Place, value: Any) -> None:
        pass

    # ---- sizes ----

    def _sizes(self) -> None:
        self._asked = ""
        for symbol, place in self.plan.symbols:
            self.env[symbol] = self.objects[place]
        for path, text, size, actual in self._later:
            expected = self._value(size)
            if expected != actual:
                self._differ(path, f"{path} == {text}", expected, actual)
        self._conditions(waiting=False)
        self._asked = ""
        self._overlaps()

    def _conditions(self, waiting: bool) -> None:
        """The conditions that wait for counted sizes, or the others."""
        unknown = {symbol for symbol in self.plan.above if symbol is not None}
        for relation, left, right, asked in self.plan.conditions:
            if waiting == (not unknown or unknown.isdisjoint(_names(left) | _names(right))):
                continue
            a, b = self._value(left), self._value(right)
            if a is None or b is None or not _RELATIONS[relation](a, b):
                self._asked = asked_text(asked)
                condition = f"{self.readable(left)} {relation} {self.readable(right)}"
                if isinstance(left, int):  # said of the side that varies
                    self._differ(condition, condition, f"{_MIRRORED[relation]} {a}", b)
                else:
                    self._differ(condition, condition, f"{relation} {b}", a)
        self._asked = ""

    def _value(self, size: Any) -> int | None:
        """A size at this call; nothing where it is a quotient or a remainder of a divisor that is 0 here: no condition on it holds then."""
        try:
            return evaluate(size, self.env)
        except ZeroDivisionError:
            return None

    def _overlaps(self) -> None:
        arrays = [(k, place) for k, place in enumerate(self.plan.places) if place.check[0] == "array"]
        for index, place in arrays:
            for other, beside in arrays if place.check[4] and not self.plan.separate else ():
                if other != index and share_elements(self.objects[index], self.objects[other]):
                    what = f"{place.path} and {beside.path} do not overlap"
                    self._differ(place.path, what, "separate memory", _SHARED)


def share_elements(a: Any, b: Any) -> bool:
    """Whether some byte belongs to both arrays; where that takes long to tell, whether their ranges of addresses meet."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=cast("Any", _SHARING_WORK))  # NumPy's stubs know 0 and -1 only
    except np.exceptions.TooHardError:
        return True


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # a user's __eq__ that fails, or one that gives no truth value: not equal
        return False


def _names(size: Any) -> set[str]:
    """The short names of symbols in a size's text."""
    return {found[0] for found in _SHORT.finditer(size)} if type(size) is str else set()


def _short(value: Any) -> str:
    name = getattr(value, "__name__", None)
    text = name if isinstance(name, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


_SHARING_WORK = 10_000  # candidates that NumPy's search for a shared byte may look at
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__,
}  # fmt: skip
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">="}
_READERS: dict[str, Callable[[Matcher, Place], Any]] = {
    "parameter": Matcher.read_parameter, "slot": Matcher.read_slot, "cell": Matcher.read_cell, "global": Matcher.read_global,
    "item": Matcher.read_item, "key": Matcher.read_key, "attribute": Matcher.read_attribute,
    "method": Matcher.read_method, "default": Matcher.read_default, "kwdefault": Matcher.read_kwdefault,
}  # fmt: skip
_CHECKS: dict[str, Callable[..., None]] = {
    "array": Matcher.check_array, "numpy scalar": Matcher.check_numpy_scalar, "int": Matcher.check_number, "float": Matcher.check_number,
    "bool": Matcher.check_number, "complex": Matcher.check_number, "frozen": Matcher.check_frozen, "text": Matcher.check_text,
    "same": Matcher.check_same, "equal": Matcher.check_equal, "function": Matcher.check_function, "type": Matcher.check_type,
    "tuple": Matcher.check_tuple, "list": Matcher.check_list, "dict": Matcher.check_dict, "alias": Matcher.check_alias,
    "any": Matcher.check_any,
}  # fmt: skip
