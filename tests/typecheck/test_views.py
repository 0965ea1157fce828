"""Views against NumPy: each view's subscripts are evaluated for every element and compared, with constant and with symbolic sizes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staxlang.base.sizes import Condition, Facts, evaluate, symbol, symbols
from staxlang.typecheck import reshaping, views
from staxlang.typecheck.inverse import invert

RELATIONS = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b}


class World:
    """Sizes with hidden values, as a capture has them; decisions are kept."""

    def __init__(self, **values):
        self.values, self.facts, self.guards = values, Facts(), []

    def prove(self, condition):
        return self.facts.decide(condition)

    def decide(self, condition):
        known = self.facts.decide(condition)
        if known is None:
            known = RELATIONS[condition.relation](evaluate(condition.left, self.values), evaluate(condition.right, self.values))
            self.guards.append((condition, known))
        return known

    def read(self, view, base):
        """The view's elements, each fetched by its subscripts."""
        shape = tuple(evaluate(one, self.values) for one in view.shape)
        out = np.empty(shape, base.dtype)
        for place in np.ndindex(*shape):
            env = {**self.values, **{f"i{k}": one for k, one in enumerate(place)}}
            where = tuple(evaluate(one, env) for one in view.subscripts)
            assert all(0 <= one < extent for one, extent in zip(where, base.shape, strict=True)), (view, where, base.shape)
            out[place] = base[where]
        return out

    def check(self, view, base, expected):
        got = self.read(view, base)
        assert got.shape == expected.shape
        assert (got == expected).all()


def arange(*shape):
    return np.arange(int(np.prod(shape))).reshape(shape)


def symbolic(shape):
    """A world in which each extent of a shape is a symbol of its own, and the symbolic shape."""
    names = [f"S{k}" for k in range(len(shape))]
    return World(**dict(zip(names, shape, strict=True))), tuple(symbol(name) for name in names)


def both(shape):
    yield World(), shape
    yield symbolic(shape)


@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 2, 3), (2, 0, 3)])
def test_axes(shape):
    base = arange(*shape)
    for world, sizes in both(shape):
        for axes in itertools.permutations(range(3)):
            world.check(views.transpose(sizes, axes), base, base.transpose(axes))
        world.check(views.swapaxes(sizes, 0, 2), base, base.swapaxes(0, 2))
        world.check(views.moveaxis(sizes, (0, 1), (2, 0)), base, np.moveaxis(base, (0, 1), (2, 0)))
        world.check(views.moveaxis(sizes, (2,), (0,)), base, np.moveaxis(base, 2, 0))
        world.check(views.expand_dims(sizes, (0, 3)), base, np.expand_dims(base, (0, 3)))
        world.check(views.flip(sizes, (0, 2)), base, np.flip(base, (0, 2)))
        assert not world.guards


def test_squeeze():
    base = arange(3, 1, 4, 1)
    world = World()
    world.check(views.squeeze((3, 1, 4, 1), (1, 3)), base, base.squeeze())
    world.check(views.squeeze((3, 1, 4, 1), (1,)), base, base.squeeze(1))


@pytest.mark.parametrize("offset", [-3, -2, -1, 0, 1, 2, 3, 9, -9])
def test_diagonal(offset):
    base = arange(3, 2, 4)
    for world, sizes in both(base.shape):
        world.check(views.diagonal(sizes, offset, 0, 2, world.decide), base, base.diagonal(offset, 0, 2))
        world.check(views.diagonal(sizes, offset, 2, 0, world.decide), base, base.diagonal(offset, 2, 0))


def test_windows():
    base = arange(5, 6)
    for world, sizes in both(base.shape):
        world.check(views.windows(sizes, (0, 1), (2, 3)), base, np.lib.stride_tricks.sliding_window_view(base, (2, 3)))
        world.check(views.windows(sizes, (1,), (4,)), base, np.lib.stride_tricks.sliding_window_view(base, 4, axis=1))


