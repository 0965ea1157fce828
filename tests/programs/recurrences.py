"""Dynamic programming and recurrences: tables filled row by row, best paths, alignments, filters."""

import numpy as np

from tests.programs.table import Program, integers, uniform


def floyd_warshall(path):
    """All shortest paths, in place."""
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


def pairing(base):
    """The most pairs that fold a chain onto itself (bases that add up to 3 pair)."""
    n = base.shape[0]
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j - 1])
            table[i, j] = max(table[i, j], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + (base[i] + base[j] == 3))
            else:
                table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


def edit_distance(a, b):
    """Levenshtein's, with two rows."""
    row = np.arange(b.size + 1)
    for i in range(a.size):
        before = row.copy()
        row[0] = i + 1
        for j in range(b.size):
            row[j + 1] = min(before[j + 1] + 1, row[j] + 1, before[j] + (a[i] != b[j]))
    return int(row[-1])


def common_subsequence(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1], table


def knapsack(values, weights, capacity):
    """The best value for each capacity: a row is updated from a shifted copy of itself."""
    best = np.zeros(capacity + 1, dtype=values.dtype)
    for value, weight in zip(values, weights):
        w = int(weight)
        best[w:] = np.maximum(best[w:], best[:-w] + value)
    return best


def matrix_chain(sizes):
    """The fewest multiplications of a chain of products."""
    n = len(sizes) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            splits = cost[i, i:j] + cost[i + 1 : j + 1, j] + sizes[i] * sizes[i + 1 : j + 1] * sizes[j + 1]
            cost[i, j] = splits.min()
    return cost[0, n - 1]


def viterbi(log_start, log_move, log_emit, observed):
    """The most likely states behind what was observed."""
    n = observed.shape[0]
    score = log_start + log_emit[:, observed[0]]
    back = np.zeros((n, score.size), dtype=np.intp)
    for t in range(1, n):
        through = score[:, np.newaxis] + log_move
        back[t] = np.argmax(through, axis=0)
        score = np.max(through, axis=0) + log_emit[:, observed[t]]
    path = np.zeros(n, dtype=np.intp)
    path[-1] = np.argmax(score)
    for t in range(n - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score.max()


def coin_change(coins, amount):
    """In how many ways coins make each amount."""
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for coin in coins:
        for total in range(coin, amount + 1):
            ways[total] += ways[total - coin]
    return ways


def seam(energy):
    """The cheapest way down through a picture: sums row by row, then the way back."""
    rows = energy.shape[0]
    cost = energy.copy()
    for i in range(1, rows):
        above = cost[i - 1]
        left = np.concatenate([[np.inf], above[:-1]])
        right = np.concatenate([above[1:], [np.inf]])
        cost[i] += np.minimum(np.minimum(left, right), above)
    return cost[-1].argmin(), cost[-1].min()


def deriche(image, alpha):
    """A recursive smoothing filter along rows, forwards and backwards."""
    k = (1 - np.exp(-alpha)) ** 2 / (1 + 2 * alpha * np.exp(-alpha) - np.exp(2 * alpha))
    a1, a2 = k, k * np.exp(-alpha) * (alpha - 1)
    a3, a4 = k * np.exp(-alpha) * (alpha + 1), -k * np.exp(-2 * alpha)
    b1, b2 = 2**-alpha, -np.exp(-2 * alpha)
    y1, y2 = np.empty_like(image), np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    return y1 + y2


def smoothed(x, alpha=0.3):
    """An exponential moving average."""
    y = np.empty_like(x)
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = alpha * x[t] + (1 - alpha) * y[t - 1]
    return y


def pascal(n, modulus):
    """Binomial coefficients of a remainder, each row from the one before."""
    triangle = np.zeros((n, n), dtype=np.int64)
    triangle[:, 0] = 1
    for i in range(1, n):
        triangle[i, 1:] = (triangle[i - 1, 1:] + triangle[i - 1, :-1]) % modulus
    return triangle


ROWS = [
    Program(floyd_warshall, lambda n: (uniform(n, n),), 8, 120, rtol=0),
    Program(pairing, lambda n: (integers(n, high=4, dtype=np.int32),), 8, 30),
    Program(edit_distance, lambda n: (integers(n, high=4), integers(n + 2, high=4, seed=1)), 8, 60),
    Program(common_subsequence, lambda n: (integers(n, high=4), integers(n + 2, high=4, seed=1)), 8, 60),
    Program(knapsack, lambda n: (integers(n, low=1, high=50), integers(n, low=1, high=9, seed=1), 10 * n), 8, 200),
    Program(matrix_chain, lambda n: (integers(n, low=2, high=30),), 8, 60),
    Program(viterbi, lambda n: (*(np.log(uniform(5, *m)) for m in ((), (5,), (7,))), integers(n, high=7)), 8, 500),
    Program(coin_change, lambda n: ([1, 2, 5, 10, 25], 4 * n), 8, 500),
    Program(seam, lambda n: (uniform(n, n + 3),), 8, 300),
    Program(deriche, lambda n: (uniform(n, n), 0.25), 8, 400),
    Program(smoothed, lambda n: (uniform(n),), 16, 2000),
    Program(pascal, lambda n: (n, 1009), 8, 200),
]  # fmt: skip
