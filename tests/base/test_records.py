"""Records behave as frozen, slotted dataclasses do."""

from __future__ import annotations

import copy
import pickle
import typing
from dataclasses import dataclass

import pytest

from staxlang.base.records import NamedTuple, record, replace


@record
class Pair:
    left: int
    right: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return self.left + sum(self.right)


@dataclass(frozen=True, slots=True)
class Same:
    left: int
    right: tuple[int, ...] = ()


@record
class Empty:
    pass


@record
class One:
    only: int

    def __post_init__(self) -> None:
        if self.only < 0:
            raise ValueError("negative")

    def __str__(self) -> str:
        return f"one {self.only}"


@record
class More(Pair):
    """A subclass adds its fields after the inherited ones."""

    third: str = "x"


@record
class Placed:
    __record_ignored__ = ("place",)

    place: str
    name: str = "x"


def test_ignored_fields_are_kept_but_not_compared() -> None:
    assert Placed("here") == Placed("there") and hash(Placed("here")) == hash(Placed("there"))
    assert repr(Placed("here")) == "Placed(name='x')"
    assert pickle.loads(pickle.dumps(Placed("here", "y"))).place == "here" and replace(Placed("here"), name="z").place == "here"


def test_they_are_made_like_dataclasses() -> None:
    for kind in (Pair, Same):
        assert kind(1) == kind(1, ()) == kind(left=1) == kind(1, right=())
        assert kind(1) != kind(2) and kind(1) != (1, ()) and hash(kind(1)) == hash(kind(1, ()))
        assert repr(kind(1, (2,))) == f"{kind.__name__}(left=1, right=(2,))"
        for wrong in ((), (1, 2, 3)):
            with pytest.raises(TypeError):
                kind(*wrong)
        with pytest.raises(TypeError, match="middle"):
            kind(1, middle=2)  # type: ignore[call-arg]
        with pytest.raises(AttributeError):
            kind(1).left = 2  # type: ignore[misc]
        with pytest.raises(AttributeError):
            del kind(1).left
        with pytest.raises((AttributeError, TypeError)):
            kind(1).other = 2  # type: ignore[attr-defined]
        assert not hasattr(kind(1), "__dict__")
        match kind(1, (2,)):
            case Pair(left, right) | Same(left, right):
                assert (left, right) == (1, (2,))
    assert Pair(1) != Same(1) and Pair(1, (2, 3)).total == 6


def test_copies_and_pickles_are_equal() -> None:
    for value in (Pair(1, (2,)), Empty(), One(3), More(1, (2,), "y")):
        assert copy.copy(value) == value == copy.deepcopy(value) == pickle.loads(pickle.dumps(value))
    assert replace(More(1), third="z") == More(1, (), "z") and replace(Pair(1)) == Pair(1)
    with pytest.raises(TypeError):
        replace(Pair(1), other=2)


def test_checks_and_own_methods_stay() -> None:
    assert str(One(1)) == "one 1" and repr(Empty()) == "Empty()" and {Empty(): 1}[Empty()] == 1
    with pytest.raises(ValueError, match="negative"):
        One(-1)
    with pytest.raises(ValueError, match="negative"):
        One(only=-1)
    assert More(1).third == "x" and More(1, (2,)).total == 3 and isinstance(More(1), Pair) and More(1) != Pair(1)


def test_a_field_without_a_default_after_one_with_is_refused() -> None:
    @record
    class Wrong:
        a: int = 0
        b: int  # type: ignore[misc]

    with pytest.raises(TypeError, match="follows"):
        Wrong(1, 2)


class Point(NamedTuple):
    """A place."""

    x: int
    y: str = "a"
    z: tuple[int, ...] = ()

    @property
    def both(self) -> str:
        return f"{self.x}{self.y}"


class PlainPoint(typing.NamedTuple):
    """A place."""

    x: int
    y: str = "a"
    z: tuple[int, ...] = ()


def test_named_tuples_are_those_of_typing():
    for given, named in (((1,), {}), ((1, "b"), {}), ((), {"x": 3}), ((1,), {"z": (2,)})):
        made, plain = Point(*given, **named), PlainPoint(*given, **named)
        assert made == plain
        assert repr(made) == repr(plain).replace("PlainPoint", "Point")
        assert made._asdict() == plain._asdict()
        assert made._replace(y="c") == plain._replace(y="c")
        assert (made.x, made.y, made.z) == tuple(plain)
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__slots__"):
        assert getattr(Point, name) == getattr(PlainPoint, name), name
    assert Point(4).both == "4a"
    assert Point._make([1, 2, 3]) == (1, 2, 3)
    assert not hasattr(Point(1), "__dict__")
    match Point(5):
        case Point(x, y=letter):
            assert (x, letter) == (5, "a")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Point(),  # type: ignore[call-arg]
        lambda: Point(1, "b", (), 4),  # type: ignore[call-arg]
        lambda: Point(1, w=2),  # type: ignore[call-arg]
        lambda: Point(1, x=2),  # type: ignore[misc]
        lambda: Point._make([1]),
    ],
)
def test_named_tuples_refuse_other_fields(wrong):
    with pytest.raises(TypeError):
        wrong()
    with pytest.raises(ValueError, match="'w'"):
        Point(1)._replace(w=2)
    with pytest.raises(AttributeError):
        Point(1).x = 2  # type: ignore[misc]


def test_named_tuples_travel():
    point = Point(1, z=(2, 3))
    for other in (pickle.loads(pickle.dumps(point)), copy.copy(point), copy.deepcopy(point)):
        assert other == point
        assert type(other) is Point


def test_named_tuples_keep_defaults_last():
    with pytest.raises(TypeError, match="without a default follows"):

        class Bad(NamedTuple):
            x: int = 1
            y: int  # type: ignore[misc]
