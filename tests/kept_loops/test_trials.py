"""Programs as they stand in textbooks, unmodified under the decorator: loops over data, until convergence, of unknown numbers of rounds."""

import copy

import numpy as np
import pytest

import staxlang as stax


def shooting(first, last, n):
    def slope(x, u):
        return np.array([u[1], -u[0] + x])

    def march(s):
        h = 1.0 / n
        u, x = np.array([first, s]), 0.0
        for _ in range(n):
            k1 = slope(x, u)
            k2 = slope(x + h / 2, u + h / 2 * k1)
            k3 = slope(x + h / 2, u + h / 2 * k2)
            k4 = slope(x + h, u + h * k3)
            u = u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            x += h
        return u[0]

    s0, s1 = 0.0, 1.0
    f0, f1 = march(s0) - last, march(s1) - last
    rounds = 0
    while abs(f1) > 1e-10 and rounds < 50:
        s0, s1 = s1, s1 - f1 * (s1 - s0) / (f1 - f0)
        f0, f1 = f1, march(s1) - last
        rounds += 1
    return s1, rounds


def thomas(a, b, c, d):
    n = len(d)
    cp, dp, x = np.zeros(n), np.zeros(n), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def crank_nicolson(u, r, steps):
    n = len(u) - 2
    a, b, c = np.full(n, -r / 2), np.full(n, 1 + r), np.full(n, -r / 2)
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = thomas(a, b, c, r / 2 * u[:-2] + (1 - r) * u[1:-1] + r / 2 * u[2:])
    return u


def power_iteration(a, tolerance, most):
    v = np.ones(a.shape[0]) / np.sqrt(a.shape[0])
    value = 0.0
    for k in range(most):  # noqa: B007 - its last value is returned
        w = a @ v
        v = w / np.linalg.norm(w)
        new = v @ a @ v
        if abs(new - value) < tolerance:
            break
        value = new
    return new, v, k


def k_means(x, centers):
    while True:
        labels = np.argmin(((x[:, None, :] - centers[None, :, :]) ** 2).sum(-1), axis=1)
        new = np.array([x[labels == j].mean(axis=0) for j in range(centers.shape[0])])
        if np.all(new == centers):
            break
        centers = new
    return centers, labels


def life(g, n):
    for _ in range(n):
        around = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0))
        g = ((around == 3) | ((g == 1) & (around == 2))).astype(g.dtype)
    return g


def life_by_cells(g, n):
    rows, columns = g.shape
    for _ in range(n):
        new = np.zeros_like(g)
        for i in range(rows):
            for j in range(columns):
                above, below = g[(i - 1) % rows], g[(i + 1) % rows]
                left, right = (j - 1) % columns, (j + 1) % columns
                around = int(above[left] + above[j] + above[right] + g[i, left] + g[i, right] + below[left] + below[j] + below[right])
                if g[i, j] == 1:
                    if around < 2 or around > 3:
                        new[i, j] = 0
                    else:
                        new[i, j] = 1
                elif around == 3:
                    new[i, j] = 1
        g = new
    return g


def renamed(a, n):
    b = a
    for i in range(n):
        a[i] = i
        b = b * 1
    return a, b


def metropolis(x, steps, draws):
    chain = np.empty(len(steps))
    accepted = 0
    for i in range(len(steps)):
        y = x + steps[i]
        if draws[i] < np.exp(-0.5 * (y**2 - x**2)):
            x = y
            accepted += 1
        chain[i] = x
    return chain, accepted / len(steps)


def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return prime


def edit_distance(a, b):
    m, n = len(a), len(b)
    d = np.zeros((m + 1, n + 1), dtype=int)
    d[:, 0], d[0, :] = np.arange(m + 1), np.arange(n + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[m, n]


def dijkstra(w, start):
    n = w.shape[0]
    distance, done = np.full(n, np.inf), np.zeros(n, dtype=bool)
    distance[start] = 0
    for _ in range(n):
        u, best = -1, np.inf
        for v in range(n):
            if not done[v] and distance[v] < best:
                best = distance[v]
                u = v
        if u == -1:
            break
        done[u] = True
        for v in range(n):
            if w[u, v] > 0 and distance[u] + w[u, v] < distance[v]:
                distance[v] = distance[u] + w[u, v]
    return distance


def pendulum(theta, omega, dt, n):
    def slope(y):
        return np.array([y[1], -9.81 * np.sin(y[0])])

    ys = np.empty((n + 1, 2))
    ys[0] = [theta, omega]
    for i in range(n):
        y = ys[i]
        k1 = slope(y)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt / 2 * k2)
        k4 = slope(y + dt * k3)
        ys[i + 1] = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return ys


