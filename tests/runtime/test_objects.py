"""Objects of the user's own classes: false ones, and ones derived from Python's containers and numbers."""

import collections

import numpy as np
import pytest

import staxlang as stax
from tests.runtime.agreement import check


class Model:
    def __init__(self):
        self.weights = np.ones(3)
        self.scale = 2.0

    def __call__(self, x):
        return x * self.weights * self.scale

    def __bool__(self):
        return False

    def __len__(self):
        raise TypeError("no length")


def test_an_object_that_is_false():
    model = Model()
    check(stax.kernel(lambda x: model(x)), np.arange(3.0))
    kernel = stax.kernel(lambda model, x: model(x))
    for scale in (2.0, 3.0):
        model.scale = scale
        assert kernel(model, np.arange(3.0)).tolist() == model(np.arange(3.0)).tolist()
    assert kernel.stats().versions == 1


class Meters(float):
    pass


class Names(list):
    pass


class Pair(tuple):
    __slots__ = ()


@pytest.mark.parametrize(
    ("function", "value", "advice"),
    [
        (lambda d: d["a"] * 2, collections.OrderedDict(a=1.0), "pass `dict(d)`"),
        (lambda d: [v + 0 for v in d.values()], collections.defaultdict(int, a=1.0), "pass `dict(d)`"),
        (lambda d: 3 in d, Names([1, 2]), "pass `list(d)`"),
        (lambda d: [v * 2 for v in d], Names([1, 2]), "pass `list(d)`"),
        (lambda d: d[0], Pair((1, 2)), "pass `tuple(d)`"),
        (lambda d: 2 * d, Meters(2.0), "pass `float(d)`"),
    ],
)
def test_what_is_derived_from_python_s_own_says_what_to_pass(function, value, advice):
    with pytest.raises(TypeError) as caught:
        stax.kernel(function)(value)
    assert advice in str(caught.value)
    assert " d (" in str(caught.value) or "d.values" in str(caught.value) or "Meters" in str(caught.value)
    kind = next(base for base in (dict, list, tuple, float) if isinstance(value, base))
    assert stax.kernel(function)(kind(value)) == function(value)
