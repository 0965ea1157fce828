"""This project: NumPy's programs unchanged; and those that NumPy has no function for."""

import staxlang as stax
from benchmarks.programs import numpy_programs


def erf(x):
    return stax.erf(x)


def gelu_erf(x):
    return 0.5 * x * (1 + stax.erf(x * 0.7071067811865476))


def find(name):
    function = globals().get(name) or getattr(numpy_programs, name)
    return stax.kernel(function)
