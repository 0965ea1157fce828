"""Division of Python's numbers by zero, in loops and elsewhere: an error where the division is reached, as in Python; else its number."""

import numpy as np
import pytest

import staxlang as stax


def by_the_index(x, n):
    s = 0.0
    for i in range(n):
        s += 10 / i
    return s


def by_the_index_shifted(x, n):
    s = 0
    for i in range(n):
        s += 100 // (i - 5)
    return s


def by_elements(x, n):
    s = 1.0
    for i in range(n):
        s = 1.0 / float(x[i])
    return s


def rest_by_data(x, n):
    k, t = int(x[0]), 0
    while t < n:
        t += 1 + 7 % k
    return t


def outside_of_loops(x, n):
    return x * (1 / float(x[1]))


def guarded_before(x, n):
    s = 0.0
    for i in range(n):
        if float(x[i]) != 0:
            s += 1 / float(x[i])
    return s


def guarded_in_an_expression(x, n):
    s = 0.0
    for i in range(n):
        s += 1 / float(x[i]) if float(x[i]) != 0 else 5
    return s


def guarded_by_and(x, n):
    s = 0.0
    for i in range(n):
        if x[i] != 0 and 1 / float(x[i]) > 0.1:
            s += 1
    return s


def the_same_in_each_round(x, n):
    """A loop without rounds does not divide."""
    a, s = float(x[0]), 0.0
    for _ in range(n - 9):
        s += 1 / a
    return s


def the_same_in_rounds_by_data(x, n):
    a, s = float(x[0]), 0.0
    while s < n - 9:
        s += 1 + 1 / a
    return s


def quotient_and_rest(x, n):
    s = 0
    for i in range(n):
        q, r = divmod(100, int(x[i]))
        s += q * r + round(float(x[i]) * 2.5)
    return s


def by_a_float_argument(x, n):
    return x / (1 / (n - 9.0))


def by_a_length(x, n):
    return 1 / len(x[n:])


def of_numpys_numbers(x, n):
    """They give infinity."""
    s = 0.0
    for i in range(n):
        s += 1 / x[i]
    return s


PROGRAMS = [
    by_the_index, by_the_index_shifted, by_elements, rest_by_data, outside_of_loops, guarded_before, guarded_in_an_expression,
    guarded_by_and, the_same_in_each_round, the_same_in_rounds_by_data, quotient_and_rest, by_a_float_argument, by_a_length,
    of_numpys_numbers,
]  # fmt: skip
FALLING = np.arange(12.0)[::-1].copy()


def answer(function, *given):
    with np.errstate(all="ignore"):
        try:
            found = function(*given)
        except ZeroDivisionError:
            return ZeroDivisionError
    return type(found), np.asarray(found).tolist()


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_division(function):
    kernel = stax.kernel(function)
    for x in (FALLING, FALLING[::-1].copy(), np.arange(1.0, 13), np.zeros(12)):
        for n in (12, 9, 3):
            assert answer(kernel, x, n) == answer(function, x, n), (x, n)
    assert kernel.stats().route == "native"


def test_a_failed_division_changes_no_argument_and_names_its_line():
    @stax.kernel
    def f(x, y, n):
        for i in range(n):
            x[i] = 1 // int(y[i])
        return x

    x, y = np.zeros(4), np.array([1, 2, 0, 3])
    with pytest.raises(ZeroDivisionError, match="`//` divides a Python number by zero") as caught:
        f(x, y, 4)
    assert "1 // int(y[i])" in str(caught.value)
    np.testing.assert_array_equal(x, 0)
    np.testing.assert_array_equal(f(x, y, 2), [1, 0, 0, 0])


@pytest.mark.parametrize("data", [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [2.0, 2.0, 2.0]])
def test_numbers_keep_their_kinds(data):
    """Python's bools, integers and floats, and NumPy's, come back as what the plain function gives."""

    def f(x, n):
        rising, count, last, total, most, same = True, 0, 0.0, 0.0, x[0], False
        for i in range(n):
            if i > 0 and x[i] < x[i - 1]:
                rising = False
            count += int(x[i])
            last = float(x[i]) * 2
            total = total + x[i]
            most = max(most, x[i])
            same = x[i] == most
        return rising, count, last, total, most, same, not rising, bool(same), float(total)

    x = np.array(data)
    got, want = stax.kernel(f)(x, 3), f(x, 3)
    assert got == want and list(map(type, got)) == list(map(type, want))
