"""Boolean masks that are read and written; fractals, thresholds, images, options."""

import math

import numpy as np

from tests.programs.table import Program, integers, spread, uniform


def mandelbrot(xmin, xmax, ymin, ymax, n, rounds, horizon=2.0):
    x = np.linspace(xmin, xmax, n)
    y = np.linspace(ymin, ymax, n)
    c = x + y[:, None] * 1j
    z = np.zeros(c.shape, dtype=np.complex128)
    count = np.zeros(c.shape, dtype=np.int64)
    for k in range(rounds):
        inside = np.abs(z) < horizon
        count[inside] = k
        z[inside] = z[inside] ** 2 + c[inside]
    count[count == rounds - 1] = 0
    return z, count


def julia(z, c, rounds=5):
    """How often each point is mapped before it leaves; points that have left stay where they are."""
    count = np.zeros(z.shape, dtype=np.uint8)
    for _ in range(rounds):
        alive = z.real**2 + z.imag**2 <= 4
        z = np.where(alive, z * z + c, z)
        count += alive
    return count


def newton_fractal(z, rounds=4):
    """Which root of z**3 = 1 Newton's steps find."""
    for _ in range(rounds):
        z = z - (z**3 - 1) / (3 * z**2)
    roots = np.exp(2j * np.pi * np.arange(3) / 3)
    return np.argmin(np.abs(z[..., None] - roots), axis=-1)


def repair(series, limit=3.0):
    """Missing values become the mean, outliers are pulled in, in place; how many of each."""
    missing = np.isnan(series)
    mean, spread = np.nanmean(series), np.nanstd(series)
    series[missing] = mean
    far = np.abs(series - mean) > limit * spread
    series[far] = mean + np.sign(series[far] - mean) * limit * spread
    return np.count_nonzero(missing), far.sum()


def equalized(image):
    """A picture of bytes with its grey levels spread evenly."""
    counts = np.bincount(image.reshape(-1), minlength=256)
    share = counts.cumsum() / image.size
    table = np.floor(255 * share).astype(np.uint8)
    return table[image]


def thresholded(image, rounds=5):
    """Two classes by the mean of their means."""
    level = image.mean()
    for _ in range(rounds):
        bright = image > level
        high = (image * bright).sum() / np.maximum(bright.sum(), 1)
        low = (image * ~bright).sum() / np.maximum((~bright).sum(), 1)
        level = 0.5 * (high + low)
    return image > level, level


def to_hsv(rgb):
    """Colours as hue, saturation and value."""
    high, low = rgb.max(axis=-1), rgb.min(axis=-1)
    delta = high - low
    r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    hue = np.zeros_like(high)
    safe = np.where(delta == 0, 1.0, delta)
    hue = np.where(high == r, (g - b) / safe % 6, hue)
    hue = np.where((high == g) & (high != r), (b - r) / safe + 2, hue)
    hue = np.where((high == b) & (high != r) & (high != g), (r - g) / safe + 4, hue)
    hue[delta == 0] = 0
    saturation = np.divide(delta, high, out=np.zeros_like(high), where=high > 0)
    return np.stack([hue / 6, saturation, high], axis=-1)


def normal_distribution(x):
    """The distribution function by a rational approximation of the error function."""
    t = 1 / (1 + 0.3275911 * np.abs(x) / math.sqrt(2))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 0.5 * (1 + np.sign(x) * (1 - poly * np.exp(-x * x / 2)))


def option_prices(spot, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    d2 = d1 - root
    discounted = strike * np.exp(-rate * years)
    call = spot * normal_distribution(d1) - discounted * normal_distribution(d2)
    return call, call - spot + discounted


def great_circle(theta1, phi1, theta2, phi2):
    """Distances on a sphere by the haversine."""
    h = np.sin((theta2 - theta1) / 2) ** 2 + np.cos(theta1) * np.cos(theta2) * np.sin((phi2 - phi1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(h), np.sqrt(1 - h))


def clipped_sum(a, b, low, high, *, scale=2):
    return np.clip(a, low, high) * scale + b.clip(low, high) * 3


def trace_and_tanh(a):
    trace = 0.0
    for i in range(4):
        trace += np.tanh(a[i, i])
    return a + trace


def rectified(x, slope=0.01):
    """A leaky rectifier in place, and which elements it touched."""
    negative = x < 0
    x[negative] *= slope
    return negative


def selected_statistics(x, low, high):
    inside = (x >= low) & (x < high)
    chosen = x[inside]
    return chosen.size, chosen.mean(), chosen.std(), chosen[:3].copy()


def _holes(series):
    series[::7] = np.nan
    return series


def _options(n):
    return uniform(n, low=50, high=150), uniform(n, low=60, high=140, seed=1), uniform(n, low=0.1, high=2), 0.02, 0.3


ROWS = [
    Program(mandelbrot, lambda n: (-2.0, 0.5, -1.25, 1.25, n, 6), 16, 300, rtol=1e-9),
    Program(julia, lambda n: (spread(n, n), -0.4 + 0.6j), 16, 400, rtol=0),
    Program(newton_fractal, lambda n: (2 * spread(n, n),), 16, 300),
    Program(repair, lambda n: (_holes(uniform(n, low=-1) ** 5),), 50, 100_000),
    Program(equalized, lambda n: (integers(n, n, high=256, dtype=np.uint8),), 16, 500),
    Program(thresholded, lambda n: (uniform(n, n),), 16, 500),
    Program(to_hsv, lambda n: (uniform(n, n, 3),), 16, 300),
    Program(option_prices, _options, 64, 200_000),
    Program(great_circle, lambda n: tuple(uniform(n, low=-1.5, high=1.5, seed=k) for k in range(4)), 64, 200_000),
    Program(clipped_sum, lambda n: (integers(n, n), integers(n, n, seed=1), 2, 7), 16, 1000, keywords={"scale": 5}),
    Program(trace_and_tanh, lambda n: (uniform(n, n),), 16, 1000),
    Program(rectified, lambda n: (uniform(n, n, low=-1),), 16, 1000, rtol=0, copies=0),
    Program(selected_statistics, lambda n: (uniform(n), 0.2, 0.7), 50, 100_000),
]  # fmt: skip
