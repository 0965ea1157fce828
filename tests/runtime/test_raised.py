"""A `raise` in a kernel is the user's own exception, in its own words."""

import json
import pickle

import numpy as np
import pytest

import staxlang as stax


class Unfit(Exception):
    pass


class Measured(ValueError):
    def __init__(self, value, unit):
        super().__init__(f"{value} {unit}")
        self.value = value


class Pair(Exception):
    def __new__(cls, a, b):
        return super().__new__(cls, a, b)

    def __init__(self, a, b):
        pass


@stax.kernel
def picky(x, kind, n=3):
    if kind == "value":
        raise ValueError(f"unknown kind {kind!r} of {x.shape}, {n}")
    if kind == "own":
        raise Unfit("too large", n)
    if kind == "class":
        raise Unfit
    if kind == "measured":
        raise Measured(n, "cm")
    if kind == "pair":
        raise Pair(1, 2)
    if kind == "key":
        raise KeyError(kind)
    if kind == "module":
        raise json.JSONDecodeError("bad", "text", 0)
    if kind == "from":
        raise OSError("gone") from None
    if kind == "data":
        raise ValueError(x)
    return x


@pytest.mark.parametrize(
    ("kind", "class_", "words"),
    [
        ("value", ValueError, "ValueError: unknown kind 'value' of (2,), 3"),
        ("own", Unfit, "Unfit: too large, 3"),
        ("class", Unfit, "the function raised Unfit"),
        ("measured", Measured, "Measured: 3, cm"),
        ("pair", Exception, "Pair: 1, 2"),
        ("key", KeyError, "KeyError: key"),
        ("module", json.JSONDecodeError, "JSONDecodeError: bad, text, 0"),
        ("from", OSError, "OSError: gone"),
        ("data", ValueError, "ValueError(x)"),
    ],
)
def test_the_class_and_the_words_are_the_user_s(kind, class_, words):
    with pytest.raises(class_) as caught:
        picky(np.ones(2), kind)
    assert isinstance(caught.value, stax.StaxError)
    assert words in str(caught.value).split("\n")[0]
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and isinstance(again, class_)


def test_the_words_are_those_of_this_call():
    for n in (5, 6):
        with pytest.raises(ValueError, match=f"of \\(2,\\), {n}"):
            picky(np.ones(2), "value", n)
