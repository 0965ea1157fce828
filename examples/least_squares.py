"""A trend and a yearly cycle fitted to 44 years of CO2 at Mauna Loa, and the shape of the year by singular values: LAPACK inside kernels.

Run it with `python examples/least_squares.py`.
"""

from pathlib import Path

import numpy as np

import staxlang as stax

DATA = Path(__file__).parent / "data" / "mauna_loa_co2.csv"
HARMONICS = 4


@stax.kernel
def fit(t, y):
    """Coefficients of 1, t, t^2 and cosines and sines of the year, their standard errors, and what is left over; t in years."""
    phase = 2 * np.pi * t[:, np.newaxis] * np.arange(1, HARMONICS + 1)
    design = np.hstack((np.vander(t, 3, increasing=True), np.cos(phase), np.sin(phase)))
    coefficients, _, rank, _ = np.linalg.lstsq(design, y)
    rest = y - design @ coefficients
    r = np.linalg.qr(design, mode="r")
    spread = np.linalg.inv(r)
    variance = (rest @ rest) / (len(t) - rank)
    return coefficients, np.sqrt(variance * (spread * spread).sum(axis=1)), rest


@stax.kernel
def shape_of_the_year(weeks):
    """Years in rows, weeks in columns: the commonest course of a year, and the share of the variance that it has."""
    centred = weeks - weeks.mean(axis=1, keepdims=True)
    _, s, vh = np.linalg.svd(centred, full_matrices=False)
    return vh[0] * np.sign(vh[0, 7]), s[0] ** 2 / (s * s).sum()


def load(path):
    """Weeks with a measurement: time in years since the first one, and CO2 in ppm."""
    ppm = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=1)
    years = np.arange(len(ppm)) * (7 / 365.25)
    there = np.isfinite(ppm)
    return years[there], ppm[there]


def main():
    t, y = load(DATA)
    coefficients, errors, rest = fit(t, y)
    expected = fit.__wrapped__(t, y)
    print(f"{len(t)} weeks; largest difference from NumPy: {np.abs(coefficients - expected[0]).max():.1e}")
    for name, value, error in zip(("ppm in 1958", "ppm a year", "ppm a year, each year"), coefficients, errors, strict=False):
        print(f"{value:10.4f} ± {error:.4f} {name}")
    print(f"{rest.std():10.4f} ppm are left over")

    cycle = np.interp(np.arange(43 * 52) / 52, t, y - np.polynomial.Polynomial.fit(t, y, 3)(t)).reshape(43, 52)
    course, share = shape_of_the_year(cycle)
    print(f"{share:.1%} of the variation within years has one shape,")
    print(f"highest {course.argmax()} weeks after March 29th, lowest {course.argmin()} weeks after it")
    print()
    print(fit.explain(t, y))


if __name__ == "__main__":
    main()
