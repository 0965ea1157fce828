"""What programs in the style of published NumPy code have found."""

from functools import reduce

import numpy as np
import pytest

import staxlang as stax


class NotConverged(RuntimeError):
    """An exception of the user's."""


def agrees(function, *calls, versions=None):
    """Calls of one kernel give what NumPy gives, or raise what it raises; arguments hold what they hold after NumPy's call."""
    kernel = stax.kernel(strict=True)(function)
    for call in calls:
        mine, plain = ([np.copy(one) if isinstance(one, np.ndarray) else one for one in call] for _ in range(2))
        try:
            expected = function(*plain)
        except Exception as error:
            with pytest.raises(type(error)) as found:
                kernel(*mine)
            assert str(error) in str(found.value)
        else:
            got = kernel(*mine)
            np.testing.assert_equal(type(got), type(expected))
            np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-12)
        for one, other in zip(mine, plain):
            np.testing.assert_array_equal(one, other)
    assert kernel.stats().route == "native"
    if versions is not None:
        assert kernel.stats().versions == versions, kernel.explain_misses()
    return kernel


def test_a_number_asked_for_in_vain_is_asked_for_again():
    """A sum is tried in index notation first; what that asked of the call and took back, the plain walk asks for itself."""

    def f(n):
        x = np.linspace(-1, 1, n)

        def others(j):
            terms = [x[m] - 2 * x[j] for m in range(n) if m != j]
            return reduce(lambda a, b: a * b, terms)

        return sum(x[j] * others(j) for j in range(n))

    agrees(f, (9,), (8,), (9,), (10,), (8,))


def test_code_of_small_vectors_grows_with_the_rounds():
    """An element of what was put together is the part that stands there; what guards do not protect is shared among them."""

    def turned(v, axis, rounds):
        track = []
        for _ in range(rounds):
            v = v + np.cross(v + np.cross(v, axis), axis)
            track.append(v)
        return np.array(track)

    v, axis = np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.5, 1.0])
    sizes = []
    for rounds in (4, 8, 16):
        kernel = stax.kernel(strict=True)(turned)
        np.testing.assert_allclose(kernel(v, axis, rounds), turned(v, axis, rounds), rtol=1e-12)
        sizes.append(len(kernel.show("llvm", v, axis, rounds)))
    assert sizes[2] < 5 * sizes[0]


def test_raised_by_the_program():
    """A `raise` that data decides, in loops and behind them, of the user's classes, too; arguments stay as they were."""

    def found(x, low):
        for i in range(len(x)):
            if x[i] > low:
                return i, x[i]
        raise NotConverged("nothing is larger")

    def summed(x, low):
        total = 0.0
        for i in range(len(x)):
            if x[i] < low:
                raise ValueError(f"too small in {x.ndim} axis: {'low'!r}")
            x[i] += 1
            total += x[i]
        return total

    def halved(x, low):
        while True:
            x = x * 0.5
            if x.max() < low:
                return x
            if x.min() < -100:
                raise ArithmeticError

    def asserted(x, low):
        for i in range(len(x)):
            assert x[i] > low, "an element is too small"
            x[i] *= 2

    x = np.linspace(0.5, 9, 150)
    for function in (found, summed, halved, asserted):
        for first, second in ((x, -300 * x), (-300 * x, x)):
            kernel = stax.kernel(strict=True)(function)
            for argument in (first, second, first):
                mine, plain = argument.copy(), argument.copy()
                try:
                    expected = function(plain, 0.25)
                except Exception as error:
                    with pytest.raises(type(error)) as got:
                        kernel(mine, 0.25)
                    assert str(error).partition("\n")[0] in str(got.value)  # pytest adds to assertions
                    np.testing.assert_array_equal(mine, argument)
                else:
                    np.testing.assert_allclose(kernel(mine, 0.25), expected, rtol=1e-12) if expected is not None else kernel(mine, 0.25)
                    np.testing.assert_array_equal(mine, plain)
            assert (kernel.stats().versions, kernel.stats().route) == (1, "native")


def test_raised_by_a_program_from_disk(tmp_path):
    """A program that came from disk says the same."""

    def f(x):
        for i in range(len(x)):
            if x[i] < 0:
                raise NotConverged("below: zero")
        return x.sum()

    for _ in range(2):
        kernel = stax.kernel(strict=True)(f)
        assert kernel(np.ones(200)) == 200
        with pytest.raises(NotConverged, match="NotConverged: below: zero"):
            kernel(-np.ones(200))


