"""Programs that write into arrays, a function each; `A`, `B`, .. are made anew for each call."""

import numpy as np

G = np.arange(6.0)
H = np.arange(12).reshape(3, 4)


# ---- views of views ----


def view_of_view(x):
    inner = x[1:, 1:]
    corner = inner[::-1, :2]
    corner[0] = 100
    inner *= 2
    return corner, x[1:][0]


def view_of_transposed(x):
    t = x.T
    t[1] = -1
    t[:, 0] += t[:, 1]
    t[::-1][0] *= 3
    return t


def reshaped_view(x):
    flat = x.reshape(-1)
    flat[3:9:2] = 0
    x.reshape(2, -1)[1] += 5
    return flat[::2]


def reshape_that_copies(x):
    flat = x.T.reshape(-1)
    flat[:] = 0
    return flat


def ravel_of_both_kinds(x):
    x.ravel()[0] = 50
    x.T.ravel()[1] = 60
    x[:, :2].ravel()[2] = 70
    return x.flatten()


def diagonal_view(x):
    x.reshape(-1)[:: x.shape[1] + 1] = 9
    np.einsum("ii->i", x[:, :3])[1] = 7


def squeezed(x):
    x[:, None, 1][..., 0] = 4
    np.squeeze(x[1:2])[0] = 8
    np.expand_dims(x, 0)[0, 2, 3] = 6
    np.atleast_3d(x)[0, 0, 0] = 3


def swapped_axes(x):
    np.swapaxes(x, 0, 1)[0, 1:] = x[0, :2]
    np.moveaxis(x, 0, 1)[2] -= 10
    np.rollaxis(x, 1)[3] = 1


def parts_by_split(x):
    first, second = np.split(x, 2, axis=1)
    first += 10
    second[...] = first
    left, right = np.hsplit(x, 2)
    left[0], right[0] = right[1], left[1]


def rows_by_unpacking(x):
    a, b, c = x
    a += b
    c[:] = a - b
    return b


def rows_by_loop(x):
    for k, row in enumerate(x):
        row[k:] = k
    for a, b in zip(x[::2], x[1:], strict=False):
        b += a


def complex_parts(z):
    z.real[1:] = 0
    z.imag *= 2
    z.real[::-1][0] = 9
    np.add(z.real, z.imag, out=z.real)
    part = z.real
    z[0] = 20 + 1j
    return part[:2].copy()


# ---- the same array on both sides ----


def forwards(x):
    x[1:] = x[:-1]


def backwards(x):
    x[:-1] = x[1:]


def sums_forwards(x):
    x[1:] += x[:-1]
    x[:-1] -= x[1:]


def reversed_in_itself(x):
    x[:] = x[::-1]
    x[:, ::-1] += x


def transposed_in_itself(x):
    x[:, :3] = x[:, :3].T
    x[:, 1:] = x[:, 1:].T + x[:, :3]


def steps_of_two(x):
    x[:, ::2] = x[:, 1::2]
    x[:, 1::2] = x[:, ::2] - x[:, 1::2]


def broadcast_of_own_row(x):
    x[:] = x[0]
    x += x[:, :1]
    x -= x[0]


def diagonal_neighbours(x):
    x[1:, 1:] += x[:-1, :-1] * x[1:, :-1]


def three_shifts(x):
    x[1:-1] = x[:-2] + x[1:-1] + x[2:]


# ---- elements chosen by integers ----


def rows_exchanged(x):
    x[[0, 2]] = x[[2, 0]]
    x[:, [0, 1]] = x[:, [1, 0]]
    x[[1, 1, 0]] = x[[0, 2, 1]]


def crossing_writes(x):
    x[np.ix_([0, 2], [1, 3])] = 0
    x[np.ix_([1, 0], [3, 0])] += np.array([[1, 2], [3, 4]])
    x[[0, 1], [1, 2]] *= -1
    x[[-1, -2], :2] = 5


def repeated_places(x):
    x[[0, 0, 1]] += 1
    np.add.at(x, [0, 0, 1], 1)
    np.subtract.at(x, ([1, 1], [2, 2]), 3)
    np.maximum.at(x, ([2, 2], [0, 0]), [4, 40])
    np.multiply.at(x[0], [1, 1, 2], 2)
    np.add.at(x[:, 1], np.array([2, 2, 0]), np.array([1, 2, 3]))


def views_by_places(x):
    part = x[1:, ::2]
    part[[1, 0]] = part[[0, 1]]
    part[:, [1]] += 10
    np.add.at(part, (slice(None), [0, 0]), 1)


def arrays_of_places(x, where):
    x[where] = x[where][::-1]
    x[where, 1] += 100
    x[:, where] -= 1
    return x[where]


def along(x, order):
    np.put_along_axis(x, order, 0, axis=1)
    np.put(x, [0, -1], [7, 8])
    x.put([1], -5)
    return np.take_along_axis(x, order, axis=1)


def masked_parts(x):
    m = x > 4
    x[m] = x[m] ** 2 + x[m]
    x[~m] -= 1
    x[1:][x[1:] > 90] = -3
    x[:, 1][m[:, 1]] = 0
    x[m[:, 0]] += 7
    x[m[:, 0], 1] = 8
    return m


def mask_of_rows(x):
    chosen = x[:, 0] > 3
    x[chosen] = x[chosen][:, ::-1]
    x[chosen, -1] *= 2
    x[np.array([True, False, True])] -= 1


