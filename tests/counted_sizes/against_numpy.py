"""A kernel beside the plain function, on the same calls: values, dtypes, shapes, kinds of results, arguments afterwards, errors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import staxlang as stax


def same(mine: Any, theirs: Any) -> None:
    if isinstance(theirs, (tuple, list)):
        assert type(mine) is type(theirs) and len(mine) == len(theirs), (mine, theirs)
        for one, other in zip(mine, theirs, strict=True):
            same(one, other)
        return
    assert type(mine) is type(theirs), (type(mine), type(theirs))
    a, b = np.asarray(mine), np.asarray(theirs)
    assert a.dtype == b.dtype and a.shape == b.shape, (a, b)
    if a.dtype.kind in "fc":
        np.testing.assert_allclose(a, b, rtol=1e-12 if a.dtype.itemsize > 4 else 1e-5, atol=1e-12)
    else:
        np.testing.assert_array_equal(a, b)


def agrees(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], versions: int | None = 1, **options: Any) -> Any:
    """The kernel, after it has given what the function gives in every call, from machine code; where the function raises, so does it."""
    kernel = stax.kernel(function, **options)
    for arguments in calls:
        given, mine = copy.deepcopy(arguments), copy.deepcopy(arguments)
        with np.errstate(all="ignore"):
            try:
                expected = function(*given)
            except (ValueError, IndexError) as problem:
                try:
                    got = kernel(*mine)
                except type(problem).__mro__[-4] as raised:  # ValueError or LookupError
                    assert isinstance(raised, stax.StaxError)
                    continue
                raise AssertionError(f"NumPy raises {problem!r}, the kernel gives {got}") from None
        same(kernel(*mine), expected)
        for one, other in zip(mine, given, strict=True):
            same(one, other)
    stats = kernel.stats()
    assert stats.fallbacks == 0 and stats.route == options.get("engine", "native"), stats
    assert versions is None or stats.versions == versions, (stats, kernel.explain_misses())
    return kernel