def test_parts_of_a_test_are_of_different_types():
    """Of `and`, `or` and `not` in a test only the truth counts."""

    def counted(mask, x, low):
        count, k = 0, 0
        while k < len(mask) and not (mask[k] and x[k] > low and count > 5):
            if (mask[k] and x[k] > low) or (k and mask[k - 1]):
                count += 1 if mask[k] or x[k] > 0 else 2
            k += 1
        return count, k

    mask, x = np.arange(300) % 3, np.linspace(-1, 1, 300)
    agrees(counted, (mask, x, 0.5), (mask, x, -2.0), (1 - mask // 2, -x, 3.0))


def test_extremes_of_numbers_of_both_kinds_stay_in_loops():
    """`max(0.1, x[i])`: Python's number or NumPy's, which one only the run knows."""

    def adapted(x, step):
        reached, rounds = 0.0, 0
        while reached < 50:
            error = np.abs(x * step).max()
            reached += step
            step *= min(4.0, max(0.1, 0.9 * (1 / (error + 1e-9)) ** 0.5))
            rounds += 1
        return reached, rounds

    agrees(adapted, (np.array([0.5, 0.25]), 0.1), (np.array([0.01, 0.02]), 0.3), versions=1)


def test_tuples_of_numbers_are_carried_part_by_part():
    """`best = (value, place)`: a loop carries each number of it; a way out leaves them as they are then."""

    def table(a, b):
        scores = np.zeros((len(a) + 1, len(b) + 1))
        best, where = 0.0, (0, 0)
        for i, x in enumerate(a, 1):
            for j, y in enumerate(b, 1):
                scores[i, j] = max(0.0, scores[i - 1, j - 1] + (3 if x == y else -3), scores[i - 1, j] - 2, scores[i, j - 1] - 2)
                if scores[i, j] > best:
                    best = scores[i, j]
                    where = (i, j)
        return best, *where

    def found(x, low):
        best, swapped = (np.inf, -1, 0.0), (0, 1)
        for i in range(len(x)):
            swapped = swapped[1], swapped[0]
            if x[i] < best[0]:
                best = (x[i], i, best[0])
                if x[i] < low:
                    break
        return *best, *swapped

    draws = np.random.default_rng(0).integers(0, 4, (2, 60))
    agrees(table, (draws[0], draws[1]), (draws[1], draws[0, :50]), versions=2)
    x = np.random.default_rng(1).normal(size=200)
    agrees(found, (x, -9.0), (x, -1.0), (np.abs(x), -1.0), versions=1)


def test_means_of_masked_rows_for_each_label():
    """A comprehension whose elements choose by masks has no form by indices: it is written out."""

    def centers(x, labels, count):
        return np.array([x[labels == j].sum(axis=0) if (labels == j).any() else x[j] for j in range(count)])

    x, labels = np.random.default_rng(2).random((20, 3)), np.arange(20) % 4
    agrees(centers, (x, labels, 3), (x, labels, 5))


def test_match():
    """Values, names, sequences, stars, classes, alternatives and guards; on data it stays in the loop."""

    def chosen(x, mode, options):
        match mode:
            case "mean" | "average":
                x = x - x.mean()
            case ("scale", float(factor)) if options is not None and factor > 1:
                x = x * factor * options
            case "none" | None:
                pass
            case [first, *_, last] if first != last:
                x = x + first - last
            case str() as text:
                x = x * len(text)
            case _:
                raise ValueError("no such mode")
        match x.shape:
            case (n,):
                return x.sum() * n
            case (n, m) if n == m:
                return np.trace(x)
            case (_, 3):
                return x[:, 0].sum()

    def burnt(forest):
        new = forest.copy()
        for i in range(1, len(forest) - 1):
            match forest[i]:
                case 2:
                    new[i] = 0
                case 1 if forest[i - 1] == 2 or forest[i + 1] == 2:
                    new[i] = 2
        return new

    x = np.arange(9.0)
    for mode, options in (("average", None), (("scale", 2.0), 3.0), (None, 1), ((1, 2, 3), 1), ("word", 0), (7, 0)):
        agrees(chosen, (x, mode, options), (x.reshape(3, 3), mode, options))
    agrees(burnt, (np.arange(200) * 7 % 3,), (np.arange(200) % 3,), versions=1)


def test_vectorize_on_any_size():
    """Whether there is a first element is asked of a symbolic size, too."""

    def pieces(x):
        return np.vectorize(lambda v: v * 2 if v < 0.5 else 1.0)(x)

    agrees(pieces, (np.linspace(0, 1, 6),), (np.linspace(0, 1, 9),), (np.linspace(0, 1, 12),))


@pytest.mark.parametrize("sizes", ["static", "symbolic"])
def test_arrays_that_two_loops_move(sizes):
    """A loop inside of one that exchanges the same array: after it, arrays are where it has found them."""

    def heap_sorted(a):
        for end in range(len(a) - 1, 0, -1):
            a[0], a[end] = a[end], a[0]
            root = 0
            while 2 * root + 1 < end:
                child = 2 * root + 1
                if child + 1 < end and a[child] < a[child + 1]:
                    child += 1
                if a[root] >= a[child]:
                    break
                a[root], a[child] = a[child], a[root]
                root = child
        return a

    kernel = stax.kernel(strict=True, **({"sizes": sizes} if sizes == "symbolic" else {}))(heap_sorted)
    for length in (45, 50, 45):
        mine, plain = (np.random.default_rng(length).integers(0, 100, length) for _ in range(2))
        np.testing.assert_array_equal(kernel(mine), heap_sorted(plain))
        np.testing.assert_array_equal(mine, plain)