def placed(x):
    np.putmask(x, x % 2 == 0, -x)
    np.place(x, x > 6, [1, 2])
    np.copyto(x, 0, where=x == 1)
    np.fill_diagonal(x[:, 1:], 77)


# ---- targets of all kinds ----


def tuples_of_slices(x, y):
    x[0, :2], y[1:3] = y[:2], x[1, 2:]
    x[0], x[1] = x[1], x[0]
    (x[2, 0], x[2, 1]), *rest = (x[2, 1], x[2, 0]), y[0], y[1]
    return rest


def chained_targets(x, y):
    x[0] = y[:] = x[1]
    a = b = x[2]
    a += 1
    return b


def augmented_everywhere(x):
    x[0] += 1
    x[:, 1] -= x[:, 0]
    x[1, 2] *= 3
    x[..., -1] //= 2
    x[::-1, ::-1] += x
    x.T[0] %= 4
    x[[0, 1]] **= 2
    x[x > 50] -= 50


def augmented_by_itself(x):
    x += x
    x *= x[::-1]
    x -= x.T[:3, :3].sum()
    x[:] += x[0, 0]


def outputs(x, y):
    r = np.add(x, 1, out=x)
    np.multiply(x[0], y, out=x[1])
    np.exp(y, out=y)
    np.cumsum(x, axis=0, out=x)
    np.maximum(x[:-1], x[1:], out=x[1:])
    np.subtract(x, x[::-1], out=x)
    x.sum(axis=0, out=y)
    return r


def outputs_where(x, y):
    np.add(x, 1, out=x, where=x > 3)
    np.negative(y, where=y > 11, out=y)
    np.divide(x, y, out=x[...], where=np.array([True, False, True, True]))
    np.dot(x, y, out=np.empty(3))
    return np.matmul(x, y, out=y[:3])


def flat_parts(x):
    y = x.copy()
    y.flat[2] = 50
    y.flat[[0, -1]] = [7, 8]
    y.flat[::5] += 1
    return y, x.flat[3], x.T.flat[4], x.flat[[1, 2]], y.flat[-2]


def whole(x, y):
    x.fill(3)
    y[...] = 2
    x[()] = x * 2
    x[:] = [[1], [2], [3]]
    y[:] = range(4)
    x[1] = 5, 6, 7, 8


def sorted_in_place(x, y):
    y[::-1].sort()
    x.sort(axis=0)
    x[1].partition(1)
    x.T[0].sort()
    return y


def casts_on_writing(n, x):
    n[...] = x
    n[0] = 2.9
    n[1, :2] = True
    x[0] = n[1]
    x[1, 1] = np.int8(5)
    n += n > 2


# ---- helpers, aliases, captured arrays ----


def _scale(v, k=2):
    v *= k
    return v


def _first(v):
    return v[0]


def _bump(v):
    _first(v)[1:] += 1
    v = v + 100
    v[0] = 0
    return v


def helpers(x):
    y = _scale(x[1:])
    z = _bump(x)
    w = _scale(_first(x)[::2], k=-1)
    return y, z, w


def captured(x):
    G[1:3] = x[0, :2]
    g = G[::-1]
    g[0] += 1
    H[:, 0] += 2
    return g, H[1]


def captured_and_given(x, y):
    y[:] = H[0]
    H[0] = x[0]
    return H.T


def alias_is_no_copy(x):
    y = x
    z = y[:]
    z += 1
    y = y * 2
    y += 1
    return y, z, x is z


def several_arguments(x, y, n):
    x[0] = y
    y += n[0]
    n[0] = x[0]
    n[...] = n[::-1]
    return x[0], n


def containers(items, table):
    items[0] += 1
    items[1][:] = items[0][0]
    table["a"][0] = items[1].sum()
    for array in table.values():
        array *= 2
    return items[0], table["b"][::-1]


def results_of_all_kinds(x):
    y = x * 2
    y[0] = x[0]
    x[0] = 0
    return x, x[1:], x.T[::-1], y, y[0], x[:, None], x.copy(), x[[0, 1]], x[0, 0], x.reshape(-1), +x


def twice_the_same(x):
    a = x[0]
    b = x[0]
    a += 1
    b[:] = b * 2
    return a, b, a is b


def scalars_are_copies(x):
    s = x[0, 0]
    x[0, 0] = 50
    s += 1
    t = x[1, 1:2]
    x[1, 1] = 9
    return s, t, x[0, 0]


def read_before_and_after(x):
    before = x.sum()
    row = x[1] * 1
    view = x[1]
    x[1] = 0
    return before, row, view, x.sum()


def in_rounds(x, y):
    for k in range(3):
        y[:] = x[k] + y[::-1]
        x[(k + 1) % 3] -= y
    return y[1:]


def exchanged_buffers(x):
    old, new = x, np.zeros_like(x)
    for _ in range(3):
        new[1:-1] = (old[:-2] + old[2:]) * 2
        new[0], new[-1] = old[0], old[-1]
        old, new = new, old
    return old, new


def on_one_side(x, y, k=1):
    if x[0, 0] > 100:
        x[0] = y
    else:
        x[1] = y
        y = y[:2]
    y += 1
    return y


def empty_parts(x):
    x[3:] = 5
    x[:, 4:] += x[:, :0]
    x[[]] = 3
    x[1:1, None] = 9
    x[x > 1000] = 0
    return x[0:0]
