"""Every construct of the Python subset, run both ways."""

# The programs use each construct as users do.
# ruff: noqa: B023, UP031, F842, C408, C417, RUF017, E501

import dataclasses
import enum
import functools
import math
from collections import namedtuple

import numpy as np
import pytest
from programs import agree

A = np.arange(12.0).reshape(3, 4) / 7 + 0.5
B = np.arange(4.0) + 1
Pair = namedtuple("Pair", "left right")
Point = namedtuple("Point", ["x", "y"], defaults=[2.0])


@dataclasses.dataclass
class Config:
    heads: int
    scale: float
    weight: np.ndarray
    name: str = "none"

    @property
    def doubled(self):
        return self.scale * 2

    def apply(self, x, extra=1.0):
        return x * self.scale + self.weight * extra

    def __call__(self, x):
        return self.apply(x) + self.heads

    @staticmethod
    def twice(x):
        return x + x

    @classmethod
    def of(cls, weight):
        return cls(1, 2.0, weight)


@dataclasses.dataclass(frozen=True)
class Complex2:
    re: object
    im: object = 0.0

    def __add__(self, other):
        return Complex2(self.re + other.re, self.im + other.im)

    def __neg__(self):
        return Complex2(-self.re, -self.im)

    def __getitem__(self, k):
        return (self.re, self.im)[k]

    def __len__(self):
        return 2


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2

    def label(self):
        return self.name.lower()


class Layer:
    """A plain class, not a dataclass."""

    rate = 0.5

    def __init__(self, weight, bias=None):
        self.weight = weight
        self.bias = bias

    def __call__(self, x):
        y = x * self.weight * self.rate
        return y if self.bias is None else y + self.bias


def parameters(x, /, y, *, z=2.0):
    return x + y * z


def collected(*args, **kwargs):
    total = args[0]
    for a in args[1:]:
        total = total + a
    for name, a in kwargs.items():
        total = total - a * len(name)
    return total


def calls(x, y):
    a = parameters(x, y=y)
    b = parameters(x, y, z=3.0)
    c = collected(x, y, *[x, y], p=x, qq=y)
    return a, b, c


def unpacking(pair, table):
    (a, b), c = pair
    first, *middle, last = [a, b, c, a + c]
    return first + last, tuple(middle), {**table, "sum": a + table["k"]}, [*middle, 1]


def loops(x):
    total = np.zeros(4)
    for i in range(1, 3):
        for j, row in enumerate(x):
            if j == i:
                continue
            total += row * i
    for a, b in zip(x, reversed(x), strict=True):
        total = total + a * b
    for k in range(10):
        if k > 2:
            break
        total = total + k
    else:
        total = total * 0
    n = 5
    while n > 0:
        n -= 2
        total = total + n
    else:
        total = total - 1
    return total, n


def early(x, flag):
    if flag:
        return x
    for row in x:
        if row.shape[0] == 4:
            return row * 2
    return x + 1


def branches(x, mode, k):
    if mode == "a":
        y = x + 1
    elif mode == "b" and k:
        y = x + 2
    else:
        y = x + 3
    return (y if mode != "a" or not k else -y) * (1 if 0 < x.ndim <= 2 else 2)


def closures(x):
    factor = 2.0

    def scaled(v, by=factor):
        return v * by * offset

    offset = 3.0
    add = lambda a, b=1: a + b
    powers = [lambda v, p=p: v**p for p in (1, 2)]
    late = [lambda v: v * q for q in (1, 5)]
    return scaled(x), add(x), [p(x) for p in powers], [g(x) for g in late]


def recursion(x, depth):
    return x if depth == 0 else recursion(x * 2, depth - 1) + 1


def comprehensions(x, y):
    grid = [[a * b for b in y] for a in range(3) if a != 1]
    table = {name: x * k for k, name in enumerate("pqr")}
    size = {len(name) for name in ("a", "bb", "cc")}
    return grid, table, sum(x[i] for i in range(3)), max(a for a in (1, 5, 2)), len(size), tuple(v + 1 for v in x)


def texts(x):
    name = f"{x.ndim}-{'a' if x.ndim == 2 else 'b'}{3.14159:.2f}{'q'!r:>5}"
    assert name == "2-a3.14  'q'", f"got {name}"
    parts = "x,y".split(",")
    return {name: x, parts[0].upper(): len(parts), "%d" % 3: "ab" * 2}


def walrus(x):
    if (n := x.shape[0]) > 2 and (m := n * 2) < 100:
        return x * n + m
    return x


def ignored(x):
    """A docstring."""
    y: np.ndarray = x * 2
    z: float
    with np.errstate(divide="ignore"), np.errstate(invalid="ignore"):
        y = y / x
    print("compiling", end="")
    return y


def records(config, pair):
    made = dataclasses.replace(config, scale=config.scale + 1)
    other = Config.of(config.weight)
    other.scale = other.scale * 3
    p = Point(pair.left)
    q = Pair(right=p.x, left=p[1])
    left, right = q
    result = made.apply(pair.left, extra=2.0) + config.doubled + config(pair.right) + other.twice(left) + right
    return result, q, made, p._replace(y=1.0), p._asdict(), q == Pair(p.y, p.x)


def methods(x, c):
    a, b = Complex2(x), Complex2(x * 2, x)
    s = -(a + b)
    return s, s[0], len(s), a == a


def plain_classes(x, layer):
    own = Layer(x, bias=2.0)
    return layer(x) + own(x) + Layer.rate, own.bias, isinstance(own, Layer), hasattr(own, "nothing"), getattr(own, "gone", 7)


def modes(x, mode):
    if mode is Mode.FAST:
        return x * 2, mode.value
    return x * Mode.EXACT.value, mode.label(), [m.name for m in Mode]


