"""Bodies, orbits, molecules, flocks: pairs of points, steps in time, helpers that call helpers."""

import numpy as np

from tests.programs.table import Program, integers, uniform


def differences(pos):
    """dx[i, j] = x[j] - x[i], and likewise for the other axes."""
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    return x.T - x, y.T - y, z.T - z


def acceleration(pos, mass, g, softening):
    dx, dy, dz = differences(pos)
    inverse = dx**2 + dy**2 + dz**2 + softening**2
    inverse[inverse > 0] = inverse[inverse > 0] ** (-1.5)
    ax, ay, az = (g * (d * inverse) @ mass for d in (dx, dy, dz))
    return np.hstack((ax, ay, az))


def energies(pos, vel, mass, g):
    kinetic = 0.5 * np.sum(mass * vel**2)
    dx, dy, dz = differences(pos)
    inverse = np.sqrt(dx**2 + dy**2 + dz**2)
    inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
    potential = g * np.sum(np.triu(-(mass * mass.T) * inverse, 1))
    return kinetic, potential


def nbody(mass, pos, vel, steps, dt, g=1.0, softening=0.1):
    """Kick, drift, kick; energies after each step."""
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, g, softening)
    kinetic, potential = np.ndarray(steps + 1), np.ndarray(steps + 1)
    kinetic[0], potential[0] = energies(pos, vel, mass, g)
    for k in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, g, softening)
        vel += acc * dt / 2.0
        kinetic[k + 1], potential[k + 1] = energies(pos, vel, mass, g)
    return kinetic, potential


def lennard_jones(pos, cutoff=2.5):
    """Forces and the energy of a gas with a cutoff."""
    apart = pos[:, None, :] - pos[None, :, :]
    r2 = (apart**2).sum(-1)
    np.fill_diagonal(r2, np.inf)
    near = r2 < cutoff**2
    s6 = np.where(near, 1.0 / r2**3, 0.0)
    force = (24 * (2 * s6**2 - s6) / np.where(near, r2, 1.0))[..., None] * apart
    return force.sum(axis=1), 2 * (s6**2 - s6).sum()


def pairwise(points):
    return np.sqrt(((points[:, np.newaxis] - points) ** 2).sum(axis=2))


def flock(pos, vel, steps, radius=0.3):
    """Birds that turn towards their neighbours' heading, on a torus."""
    for _ in range(steps):
        apart = pos[:, None] - pos[None]
        apart -= np.round(apart)
        near = (apart**2).sum(-1) < radius**2
        mean = near @ vel / near.sum(axis=1, keepdims=True)
        vel[:] = 0.9 * vel + 0.1 * mean
        pos += 0.05 * vel
        pos %= 1.0


def kmeans(points, centers, rounds):
    """Centres move to the means of the points that are nearest to them."""
    for _ in range(rounds):
        distance = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        for k in range(centers.shape[0]):
            mine = nearest == k
            if mine.any():
                centers[k] = points[mine].mean(axis=0)
    return nearest


def lorenz(state, dt, steps, sigma=10.0, rho=28.0, beta=8 / 3):
    """Runge and Kutta's steps of many trajectories."""

    def slope(s):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    for _ in range(steps):
        k1 = slope(state)
        k2 = slope(state + dt / 2 * k1)
        k3 = slope(state + dt / 2 * k2)
        k4 = slope(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


def kepler(mean_anomaly, eccentricity, tolerance=1e-10):
    """The eccentric anomaly by Newton's steps, until none is large."""
    e = mean_anomaly + eccentricity * np.sin(mean_anomaly)
    step = np.ones_like(e)
    while np.abs(step).max() > tolerance:
        step = (e - eccentricity * np.sin(e) - mean_anomaly) / (1 - eccentricity * np.cos(e))
        e -= step
    return e


def quaternion_product(p, q):
    a, b, c, d = np.moveaxis(p, -1, 0)
    e, f, g, h = np.moveaxis(q, -1, 0)
    return np.stack(
        [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e], -1
    )


def turned(vectors, q):
    """Vectors turned by unit quaternions."""
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    pure = np.concatenate([np.zeros_like(vectors[..., :1]), vectors], axis=-1)
    conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
    return quaternion_product(quaternion_product(q, pure), conjugate)[..., 1:]


def chain_energy(spins, coupling):
    """Energy of spins on a torus and what turning each would change; the best is turned."""
    around = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
    change = 2 * coupling * spins * around
    best = np.unravel_index(np.argmin(change), change.shape)
    spins[best] *= -1
    return -coupling * (spins * around).sum() / 2, change.min()


def spline_basis(x, knots, degree):
    """All B-splines by de Boor's recursion over the degree."""
    basis = ((knots[:-1] <= x[:, None]) & (x[:, None] < knots[1:])).astype(float)
    for d in range(1, degree + 1):
        left = (x[:, None] - knots[: -d - 1]) / (knots[d:-1] - knots[: -d - 1])
        right = (knots[d + 1 :] - x[:, None]) / (knots[d + 1 :] - knots[1:-d])
        basis = left * basis[:, :-1] + right * basis[:, 1:]
    return basis


def _bodies(n):
    return 20.0 * np.ones((n, 1)) / n, uniform(n, 3, low=-1), uniform(n, 3, low=-1, seed=1), 10, 0.01


ROWS = [
    Program(nbody, _bodies, 10, 100, rtol=1e-9),
    Program(lennard_jones, lambda n: (3 * uniform(n, 3),), 10, 200, rtol=1e-9),
    Program(pairwise, lambda n: (uniform(n, 3),), 12, 400),
    Program(flock, lambda n: (uniform(n, 2), uniform(n, 2, low=-1, seed=1), 10), 12, 200, rtol=1e-9),
    Program(kmeans, lambda n: (uniform(n, 2), uniform(4, 2, seed=1), 5), 20, 2000),
    Program(lorenz, lambda n: (uniform(3, n), 0.01, 20), 8, 20_000, rtol=1e-11),
    Program(kepler, lambda n: (uniform(n, high=6), uniform(n, high=0.5, seed=1)), 32, 50_000),
    Program(turned, lambda n: (uniform(n, 3), uniform(n, 4)), 16, 20_000),
    Program(chain_energy, lambda n: (2 * integers(n, n, high=2) - 1, 1), 16, 300),
    Program(spline_basis, lambda n: (uniform(n), np.linspace(-0.4, 1.4, 12), 3), 32, 5000),
]  # fmt: skip
