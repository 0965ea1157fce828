"""Runs the programs of `examples/stx` on inputs, compares them with NumPy, and prints what each moves beside the least it could."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import staxlang as stax

FOLDER = Path(__file__).parent / "stx"
sys.path.insert(0, str(FOLDER))

from references import CASES  # noqa: E402


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """The largest, relative where values are large; equal infinities do not differ."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, (a.shape, b.shape)
    with np.errstate(invalid="ignore"):
        return float(np.max(np.where(a == b, 0.0, np.abs(a - b) / (1 + np.abs(b)))))


def main() -> None:
    print(f"{'program':16}{'kernel':16}{'kernels':>8}{'moved':>12}{'of the least':>14}{'difference':>12}")
    for program, kernels in CASES.items():
        module = stax.load(FOLDER / f"{program}.stx")
        for name, (inputs, reference) in kernels.items():
            kernel = getattr(module, name)
            got, right = kernel(*inputs), reference(*inputs)
            pairs = zip(got, right, strict=True) if isinstance(got, tuple) else [(got, right)]
            worst = max(difference(a, b) for a, b in pairs)
            report = kernel.explain(*inputs)
            ratio = report.bytes_moved / report.bytes_lower_bound
            print(f"{program:16}{name:16}{len(report.kernels):8}{report.bytes_moved:12}{ratio:14.2f}{worst:12.1e}")
            assert worst < 1e-9, (program, name, worst)


if __name__ == "__main__":
    main()
