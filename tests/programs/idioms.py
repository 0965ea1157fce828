"""What NumPy programs are made of: views, axes, defaults, containers, Python's own functions, ways to write into arrays."""

import numpy as np

from tests.programs.table import Program, integers, spread, uniform


def normalized(x, axis=-1, *, eps=1e-9, dtype=None):
    """Defaults, keywords, a dtype that may be the argument's own."""
    x = x.astype(x.dtype if dtype is None else dtype)
    return (x - x.min(axis=axis, keepdims=True)) / (np.ptp(x, axis=axis, keepdims=True) + eps)


def flat_reads(a, picks):
    total = a.flat[0] + a.flat[-1] + a.flat[5]
    a.flat[::3] = 0
    a.reshape(-1)[picks] += 1
    return total, a.ravel()[picks], a.flat[picks]


def tiles(a, block):
    """Means of blocks by reshaping, and the blocks put side by side."""
    h, w = a.shape
    four = a.reshape(h // block, block, w // block, block)
    return four.mean(axis=(1, 3)), four.swapaxes(1, 2).reshape(-1, block, block)


def outer_tables(a, b):
    return np.add.outer(a, b), np.multiply.outer(a, b), np.subtract.outer(b, a).T, np.maximum.outer(a, b)


def reduced(a):
    return (
        np.add.reduce(a),
        np.multiply.reduce(a, axis=1),
        np.maximum.reduce(a, axis=None),
        np.logical_and.reduce(a > 0, axis=0),
        np.bitwise_xor.reduce(a),
    )


def written_where(a, b):
    out = np.full_like(a, -1.0)
    np.divide(a, b, out=out, where=b != 0)
    np.sqrt(out, out=out, where=out >= 0)
    np.add(out, 1, out=out[...])
    return out


def rows_and_columns(a, rows, columns):
    """Crossing rows and columns, read and written."""
    before = a[np.ix_(rows, columns)]
    a[np.ix_(rows, columns)] *= -1
    a[rows[:, None], columns] += 1
    return before, a[rows][:, columns], a[..., columns].sum(axis=-1)


def counted(xs, weights):
    """Python's own functions over sequences."""
    total = sum(w * x.sum() for x, w in zip(xs, weights, strict=True))
    low, high = min(len(x) for x in xs), max(x.max() for x in xs)
    places = [k * abs(w) for k, w in enumerate(sorted(weights))]
    return total, low, high, sum(places), [x[::-1] for x in reversed(xs)]


def shifted_views(a):
    """Negative steps, an ellipsis, new axes: nothing of it copies."""
    b = a[::-1, ..., ::-2]
    c = b[np.newaxis, 1:, ...].swapaxes(0, 1)
    c += 1
    return a[1, ...], c[..., -1], b.T[0]


def exchanged(a, i, j):
    """Rows change places; so do columns, and two names."""
    a[[i, j]] = a[[j, i]]
    a[:, 0], a[:, -1] = a[:, -1].copy(), a[:, 0].copy()
    first, last = a[0], a[-1]
    first, last = last, first
    return first, last


def polynomial(coefficients, x):
    """Horner's rule over an array's first axis, and the slope."""
    value, slope = np.zeros_like(x), np.zeros_like(x)
    for c in coefficients[::-1]:
        slope = slope * x + value
        value = value * x + c
    return value, slope


def described(x):
    """A dict of tuples and numbers."""
    q = np.quantile(x, [0.25, 0.5, 0.75])
    return {
        "count": x.size,
        "shape": x.shape,
        "range": (x.min(), x.max()),
        "quartiles": q,
        "mean": np.float64(x.mean()),
        "kind": str(x.dtype),
    }


def signal_spectrum(signal, rate):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(signal.size) / signal.size)
    spectrum = np.fft.rfft(signal * window)
    power = np.abs(spectrum) ** 2
    return np.fft.rfftfreq(signal.size, 1 / rate), power, np.angle(spectrum[1:4])


