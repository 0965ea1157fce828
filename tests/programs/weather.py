"""Fields over a grid: diffusion, advection, shallow water, clouds - slices of three-dimensional arrays, results written into arguments."""

import numpy as np

from tests.programs.table import Program, uniform


def horizontal_diffusion(field, out, coefficient):
    """Fourth-order diffusion with limited fluxes, the field one frame of two points wider than the result."""
    inner = field[1:-1, 1:-1, :]
    laplacian = 4.0 * inner - (field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :])
    east = laplacian[1:, 1:-1, :] - laplacian[:-1, 1:-1, :]
    east = np.where(east * (field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :]) > 0, 0, east)
    north = laplacian[1:-1, 1:, :] - laplacian[1:-1, :-1, :]
    north = np.where(north * (field[2:-2, 2:-1, :] - field[2:-2, 1:-2, :]) > 0, 0, north)
    out[:, :, :] = field[2:-2, 2:-2, :] - coefficient[:, :, :] * (east[1:, :, :] - east[:-1, :, :] + north[:, 1:, :] - north[:, :-1, :])


def vertical_advection(speed, field, tendency, dt):
    """Columns of a tridiagonal system, eliminated downwards and substituted upwards."""
    levels = field.shape[2]
    upper = np.zeros_like(field)
    right = np.empty_like(field)
    for k in range(levels):
        below = 0.25 * dt * speed[:, :, k] if k > 0 else np.zeros(field.shape[:2])
        above = 0.25 * dt * speed[:, :, k + 1] if k < levels - 1 else np.zeros(field.shape[:2])
        if k == 0:
            upper[:, :, k] = above
            right[:, :, k] = field[:, :, k] + dt * tendency[:, :, k]
        else:
            pivot = 1.0 / (1.0 + below * upper[:, :, k - 1])
            upper[:, :, k] = above * pivot
            right[:, :, k] = (field[:, :, k] + dt * tendency[:, :, k] + below * right[:, :, k - 1]) * pivot
    tendency[:, :, levels - 1] = (right[:, :, levels - 1] - field[:, :, levels - 1]) / dt
    for k in range(levels - 2, -1, -1):
        right[:, :, k] -= upper[:, :, k] * right[:, :, k + 1]
        tendency[:, :, k] = (right[:, :, k] - field[:, :, k]) / dt


def upwind(q, u, v, dt, dx):
    """One step of advection, the difference taken against the wind."""
    center = q[1:-1, 1:-1]
    flow_x = np.where(u > 0, center - q[:-2, 1:-1], q[2:, 1:-1] - center) * u
    flow_y = np.where(v > 0, center - q[1:-1, :-2], q[1:-1, 2:] - center) * v
    q[1:-1, 1:-1] -= dt / dx * (flow_x + flow_y)
    q[0, :], q[-1, :] = q[1, :], q[-2, :]
    q[:, 0], q[:, -1] = q[:, 1], q[:, -2]


def ddx(a, dx):
    return (np.roll(a, -1, axis=1) - np.roll(a, 1, axis=1)) / (2 * dx)


def ddy(a, dy):
    return (np.roll(a, -1, axis=0) - np.roll(a, 1, axis=0)) / (2 * dy)


def shallow_water(h, u, v, steps, dt, gravity=9.81, coriolis=1e-4):
    """Periodic shallow water: height and velocities in turn."""
    h, u, v = h.copy(), u.copy(), v.copy()
    for _ in range(steps):
        u_new = u + dt * (coriolis * v - gravity * ddx(h, 1.0))
        v_new = v - dt * (coriolis * u + gravity * ddy(h, 1.0))
        h = h - dt * (ddx(h * u_new, 1.0) + ddy(h * v_new, 1.0))
        u, v = u_new, v_new
    return h, u, v


def saturation(temperature, pressure):
    celsius = temperature - 273.15
    vapour = 611.2 * np.exp(17.67 * celsius / (celsius + 243.5))
    return 0.622 * vapour / (pressure - vapour)


def adjust_clouds(temperature, pressure, humidity, cloud):
    """Water above saturation becomes cloud, cloud below it evaporates; both in place."""
    excess = humidity - saturation(temperature, pressure)
    wet = excess > 0
    cloud[wet] += excess[wet]
    humidity[wet] -= excess[wet]
    dry = np.logical_and(~wet, cloud > 0)
    change = np.minimum(cloud, -excess)
    cloud[dry] -= change[dry]
    humidity[dry] += change[dry]
    return wet.sum(), cloud.max()


def interpolate_levels(field, height, target):
    """The field at one height in each column, by the two levels around it."""
    below = (height <= target).sum(axis=-1) - 1
    below = np.clip(below, 0, height.shape[-1] - 2)
    rows, columns = np.indices(below.shape)
    low, high = height[rows, columns, below], height[rows, columns, below + 1]
    weight = (target - low) / (high - low)
    return (1 - weight) * field[rows, columns, below] + weight * field[rows, columns, below + 1]


def zonal_anomaly(field, latitude):
    """Departure from the mean along each circle of latitude, and its weighted global variance."""
    anomaly = field - field.mean(axis=-1, keepdims=True)
    weight = np.cos(np.deg2rad(latitude))[:, np.newaxis]
    weight = weight / weight.sum()
    return anomaly, (anomaly**2 * weight).sum(axis=(-2, -1)) / field.shape[-1]


ROWS = [
    Program(horizontal_diffusion, lambda n: (uniform(n + 4, n + 4, 8), np.zeros((n, n, 8)), uniform(n, n, 8, seed=1)), 8, 64),
    Program(
        vertical_advection,
        lambda n: (uniform(n, n, 7, low=-1), uniform(n, n, 6, seed=1), uniform(n, n, 6, seed=2), 0.1),
        8, 64,
    ),
    Program(upwind, lambda n: (uniform(n + 2, n + 2), uniform(n, n, low=-1), uniform(n, n, low=-1, seed=1), 0.01, 0.1), 16, 512),
    Program(shallow_water, lambda n: (10 + uniform(n, n), uniform(n, n, seed=1), uniform(n, n, seed=2), 20, 1e-3), 16, 256),
    Program(
        adjust_clouds,
        lambda n: (uniform(n, n, low=270, high=300), uniform(n, n, low=8e4, high=1e5), uniform(n, n, high=0.03), uniform(n, n, high=0.01)),
        16, 512,
    ),
    Program(
        interpolate_levels,
        lambda n: (uniform(n, n, 12), np.cumsum(uniform(n, n, 12, low=0.1, seed=1), axis=-1), 3.0),
        8, 128,
    ),
    Program(zonal_anomaly, lambda n: (uniform(3, n, 2 * n), np.linspace(-80, 80, n)), 16, 256),
]  # fmt: skip
