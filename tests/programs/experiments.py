"""Physics, statistics and finance as textbooks write them: recursions, searches with several exits, loops that adapt their step."""

import math

import numpy as np

from tests.programs.table import Program, rng

GAMMA = 1.4


def natural_spline(x, y):
    n = len(x) - 1
    h = np.diff(x)
    alpha = np.zeros(n)
    for i in range(1, n):
        alpha[i] = 3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1])
    l, mu, z = np.ones(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    for i in range(1, n):
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i]
    b, c, d = np.zeros(n), np.zeros(n + 1), np.zeros(n)
    for j in reversed(range(n)):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    return b, c, d


def nelder_mead(x0, tol):
    """The downhill simplex on Rosenbrock's valley."""

    def f(p):
        return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2

    n = x0.size
    sim = np.empty((n + 1, n))
    sim[0] = x0
    for k in range(n):
        y = x0.copy()
        y[k] = y[k] * 1.05 if y[k] != 0 else 0.00025
        sim[k + 1] = y
    fs = np.array([f(s) for s in sim])
    it = 0
    while it < 120:
        order = np.argsort(fs)
        sim, fs = sim[order], fs[order]
        if np.max(np.abs(sim[1:] - sim[0])) <= tol:
            break
        it += 1
        c = sim[:-1].mean(axis=0)
        xr = 2 * c - sim[-1]
        fr = f(xr)
        if fr < fs[0]:
            xe = 3 * c - 2 * sim[-1]
            fe = f(xe)
            if fe < fr:
                sim[-1], fs[-1] = xe, fe
            else:
                sim[-1], fs[-1] = xr, fr
        elif fr < fs[-2]:
            sim[-1], fs[-1] = xr, fr
        else:
            xc = 0.5 * (c + sim[-1])
            fc = f(xc)
            if fc < fs[-1]:
                sim[-1], fs[-1] = xc, fc
            else:
                for j in range(1, n + 1):
                    sim[j] = sim[0] + 0.5 * (sim[j] - sim[0])
                    fs[j] = f(sim[j])
    return sim[0], fs[0], it


def jacobi_solver(A, b, tol=1e-10, maxiter=200):
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square, not {A.shape}")
    D = np.diag(A)
    if (D == 0).any():
        raise ZeroDivisionError("zero on the diagonal")
    Rm = A - np.diagflat(D)
    x = np.zeros_like(b)
    for i in range(maxiter):
        x_new = (b - Rm @ x) / D
        if np.linalg.norm(x_new - x, ord=np.inf) < tol:
            return x_new, i + 1
        x = x_new
    return x, maxiter


def ising_checkerboard(spins, draws, beta):
    """One Metropolis sweep over both colours, in place."""
    i, j = np.indices(spins.shape)
    for colour in (0, 1):
        mask = (i + j) % 2 == colour
        neighbours = sum(np.roll(spins, s, axis=ax) for s in (1, -1) for ax in (0, 1))
        dE = 2 * spins * neighbours
        flip = mask & (draws < np.exp(-beta * dE))
        spins[flip] *= -1
    return spins.mean(), spins


def lms_filter(x, taps, mu):
    w = np.zeros(taps)
    e = np.zeros(len(x))
    for n in range(taps, len(x)):
        u = x[n - taps : n][::-1]
        e[n] = x[n] - w @ u
        w += 2 * mu * e[n] * u
    return w, e


def kendall(a, b):
    con = dis = 0
    n = len(a)
    for i in range(n - 1):
        s = np.sign(a[i + 1 :] - a[i]) * np.sign(b[i + 1 :] - b[i])
        con += (s > 0).sum()
        dis += (s < 0).sum()
    return (con - dis) / (n * (n - 1) / 2)


def implied_vol(price, S, K, T, r, tol=1e-8):
    def bs(sigma):
        d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
        d2 = d1 - sigma * np.sqrt(T)
        cdf = lambda z: 0.5 * (1 + math.erf(z / math.sqrt(2)))
        return S * cdf(d1) - K * math.exp(-r * T) * cdf(d2)

    lo, hi = 1e-4, 5.0
    while hi - lo > tol:
        mid = (lo + hi) / 2
        if bs(mid) > price:
            hi = mid
        else:
            lo = mid
    return (lo + hi) / 2


def rsi(prices, period=14):
    delta = np.diff(prices)
    gain = np.where(delta > 0, delta, 0.0)
    loss = -np.where(delta < 0, delta, 0.0)
    ag, al = gain[:period].mean(), loss[:period].mean()
    out = np.full(len(prices), np.nan)
    for i in range(period, len(delta)):
        ag = (ag * (period - 1) + gain[i]) / period
        al = (al * (period - 1) + loss[i]) / period
        rs = ag / al if al != 0 else np.inf
        out[i + 1] = 100 - 100 / (1 + rs)
    return out


def sod_tube(rho, u, p, dtdx, steps):
    """Lax-Friedrichs for the Euler equations."""
    E = p / (GAMMA - 1) + 0.5 * rho * u**2
    U = np.array([rho, rho * u, E])

    def flux(U):
        rho, m, E = U
        u = m / rho
        p = (GAMMA - 1) * (E - 0.5 * rho * u**2)
        return np.array([m, m * u + p, u * (E + p)])

    for _ in range(steps):
        F = flux(U)
        new = U.copy()
        new[:, 1:-1] = 0.5 * (U[:, 2:] + U[:, :-2]) - dtdx / 2 * (F[:, 2:] - F[:, :-2])
        U = new
    return U


def metropolis(proposals, uniforms, step):
    logp = lambda x: -0.5 * x * x - np.log(1 + x**2)
    x = 0.0
    chain = np.empty(len(proposals))
    accepted = 0
    for i, (z, u) in enumerate(zip(proposals, uniforms)):
        cand = x + step * z
        if np.log(u) < logp(cand) - logp(x):
            x = cand
            accepted += 1
        chain[i] = x
    return chain.mean(), chain.var(), accepted / len(chain)


ROWS = [
    Program(natural_spline, lambda n: (np.sort(rng(n).random(n)) * 10, rng(1, n).random(n)), 6, 60, step=3),
    Program(nelder_mead, lambda n: (np.array([1.2, 1.0]), 1e-10), 6, 60, step=3),
    Program(jacobi_solver, lambda n: (rng(n).random((n, n)) + n * np.eye(n), rng(1, n).random(n)), 6, 60, step=3),
    Program(
        ising_checkerboard,
        lambda n: (rng(n).choice([-1, 1], (2 * n, 2 * n)).astype(np.int8), rng(1, n).random((2 * n, 2 * n)), 0.4),
        6,
        60,
        step=3,
    ),
    Program(lms_filter, lambda n: (rng(n).random(12 * n), 4, 0.01), 6, 100, step=3),
    Program(kendall, lambda n: (rng(n).normal(size=10 * n), rng(1, n).normal(size=10 * n)), 6, 60, step=3),
    Program(implied_vol, lambda n: (10.0, 100.0, 105.0, 1.0, 0.03), 6, 60, step=3),
    Program(rsi, lambda n: (100 + np.cumsum(rng(n).normal(size=20 * n)), 7), 6, 60, step=3),
    Program(
        sod_tube,
        lambda n: (np.where(np.arange(8 * n) < 4 * n, 1.0, 0.125), np.zeros(8 * n), np.where(np.arange(8 * n) < 4 * n, 1.0, 0.1), 0.02, 5),
        6,
        60,
        step=3,
    ),
    Program(metropolis, lambda n: (rng(n).normal(size=20 * n), rng(1, n).random(20 * n), 0.3), 6, 60, step=3),
]
