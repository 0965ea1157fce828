"""Calls of library functions, many in one kernel: what they give natively beside what NumPy gives, in value, dtype, shape and kind."""

from __future__ import annotations

import itertools
import linecache
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import staxlang as stax
from staxlang.parser.library import library_function, namespace_names

Array = np.ndarray[Any, Any]
_numbers = itertools.count()
TOLERANCE = {"f2": 4e-3, "f4": 2e-6, "f8": 4e-15, "c8": 2e-6, "c16": 4e-15}
INTEGERS = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FLOATS = ("f2", "f4", "f8")
COMPLEX = ("c8", "c16")


def examples(namespace: str) -> list[tuple[str, str, str]]:
    """(name, call, what it gives) of each `>>>` in the docstrings of a namespace's functions, of which each has one."""
    found: list[tuple[str, str, str]] = []
    for name in namespace_names(namespace):
        lines = (getattr(library_function(f"{namespace}.{name}"), "doc", None) or "").split("\n")
        own = [(name, line[4:], lines[k + 1]) for k, line in enumerate(lines) if line.startswith(">>> ")]
        assert own, f"{name} has no example"
        found += own
    return found


def draw(dtype: str, *shape: int, seed: int = 0, scale: float = 3.0, nan: bool = False) -> Array:
    """Numbers of moderate size; with `nan`, some of them NaN."""
    generator = np.random.default_rng((seed, *shape))
    values: Any = generator.standard_normal(shape) * scale
    if dtype.startswith("c"):
        values = values + 1j * generator.standard_normal(shape)
    if nan:
        values = np.where(generator.random(shape) < 0.3, np.nan, values)
    return (values > 0 if dtype == "?" else np.abs(values) if dtype.startswith("u") else values).astype(dtype)


def compiled(text: str, names: Sequence[str], space: dict[str, Any], **options: Any) -> Any:
    """The kernel `def case(names): return text`."""
    source = f"def case({', '.join(names)}):\n    return {text}\n"
    file = f"<against numpy {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = dict(space)
    exec(compile(source, file, "exec"), scope)
    return stax.kernel(**options)(scope["case"])


def agree(name: str, theirs: Any, variants: Sequence[str], arrays: dict[str, Any], factor: float = 1.0, terms: int = 1) -> None:
    """`f(...)` for each text, `f` being `stax.<name>` in one kernel and NumPy's function outside. What NumPy refuses is refused too."""
    _agree(variants, theirs, getattr(stax, name), arrays, name, factor, terms)


def agree_in_numpy(texts: Sequence[str], factor: float = 1.0, terms: int = 1, **arrays: Any) -> None:
    """All texts, which say `np`, in one kernel give what they give in Python. What NumPy refuses is refused too."""
    _agree(texts, None, None, arrays, "np", factor, terms)


def _agree(texts: Sequence[str], theirs: Any, ours: Any, arrays: dict[str, Any], name: str, factor: float, terms: int) -> None:
    """NumPy has copies of the arrays, the kernel the arrays as they lie in memory; what both leave in them is the same."""
    copies = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in arrays.items()}
    wanted: dict[str, Any] = {}
    refused: dict[str, Exception] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for text in texts:
            try:
                wanted[text] = eval(text, {"f": theirs, "np": np, **copies})
            except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError) as problem:
                refused[text] = problem
    space = {"f": ours, "np": np}
    if wanted:
        kernel = compiled("(" + ", ".join(wanted) + ",)", list(arrays), space)
        results = kernel(**arrays)
        stats = kernel.stats()
        assert stats.route == "native" and stats.fallbacks == 0
        for (text, want), got in zip(wanted.items(), results, strict=True):
            same(got, want, f"{name}: {text} of {describe(arrays)}", factor, terms)
        for key, value in arrays.items():
            if isinstance(value, np.ndarray):
                same(value, copies[key], f"{name}: {key} after {list(wanted)} of {describe(arrays)}", factor, terms)
    for text, theirs in refused.items():
        try:
            compiled(text, list(arrays), space)(**arrays)
        except stax.StaxError as problem:
            assert problem.code not in ("compilation-failed", "unknown-operation"), problem
            assert kinds(theirs) <= kinds(problem), f"{name}: {text} of {describe(arrays)}: {theirs!r}, {problem!r}"
        else:
            raise AssertionError(f"{name}: {text} of {describe(arrays)} is refused by NumPy")


def kinds(problem: Exception) -> set[type]:
    """As what an exception can be caught."""
    return {kind for kind in (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError) if isinstance(problem, kind)}


def describe(arrays: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {value.dtype}{value.shape}" if isinstance(value, np.ndarray) else f"{key}={value!r}" for key, value in arrays.items()
    )


def same(got: Any, want: Any, what: str = "", factor: float = 1.0, terms: int = 1) -> None:
    """Equal in kind of result, dtype, shape and value, floats within the bound of `terms` additions in their dtype; with a `factor` of 0
    bit for bit, but for which NaN it is."""
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want), (what, type(got))
        for one, other in zip(got, want, strict=True):
            same(one, other, what, factor, terms)
        return
    if type(want) in (bool, int, float, complex):
        assert type(got) is type(want) and got == want, (what, got, want)
        return
    want_array, got_array = np.asarray(want), np.asarray(got)
    assert got_array.dtype == want_array.dtype, (what, got_array.dtype, want_array.dtype)
    assert got_array.shape == want_array.shape, (what, got_array.shape, want_array.shape)
    assert isinstance(got, np.ndarray) == isinstance(want, np.ndarray), (what, type(got), type(want))
    if want_array.dtype.kind not in "fc":
        np.testing.assert_array_equal(got_array, want_array, what)
        return
    if factor == 0:
        np.testing.assert_array_equal(got_array, want_array, what, strict=True)
        for part in ("real", "imag"):
            np.testing.assert_array_equal(signs(got_array, part), signs(want_array, part), f"{what}: signs of zeros")
        return
    bound = TOLERANCE[want_array.dtype.str[1:]] * factor * terms
    finite = np.abs(want_array[np.isfinite(want_array)])
    scale = float(finite.max()) if finite.size else 0.0
    np.testing.assert_allclose(got_array, want_array, rtol=bound, atol=bound * scale, err_msg=what)


def signs(array: Array, part: str) -> Array:
    """Where a zero is negative."""
    numbers = getattr(array, part)
    return (numbers == 0) & np.signbit(numbers)
