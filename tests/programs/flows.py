"""Incompressible flow in a driven cavity and through a channel: helpers that write into their arguments, inner iterations, convergence."""

import numpy as np

from tests.programs.table import Program, uniform


def divergence_source(b, rho, dt, u, v, dx, dy):
    """The right side of the pressure's equation, for the inner points."""
    du = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
    dv = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    cross = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    b[1:-1, 1:-1] = rho * ((du + dv) / dt - du**2 - 2 * cross - dv**2)


def solve_pressure(rounds, p, dx, dy, b):
    for _ in range(rounds):
        old = p.copy()
        p[1:-1, 1:-1] = (
            (old[1:-1, 2:] + old[1:-1, :-2]) * dy**2 + (old[2:, 1:-1] + old[:-2, 1:-1]) * dx**2 - dx**2 * dy**2 * b[1:-1, 1:-1]
        ) / (2 * (dx**2 + dy**2))
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def moved(field, u_old, v_old, gradient, dt, dx, dy, nu):
    """Momentum of one component in the inner points: carried by the flow, pushed by the pressure, smoothed by viscosity."""
    old = field.copy()
    c = old[1:-1, 1:-1]
    field[1:-1, 1:-1] = (
        c
        - u_old[1:-1, 1:-1] * dt / dx * (c - old[1:-1, :-2])
        - v_old[1:-1, 1:-1] * dt / dy * (c - old[:-2, 1:-1])
        - gradient
        + nu * (dt / dx**2 * (old[1:-1, 2:] - 2 * c + old[1:-1, :-2]) + dt / dy**2 * (old[2:, 1:-1] - 2 * c + old[:-2, 1:-1]))
    )


def cavity_flow(nx, ny, steps, rounds, u, v, dt, dx, dy, p, rho, nu):
    """A lid that moves over a box of fluid."""
    b = np.zeros((ny, nx))
    for _ in range(steps):
        u_old = u.copy()
        v_old = v.copy()
        divergence_source(b, rho, dt, u, v, dx, dy)
        solve_pressure(rounds, p, dx, dy, b)
        moved(u, u_old, v_old, dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2]), dt, dx, dy, nu)
        moved(v, u_old, v_old, dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1]), dt, dx, dy, nu)
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = v[-1, :] = 0
        v[:, 0] = v[:, -1] = 0


def around(a):
    """The inner rows of a field that closes in itself to the left and right: west, here, east."""
    return np.roll(a, 1, axis=1)[1:-1], a[1:-1], np.roll(a, -1, axis=1)[1:-1]


def channel_flow(u, v, p, rounds, dt, dx, dy, rho, nu, force, eps):
    """Flow that a force drives between two walls, until it changes no more; how many steps that took."""
    change, steps = 1.0, 0
    b = np.zeros_like(p)
    while change > eps:
        u_old, v_old = u.copy(), v.copy()
        west, here, east = around(u)
        v_west, v_here, v_east = around(v)
        du, dv = (east - west) / (2 * dx), (v[2:] - v[:-2]) / (2 * dy)
        b[1:-1] = rho * ((du + dv) / dt - du**2 - 2 * ((u[2:] - u[:-2]) / (2 * dy) * (v_east - v_west) / (2 * dx)) - dv**2)
        for _ in range(rounds):
            p_west, _, p_east = around(p)
            p[1:-1] = ((p_east + p_west) * dy**2 + (p[2:] + p[:-2]) * dx**2 - dx**2 * dy**2 * b[1:-1]) / (2 * (dx**2 + dy**2))
            p[-1, :], p[0, :] = p[-2, :], p[1, :]
        p_west, _, p_east = around(p)
        u[1:-1] = (
            here - here * dt / dx * (here - west) - v_here * dt / dy * (here - u_old[:-2])
            - dt / (2 * rho * dx) * (p_east - p_west)
            + nu * (dt / dx**2 * (east - 2 * here + west) + dt / dy**2 * (u_old[2:] - 2 * here + u_old[:-2])) + force * dt
        )  # fmt: skip
        v[1:-1] = (
            v_here - here * dt / dx * (v_here - v_west) - v_here * dt / dy * (v_here - v_old[:-2])
            - dt / (2 * rho * dy) * (p[2:] - p[:-2])
            + nu * (dt / dx**2 * (v_east - 2 * v_here + v_west) + dt / dy**2 * (v_old[2:] - 2 * v_here + v_old[:-2]))
        )  # fmt: skip
        u[0, :] = u[-1, :] = v[0, :] = v[-1, :] = 0
        change = (np.sum(u) - np.sum(u_old)) / np.sum(u)
        steps += 1
    return steps


def lattice_boltzmann(f, steps, omega):
    """Nine directions on a torus: stream, collide."""
    directions = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    for _ in range(steps):
        for k, (x, y) in enumerate(directions):
            f[k] = np.roll(f[k], (x, y), axis=(0, 1))
        rho = f.sum(axis=0)
        ux = sum(f[k] * x for k, (x, _) in enumerate(directions)) / rho
        uy = sum(f[k] * y for k, (_, y) in enumerate(directions)) / rho
        square = ux**2 + uy**2
        for k, ((x, y), weight) in enumerate(zip(directions, weights)):
            along = x * ux + y * uy
            f[k] += omega * (rho * weight * (1 + 3 * along + 4.5 * along**2 - 1.5 * square) - f[k])
    return f.sum(axis=0)


def _cavity(n):
    return n, n, 10, 20, np.zeros((n, n)), np.zeros((n, n)), 1e-3, 2 / (n - 1), 2 / (n - 1), uniform(n, n), 1.0, 0.1


def _channel(n):
    return np.zeros((n, n)), np.zeros((n, n)), np.ones((n, n)), 5, 0.01, 2 / (n - 1), 2 / (n - 1), 1.0, 0.1, 1.0, 0.02


ROWS = [
    Program(cavity_flow, _cavity, 12, 200, rtol=1e-10),
    Program(channel_flow, _channel, 12, 60, rtol=1e-9),
    Program(lattice_boltzmann, lambda n: (1 + uniform(9, n, n), 10, 0.6), 8, 128),
]
