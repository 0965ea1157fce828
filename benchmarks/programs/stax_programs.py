"""This project: NumPy's programs unchanged; those that NumPy has no function for, and those that need to be told a length."""

import staxlang as stax
from benchmarks.programs import numpy_programs


def erf(x):
    return stax.erf(x)


def gelu_erf(x):
    return 0.5 * x * (1 + stax.erf(x * 0.7071067811865476))


def flatnonzero(m):
    return stax.flatnonzero(m, size=m.size)


def nonzero(m):
    return stax.nonzero(m, size=m.size)


def argwhere(m):
    return stax.argwhere(m, size=m.size)


def find(name):
    function = globals().get(name) or getattr(numpy_programs, name)
    return stax.kernel(function)
