"""Frozen, slotted values and named tuples are made here: what `dataclass(frozen=True, slots=True)` and `typing.NamedTuple` make, in a
tenth of their time at import.

`dataclasses` compiles six methods for each class, and each named tuple compiles one; with some hundred classes that is 60 ms on the path of
every process's first call. Here methods share code, and an initializer is compiled at a class's first use, once for each number of fields.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if not TYPE_CHECKING:
    try:
        from _collections import _tuplegetter
    except ImportError:  # another interpreter

        def _tuplegetter(place, doc):
            return property(operator.itemgetter(place))

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a class of annotated fields a frozen value: slots, equality and hash by its fields, `replace`, pickling.

    A value in the class body is a field's default; `__post_init__` is called if there is one. Methods that the class defines stay.
    Fields named in `__record_ignored__` take no part in equality, hash and text.

    >>> @record
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(x=1, y=0), replace(Point(1), y=2)
    (Point(x=1, y=0), True, Point(x=1, y=2))
    """
    names = tuple(getattr(cls, "__record_fields__", ())) + tuple(cls.__annotations__)
    own = [name for name in names if name not in getattr(cls, "__record_fields__", ())]
    namespace = {key: value for key, value in cls.__dict__.items() if key not in ("__dict__", "__weakref__")}
    defaults = {**getattr(cls, "__record_defaults__", {}), **{name: namespace.pop(name) for name in own if name in namespace}}
    namespace |= {"__slots__": tuple(own), "__match_args__": names, "__record_fields__": names, "__record_defaults__": defaults}
    for name, method in _methods(names, getattr(cls, "__record_ignored__", ())).items():
        namespace.setdefault(name, method)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    if "__init__" not in namespace:
        made.__init__ = _first_init(made)
    return made


def replace(value: T, /, **changes: Any) -> T:
    """A copy of a record (or a dataclass) with other values in some fields."""
    kind: Any = type(value)
    return kind(**{name: getattr(value, name) for name in kind.__match_args__} | changes)


def _methods(names: tuple[str, ...], ignored: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    compared = tuple([name for name in names if name not in ignored])
    everything, values = _getter(names), _getter(compared)

    def equals(self: Any, other: object) -> Any:
        if self is other:
            return True
        return values(self) == values(other) if type(self) is type(other) else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    def text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in compared])})"

    def reduced(self: object) -> tuple[Any, ...]:
        return self.__class__, everything(self)

    return {"__eq__": equals, "__hash__": hashed, "__repr__": text, "__reduce__": reduced, "__setattr__": _refuse, "__delattr__": _refuse}


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """All fields' values at once."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    if names:
        only: Callable[[Any], Any] = operator.attrgetter(names[0])
        return lambda value: (only(value),)
    return lambda value: ()


def _refuse(self: Any, name: str, value: Any = None) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be changed")


def _first_init(cls: Any) -> Callable[..., None]:
    """An initializer that puts the real one in its place."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        real = cls.__init__ = _init(cls)
        real(self, *values, **named)

    return __init__


def _init(cls: Any) -> FunctionType:
    names: tuple[str, ...] = cls.__record_fields__
    defaults: dict[str, Any] = cls.__record_defaults__
    after = cls.__dict__.get("__post_init__")
    made = _template(len(names), after is not None)([getattr(cls, name).__set__ for name in names], after)
    made.__code__ = made.__code__.replace(co_varnames=("self", *names), co_qualname=f"{cls.__qualname__}.__init__")
    first = next((k for k, name in enumerate(names) if name in defaults), len(names))
    missing = [name for name in names[first:] if name not in defaults]
    if missing:
        raise TypeError(f"{cls.__name__}: the field {missing[0]!r} without a default follows one with a default")
    made.__defaults__ = tuple([defaults[name] for name in names[first:]])
    return made


_TEMPLATES: dict[tuple[int, bool], Callable[[list[Any], Any], FunctionType]] = {}


def _template(count: int, post: bool) -> Callable[[list[Any], Any], FunctionType]:
    """A maker of initializers for `count` fields, from the fields' setters; its parameters are still to be named."""
    found = _TEMPLATES.get((count, post))
    if found is None:
        numbers = range(count)
        lines = [f"  s{k}(self, a{k})" for k in numbers] + (["  after(self)"] if post else []) or ["  pass"]
        unpack = f" [{', '.join([f's{k}' for k in numbers])}] = setters\n" if count else ""
        header = f" def __init__(self{''.join([f', a{k}' for k in numbers])}):\n"
        space: dict[str, Any] = {}
        exec(f"def make(setters, after):\n{unpack}{header}" + "\n".join(lines) + "\n return __init__", space)
        found = _TEMPLATES[count, post] = space["make"]
    return found


# ---- named tuples ----

_TUPLE: Any = tuple.__new__  # pyright: ignore  (its overloads are partially unknown)


def _first_new(cls: Any) -> Callable[..., Any]:
    """A constructor that puts the real one in its place."""

    def __new__(kind: Any, *values: Any, **named: Any) -> Any:
        names: tuple[str, ...] = cls._fields
        made = _new_template(len(names))
        made.__code__ = made.__code__.replace(co_varnames=("_cls", *names), co_qualname=f"{cls.__qualname__}.__new__")
        made.__defaults__ = tuple(cls._field_defaults.values()) or None
        cls.__new__ = staticmethod(made)
        return made(kind, *values, **named)

    return __new__


_NEW_TEMPLATES: dict[int, Any] = {}


def _new_template(count: int) -> FunctionType:
    """A new constructor for `count` fields, its parameters still to be named."""
    made = _NEW_TEMPLATES.get(count)
    if made is None:
        names = [f"a{k}" for k in range(count)]
        space: dict[str, Any] = {"new": _TUPLE}
        exec(f"def __new__(_cls, {', '.join(names)}): return new(_cls, ({''.join([f'{name}, ' for name in names])}))", space)
        made = _NEW_TEMPLATES[count] = space["__new__"]
    return FunctionType(made.__code__, made.__globals__, "__new__")


def _make(cls: Any, values: Iterable[Any]) -> Any:
    made = _TUPLE(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
    return made


def _replace(self: Any, /, **changes: Any) -> Any:
    made = self._make([changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)])
    if changes:
        raise ValueError(f"{type(self).__name__} has no field {', '.join(map(repr, changes))}")
    return made


def _plain(self: Any) -> tuple[Any, ...]:
    return tuple(self)


def _as_dict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _text(self: Any) -> str:
    return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in zip(self._fields, self, strict=True)])})"


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _Maker(type):
        """Turns `class Point(NamedTuple)` into a tuple class with named fields."""

        def __new__(meta, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            shared = {"_make": classmethod(_make), "_replace": _replace, "_asdict": _as_dict, "__repr__": _text, "__getnewargs__": _plain}
            for place, field in enumerate(fields):
                namespace[field] = _tuplegetter(place, None)
            rules = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            made = type(name, (tuple,), shared | namespace | rules)
            made.__new__ = staticmethod(_first_new(made))
            return made

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