@pytest.mark.parametrize(
    "shape, target",
    [((3,), (2, 3)), ((1, 3), (4, 3)), ((), (2, 3)), ((2, 1, 3), (2, 5, 3)), ((1,), (0,)), ((3, 1), (3, 1)), ((1, 1), (1, 4))],
)
def test_broadcast(shape, target):
    base = arange(*shape)
    for world, sizes in both(shape):
        world.check(views.broadcast(sizes, target, world.decide), base, np.broadcast_to(base, target))
    assert views.broadcast((2,), (3,), World().decide) is None
    assert views.broadcast((2, 3), (3,), World().decide) is None


@pytest.mark.parametrize(
    "shapes", [[(3, 1), (4,)], [(2, 3), (2, 3)], [(1,), (5,), (2, 1)], [(), (3,)], [(0,), (1,)], [(2, 1), (1, 3), (4, 1, 1)]]
)
def test_broadcast_shapes(shapes):
    expected = np.broadcast_shapes(*shapes)
    assert views.broadcast_shapes(shapes, World().decide) == expected
    names = [tuple(symbol(f"S{i}{j}") for j in range(len(shape))) for i, shape in enumerate(shapes)]
    world = World(**{f"S{i}{j}": one for i, shape in enumerate(shapes) for j, one in enumerate(shape)})
    found = views.broadcast_shapes(names, world.decide)
    assert tuple(evaluate(one, world.values) for one in found) == expected


def test_broadcast_mismatch_says_where():
    n, d = symbol("N"), symbol("D")
    assert views.broadcast_shapes([(n, d), (n,)], lambda c: None) == views.Mismatch(0, 1, 1, 0)
    assert views.broadcast_shapes([(3, 2), (4, 1)], World().decide) == views.Mismatch(0, 0, 1, 0)
    assert views.broadcast_shapes([(n, 1), (d,)], lambda c: None) == (n, d)


BOUNDS = [None, -9, -5, -3, -1, 0, 1, 2, 4, 5, 8]


@pytest.mark.parametrize("extent", [0, 1, 2, 5])
@pytest.mark.parametrize("step", [1, 2, 3, -1, -2, -7])
def test_slices(extent, step):
    base = arange(extent)
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        for world, (size,) in both((extent,)):
            taken = views.slice_range(start, stop, step, size, world.decide)
            world.check(views.subscript((size,), [taken]), base, base[start:stop:step])


@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_slices_with_symbolic_bounds(step):
    for extent, a, b in itertools.product((0, 3, 5), (0, 1, 4, 7), (0, 2, 5)):
        base = arange(extent)
        world = World(N=extent, A=a, B=b)
        n, first, last = symbol("N"), symbol("A"), symbol("B")
        for start, stop, s0, s1 in ((first, last, a, b), (-first, last, -a, b), (first, n - last, a, extent - b), (None, first, None, a)):
            taken = views.slice_range(start, stop, step, n, world.decide)
            world.check(views.subscript((n,), [taken]), base, base[s0:s1:step])


def test_slices_without_decisions_are_still_exact():
    undecided = lambda c: None
    n = symbol("N")
    for start, stop in itertools.product((None, 0, 1, 4), (None, 0, 2, 6)):
        for step in (1, 2):
            taken = views.slice_range(start, stop, step, n, undecided)
            for extent in range(8):
                world = World(N=extent)
                base = arange(extent)
                world.check(views.subscript((n,), [taken]), base, base[start:stop:step])


def test_subscript_mixes_items():
    base = arange(4, 5, 6)
    world = World()
    items = [2, views.NEWAXIS, views.slice_range(4, None, -2, 5, world.decide)]
    world.check(views.subscript(base.shape, items), base, base[2, None, 4::-2])


def test_composition():
    base = arange(4, 6)
    for world, sizes in both((4, 6)):
        first = views.transpose(sizes, (1, 0))
        second = views.subscript(first.shape, [views.slice_range(None, None, -2, first.shape[0], world.decide), 1])
        world.check(views.then(first, second), base, base.T[::-2, 1])