def page_rank(links, damping, tolerance):
    n = links.shape[0]
    m = links / np.maximum(links.sum(0), 1)
    ranks, change, rounds = np.ones(n) / n, 1.0, 0
    while change > tolerance:
        new = (1 - damping) / n + damping * m.dot(ranks)
        change = np.abs(new - ranks).sum()
        ranks = new
        rounds += 1
    return ranks, rounds


def gauss(a, b):
    a, b, n = a.copy(), b.copy(), len(b)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def bubble_sort(a):
    for i in range(len(a)):
        swapped = False
        for j in range(len(a) - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def insertion_sort(a):
    for i in range(1, len(a)):
        key, j = a[i], i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def mandelbrot(width, height, most):
    y, x = np.ogrid[-1.4 : 1.4 : height * 1j, -2 : 0.8 : width * 1j]
    c = x + y * 1j
    z, rounds = c, most + np.zeros(c.shape, dtype=int)
    for i in range(most):
        z = z**2 + c
        far = z * np.conj(z) > 2**2
        rounds[far & (rounds == most)] = i
        z[far] = 2
    return rounds


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


def histogram_by_rounding(x, n):
    counts = np.zeros(11, dtype=np.int64)
    total = 0
    for i in range(n):
        k = round(x[i] * 10)
        counts[k] += 1
        total += k
    return counts, total


def drawn():
    rng = np.random.default_rng(3)
    matrix = rng.random((12, 12))
    clouds = np.concatenate([rng.normal(4.0 * i, 1, (20, 2)) for i in range(3)])
    letters = [np.frombuffer(word, np.uint8).copy() for word in (b"kitten sitting", b"sitting kitten")]
    return [
        (shooting, 0.0, 2.0, 50),
        (thomas, rng.random(10), 3 + rng.random(10), rng.random(10), rng.random(10)),
        (crank_nicolson, np.sin(np.linspace(0, np.pi, 20)), 0.5, 30),
        (power_iteration, matrix + matrix.T, 1e-10, 500),
        (k_means, clouds, clouds[[0, 25, 45]]),
        (life, (rng.random((16, 16)) < 0.4).astype(np.int64), 10),
        (life_by_cells, (rng.random((9, 7)) < 0.4).astype(np.uint8), 5),
        (renamed, rng.random(6), 4),
        (metropolis, 0.3, rng.normal(size=200), rng.random(200)),
        (sieve, 200),
        (edit_distance, *letters),
        (dijkstra, np.where(matrix < 0.3, matrix * 9, 0), 0),
        (pendulum, 1.0, 0.0, 0.01, 100),
        (page_rank, (matrix < 0.3) * 1.0, 0.85, 1e-10),
        (gauss, rng.random((7, 7)), rng.random(7)),
        (bubble_sort, rng.permutation(20)),
        (insertion_sort, rng.permutation(20).astype(np.float32)),
        (mandelbrot, 20, 16, 30),
        (knapsack, np.array([2, 3, 4, 5]), np.array([3, 4, 5, 8]), 10),
        (histogram_by_rounding, rng.random(12), 12),
        (histogram_by_rounding, rng.random(12).astype(np.float32), 12),
    ]


@pytest.mark.parametrize("program", drawn(), ids=lambda program: program[0].__name__)
def test_a_program_of_a_textbook_is_numpys(program):
    function, *given = program
    kernel = stax.kernel(function)
    ours, theirs = copy.deepcopy(given), copy.deepcopy(given)
    agree((kernel(*ours), ours), (function(*theirs), theirs))
    assert kernel.stats().route == "native"


def agree(given, wanted):
    if isinstance(wanted, tuple | list):
        assert len(given) == len(wanted)
        for one, other in zip(given, wanted, strict=True):
            agree(one, other)
        return
    assert type(given) is type(wanted)
    given, wanted = np.asarray(given), np.asarray(wanted)
    assert given.dtype == wanted.dtype and given.shape == wanted.shape
    np.testing.assert_allclose(given, wanted, rtol=1e-9, atol=1e-12)


def test_a_number_of_points_of_a_grid_that_is_computed_from_arguments():
    @stax.kernel
    def axis(n):
        return np.ogrid[0 : 1 : n * 1j], np.mgrid[0 : 2 : n * 1j, 0:3]

    for n in (4, 7):
        agree(axis(n), axis.__wrapped__(n))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "u1"])
def test_round_of_a_number_of_numpys_is_an_integer_of_pythons(dtype):
    @stax.kernel
    def rounded(x, y):
        k = round(x[0])
        return k, round(x[1]), round(x.max()) * 2, x + k, y[k]

    x, y = np.array([2.5, 3.5, 7]).astype(dtype), np.arange(9.0)
    agree(rounded(x, y), rounded.__wrapped__(x, y))
