"""The standard library compiled: the cases and examples that its sources pass under NumPy, run by kernels."""

from __future__ import annotations

import itertools
import linecache
import types
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.parser.library import library_names
from tests.parser import test_stdlib as cases

_numbers = itertools.count()


class Call:
    """A library function as NumPy's users would call it: arrays go to a kernel, all else stands in the kernel's text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.arrays: list[np.ndarray] = []
        self.functions: dict[str, Any] = {}

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.arrays, self.functions = [], {}
        words = [self.text(value) for value in args] + [f"{name}={self.text(value)}" for name, value in options.items()]
        parameters = ", ".join(f"a{number}" for number in range(len(self.arrays)))
        text = f"def case({parameters}):\n    return stax.{self.name}({', '.join(words)})\n"
        file = f"<library case {next(_numbers)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        space: dict[str, Any] = {"np": np, "stax": stax, **self.functions}
        exec(compile(text, file, "exec"), space)
        return stax.kernel(space["case"])(*self.arrays)

    def text(self, value: Any) -> str:
        if isinstance(value, (np.ndarray, np.generic)):
            self.arrays.append(np.asarray(value))
            return f"a{len(self.arrays) - 1}"
        if isinstance(value, (tuple, list)):
            items = "".join(f"{self.text(item)}, " for item in value)
            return f"({items})" if isinstance(value, tuple) else f"[{items}]"
        if isinstance(value, types.FunctionType):
            self.functions[f"f{len(self.functions)}"] = value
            return f"f{len(self.functions) - 1}"
        if isinstance(value, type):
            return "int" if value is int else f"np.{value.__name__}"
        return {float("inf"): "np.inf", float("-inf"): "-np.inf"}.get(value, repr(value)) if isinstance(value, float) else repr(value)


CASES = [
    cases.test_average, cases.test_running_sums_without_nan, cases.test_sequences, cases.test_grids, cases.test_matrices,
    cases.test_products, cases.test_covariance, cases.test_elementwise, cases.test_closeness, cases.test_select, cases.test_neighbours,
    cases.test_unwrap, cases.test_polynomials_and_convolutions, cases.test_places_in_a_row, cases.test_piecewise,
    cases.test_numbers_of_rows, cases.test_stable_far_out,
]  # fmt: skip


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "WORDS", {name: Call(name) for name in library_names()})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_against_numpy(case: Any, compiled: None) -> None:
    assert case() is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "axis"), [("mean", 0), ("var", -1), ("std", None), ("nanmean", 0), ("nanmax", None), ("nanvar", 0)])
def test_reductions_against_numpy(name: str, axis: Any, compiled: None) -> None:
    if name.startswith("nan"):
        cases.test_without_nan(name, axis)
        return
    theirs = getattr(np, name)
    for x in cases.arrays("?bilefdFD", (3, 4), (2, 3, 4), (0, 3)):
        for options in ({}, {"keepdims": True}, {"where": cases.RANDOM.random(x.shape) > 0.4}, {"dtype": np.complex128}):
            cases.check(name, theirs, x, axis=axis, **options)
        if name != "mean":
            cases.check(name, theirs, x, axis=axis, ddof=1)


@pytest.mark.parametrize("name", library_names())
def test_example(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of a kernel the functions run at once."""
    words = {name: getattr(stax, name) for name in library_names()}
    more = {"nan": np.nan, "inf": np.inf, "sum": stax.sum, "add": stax.add, "i64": np.int64}
    monkeypatch.setattr(cases, "WORDS", words | more)
    assert cases.test_example(name) is None