def containers(x):
    parts = []
    parts.append(x)
    parts.extend([x * 2, x * 3])
    parts.insert(0, 5)
    last = parts.pop()
    parts[0] = x - 1
    table = {"a": 1}
    table["b"] = x
    table.setdefault("c", 3)
    table.update(d=x + 1)
    keys = sorted(table, reverse=True)
    shared = parts
    shared += [last]
    removed = table.pop("a")
    return (
        parts,
        len(shared),
        keys,
        table.get("zz", 4),
        removed,
        list(table.items()),
        "b" in table,
        x.shape[0] in (1, 3),
        parts[1:3],
        (1, 2) * 2,
    )


def builtins_of(x, k, n):
    a = [float(v) for v in (1, "2.5", True)], int("3"), abs(-k), round(k), min(k, 2.0), max(n, 3), divmod(7, n), pow(n, 2), bool(n)
    b = (
        any([n > 100, n > 1]),
        all(v > 0 for v in (1, 2)),
        list(range(n))[::-1],
        list(map(lambda v: v * 2, (1, 2))),
        list(filter(None, (0, 1))),
    )
    c = isinstance(x, np.ndarray), isinstance(k, float), isinstance(n, (int, str)), isinstance([x], list), type(n) is int, callable(round)
    it = iter([1, 2, 3])
    d = (
        next(it),
        next(it),
        list(it),
        next(it, 9),
        sorted([3, 1, 2], key=lambda v: -v),
        tuple(zip("ab", (1, 2))),
        dict(a=1, b=2),
        sum([[1], [2]], []),
    )
    return x * k, a, b, c, d, functools.reduce(lambda p, q: p * q, [x, x, 2])


def scalars_of(x, k, n, z):
    a = (k + 1) * n - n / 2 + n // 2 + n % 3 + k**2 + n**3 + (-k) - (+n) + (n & 3) + (n | 8) + (n ^ 1) + (n << 2) + (~n >> 1)
    b = k if k > 1e9 else -k
    return (
        a,
        a * x,
        b,
        z * 2 + k,
        z.real + z.imag,
        z.conjugate(),
        abs(z),
        n == 3,
        not (k > 2),
        n,
        k,
        x * z,
        math.sqrt(k) + math.floor(k),
        float(n),
        int(k),
    )


def sizes_of(x):
    rows, cols = x.shape
    n = len(x) * cols
    flat = x.reshape(n)
    half = x[: rows // 2 + 1]
    return (
        flat[n - 1],
        half * rows,
        n,
        x.size,
        x.ndim,
        x.shape,
        np.zeros((cols, rows + 1)),
        rows * 2 + cols % 3,
        x.shape == (3, 4),
        max(rows, cols),
    )


def numbers_from_arrays(x, n):
    s = float(x.sum())
    t = x.max().item() + int(x[0, 0] * 10)
    best = max(x[0, 0], x[1, 1])
    return s * x, t, best, s, bool(x[0, 0] > 0), x[int(x.argmin()) // 4], n + x.shape[0]


def gates(x):
    total = x.sum()
    if total > 0 and x.max() > 1:
        y = x * 2
    elif total < -1:
        y = x - 1
    else:
        y = x
    return y if not (x[0, 0] == 0) else y + 1


def arguments_of_all_kinds(nested, flag=None, *rest, option="x", **named):
    a, (b, items) = nested
    out = a * b + items[0] * items[1]["w"]
    for r in rest:
        out = out + r
    for v in named.values():
        out = out - v
    return (out, flag is None, option), len(rest), sorted(named)


def nothing(x):
    x * 2


CASES = [
    (calls, (A, B), {}), (unpacking, (((A, 2.0), B), {"k": 1.5}), {}), (loops, (A,), {}), (early, (A, True), {}), (early, (A, False), {}),
    *((branches, (A, mode, k), {}) for mode in "abc" for k in (True, False)), (closures, (A,), {}), (recursion, (A, 5), {}),
    (comprehensions, (A, B), {}), (texts, (A,), {}), (walrus, (A,), {}), (ignored, (A,), {}),
    (records, (Config(3, 1.5, A, "n"), Pair(A + 1, B)), {}), (methods, (A, 1.0), {}), (plain_classes, (A, Layer(B)), {}),
    *((modes, (A, mode), {}) for mode in Mode), (containers, (A,), {}), (builtins_of, (A, 2.25, 4), {}), (scalars_of, (A, 2.5, 5, 1 + 2j), {}),
    (sizes_of, (A,), {}), (numbers_from_arrays, (A, 3), {}), (gates, (A,), {}), (gates, (-A,), {}), (gates, (A * 0,), {}),
    (arguments_of_all_kinds, ((A, (2.0, [B, {"w": A}])), None, 1.0, B), {"option": "y", "p": 2, "q": B}), (nothing, (A,), {}),
    (arguments_of_all_kinds, ((A, (2.0, [B, {"w": A}])),), {}),
]  # fmt: skip


@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@pytest.mark.parametrize(("function", "args", "kwargs"), CASES, ids=[f"{k}-{case[0].__name__}" for k, case in enumerate(CASES)])
def test_construct(function, args, kwargs, symbolic):
    agree(function, *args, symbolic=symbolic, **kwargs)


def pairs(x, config):
    it = iter([x, x * 2, x * 3, x * 4])
    return [a + b for a, b in zip(it, it)], x[: config["n"]], np.zeros(config["n"] + 1)


def test_iterators_taken_in_turn_and_sizes_by_path():
    captured = agree(pairs, A, {"n": 2})
    assert [binding.path for binding in captured.evaluation.sizes] == ["config['n']"]
