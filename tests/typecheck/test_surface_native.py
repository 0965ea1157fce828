"""Every case of the surface as a kernel, compiled to machine code: what NumPy gives, value, dtype and kind of result."""

import numpy as np
import pytest
import test_surface_numbers as numbers
import test_surface_shapes as shapes
from surface_cases import function_of, same

import staxlang as stax

BLOCKS = {
    "ufuncs": (numbers, numbers.UFUNCS),
    "reductions": (numbers, numbers.REDUCTIONS),
    "creation": (numbers, numbers.CREATION),
    "products": (numbers, numbers.PRODUCTS),
    "python": (numbers, numbers.PYTHON),
    "shapes": (shapes, shapes.SHAPES),
    "joins": (shapes, shapes.JOINS),
    "indexing": (shapes, shapes.INDEXING),
}


def check_both(text, arguments):
    function = function_of(text, *arguments, __name__="cases")
    mine, theirs = ({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()} for _ in range(2))
    kernel = stax.kernel(function)
    with np.errstate(all="ignore"):
        same(kernel(**mine), function(**theirs), text)
    for name, value in theirs.items():
        if isinstance(value, np.ndarray):
            same(mine[name], value, f"{text}: {name} afterwards")
    stats = kernel.stats()
    assert (stats.route, stats.fallbacks) == ("native", 0), text


@pytest.mark.parametrize("block", sorted(BLOCKS))
def test_block(block):
    home, texts = BLOCKS[block]
    for text in home.cases(texts):
        check_both(text, home.arguments(text))


def test_updates():
    for text in shapes.UPDATES:
        given = shapes.arguments(text)
        check_both(f"{text}\nreturn {', '.join(given)}", given)
