"""Dense linear algebra written out: factorizations by triangular loops, solves, products of matrices, iterations until convergence."""

import numpy as np

from tests.programs.table import Program, dominant, positive, uniform


def cholesky(a):
    """The lower factor, in the place of the matrix."""
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def lu(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def lu_by_outer_products(a):
    """The same, a column and a rank-one update at a time."""
    n = len(a)
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def lu_solve(a, b):
    lu(a)
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(len(b)):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(len(b) - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, y


def pivoted_solve(a, b):
    """Gaussian elimination with row exchanges."""
    a, x = a.copy(), b.copy()
    n = a.shape[0]
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        a[[k, p]] = a[[p, k]]
        x[[k, p]] = x[[p, k]]
        factors = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= factors[:, None] * a[k, k:]
        x[k + 1 :] -= factors * x[k]
    for k in range(n - 1, -1, -1):
        x[k] = (x[k] - a[k, k + 1 :] @ x[k + 1 :]) / a[k, k]
    return x


def forward_substitution(lower, x, b):
    for i in range(len(x)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]


def durbin(r):
    """A Toeplitz system by Durbin's recursion."""
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def gram_schmidt(a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def householder(a):
    """The triangular factor by reflections."""
    r = a.astype(np.float64)
    m, n = r.shape
    for k in range(min(m - 1, n)):
        v = r[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
    return np.triu(r)


def thomas(lower, diagonal, upper, right):
    n = diagonal.size
    c, d = np.zeros(n), np.zeros(n)
    c[0], d[0] = upper[0] / diagonal[0], right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (right[i] - lower[i] * d[i - 1]) / pivot
    for i in reversed(range(n - 1)):
        d[i] -= c[i] * d[i + 1]
    return d


def conjugate_gradients(a, b, eps=1e-8):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    rounds = 0
    while np.sqrt(rr) > eps:
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        rr, old = r @ r, rr
        p = r + rr / old * p
        rounds += 1
    return x, rounds


def power_iteration(a, rounds=6):
    v = np.ones(a.shape[1]) / np.sqrt(a.shape[1])
    for _ in range(rounds):
        w = a @ v
        v = w / np.linalg.norm(w)
    return v @ a @ v, v


def gemm(alpha, beta, c, a, b):
    c[:] = alpha * a @ b + beta * c


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x


def two_products(a, b, c, d, alpha=1.5, beta=1.2):
    d[:] = alpha * a @ b @ c + beta * d


def bicg(a, p, r):
    return r @ a, a @ p


def atax(a, x):
    return (a @ x) @ a


def doitgen(a, c4):
    """Each innermost vector times a matrix, in place."""
    r, q, p = a.shape
    a[:] = np.reshape(np.reshape(a, (r, q, 1, p)) @ c4, (r, q, p))


def syrk(alpha, beta, c, a):
    """The lower triangle of a symmetric update, row by row."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


def trmm(alpha, a, b):
    for i in range(b.shape[0]):
        b[i, :] += a[i + 1 :, i] @ b[i + 1 :, :]
    b *= alpha


def symm(alpha, beta, c, a, b):
    c *= beta
    for i in range(c.shape[0]):
        row = a[i, :i] @ b[:i, :]
        c[:i, :] += alpha * np.outer(a[i, :i], b[i, :])
        c[i, :] += alpha * (b[i, :] * a[i, i] + row)


def batched_inverse(matrices):
    """Inverses of many 2 x 2 matrices by the adjugate."""
    a, b = matrices[..., 0, 0], matrices[..., 0, 1]
    c, d = matrices[..., 1, 0], matrices[..., 1, 1]
    inverse = np.stack([np.stack([d, -b], -1), np.stack([-c, a], -1)], -2)
    return inverse / (a * d - b * c)[..., None, None]


def batched_solve(matrices, rights):
    """Small systems by elimination, all of them at once."""
    a, x = matrices.copy(), rights.copy()
    n = a.shape[-1]
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[:, i, k] / a[:, k, k]
            a[:, i, :] -= factor[:, None] * a[:, k, :]
            x[:, i] -= factor * x[:, k]
    for k in reversed(range(n)):
        x[:, k] = (x[:, k] - np.einsum("bj,bj->b", a[:, k, k + 1 :], x[:, k + 1 :])) / a[:, k, k]
    return x


def _gemver(n):
    return (1.5, 1.2, uniform(n, n), *(uniform(n, seed=k) for k in range(8)))


ROWS = [
    Program(cholesky, lambda n: (positive(n),), 8, 120, rtol=1e-10),
    Program(lu, lambda n: (dominant(n),), 8, 80, rtol=1e-10),
    Program(lu_by_outer_products, lambda n: (dominant(n),), 8, 120, rtol=1e-10),
    Program(lu_solve, lambda n: (dominant(n), uniform(n)), 8, 80, rtol=1e-10),
    Program(pivoted_solve, lambda n: (dominant(n)[::-1].copy(), uniform(n)), 8, 120, rtol=1e-9),
    Program(forward_substitution, lambda n: (dominant(n), np.zeros(n), uniform(n)), 12, 400, rtol=1e-10),
    Program(durbin, lambda n: (uniform(n, high=0.2),), 8, 400, rtol=1e-9),
    Program(gram_schmidt, lambda n: (uniform(n + 4, n),), 6, 60, rtol=1e-9),
    Program(householder, lambda n: (uniform(n + 2, n),), 6, 80, rtol=1e-9),
    Program(thomas, lambda n: (uniform(n), 3 + uniform(n), uniform(n, seed=1), uniform(n, seed=2)), 12, 2000),
    Program(conjugate_gradients, lambda n: (positive(n), uniform(n)), 10, 200, rtol=1e-7),
    Program(power_iteration, lambda n: (positive(n),), 16, 400, rtol=1e-10),
    Program(gemm, lambda n: (1.5, 1.2, uniform(n, n), uniform(n, n, seed=1), uniform(n, n, seed=2)), 12, 300),
    Program(gemver, _gemver, 16, 400, rtol=1e-10),
    Program(two_products, lambda n: (uniform(n, n), uniform(n, n + 1), uniform(n + 1, n), uniform(n, n, seed=3)), 12, 300),
    Program(bicg, lambda n: (uniform(n, n + 3), uniform(n + 3), uniform(n)), 16, 1000),
    Program(atax, lambda n: (uniform(n, n + 3), uniform(n + 3)), 16, 1000),
    Program(doitgen, lambda n: (uniform(n, n, n), uniform(n, n)), 8, 60),
    Program(syrk, lambda n: (1.5, 1.2, uniform(n, n), uniform(n, n + 2)), 6, 80),
    Program(trmm, lambda n: (1.5, uniform(n, n), uniform(n, n + 2)), 8, 200),
    Program(symm, lambda n: (1.5, 1.2, uniform(n, n + 2), uniform(n, n), uniform(n, n + 2, seed=1)), 8, 200),
    Program(batched_inverse, lambda n: (uniform(n, 2, 2) + 2 * np.eye(2),), 32, 20000),
    Program(batched_solve, lambda n: (uniform(n, 4, 4) + 4 * np.eye(4), uniform(n, 4)), 32, 20000),
]  # fmt: skip
