"""2,000 drawn programs by fixed seeds; `python -m tests.drawn` goes on from random ones."""

from itertools import islice

import pytest

from tests.drawn.campaign import judged
from tests.drawn.generator import draw
from tests.drawn.reducing import reduced

BLOCKS, PROGRAMS = 40, 50


@pytest.mark.parametrize("block", range(BLOCKS))
def test_programs_mean_what_they_mean_under_numpy(block):
    outcomes = list(islice(judged(range(block * 1000, (block + 1) * 1000)), PROGRAMS))
    assert len(outcomes) == PROGRAMS
    assert not any(outcomes), "\n\n".join(str(one) for one in outcomes if one is not None)


def test_a_seed_is_a_program():
    drawn = next(one for one in map(draw, range(7, 20)) if one is not None)
    assert draw(drawn.seed) == drawn
    names = {}
    exec("import numpy as np\n" + drawn.text, names)
    names["f"](*names["arguments"]())


def test_what_fails_is_made_smaller():
    drawn = draw(3)._replace(body="def f(x, y, z, k, s, n):\n    t = 0\n    if k:\n        t = 1\n        t = 2\n    a = x\n    return t\n")
    smaller = reduced(drawn, lambda one: "t = 2" in one.body)
    assert smaller.body == "def f(x, y, z, k, s, n):\n    if k:\n        t = 2\n    return t\n"
