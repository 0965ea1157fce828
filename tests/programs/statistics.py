"""Statistics and learning: moments, regressions, filters of time series, resampling by indices, decompositions."""

import numpy as np

from tests.programs.table import Program, integers, uniform


def covariance(data):
    data -= np.mean(data, axis=0)
    m = data.shape[1]
    cov = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (np.float64(data.shape[0]) - 1.0)
    return cov


def correlation(data, eps=0.1):
    deviation = np.std(data, axis=0)
    deviation[deviation <= eps] = 1.0
    scaled = (data - data.mean(axis=0)) / (np.sqrt(np.float64(data.shape[0])) * deviation)
    return scaled.T @ scaled


def linear_regression(x, y):
    """Coefficients, the share of variance they explain, standard errors."""
    ones = np.ones((x.shape[0], 1), dtype=x.dtype)
    design = np.concatenate((ones, x), axis=1)
    gram = design.T @ design
    beta = np.linalg.solve(gram, design.T @ y)
    residual = y - design @ beta
    variance = residual @ residual / (design.shape[0] - design.shape[1])
    return beta, 1 - residual @ residual / ((y - y.mean()) ** 2).sum(), np.sqrt(variance * np.diag(np.linalg.inv(gram)))


def logistic_regression(x, y, rounds, rate=0.1):
    w, b = np.zeros(x.shape[1]), 0.0
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        w -= rate * x.T @ (p - y) / len(y)
        b -= rate * np.mean(p - y)
    return w, b, ((x @ w + b > 0) == y).mean()


def kalman(z, q, r):
    """A filter of position and velocity over a series: two states, written out."""
    x, p = np.zeros(2), np.eye(2)
    f, h = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    out = np.empty((z.shape[0], 2))
    for t in range(z.shape[0]):
        x = f @ x
        p = f @ p @ f.T + q * np.eye(2)
        gain = p @ h / (h @ p @ h + r)
        x = x + gain * (z[t] - h @ x)
        p = p - np.outer(gain, h) @ p
        out[t] = x
    return out, p


def rolling(x, window):
    """Mean and deviation over a window that moves, by running sums."""
    c = np.cumsum(np.insert(x, 0, 0.0))
    c2 = np.cumsum(np.insert(x * x, 0, 0.0))
    mean = (c[window:] - c[:-window]) / window
    return mean, np.sqrt(np.maximum((c2[window:] - c2[:-window]) / window - mean**2, 0))


def bootstrap(data, chosen):
    """Means of samples that are drawn beforehand, and their middle 90 percent."""
    means = data[chosen].mean(axis=1)
    low, high = np.percentile(means, [5, 95])
    return means, low, high


def confusion(truth, guess, classes=4):
    table = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(table, (truth, guess), 1)
    diagonal = np.diag(table)
    precision = diagonal / np.maximum(table.sum(axis=0), 1)
    recall = diagonal / np.maximum(table.sum(axis=1), 1)
    return table, precision, recall


def autocorrelation(x, lags):
    x = x - x.mean()
    return np.array([np.dot(x[: x.size - k], x[k:]) for k in range(lags)]) / np.dot(x, x)


def principal_values(x, keep):
    """The largest eigenvalues of a covariance, and how much they explain."""
    x = x - x.mean(axis=0)
    values = np.linalg.eigvalsh(x.T @ x / (x.shape[0] - 1))[::-1]
    return values[:keep], np.add.accumulate(values)[:keep] / values.sum()


def density(points, grid, width):
    """A sum of bells at each point of a grid."""
    apart = np.subtract.outer(grid, points) / width
    return np.exp(-0.5 * apart**2).sum(axis=-1) / (points.size * width * np.sqrt(2 * np.pi))


def mixture_step(x, mean, variance, share):
    """One round of expectation and maximization for bells in one dimension."""
    log = -0.5 * ((x[:, None] - mean) ** 2 / variance + np.log(2 * np.pi * variance)) + np.log(share)
    top = log.max(axis=1, keepdims=True)
    resp = np.exp(log - top)
    resp /= resp.sum(axis=1, keepdims=True)
    weight = resp.sum(axis=0)
    mean[:] = (resp * x[:, None]).sum(axis=0) / weight
    variance[:] = (resp * (x[:, None] - mean) ** 2).sum(axis=0) / weight
    share[:] = weight / len(x)
    return (np.log(np.exp(log - top).sum(axis=1)) + top[:, 0]).sum()


def ranks(x):
    """Ranks, and where they come from."""
    order = x.argsort(kind="stable")
    rank = np.empty(x.size, dtype=np.intp)
    rank[order] = np.arange(x.size)
    return rank, x[order], order[::-1]


def simpson(y, dx):
    return dx / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


def drawdown(prices):
    """The deepest fall from a height before it."""
    peak = np.maximum.accumulate(prices)
    fall = 1 - prices / peak
    end = fall.argmax()
    return fall.max(), end, np.diff(np.log(prices)).std(ddof=1) * np.sqrt(252)


ROWS = [
    Program(covariance, lambda n: (uniform(n, 6),), 16, 20_000, rtol=1e-10),
    Program(correlation, lambda n: (uniform(n, 12),), 16, 20_000, rtol=1e-10),
    Program(linear_regression, lambda n: (uniform(n, 3), uniform(n)), 16, 50_000, rtol=1e-9),
    Program(logistic_regression, lambda n: (uniform(n, 4, low=-1), integers(n, high=2), 20), 16, 20_000, rtol=1e-10),
    Program(kalman, lambda n: (uniform(n), 1e-3, 0.1), 4, 500, rtol=1e-10),
    Program(rolling, lambda n: (uniform(n), 8), 32, 100_000, rtol=1e-7),
    Program(bootstrap, lambda n: (uniform(n), integers(50, n, high=n)), 16, 1000),
    Program(confusion, lambda n: (integers(n, high=4), integers(n, high=4, seed=1)), 50, 100_000),
    Program(autocorrelation, lambda n: (uniform(n), 6), 32, 50_000, rtol=1e-10),
    Program(principal_values, lambda n: (uniform(n, 6), 3), 16, 5000, rtol=1e-9),
    Program(density, lambda n: (uniform(n), np.linspace(0, 1, 40), 0.1), 16, 5000),
    Program(mixture_step, lambda n: (uniform(n), np.array([0.2, 0.8]), np.array([0.1, 0.2]), np.array([0.5, 0.5])), 16, 50_000, rtol=1e-9),
    Program(ranks, lambda n: (uniform(n),), 16, 20_000),
    Program(simpson, lambda n: (uniform(2 * n + 1), 0.1), 16, 50_000),
    Program(drawdown, lambda n: (1 + uniform(n),), 16, 50_000),
]  # fmt: skip
