"""The yearly rhythm of the air: a periodogram of 44 years of CO2 at Mauna Loa, as one native kernel.

Run it with `python examples/quickstart.py`.
"""

from pathlib import Path

import numpy as np

import staxlang as stax

DATA = Path(__file__).parent / "data" / "mauna_loa_co2.csv"


@stax.kernel
def periodogram(t, y, frequencies):
    """Power of y(t) at each frequency; t in years, frequencies in 1/year, shapes (n,), (n,), (m,) -> (m,)."""
    phase = 2 * np.pi * frequencies[:, np.newaxis] * t
    c = (y * np.cos(phase)).sum(axis=-1)
    s = (y * np.sin(phase)).sum(axis=-1)
    return (c * c + s * s) / len(t)


def load(path):
    """Weeks with a measurement: time in years since the first one, and CO2 in ppm without its slow rise."""
    ppm = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=1)
    years = np.arange(len(ppm)) * (7 / 365.25)
    there = np.isfinite(ppm)
    years, ppm = years[there], ppm[there]
    trend = np.polynomial.Polynomial.fit(years, ppm, 3)
    return years, ppm - trend(years)


def main():
    t, y = load(DATA)
    frequencies = np.linspace(0.1, 4.0, 2000)
    power = periodogram(t, y, frequencies)

    expected = periodogram.__wrapped__(t, y, frequencies)
    print(f"{len(t)} weeks, {len(frequencies)} frequencies; largest difference from NumPy: {np.abs(power - expected).max():.1e}")
    peaks = [i for i in range(1, len(power) - 1) if power[i] > power[i - 1] and power[i] > power[i + 1]]
    for i in sorted(peaks, key=lambda i: -power[i])[:2]:
        print(f"a cycle of {12 / frequencies[i]:5.2f} months, power {power[i]:.0f}")
    print()
    print(periodogram.explain(t, y, frequencies))


if __name__ == "__main__":
    main()
