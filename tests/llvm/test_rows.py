"""Every operation of the table in every dtype that it takes, compiled in lanes and as scalars, against its NumPy reference."""

from __future__ import annotations

import numpy as np
import pytest

from staxlang.base.dtypes import DTYPES, DType
from staxlang.base.operations import OPERATIONS, Operation, result_type
from staxlang.compiler.target import Target
from tests.llvm.harness import Program, Sketch, host_target

LENGTHS = (0, 1, 7, 15, 16, 17, 33, 200)
HAS_BF16 = True
try:
    import ml_dtypes  # noqa: F401
except ImportError:
    HAS_BF16 = False
SAMPLED = [d for d in DTYPES.values() if d.name != "bf16" or HAS_BF16]
FLOAT_EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, -7.0, 100.0, 1e-3, np.inf, -np.inf, np.nan]
# Largest relative error in units of the result's last place; 0 is bit for bit.
LOOSE = {"default": 3.0, "correct": 0.0, "exact": 0.0}


def dtype_cases() -> list[tuple[str, str]]:
    return [(name, dtype.name) for name in OPERATIONS for dtype in SAMPLED if resolved(OPERATIONS[name], dtype) is not None]


def resolved(operation: Operation, dtype: DType) -> tuple[tuple[DType, ...], DType] | None:
    """The operand dtypes and the result dtype, where this dtype is one that the row computes in."""
    first = {"where": DTYPES["bool"]}.get(operation.name, dtype)
    operands = (first, *[dtype] * (operation.arity - 1))
    if operation.name == "ldexp":
        operands = (dtype, DTYPES["i32"])
    try:
        found = result_type(operation, operands)
    except TypeError:
        return None
    if found[0][-1 if operation.name != "ldexp" else 0] is not dtype:
        return None
    return found


def samples(dtype: DType, count: int, rng: np.random.Generator, place: int) -> np.ndarray:
    kind = dtype.numpy
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(kind)
        values = rng.integers(max(info.min, -20), 20, count).astype(kind)
        wide = rng.integers(info.min, info.max, count, dtype=kind, endpoint=True)
        values = np.where(rng.random(count) < 0.4, wide, values)
        edges = [0, 1, info.max, info.min, 2, 7, 3, info.min + 1]
        for k in range(min(count, 64)):
            values[k] = edges[k % 8 if place == 0 else k // 8]
        return values.astype(kind)
    if dtype.kind == "f":
        values = np.where(rng.random(count) < 0.5, rng.normal(size=count) * 4, np.exp(rng.normal(size=count) * 4))
        size = len(FLOAT_EDGES)
        for k in range(count if count < size * size and place == 0 else min(count, size * size)):
            values[k] = FLOAT_EDGES[k % size if place == 0 else k // size]
        with np.errstate(all="ignore"):
            return values.astype(kind)
    half = np.float32 if dtype.bits == 64 else np.float64
    made = np.empty(count, kind)
    made.real, made.imag = (rng.normal(size=(2, count)) * 3).astype(half)
    return made


def build(operation: Operation, operands: tuple[DType, ...], result: DType, width: int, target: Target | None = None) -> Program:
    s = Sketch()
    n, i = s.size("N"), s.size("i")
    loads = [s.load(s.input(f"x{k}", d.name, (n,)), i) for k, d in enumerate(operands)]
    out = s.output("y", result.name, (n,))
    loop = s.vector(i, n, width) if width > 1 else s.serial(i, n)
    s.kernel(s.nest([loop], s.store(out, (i,), s.op(operation.name, *loads, type=result))))
    return s.compile(target)


def assert_close(operation: Operation, got: np.ndarray, want: np.ndarray, context: str, through_complex: bool = False) -> None:
    assert got.dtype == want.dtype, (got.dtype, want.dtype)
    kind = want.dtype.kind
    if kind in "biu":
        bad = got != want
        assert not bad.any(), f"{context}: at {np.flatnonzero(bad)[:5]}: {got[bad][:5]} for {want[bad][:5]}"
        return
    if kind == "c":
        for part in ("real", "imag"):
            scale = np.abs(want) + 1e-30
            with np.errstate(all="ignore"):
                error = np.abs(getattr(got, part) - getattr(want, part)) / scale
            limit = 64 * np.finfo(want.dtype).eps
            assert np.all((error <= limit) | ~np.isfinite(error)), f"{context}: {part} off by {np.nanmax(error)}"
        return
    wide = np.float64
    got, want_wide = got.astype(wide), want.astype(wide)
    if want.dtype.name == "bfloat16" and operation.name in ("sign", "nextafter", "spacing"):
        got, want_wide = np.abs(got), np.abs(want_wide)  # at -0.0 ml_dtypes keeps the sign; here bf16 does as NumPy's own floats
    assert np.array_equal(np.isnan(got), np.isnan(want_wide)), (
        f"{context}: NaN at {np.flatnonzero(np.isnan(got) != np.isnan(want_wide))[:5]}"
    )
    same = (got == want_wide) | np.isnan(want_wide)
    if LOOSE[operation.accuracy] == 0.0 and not through_complex:
        bad = ~same
        assert not bad.any(), f"{context}: at {np.flatnonzero(bad)[:5]}: {got[bad][:5]} for {want_wide[bad][:5]}"
        signs = np.signbit(got) != np.signbit(want_wide)
        signs &= ~np.isnan(want_wide)
        if operation.name not in ("maximum", "minimum", "fmax", "fmin"):
            assert not signs.any(), f"{context}: sign of zero at {np.flatnonzero(signs)[:5]}"
        return
    if want.dtype.name == "bfloat16":
        unit = np.abs(want_wide) * 2.0**-8
    else:
        with np.errstate(all="ignore"):
            unit = np.spacing(np.abs(want)).astype(wide)
    with np.errstate(all="ignore"):
        error = np.where(same, 0, np.abs(got - want_wide) / unit)
    assert np.nanmax(error, initial=0) <= (LOOSE[operation.accuracy] or 3.0), (
        f"{context}: {np.nanmax(error)} units at {np.nanargmax(error)}"
    )


@pytest.mark.parametrize(("name", "dtype"), dtype_cases())
def test_row(name: str, dtype: str) -> None:
    for width in (16, 1):
        check(name, dtype, width, LENGTHS, host_target())


def check(name: str, dtype: str, width: int, lengths: tuple[int, ...], target: Target) -> None:
    operation = OPERATIONS[name]
    found = resolved(operation, DTYPES[dtype])
    assert found is not None
    operands, result = found
    rng = np.random.default_rng(7)
    program = build(operation, operands, result, width, target)
    for length in lengths:
        arrays = [samples(d, length, rng, k) for k, d in enumerate(operands)]
        if name == "power" and DTYPES[dtype].kind == "i":
            arrays[1] = np.abs(arrays[1] % 20)
        if name == "ldexp":
            arrays[1] = arrays[1] % 300 - 150
        with np.errstate(all="ignore"):
            want = np.asarray(operation.reference(*arrays)).astype(result.numpy, copy=False)
        got = np.full(length + 1, 77, result.numpy)
        assert program(*arrays, got[:length], N=length) == 0
        assert_close(operation, got[:length], want, f"{name} {dtype} x{width} of {length}", operands[0].kind == "c")
        assert got[length] == np.asarray(77, result.numpy)
