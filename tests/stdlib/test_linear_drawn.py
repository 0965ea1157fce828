"""Programs of linear algebra, drawn: chains of factors, solutions, views and updates of arguments, beside the same under NumPy."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest

import staxlang as stax

Array = np.ndarray[Any, Any]
STEPS = (
    "np.linalg.inv({x})", "np.linalg.solve({x}, {y})", "np.linalg.qr({x})[0]", "np.linalg.qr({x})[1]", "np.linalg.svd({x})[2]",
    "np.linalg.eigh({x})[1]", "{x}[..., ::-1, :]", "{x}.swapaxes(-1, -2)", "{x} + {y}", "{x} @ {y}", "np.linalg.pinv({x})",
    "{x} * np.linalg.det({y})[..., None, None]", "np.linalg.matrix_power({x}, -2)", "np.linalg.eigvalsh({x})[..., None] * {y}",
    "np.linalg.cholesky({x} @ {x}.conj().swapaxes(-1, -2) + 3 * np.eye(SIZE))", "np.linalg.slogdet({x})[1][..., None, None] + {y}",
    "np.linalg.cond({x}, 1)[..., None, None] * 0.01 + {y}", "np.linalg.solve({x}, {y}[..., 0][..., None]) + {y}",
    "np.linalg.svd({x}, compute_uv=False)[..., None, :] * {y}", "np.linalg.norm({x}, 2, axis=(-2, -1))[..., None, None] + {y}",
)  # fmt: skip


def program(draw: random.Random, name: str, size: int) -> Any:
    """A function of two arrays of matrices."""
    lines: list[str] = []
    names = ["a", "b"]
    for k in range(draw.randint(2, 6)):
        step = draw.choice(STEPS).format(x=draw.choice(names), y=draw.choice(names))
        lines.append(f"v{k} = {step}")
        names.append(f"v{k}")
        if draw.random() < 0.2:
            lines.append(f"a[..., 0, :] = v{k}[..., -1, :]")
        if draw.random() < 0.15:
            lines.append(f"v{k} += 1")
    results = names[2:]
    source = "def case(a, b):\n" + "".join(f"    {line}\n" for line in lines) + f"    return ({', '.join(results)},)\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope: dict[str, Any] = {"np": np, "SIZE": size}
    exec(compile(source, name, "exec"), scope)
    return scope["case"]


def matrices(draw: random.Random, shape: tuple[int, ...], dtype: str) -> Array:
    """Well-conditioned ones, as a caller may have them in memory."""
    generator = np.random.default_rng(draw.randrange(1 << 30))
    x: Any = generator.standard_normal(shape) + 2 * np.eye(shape[-1])
    if dtype == "c16":
        x = x + 0.5j * generator.standard_normal(shape)
    x = x.astype(dtype)
    way = draw.random()
    return np.asfortranarray(x) if way < 0.2 else x[..., ::-1, ::-1] if way < 0.4 else x


def agree(got: Array, want: Array, what: str) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, what
    known = np.abs(want[np.isfinite(want)])
    bound = 1e-6 * max(1.0, float(known.max()) if known.size else 1.0)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=bound, err_msg=what)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(6))
def test_drawn_programs(seed: int) -> None:
    draw = random.Random(seed)
    compared = 0
    for case in range(12):
        size, batch, dtype = draw.choice((1, 2, 3, 5)), draw.choice(((), (), (2,), (2, 3), (1, 4))), draw.choice(("f8", "f8", "c16"))
        function = program(draw, f"<drawn linear algebra {seed} {case}>", size)
        a, b = matrices(draw, (*batch, size, size), dtype), matrices(draw, (*batch, size, size), dtype)
        theirs = a.copy("K"), b.copy("K")
        try:
            wanted = function(*theirs)
        except np.linalg.LinAlgError:
            continue
        kernel = stax.kernel(function)
        for _ in range(2):
            mine = a.copy("K"), b.copy("K")
            results = kernel(*mine)
            for got, want in zip((*results, *mine), (*wanted, *theirs), strict=True):
                agree(got, want, "".join(linecache.getlines(function.__code__.co_filename)))
        assert kernel.stats().route == "native"
        compared += 1
    assert compared >= 8
