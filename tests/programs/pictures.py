"""Convolutions by loops over windows, networks, filters of pictures."""

import numpy as np

from tests.programs.table import Program, integers, uniform


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def conv2d(inputs, weights, bias):
    """Pictures by rows, columns, channels; every window of a place at once."""
    size = weights.shape[0]
    high, wide = inputs.shape[1] - size + 1, inputs.shape[2] - size + 1
    output = np.empty((inputs.shape[0], high, wide, weights.shape[3]), dtype=inputs.dtype)
    for i in range(high):
        for j in range(wide):
            window = inputs[:, i : i + size, j : j + size, :, np.newaxis] * weights[np.newaxis]
            output[:, i, j, :] = np.sum(window, axis=(1, 2, 3))
    return output + bias


def conv2d_by_offsets(inputs, weights):
    """The same as a sum over the kernel's places, each a product of matrices."""
    size = weights.shape[0]
    high, wide = inputs.shape[1] - size + 1, inputs.shape[2] - size + 1
    output = np.zeros((inputs.shape[0], high, wide, weights.shape[3]), dtype=inputs.dtype)
    for i in range(size):
        for j in range(size):
            output += inputs[:, i : i + high, j : j + wide] @ weights[i, j]
    return output


def pooled(x):
    """The largest of each square of four."""
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def perceptron(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


def batch_norm(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(np.std(x, axis=0, keepdims=True) ** 2 + eps)


def residual_block(x, narrow, middle, wide):
    """Three convolutions, each normalized, and the way around them."""
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, narrow.shape[3]), dtype=x.dtype)
    padded[:, 1:-1, 1:-1, :] = relu(batch_norm(conv2d_by_offsets(x, narrow)))
    y = relu(batch_norm(conv2d_by_offsets(padded, middle)))
    return relu(batch_norm(conv2d_by_offsets(y, wide)) + x)


def attention(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(np.float64(q.shape[-1]))
    hidden = np.triu(np.ones(scores.shape[-2:], dtype=bool), 1)
    scores[..., hidden] = -np.inf
    return softmax(scores) @ v


def sobel(image):
    """The slope's magnitude and direction."""
    p = np.pad(image, 1, mode="edge")
    gx = (p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2])
    gy = (p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:])
    return np.hypot(gx, gy), np.arctan2(gy, gx)


def box_mean(image, r):
    """Means over squares by sums of sums."""
    s = np.zeros((image.shape[0] + 1, image.shape[1] + 1))
    s[1:, 1:] = image.cumsum(axis=0).cumsum(axis=1)
    k = 2 * r + 1
    return (s[k:, k:] - s[:-k, k:] - s[k:, :-k] + s[:-k, :-k]) / k**2


def median_filter(image):
    """The middle of nine neighbours."""
    shifted = [image[i : image.shape[0] - 2 + i, j : image.shape[1] - 2 + j] for i in range(3) for j in range(3)]
    return np.sort(np.stack(shifted), axis=0)[4]


def dilated(mask, rounds=2):
    """Grow by the four neighbours."""
    for _ in range(rounds):
        grown = mask.copy()
        grown[1:] |= mask[:-1]
        grown[:-1] |= mask[1:]
        grown[:, 1:] |= mask[:, :-1]
        grown[:, :-1] |= mask[:, 1:]
        mask = grown
    return mask


def resized(image, factor):
    """Bilinear enlargement by a whole factor."""
    rows = np.arange(image.shape[0] * factor) / factor
    columns = np.arange(image.shape[1] * factor) / factor
    r, c = rows.astype(int), columns.astype(int)
    fr, fc = (rows - r)[:, None], (columns - c)[None, :]
    r1, c1 = np.minimum(r + 1, image.shape[0] - 1), np.minimum(c + 1, image.shape[1] - 1)
    top = image[np.ix_(r, c)] * (1 - fc) + image[np.ix_(r, c1)] * fc
    bottom = image[np.ix_(r1, c)] * (1 - fc) + image[np.ix_(r1, c1)] * fc
    return top * (1 - fr) + bottom * fr


def bayer(mosaic):
    """Colours of a sensor's pattern: each a quarter, written by steps."""
    out = np.zeros((*mosaic.shape, 3), mosaic.dtype)
    out[::2, ::2, 0] = mosaic[::2, ::2]
    out[::2, 1::2, 1] = mosaic[::2, 1::2]
    out[1::2, ::2, 1] = mosaic[1::2, ::2]
    out[1::2, 1::2, 2] = mosaic[1::2, 1::2]
    return out


def rotated(image, turns):
    """Quarter turns and mirror images of a picture, by views alone."""
    return image.T[::-1], image[::-1, ::-1], image.T[:, ::-1], np.rot90(image, turns), image[..., ::-1]


def singles(*shapes):
    return tuple(uniform(*shape, dtype=np.float32, seed=k) for k, shape in enumerate(shapes))


ROWS = [
    Program(conv2d, lambda n: singles((2, n, n, 3), (3, 3, 3, 4), (4,)), 6, 24, rtol=1e-5),
    Program(conv2d_by_offsets, lambda n: singles((2, n, n, 3), (3, 3, 3, 8)), 8, 64, rtol=1e-5),
    Program(pooled, lambda n: (uniform(2, 2 * n, 2 * n, 3),), 4, 40, rtol=0),
    Program(
        perceptron,
        lambda n: (uniform(n, 20), uniform(20, 30), uniform(30), uniform(30, 20), uniform(20), uniform(20, 10), uniform(10)),
        8, 2000, rtol=1e-10,
    ),
    Program(
        residual_block,
        lambda n: singles((2, n, n, 8), (1, 1, 8, 4), (3, 3, 4, 4), (1, 1, 4, 8)),
        6, 40, rtol=2e-3,
    ),
    Program(attention, lambda n: (uniform(2, n, 8), uniform(2, n, 8, seed=1), uniform(2, n, 8, seed=2)), 8, 256),
    Program(sobel, lambda n: (uniform(n, n),), 16, 500),
    Program(box_mean, lambda n: (uniform(n, n), 2), 16, 500, rtol=1e-10),
    Program(median_filter, lambda n: (integers(n, n, high=256, dtype=np.uint8),), 16, 200),
    Program(dilated, lambda n: (integers(n, n, high=9) == 0,), 16, 500),
    Program(resized, lambda n: (uniform(n, n), 2), 12, 200),
    Program(bayer, lambda n: (integers(2 * n, 2 * n, high=4096, dtype=np.uint16),), 8, 300),
    Program(rotated, lambda n: (integers(n, n + 1), 1), 16, 500),
]  # fmt: skip
