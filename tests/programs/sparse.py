"""Sparse matrices, graphs, histograms: loops over indptr, gathers, sums by index, batches of complex systems, a transform by hand."""

import numpy as np

from tests.programs.table import Program, integers, rng, spread, uniform


def spmv(indptr, indices, values, x):
    """A sparse matrix by rows times a vector."""
    y = np.empty(indptr.size - 1, values.dtype)
    for i in range(indptr.size - 1):
        columns = indices[indptr[i] : indptr[i + 1]]
        y[i] = values[indptr[i] : indptr[i + 1]] @ x[columns]
    return y


def spmv_by_elements(indptr, indices, values, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(indptr) - 1):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += values[k] * x[indices[k]]
        y[i] = total
    return y


def spmv_triplets(rows, columns, values, x, n):
    """The same of triplets: equal rows add up."""
    y = np.zeros(n, dtype=values.dtype)
    np.add.at(y, rows, values * x[columns])
    return y


def page_rank(links, rounds=5, damping=0.85):
    n = links.shape[0]
    out = links.sum(axis=0)
    move = links / np.where(out == 0, 1, out)
    move[:, out == 0] = 1 / n
    rank = np.full(n, 1 / n)
    for _ in range(rounds):
        rank = (1 - damping) / n + damping * (move @ rank)
    return rank, np.argsort(-rank, kind="stable")[:3]


def reached(adjacency, start, rounds):
    """Breadth-first levels, -1 where there is no way."""
    level = np.full(adjacency.shape[0], -1)
    level[start] = 0
    front = np.zeros(adjacency.shape[0], dtype=bool)
    front[start] = True
    for k in range(1, rounds + 1):
        front = (adjacency[front].any(axis=0)) & (level < 0)
        level[front] = k
    return level


def histogram(data, weights, bins):
    """Counts and sums of weights by equal bins, written out."""
    low, high = data.min(), data.max()
    place = np.minimum(((data - low) / (high - low) * bins).astype(np.int64), bins - 1)
    counts = np.zeros(bins, dtype=np.int64)
    sums = np.zeros(bins)
    np.add.at(counts, place, 1)
    np.add.at(sums, place, weights)
    return counts, sums


def radial_profile(image, radius, bins):
    """The mean of a picture by distance from its centre."""
    counted, _ = np.histogram(radius, bins)
    summed, _ = np.histogram(radius, bins, weights=image)
    return summed / np.maximum(counted, 1)


def joint_histogram(a, b, size):
    table = np.zeros((size, size), np.int64)
    np.add.at(table, (a, b), 1)
    return table, table.sum(0), table.sum(axis=1)


def group_means(values, groups, count):
    return np.bincount(groups, weights=values, minlength=count) / np.bincount(groups, minlength=count)


def contour_integral(hamiltonians, points, weights, right):
    """A sum of resolvents over points of a contour: batches of complex systems."""
    size = hamiltonians.shape[-1]
    total = np.zeros((size, right.shape[1]), dtype=np.complex128)
    moment = np.zeros_like(total)
    for z, w in zip(points, weights):
        powers = np.zeros((size, size), dtype=np.complex128)
        for k in range(hamiltonians.shape[0]):
            powers += np.power(z, k - 1) * hamiltonians[k]
        x = np.linalg.solve(powers, right)
        if abs(z) < 1.0:
            x = -x
        total += x * w
        moment += x * w * z
    return total, moment


def self_energy(neighbours, derivative, propagator, other, sigma):
    """Sums of small products over energies, momenta and neighbours, into an argument."""
    for k in range(propagator.shape[0]):
        for e in range(propagator.shape[1]):
            for b in range(neighbours.shape[1]):
                for i in range(derivative.shape[0]):
                    around = propagator[k, e, neighbours[:, b]] @ derivative[i]
                    weighted = derivative[i] * other[k, e, i]
                    sigma[k, e] += around @ weighted


def fourier(x):
    """A transform of a power of two by splitting: Stockham's, without reordering."""
    n = x.shape[0]
    y = x.astype(np.complex128)
    half, stride = n // 2, 1
    while half >= 1:
        pairs = y.reshape(2, half, stride)
        angle = -2j * np.pi * np.arange(half) / (2 * half)
        even = pairs[0] + pairs[1]
        odd = (pairs[0] - pairs[1]) * np.exp(angle)[:, None]
        y = np.stack([even, odd], axis=1).reshape(-1)
        half //= 2
        stride *= 2
    return y


def slow_fourier(x):
    k = np.arange(x.size)
    return np.exp(-2j * np.pi * np.outer(k, k) / x.size) @ x


def _csr(n):
    counts = integers(n, high=5)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return indptr, integers(int(indptr[-1]), high=n), uniform(int(indptr[-1])), uniform(n, seed=1)


def _triplets(n):
    return integers(4 * n, high=n), integers(4 * n, high=n, seed=1), uniform(4 * n), uniform(n), n


def _links(n):
    return ((rng(n).random((n, n)) < 3 / n) * 1.0,)


def _energies(n):
    return integers(n, 2, high=n), spread(2, 3, 3), spread(2, 2, n, 3, 3), spread(2, 2, 2, 3, 3), np.zeros((2, 2, n, 3, 3), complex)


ROWS = [
    Program(spmv, _csr, 12, 1000),
    Program(spmv_by_elements, _csr, 12, 1000),
    Program(spmv_triplets, _triplets, 32, 50_000),
    Program(page_rank, _links, 16, 300),
    Program(reached, lambda n: (rng(n).random((n, n)) < 2 / n, 0, 4), 16, 300),
    Program(histogram, lambda n: (uniform(n), uniform(n, seed=1), 10), 50, 100_000),
    Program(radial_profile, lambda n: (uniform(n, n), np.hypot(*np.indices((n, n)) - n / 2), 12), 16, 300),
    Program(joint_histogram, lambda n: (integers(n), integers(n, seed=1), 10), 50, 100_000),
    Program(group_means, lambda n: (uniform(n), np.arange(n) % 7, 7), 50, 100_000),
    Program(contour_integral, lambda n: (spread(3, n, n), 1.5 * spread(4), spread(4, seed=2), spread(n, 3)), 6, 60, rtol=1e-9),
    Program(self_energy, _energies, 4, 60),
    Program(fourier, lambda n: (spread(1 << n),), 4, 14, rtol=1e-11),
    Program(slow_fourier, lambda n: (spread(n),), 16, 300, rtol=1e-10),
]  # fmt: skip
