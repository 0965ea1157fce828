"""A drawn program under NumPy and as a kernel: results, dtypes, arguments, captured arrays, and which results lie in whose memory."""

from __future__ import annotations

import linecache
import warnings
from typing import Any

import numpy as np

import staxlang as stax
from tests.drawn.generator import Drawn

_BOUNDS = {2: 2e-2, 4: 2e-4, 8: 1e-9, 16: 1e-9}


class Differs(Exception):
    """What a kernel did is not what NumPy did."""


def space_of(drawn: Drawn, name: str) -> dict[str, Any]:
    """The program's names; its source is found under a file's name of its own."""
    text = drawn.text
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np, "__name__": "drawn"}
    exec(compile(text, name, "exec"), space)
    return space


def run(drawn: Drawn, calls: int = 2, **options: Any) -> None:
    """Raise what is wrong: `Differs`, or the error of the kernel."""
    name = f"<drawn {drawn.seed}>"
    mine, theirs = space_of(drawn, name), space_of(drawn, name + " plain")
    kernel = stax.kernel(strict=True, **options)(mine["f"])
    for _ in range(calls):
        given, plain = mine["arguments"](), theirs["arguments"]()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = theirs["f"](*plain)
            got = kernel(*given)
        same("result", got, expected)
        same("argument", given, plain)
        same("captured", mine["G"], theirs["G"])
        shared(leaves(got), leaves(expected), [*given[:3], mine["G"]], [*plain[:3], theirs["G"]])
    stats = kernel.stats()
    if stats.fallbacks or stats.route != ("reference" if options.get("engine") == "reference" else "native"):
        raise Differs(f"it ran {stats.route}, {stats.fallbacks} fallbacks")
    linecache.cache.pop(name)
    linecache.cache.pop(name + " plain")


def same(where: str, got: Any, expected: Any) -> None:
    if isinstance(got, np.generic) and type(expected) in (
        int,
        float,
    ):  # a branch in a loop may have made it NumPy's: it is so on both sides
        got = got.item()
    if type(got) is not type(expected):
        raise Differs(f"{where}: {type(got).__name__}, expected {type(expected).__name__}")
    if isinstance(expected, (tuple, list)):
        if len(got) != len(expected):
            raise Differs(f"{where}: {len(got)} parts, expected {len(expected)}")
        for place, (one, other) in enumerate(zip(got, expected)):
            same(f"{where}[{place}]", one, other)
    elif isinstance(expected, dict):
        same(f"{where}.keys()", list(got), list(expected))
        same(f"{where}.values()", list(got.values()), list(expected.values()))
    elif isinstance(expected, (np.ndarray, np.generic)):
        # Arrays in the other byte order are converted: what is computed has the machine's.
        if got.dtype.newbyteorder("=") != expected.dtype.newbyteorder("=") or got.shape != expected.shape:
            raise Differs(f"{where}: {got.dtype}{got.shape}, expected {expected.dtype}{expected.shape}")
        _equal(where, np.asarray(got), np.asarray(expected))
    else:
        _equal(where, np.asarray(got), np.asarray(expected))


def _equal(where: str, got: np.ndarray, expected: np.ndarray) -> None:
    if expected.dtype.kind in "fc":
        size = expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1)
        finite = np.abs(expected[np.isfinite(expected)])
        scale = max(1.0, float(finite.max())) if finite.size else 1.0
        fits = np.allclose(got.astype("c16"), expected.astype("c16"), rtol=_BOUNDS[size], atol=_BOUNDS[size] * scale, equal_nan=True)
    else:
        fits = np.array_equal(got, expected)
    if not fits:
        raise Differs(f"{where}:\n{got!r}\nexpected\n{expected!r}")


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return leaves(list(value.values()))
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def shared(mine: list[Any], theirs: list[Any], my_owners: list[Any], their_owners: list[Any]) -> None:
    """Results share memory with arguments and with each other where NumPy's do, and only there."""
    for k, (one, other) in enumerate(zip(mine, theirs)):
        if isinstance(other, np.ndarray):
            pairs = zip([*my_owners, *mine[:k]], [*their_owners, *theirs[:k]])
            for place, (owner, its) in enumerate(pairs):
                if isinstance(its, np.ndarray) and np.shares_memory(one, owner) != np.shares_memory(other, its):
                    raise Differs(
                        f"result {k} shares memory with {place}: {np.shares_memory(one, owner)}, expected {np.shares_memory(other, its)}"
                    )