def low_pass(image, radius):
    """A picture without its fast changes, by its transform."""
    f = np.fft.fftshift(np.fft.fft2(image))
    rows, columns = image.shape
    y, x = np.ogrid[-(rows // 2) : rows - rows // 2, -(columns // 2) : columns - columns // 2]
    f[x**2 + y**2 > radius**2] = 0
    return np.fft.ifft2(np.fft.ifftshift(f)).real


def phases(z):
    """Complex parts: read, conjugated, written through their real view."""
    w = z.conj() * z
    z.imag[z.real < 0] = 0.0
    z.real += 1
    return w.real, np.angle(z), z.T.conj(), (z * 1j).imag.sum()


def mixed_precision(a, b):
    """Dtypes meet: halves, singles, whole numbers and Python's."""
    c = a.astype(np.float16) * 2
    d = (b // 3).astype(np.int16) + np.int8(5)
    return c.dtype.name, (c + d).sum(), np.asarray(b, dtype=a.dtype) / 3, np.empty((2, 0), dtype=a.dtype), np.zeros(3, dtype=b.dtype)


def deep_update(state, rate):
    """A dict of arrays, changed in place by a helper."""
    for name in state:
        decay(state[name], rate)
    state["bias"][-1] = state["weight"].sum()
    return state["bias"], len(state)


def decay(array, rate):
    array *= 1 - rate
    array[array < 0.05] = 0


def scattered(points, values, size):
    """Points to the nearest places of a grid: sums, counts, largest."""
    place = np.clip((points * size).astype(int), 0, size - 1)
    total, count, top = np.zeros((size, size)), np.zeros((size, size), int), np.full((size, size), -np.inf)
    np.add.at(total, (place[:, 0], place[:, 1]), values)
    np.add.at(count, tuple(place.T), 1)
    np.maximum.at(top, tuple(place.T), values)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan), top


def compressed(codes):
    """Lengths of runs of equal values."""
    change = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    starts = np.concatenate(([0], change))
    lengths = np.diff(np.append(starts, codes.size))
    return codes[starts], lengths


def distinct(a):
    values, places, counts = np.unique(a, return_inverse=True, return_counts=True)
    return values, counts.max(), places.reshape(a.shape), values[np.argmax(counts)]


ROWS = [
    Program(normalized, lambda n: (uniform(n, n, dtype=np.float32), 0), 16, 1000, rtol=1e-5, keywords={"dtype": np.float64}),
    Program(flat_reads, lambda n: (integers(n, 4), integers(5, high=n)), 16, 10_000),
    Program(tiles, lambda n: (uniform(4 * n, 8 * n), 4), 4, 100),
    Program(outer_tables, lambda n: (integers(n), integers(n + 1, seed=1)), 16, 500),
    Program(reduced, lambda n: (integers(n, n, low=-1, high=3),), 16, 500),
    Program(written_where, lambda n: (uniform(n), integers(n, high=3) * 1.0), 32, 100_000),
    Program(rows_and_columns, lambda n: (uniform(n, n), np.arange(0, n, 3), np.arange(n - 1, 0, -2)), 16, 500),
    Program(counted, lambda n: ([integers(n), integers(n + 1, seed=1), integers(n, seed=2)], [3, -1, 2]), 16, 50_000),
    Program(shifted_views, lambda n: (uniform(n, 3, n),), 8, 200, rtol=0),
    Program(exchanged, lambda n: (uniform(n, n), 1, n - 2), 16, 500, rtol=0),
    Program(polynomial, lambda n: (uniform(6), uniform(n, low=-1)), 32, 100_000),
    Program(described, lambda n: (uniform(n),), 32, 50_000),
    Program(signal_spectrum, lambda n: (uniform(n), 100.0), 64, 1 << 16, rtol=1e-10),
    Program(low_pass, lambda n: (uniform(n, n), 3), 16, 256, rtol=1e-10),
    Program(phases, lambda n: (spread(n, n),), 16, 300),
    Program(mixed_precision, lambda n: (uniform(n, dtype=np.float32), integers(n)), 32, 50_000, rtol=1e-2),
    Program(deep_update, lambda n: ({"weight": uniform(n, n), "bias": uniform(n)}, 0.1), 16, 500),
    Program(scattered, lambda n: (uniform(n, 2), uniform(n), 8), 64, 50_000),
    Program(compressed, lambda n: (integers(n, high=2),), 32, 50_000),
    Program(distinct, lambda n: (integers(n, high=9),), 32, 50_000),
]  # fmt: skip
