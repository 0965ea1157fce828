"""Algorithms on arrays: graphs, sorting, dynamic programming, automata, geometry, with stacks and queues in arrays."""

import numpy as np

from tests.programs.table import Program, rng


def otsu(image):
    """Otsu's threshold of an 8-bit image."""
    hist = np.bincount(image.ravel(), minlength=256).astype(float)
    p = hist / hist.sum()
    omega = np.cumsum(p)
    mu = np.cumsum(p * np.arange(256))
    mu_t = mu[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        sigma = (mu_t * omega - mu) ** 2 / (omega * (1 - omega))
    sigma[~np.isfinite(sigma)] = 0
    t = int(np.argmax(sigma))
    return t, (image > t).astype(np.uint8) * 255


def floyd_steinberg(image):
    a = image.astype(float)
    h, w = a.shape
    for y in range(h):
        for x in range(w):
            old = a[y, x]
            new = 255.0 if old > 127 else 0.0
            a[y, x] = new
            err = old - new
            if x + 1 < w:
                a[y, x + 1] += err * 7 / 16
            if y + 1 < h:
                if x > 0:
                    a[y + 1, x - 1] += err * 3 / 16
                a[y + 1, x] += err * 5 / 16
                if x + 1 < w:
                    a[y + 1, x + 1] += err / 16
    return a.astype(np.uint8)


def label_components(mask):
    """Flood fill with an explicit stack in arrays."""
    h, w = mask.shape
    labels = np.zeros((h, w), dtype=np.int64)
    stack = np.zeros((h * w * 4 + 4, 2), dtype=np.int64)
    current = 0
    for i in range(h):
        for j in range(w):
            if mask[i, j] and labels[i, j] == 0:
                current += 1
                top = 0
                stack[0, 0] = i
                stack[0, 1] = j
                top = 1
                labels[i, j] = current
                while top > 0:
                    top -= 1
                    y, x = stack[top]
                    for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        ny, nx = y + dy, x + dx
                        if 0 <= ny < h and 0 <= nx < w and mask[ny, nx] and labels[ny, nx] == 0:
                            labels[ny, nx] = current
                            stack[top, 0] = ny
                            stack[top, 1] = nx
                            top += 1
    return labels, current


def hough(image, ntheta):
    edges = image > 0.5
    thetas = np.deg2rad(np.linspace(-90, 90, ntheta, endpoint=False))
    h, w = image.shape
    diag = int(np.ceil(np.hypot(h, w)))
    acc = np.zeros((2 * diag + 1, ntheta), dtype=int)
    for y in range(h):
        for x in range(w):
            if edges[y, x]:
                for k in range(ntheta):
                    rho = round(x * np.cos(thetas[k]) + y * np.sin(thetas[k])) + diag
                    acc[rho, k] += 1
    return acc


def bfs_levels(adj, source):
    n = len(adj)
    level = np.full(n, -1)
    level[source] = 0
    queue = np.zeros(n, dtype=int)
    head, tail = 0, 1
    queue[0] = source
    while head < tail:
        u = queue[head]
        head += 1
        for v in range(n):
            if adj[u, v] and level[v] < 0:
                level[v] = level[u] + 1
                queue[tail] = v
                tail += 1
    return level


def dijkstra(w, source):
    n = w.shape[0]
    dist = np.full(n, np.inf)
    prev = np.full(n, -1, dtype=np.int64)
    done = np.zeros(n, dtype=bool)
    dist[source] = 0
    for _ in range(n):
        u = np.argmin(np.where(done, np.inf, dist))
        if dist[u] == np.inf:
            break
        done[u] = True
        for v in range(n):
            alt = dist[u] + w[u, v]
            if alt < dist[v]:
                dist[v] = alt
                prev[v] = u
    return dist, prev


def union_find(edges, n):
    parent = np.arange(n)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    count = n
    for a, b in edges:
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[rb] = ra
            count -= 1
    return count, parent


def smith_waterman(a, b):
    H = np.zeros((len(a) + 1, len(b) + 1))
    best, where = 0.0, (0, 0)
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            H[i, j] = max(0.0, H[i - 1, j - 1] + (3 if x == y else -3), H[i - 1, j] - 2, H[i, j - 1] - 2)
            if H[i, j] > best:
                best = H[i, j]
                where = (i, j)
    return best, where


def forest_fire(forest, p):
    """States 0 empty, 1 tree, 2 fire; deterministic."""
    new = forest.copy()
    n, m = forest.shape
    for i in range(n):
        for j in range(m):
            match forest[i, j]:
                case 2:
                    new[i, j] = 0
                case 1:
                    for di in (-1, 0, 1):
                        for dj in (-1, 0, 1):
                            y, x = i + di, j + dj
                            if (di or dj) and 0 <= y < n and 0 <= x < m and forest[y, x] == 2:
                                new[i, j] = 2
    return new


def langtons_ant(n, steps):
    grid = np.zeros((n, n), dtype=bool)
    y = x = n // 2
    dy, dx = -1, 0
    for _ in range(steps):
        if grid[y, x]:
            dy, dx = -dx, dy
        else:
            dy, dx = dx, -dy
        grid[y, x] = not grid[y, x]
        y, x = (y + dy) % n, (x + dx) % n
    return grid, (y, x)


def gift_wrap(points):
    n = len(points)
    hull = np.full(n, -1)
    start = int(np.argmin(points[:, 0]))
    current = start
    count = 0
    while True:
        hull[count] = current
        count += 1
        candidate = 0
        for k in range(n):
            a = points[candidate] - points[current]
            b = points[k] - points[current]
            cross = a[0] * b[1] - a[1] * b[0]
            if candidate == current or cross < 0:
                candidate = k
        current = candidate
        if current == start or count >= n:
            break
    return hull, count


def heap_sort(a):
    n = len(a)

    def sift(a, root, end):
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child

    for start in range(n // 2 - 1, -1, -1):
        sift(a, start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(a, 0, end)
    return a


def kadane(a):
    best = cur = a[0]
    start = end = s = 0
    for i in range(1, len(a)):
        if cur < 0:
            cur = a[i]
            s = i
        else:
            cur += a[i]
        if cur > best:
            best, start, end = cur, s, i
    return best, (start, end)


def lis_length(a):
    tails = np.full(len(a), np.iinfo(np.int64).max)
    size = 0
    for x in a:
        lo, hi = 0, size
        while lo < hi:
            mid = (lo + hi) // 2
            if tails[mid] < x:
                lo = mid + 1
            else:
                hi = mid
        tails[lo] = x
        size = max(size, lo + 1)
    return size


def primes_trial(limit):
    count, total = 0, 0
    for k in range(2, limit):
        d = 2
        while d * d <= k:
            if k % d == 0:
                break
            d += 1
        else:
            count += 1
            total += k
    return count, total


def match_shape(x):
    match x.shape:
        case (n,):
            return x.sum()
        case (n, 3):
            return np.cross(x, np.array([1.0, 0, 0])), n
        case (n, m) if n == m:
            return np.trace(x)
        case _:
            return None


def sigmoid(z):
    return np.where(z >= 0, 1 / (1 + np.exp(-z)), np.exp(z) / (1 + np.exp(z)))


def lstm(xs, W, b):
    H = W.shape[1] // 4
    h, c = np.zeros(H), np.zeros(H)
    out = np.empty((len(xs), H))
    for t, x in enumerate(xs):
        z = np.concatenate([x, h]) @ W + b
        i, f, o, g = np.split(z, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out[t] = h
    return out, (h, c)


ROWS = [
    Program(otsu, lambda n: (rng(n).integers(0, 256, (4 * n, 5 * n)).astype(np.uint8),), 6, 40, step=3),
    Program(floyd_steinberg, lambda n: (rng(n).integers(0, 256, (4 * n, 5 * n)).astype(np.uint8),), 6, 10, step=3),
    Program(label_components, lambda n: (rng(n).integers(0, 2, (n, n + 1)),), 6, 20, step=3),
    Program(hough, lambda n: (rng(n).random((4 * n, 5 * n)), 4), 6, 60, step=3),
    Program(bfs_levels, lambda n: ((rng(n).random((n, n)) < 0.4).astype(np.int64), 0), 6, 30, step=3),
    Program(dijkstra, lambda n: (np.where(rng(n).random((n, n)) < 0.5, rng(n, 1).random((n, n)) * 10, np.inf), 0), 6, 30, step=3),
    Program(union_find, lambda n: (rng(n).integers(0, n, (2 * n, 2)), n), 6, 100, step=3),
    Program(smith_waterman, lambda n: (rng(n).integers(0, 4, 2 * n), rng(1, n).integers(0, 4, 2 * n + 1)), 6, 30, step=3),
    Program(forest_fire, lambda n: (rng(n).integers(0, 3, (n, n)), 0.3), 6, 20, step=3),
    Program(langtons_ant, lambda n: (3 * n, 20 * n), 6, 20, step=3),
    Program(gift_wrap, lambda n: (rng(n).random((3 * n, 2)),), 6, 50, step=3),
    Program(heap_sort, lambda n: (rng(n).integers(0, 100, 5 * n),), 6, 50, step=3),
    Program(kadane, lambda n: (rng(n).integers(-5, 6, 5 * n),), 6, 200, step=3),
    Program(lis_length, lambda n: (rng(n).integers(0, 100, 5 * n),), 6, 100, step=3),
    Program(primes_trial, lambda n: (20 * n,), 6, 60, step=3),
    Program(match_shape, lambda n: (rng(n).random((n, 3)),), 6, 60, step=3),
    Program(lstm, lambda n: (rng(n).random((n, 5)), rng(1).normal(size=(9, 16)), np.zeros(16)), 6, 50, step=3),
]
