"""Time loops over grids: relaxation, heat, waves, reaction and diffusion, electromagnetic fields, game of life."""

import numpy as np

from tests.programs.table import Program, integers, uniform


def jacobi_1d(steps, a, b):
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3


def jacobi_2d(steps, a, b):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def second_difference(u, axis):
    """u[k - 1] - 2 u[k] + u[k + 1] in the inner points."""
    inner = [slice(1, -1)] * 3
    before, after = list(inner), list(inner)
    before[axis], after[axis] = slice(None, -2), slice(2, None)
    return u[tuple(before)] - 2.0 * u[tuple(inner)] + u[tuple(after)]


def heat_3d(steps, u, v):
    for _ in range(steps):
        v[1:-1, 1:-1, 1:-1] = u[1:-1, 1:-1, 1:-1] + 0.125 * sum(second_difference(u, axis) for axis in range(3))
        u[1:-1, 1:-1, 1:-1] = v[1:-1, 1:-1, 1:-1] + 0.125 * sum(second_difference(v, axis) for axis in range(3))


def wave_2d(u, steps, courant=0.4):
    """Leapfrog with fixed ends; the last two fields."""
    before, now = u.copy(), u.copy()
    for _ in range(steps):
        after = np.zeros_like(now)
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
        after[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + courant**2 * around
        before, now = now, after
    return before, now


def fdtd_2d(steps, ex, ey, hz, source):
    """Maxwell's equations on a staggered grid."""
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def gray_scott(u, v, steps, feed=0.04, kill=0.06):
    """Reaction and diffusion on a torus."""
    around = lambda a: np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a
    for _ in range(steps):
        uvv = u * v * v
        u += 0.16 * around(u) - uvv + feed * (1 - u)
        v += 0.08 * around(v) + uvv - (feed + kill) * v
    return u.min(), v.max()


def seidel_2d(steps, a):
    """Each point from its neighbours, those before it new already."""
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0


def red_black(u, f, sweeps, omega=1.5):
    """Successive overrelaxation, the squares of a chessboard in turn."""
    for _ in range(sweeps):
        for start in (1, 2):
            for rows, columns in ((1, start), (2, 3 - start)):
                middle = u[rows:-1:2, columns:-1:2]
                mean = 0.25 * (
                    u[rows - 1 : -2 : 2, columns:-1:2]
                    + u[rows + 1 :: 2, columns:-1:2]
                    + u[rows:-1:2, columns - 1 : -2 : 2]
                    + u[rows:-1:2, columns + 1 :: 2]
                    - f[rows:-1:2, columns:-1:2]
                )
                middle += omega * (mean - middle)


def burgers(u, steps, dt, dx, viscosity):
    """Viscous flow in a pipe that closes in itself."""
    for _ in range(steps):
        old = u.copy()
        u[1:-1] = old[1:-1] - old[1:-1] * dt / dx * (old[1:-1] - old[:-2]) + viscosity * dt / dx**2 * (old[2:] - 2 * old[1:-1] + old[:-2])
        u[0] = old[0] - old[0] * dt / dx * (old[0] - old[-2]) + viscosity * dt / dx**2 * (old[1] - 2 * old[0] + old[-2])
        u[-1] = u[0]
    return u


def life(cells, generations):
    """Conway's game of life with dead borders."""
    for _ in range(generations):
        count = np.zeros(cells.shape, dtype=int)
        count[1:-1, 1:-1] = (
            cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:]
            + cells[1:-1, :-2] + cells[1:-1, 2:]
            + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        )  # fmt: skip
        birth = (count == 3) & (cells == 0)
        survive = ((count == 2) | (count == 3)) & (cells == 1)
        cells[...] = 0
        cells[birth | survive] = 1
    return cells.sum()


def laplace_until(u, eps):
    """Relaxation until no point moves by more than eps; how many sweeps it took."""
    diff, sweeps = eps + 1.0, 0
    while diff > eps:
        old = u.copy()
        u[1:-1, 1:-1] = 0.25 * (old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2])
        diff = np.max(np.abs(u - old))
        sweeps += 1
    return sweeps


def adi(steps, u):
    """Heat by alternating directions: tridiagonal solves along rows, then along columns."""
    n = u.shape[0]
    h = 1.0 / n
    mul = steps * h * 4
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            scale = 1.0 / (2 + mul - p[1:-1, j - 1])
            p[1:-1, j] = scale
            q[1:-1, j] = (u[j, :-2] + (mul - 2) * u[j, 1:-1] + u[j, 2:] + q[1:-1, j - 1]) * scale
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            scale = 1.0 / (2 + mul - p[1:-1, j - 1])
            p[1:-1, j] = scale
            q[1:-1, j] = (v[:-2, j] + (mul - 2) * v[1:-1, j] + v[2:, j] + q[1:-1, j - 1]) * scale
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


ROWS = [
    Program(jacobi_1d, lambda n: (20, uniform(n), uniform(n, seed=1)), 32, 4000, copies=0),
    Program(jacobi_2d, lambda n: (20, uniform(n, n), uniform(n, n, seed=1)), 16, 400, copies=0),
    Program(heat_3d, lambda n: (10, uniform(n, n, n), uniform(n, n, n, seed=1)), 8, 48, copies=0),
    Program(wave_2d, lambda n: (uniform(n, n), 20), 16, 400),
    Program(fdtd_2d, lambda n: (20, uniform(n, n), uniform(n, n, seed=1), uniform(n, n, seed=2), np.arange(20.0)), 16, 400),
    Program(gray_scott, lambda n: (uniform(n, n, low=0.8), uniform(n, n, high=0.2, seed=1), 20), 16, 256),
    Program(seidel_2d, lambda n: (5, uniform(n, n)), 8, 60),
    Program(red_black, lambda n: (uniform(2 * n + 1, 2 * n + 1), uniform(2 * n + 1, 2 * n + 1, seed=1), 10), 8, 128),
    Program(burgers, lambda n: (uniform(n), 20, 1e-3, 1e-1, 0.07), 41, 4000),
    Program(life, lambda n: (integers(n, n, high=2), 20), 16, 400),
    Program(laplace_until, lambda n: (uniform(n, n), 1e-2), 12, 60),
    Program(adi, lambda n: (5, uniform(n, n)), 8, 100),
]