RESHAPES = [
    ((6,), (2, 3)), ((2, 3), (6,)), ((2, 3), (3, 2)), ((4, 6), (3, 8)), ((2, 3, 4), (6, 4)), ((2, 3, 4), (2, 12)), ((2, 3, 4), (4, 3, 2)),
    ((2, 3, 4), (24,)), ((24,), (2, 3, 4)), ((1, 6), (6, 1)),
    ((2, 1, 3), (1, 6, 1)), ((), (1, 1)), ((1,), ()), ((0, 3), (3, 0)), ((2, 0), (0,)),
    ((8, 9), (4, 3, 6)), ((5, 4, 9), (10, 18)), ((6, 1, 4), (3, 8)),
]  # fmt: skip


@pytest.mark.parametrize("shape, target", RESHAPES)
def test_reshape(shape, target):
    base = arange(*shape)
    world = World()
    world.check(reshaping.reshape(shape, target, world.prove), base, base.reshape(target))


def test_reshape_symbolic_is_affine_where_it_can_be():
    b, t, d = symbol("B"), symbol("T"), symbol("D")
    i0, i1, i2, i3 = views.indices(4)
    world = World(B=2, T=3, D=4)
    base = arange(2, 3, 4)
    merged = reshaping.reshape((b, t, d), (b * t, d), world.prove)
    assert merged.subscripts[1:] == (i0 % t, i1)
    world.check(merged, base, base.reshape(6, 4))
    split = reshaping.reshape((b * t, d), (b, t, d), world.prove)
    assert split.subscripts == (t * i0 + i1, i2)
    world.check(split, base.reshape(6, 4), base)
    heads = reshaping.reshape((b, t, 2 * d), (b, t, 2, d), world.prove)
    assert heads.subscripts == (i0, i1, d * i2 + i3)
    back = views.then(merged, split)
    assert back.subscripts[0] in (i0, (t * i0 + i1) // t)


def test_resolve():
    b, t = symbol("B"), symbol("T")
    silent = lambda c: None
    assert reshaping.resolve((b, t), (-1,), silent) == (b * t,)
    assert reshaping.resolve((b, t), (t, -1), silent) == (t, b)
    assert reshaping.resolve((b, t, 6), (b, -1, 3), silent) == (b, 2 * t, 3)
    assert reshaping.resolve((4, 6), (3, -1), silent) == (3, 8)
    assert reshaping.resolve((4, 6), (5, -1), silent) == reshaping.Misfit(24, 5, True)
    assert reshaping.resolve((4, 6), (5, 5), silent) == reshaping.Misfit(24, 25, False)
    assert reshaping.resolve((0, 6), (0, -1), silent) == reshaping.Misfit(0, 0, True)
    world = World(B=6, T=5)
    assert reshaping.resolve((b, t), (2, -1), world.decide) == (2, (b * t) // 2)
    assert len(world.guards) == 1
    assert isinstance(reshaping.resolve((b, t), (7, -1), World(B=6, T=5).decide), reshaping.Misfit)


# ---- inverses ----


def written(view, base, value):
    """What NumPy leaves in the base after the view's elements have been set, by the forward subscripts."""
    out = base.copy()
    for place in np.ndindex(*view.shape):
        env = {f"i{k}": one for k, one in enumerate(place)}
        out[tuple(evaluate(one, env) for one in view.subscripts)] = value[place]
    return out


def by_inverse(inverse, base, value, values):
    out = base.copy()
    for place in np.ndindex(*base.shape):
        env = {**values, **{f"i{k}": one for k, one in enumerate(place)}}
        if all(RELATIONS[c.relation](evaluate(c.left, env), evaluate(c.right, env)) for c in inverse.conditions):
            out[place] = value[tuple(evaluate(one, env) for one in inverse.subscripts)]
    return out


def steps(world):
    decide = world.decide

    def cut(start, stop, step):
        return lambda shape: views.subscript(shape, [views.slice_range(start, stop, step, shape[0], decide)]) if shape else None

    return {
        "transpose": lambda shape: views.transpose(shape, tuple(reversed(range(len(shape))))),
        "flip": lambda shape: views.flip(shape, range(len(shape))),
        "tail": cut(1, None, 1),
        "even": cut(None, None, 2),
        "reversed": cut(None, None, -2),
        "newaxis": lambda shape: views.expand_dims(shape, (0,)),
        "first": lambda shape: views.subscript(shape, [0]) if shape and shape[0] > 0 else None,
        "flat": lambda shape: reshaping.reshape(shape, (reshaping.product(shape),), world.prove),
        "halves": lambda shape: (
            reshaping.reshape(shape, (2, reshaping.product(shape) // 2), world.prove) if reshaping.product(shape) % 2 == 0 else None
        ),
        "diagonal": lambda shape: views.diagonal(shape, 0, 0, 1, decide) if len(shape) >= 2 else None,
    }


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
    st.lists(st.sampled_from(sorted(steps(World()))), min_size=1, max_size=4),
)
def test_composed_views_read_and_write_as_numpy(shape, names):
    world = World()
    base = arange(*shape)
    view, expected = views.identity(shape), base
    numpy_steps = {
        "transpose": lambda x: x.T, "flip": np.flip, "tail": lambda x: x[1:], "even": lambda x: x[::2], "reversed": lambda x: x[::-2],
        "newaxis": lambda x: x[None], "first": lambda x: x[0], "flat": np.ravel, "halves": lambda x: x.reshape(2, -1),
        "diagonal": lambda x: x.diagonal(),
    }  # fmt: skip
    for name in names:
        following = steps(world)[name](view.shape)
        if following is None or 0 in following.shape:
            continue
        view, expected = views.then(view, following), numpy_steps[name](expected)
    world.check(view, base, expected)
    inverse = invert(view, base.shape, world.prove)
    if inverse is not None:
        value = -1 - arange(*view.shape)
        assert (by_inverse(inverse, base, value, {}) == written(view, base, value)).all()


def test_inverses_of_the_usual_views_exist():
    n, d = symbol("N"), symbol("D")
    world = World(N=4, D=6)
    i0, i1 = views.indices(2)
    prove = Facts().assume(Condition("<=", 2, n)).decide
    assert invert(views.transpose((n, d), (1, 0)), (n, d), prove) == ((i1, i0), ())
    whole = views.subscript((n, d), [])
    assert invert(whole, (n, d), prove) == ((i0, i1), ())
    row = views.subscript((n, d), [1])
    assert invert(row, (n, d), prove) == ((i1,), (Condition("==", i0, 1),))
    tail = views.subscript((n, d), [views.slice_range(1, None, 1, n, world.decide)])
    found = invert(tail, (n, d), prove)
    assert found.subscripts == (i0 - 1, i1) and found.conditions == (Condition("<=", 0, i0 - 1),)
    split = reshaping.reshape((n * d,), (n, d), prove)
    found = invert(split, (n * d,), prove)
    assert found is not None and found.subscripts == (i0 // d, i0 % d)
    merged = reshaping.reshape((n, d), (n * d,), prove)
    assert invert(merged, (n, d), prove) == ((i0 * d + i1,), ())
    assert invert(views.broadcast((1, d), (n, d), world.decide), (1, d), prove) is None
    assert invert(views.windows((9,), (0,), (3,)), (9,), prove) is None
    assert not symbols(found.subscripts[0]) - {"i0", "D"}


def test_reshape_and_back_is_the_array_itself():
    b, t, d = symbol("B"), symbol("T"), symbol("D")
    for shape, between in (((b, t, d), (b * t, d)), ((4, 6), (3, 8)), ((b, t), (t, b)), ((2, 3, 4), (4, 3, 2))):
        there = reshaping.reshape(shape, between, Facts().decide)
        back = views.then(there, reshaping.reshape(between, shape, Facts().decide))
        if shape in ((4, 6), (b, t), (2, 3, 4)):  # neither shape groups the other's axes: left as it is, but right
            World(B=2, T=3).check(
                back, arange(*(evaluate(s, {"B": 2, "T": 3}) for s in shape)), arange(*(evaluate(s, {"B": 2, "T": 3}) for s in shape))
            )
        else:
            assert views.simplified(back.subscripts, back.shape, Facts()) == views.indices(3)
