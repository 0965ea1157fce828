"""Branches that stay in the program: `branches="inside"`, `stax.cond`, `stax.gate` against plain functions; one version for all data."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest

import staxlang as stax

UP = np.arange(6.0) - 2
DOWN = -UP - 10
MANY = (UP, DOWN, UP * 0, UP + 5, -UP, np.array([1.0, -1, 2, -1, 1, 0]), np.array([1.0, -1, 3, -1, 1, 0]))


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def same(got: Any, want: Any) -> None:
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other)
    elif isinstance(want, dict):
        same(list(got.values()), list(want.values()))
    else:
        np.testing.assert_array_equal(got, want)
        assert np.asarray(got).dtype == np.asarray(want).dtype


def agree(function: Any, *calls: tuple[Any, ...], **options: Any) -> Any:
    """Results, arguments afterwards, and that one native version served all calls without a data gate."""
    kernel = stax.kernel(**{"branches": "inside", **options})(function)
    for arguments in calls:
        ours, theirs = [copied(one) for one in arguments], [copied(one) for one in arguments]
        with np.errstate(all="ignore"):
            want = function(*theirs)
        same(kernel(*ours), want)
        same(ours, theirs)
    stats = kernel.stats()
    assert stats.versions == 1 and stats.replays == 0 and stats.route == "native"
    return kernel


def on(*arrays: Any) -> list[tuple[Any, ...]]:
    return [(one,) for one in arrays]


# ---- statements ----


def test_both_sides_return() -> None:
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    kernel = agree(f, *on(*MANY))
    assert "where(" in kernel.show("graph", UP)


def test_names_and_numbers_of_either_side() -> None:
    def f(x, k):
        if x.sum() > k:
            z, n, flag = x * 2, 3, True
        else:
            z, n, flag = x - 1, 4, False
        return z * n, n, flag

    agree(f, (UP, 0.5), (DOWN, 0.5), (UP, 100.0))


def test_numbers_given_at_the_call_are_conditions_too() -> None:
    def f(x, alpha):
        if alpha > 1.5:
            return x * alpha
        return -x

    agree(f, (UP, 1.0), (UP, 2.0), (UP, 3.0))


def test_writes_on_either_side() -> None:
    def f(x):
        if x.sum() > 0:
            x[0] = 7
            x[2:4] *= 2
        else:
            x[1] = 5
        return x + 1

    agree(f, *on(*MANY))


def test_returns_before_later_writes() -> None:
    def f(x):
        if x[0] > 0:
            x[0] = 100
            return x * 1
        x[1] = 50
        if x[2] > 0:
            x[2] = 9
            return x * 2
        x[3] = 33
        return x * 3

    agree(f, *on(*MANY))


def test_nested_and_one_sided() -> None:
    def f(x):
        if x.sum() > 0:
            if x[0] > 0:
                return x * 1
            z = x + 1
        elif x[1] < -5:
            z = x * 3
        else:
            z = x * 4
        if z[2] > 1:
            z = z - 1
        return z - 1

    agree(f, *on(*MANY))


def test_break_continue_and_else_of_loops() -> None:
    def f(x):
        total = x[0] * 0
        for i in range(5):
            if x[i] < 0:
                continue
            if x[i] > 2:
                break
            total = total + x[i]
        else:
            total = total + 100
        return total

    agree(f, *on(*MANY))


def test_returns_from_loops() -> None:
    def f(x):
        for i in range(5):
            x[i] += 1
            if x[i] > 3:
                return x[i] * 1
            if x[i] < -100:
                break
        x[5] = -1
        return x[0] * 1

    agree(f, *on(*MANY, UP - 1000))


def test_inlined_functions_have_their_own_ways_out() -> None:
    def clipped(x):
        if x.max() > 3:
            return x - x.max()
        return x

    def f(x):
        a, b = clipped(x), clipped(-x)
        if a.sum() > b.sum():
            a = b
        return a + b

    agree(f, *on(*MANY))


def test_containers_of_either_side() -> None:
    def f(x):
        d = {"a": x, "b": [x, 1]}
        if x.sum() > 0:
            d["a"] = x * 2
            d["b"][1] = 2
        else:
            d["b"][0] = x * 3
        return d["a"] + 0, d["b"][0] + 0, d["b"][1] * x

    agree(f, *on(*MANY))


def test_views_read_what_their_side_wrote() -> None:
    def f(x):
        y = np.zeros(6)
        row = y[1:4]
        if x[0] > 0:
            y[2] = 5
            z = row * 1
        else:
            row[...] = 7
            z = row * 2
        return z, y, row + 0

    agree(f, *on(*MANY))


def test_indices_of_the_side_that_is_not_taken() -> None:
    def f(x, i):
        if i.sum() < 6:
            return x[i]
        return x[i - 100]

    kernel = agree(f, (UP, np.array([0, 1])), (UP, np.array([100, 102])), (UP, np.array([-1, 3])))
    with pytest.raises(IndexError):
        kernel(UP, np.array([0, 50]))
    with pytest.raises(IndexError):
        kernel(UP, np.array([100, 150]))


# ---- expressions ----


def test_conditions_of_several_parts() -> None:
    def f(x, k):
        if (x.sum() > 0 and k > 1.5) or not x[0] > 3:
            return x * 1
        return x * 5 if 0 < x[1] < 3 else -x

    agree(f, (UP, 1.0), (UP, 2.0), (DOWN, 1.0), (DOWN, 2.0), (UP + 5, 0.1), (UP - 10, 3.0))


def test_values_of_and_and_or() -> None:
    def f(x):
        return x[0] and x[1], x[2] or x[3], not x[4], -1 < x[1] < x[2] < 3

    agree(f, *on(*MANY))


def test_conditions_on_sizes_are_decided() -> None:
    def f(x):
        if x.shape[0] > 4:
            return x[:4] * 2
        return x

    kernel = stax.kernel(branches="inside")(f)
    same(kernel(UP), UP[:4] * 2)
    assert "where(" not in kernel.show("graph", UP)


# ---- cond and gate ----


def test_cond_keeps_the_choice_in_the_program() -> None:
    def f(x, k):
        return stax.cond(x.sum() > 0, lambda: x * 2, lambda: x - k), stax.cond(k > 1, np.sin, np.cos, x)

    agree(f, (UP, 1.0), (DOWN, 2.0), (DOWN, 0.5), branches="gates")


def test_cond_of_a_static_condition_takes_a_side() -> None:
    def f(x, flag):
        return stax.cond(flag, lambda: x[1:], lambda: x)

    kernel = stax.kernel(f)
    same(kernel(UP, True), UP[1:])
    same(kernel(UP, False), UP)


def test_branches_within_cond_stay_too() -> None:
    def f(x):
        def side():
            if x[0] > 0:
                return x * 2
            return x * 3

        return stax.cond(x.sum() > 0, side, lambda: x * 4)

    agree(f, *on(*MANY), branches="gates")


def test_gate_keeps_a_number_in_the_program() -> None:
    def f(x, k):
        return x[stax.gate(k)], stax.gate(x.sum()) * x, stax.gate(2) + x

    agree(f, (UP, 1), (UP, 3), (UP, -1), branches="gates")


def test_outside_of_kernels_they_are_python() -> None:
    assert stax.cond(True, lambda v: v + 1, lambda v: v - 1, 4) == 5
    assert stax.gate(3.0).shape == () and stax.gate(3).dtype == np.int64
    with pytest.raises(stax.StaxError, match="a number"):
        stax.gate(np.ones(3))


# ---- what is refused ----


def code_of(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(stax.StaxError) as caught:
        stax.kernel(**{"branches": "inside", **options})(function)(*arguments)
    return caught.value.code


def test_sides_of_different_types() -> None:
    def shapes(x):
        return x if x.sum() > 0 else x[1:]

    def dtypes(x):
        if x.sum() > 0:
            return x
        return x.astype(np.float32)

    def structures(x):
        if x.sum() > 0:
            return x, x
        return x

    def nothing(x):
        if x.sum() > 0:
            return x

    def lists(x):
        found = []
        if x.sum() > 0:
            found.append(x)
        return found

    for function in (shapes, dtypes, structures, nothing, lists):
        assert code_of(function, UP) == "branch-mismatch"


def test_a_name_that_is_not_used_may_differ() -> None:
    def unused(x):
        if x.sum() > 0:
            t = x[1:]
            y = t.sum() + x
        else:
            t = x * 2
            y = t
        return y

    def used(x):
        if x.sum() > 0:
            t = x[1:]
        else:
            t = x * 2
        return t

    def missing(x):
        if x.sum() > 0:
            t = x * 2
        return t

    agree(unused, *on(*MANY))
    assert code_of(used, UP) == "branch-mismatch"
    assert code_of(missing, UP) == "unbound-local"


def test_what_needs_a_value_now_inside_a_side() -> None:
    def sliced(x):
        if x.sum() > 0:
            return x[: int(x[3])].sum()
        return x.sum()

    class Nowhere(Exception):
        pass

    def raising(x):
        if x.sum() < 0:
            raise Nowhere("negative")  # what the program says must name a class that can be found
        return x

    assert code_of(sliced, UP) == "gate-in-region"
    assert code_of(raising, UP) == "unsupported-raise"


def test_an_array_of_either_side_is_written_through() -> None:
    """NumPy writes to the argument on one side only: the array that stands for both is either of them."""

    def f(x):
        y = x
        if x.sum() > 0:
            y = x * 2
        y[0] = 1
        return y

    agree(f, *on(*MANY))
    with pytest.raises(stax.StaxError, match="read-only"):
        fixed = UP.copy()
        fixed.flags.writeable = False
        stax.kernel(branches="inside")(f)(fixed)

    def own(x):
        y = np.zeros(6)
        if x.sum() > 0:
            y = x * 2
        y[0] = 1
        return y

    agree(own, *on(*MANY))


def pick(a: Any, b: Any, k: float) -> Any:
    if a.sum() > k:
        return a
    return b


def name_of_another(x, k):
    a, c = x * 1, x * 2
    if x.sum() > k:
        a = c
    a += 1
    return c, a


def expression(x, k):
    a, c = x * 1, x * 2
    z = a if x.sum() > k else c
    z += 1
    return a, c, z


def result_of_a_function(x, k):
    a, c = x * 1, x * 2
    z = pick(a, c, k)
    z += 1
    a *= 3
    c -= 2
    return z, a, c


def item_of_a_list(x, k):
    a, c = x * 1, x * 2
    held = [a]
    if x.sum() > k:
        held[0] = c
    c += 5
    a -= 1
    return held[0], held[0][1:], a


def views_of_either(x, k):
    a, c = x * 1, x * 2
    if x.sum() > k:
        w = a[1:]
        a += 2
    else:
        w = c[:-1]
        c *= 2
    a[1], c[0] = 7, 9
    w[2:] = -1
    if x.sum() > 2 * k:
        a[2] = 8
    return w, a, c


def chosen_from_chosen(x, k):
    a, b, c = x * 1, x * 2, x * 3
    p = a if x[0] > k else b
    q = p if x[1] > k else c
    q += 1
    p *= 2
    b -= 1
    return a, b, c, p, q


def two_views_of_one(x, k):
    w = x
    if x.sum() > k:
        w = x[::-1]
    x[0] = 9
    w[1] = 5
    x[-1] += w[0]
    return w, x[::-1]


def chosen_anew_in_rounds(x, k):
    a, c = x * 1, x * 2
    w = a
    for step in range(4):
        if w.sum() > k:
            w += x
            w = c[::-1]
        a[step] -= 1
        x *= 0.5
    w[0] = 7
    return a, c, w


def by_cond(x, k):
    a = x * 1
    w = stax.cond(x.sum() > k, lambda: a, lambda: x)
    a += 1
    w[1] = 4
    return w, a


CHOSEN = (
    name_of_another, expression, result_of_a_function, item_of_a_list, views_of_either, chosen_from_chosen, two_views_of_one, by_cond,
    chosen_anew_in_rounds,
)  # fmt: skip


@pytest.mark.parametrize("function", CHOSEN, ids=lambda one: one.__name__)
def test_an_array_that_a_branch_has_chosen_shares_memory_as_in_numpy(function: Any) -> None:
    agree(function, *[(one, k) for one in MANY for k in (-2.5, 0.5, 3.0)])


def test_results_that_a_branch_has_chosen_may_be_written_to() -> None:
    def f(x):
        y = x * 2
        if x.sum() > 0:
            y = x
        return y

    made = stax.kernel(branches="inside")(f)(UP.copy())
    made += 1
    assert made.flags.writeable


def test_cond_takes_functions() -> None:
    assert code_of(lambda x: stax.cond(x.sum() > 0, x, -x), UP) == "bad-argument"


# ---- drawn programs ----


class Drawn:
    """A random function of nested branches, loops, writes and ways out."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        start = self.random.choice(["x * 1, y + 0", "x, y", "y, y * 1", "x[::-1], x"])
        self.lines = ["def drawn(x, y):", f"    a, b = {start}", "    n = 1"]
        self.block(1, 3, False)
        self.lines.append("    return a + b, n, x * 1")

    def condition(self) -> str:
        pick = self.random
        one = f"{pick.choice(['a', 'b', 'x', 'y'])}[{pick.randrange(4)}]"
        forms = [f"{one} > {pick.randrange(-2, 3)}", f"{one} < b[1] or x[0] > 1", f"not {one} > 0 and a[2] < 2", "n > 2 and y[3] > 0"]
        return pick.choice(forms)

    def statement(self, depth: int, budget: int, in_loop: bool) -> None:
        pick, space = self.random, "    " * depth
        kind = pick.choice(["if", "if", "write", "write", "name", "name", "number", "loop", "leave", "swap"])
        if kind == "if" and budget:
            self.lines.append(f"{space}if {self.condition()}:")
            self.block(depth + 1, budget - 1, in_loop)
            if pick.random() < 0.6:
                self.lines.append(f"{space}else:")
                self.block(depth + 1, budget - 1, in_loop)
        elif kind == "loop" and budget > 1:
            self.lines.append(f"{space}for i{depth} in range({pick.randrange(1, 3)}):")
            self.block(depth + 1, budget - 1, True)
        elif kind == "leave" and depth > 1:
            out = ["return a * 2, n, x + 1", "return b - 1, n + 1, x * 1"] + ["break", "continue"] * in_loop
            self.lines.append(space + pick.choice(out))
        elif kind == "write":
            target = f"{pick.choice(['x', 'y', 'a', 'b'])}[{pick.choice(['0', '1', '2:', ':2', '::2'])}]"
            self.lines.append(f"{space}{target} {pick.choice(['=', '+=', '*='])} {pick.randrange(1, 4)}")
        elif kind == "number":
            self.lines.append(f"{space}n {pick.choice(['=', '+='])} {pick.randrange(1, 4)}")
        elif kind == "swap":
            self.lines.append(f"{space}a, b = b, a")
        else:
            name = pick.choice(["a", "b"])
            self.lines.append(f"{space}{name} = {pick.choice(['a + y', 'b * 0.5 - x', 'x - a', 'a * n', 'x', 'b', 'a[::-1]', 'y[:]'])}")

    def block(self, depth: int, budget: int, in_loop: bool) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, budget, in_loop)


@pytest.mark.parametrize("seed", range(60))
def test_drawn_programs(seed: int) -> None:
    text = "\n".join(Drawn(seed).lines) + "\n"
    file = f"<drawn branches {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), space)
    draw = np.random.default_rng(seed)
    agree(space["drawn"], *[(draw.integers(-4, 5, 4).astype(float), draw.integers(-4, 5, 4).astype(float)) for _ in range(12)])
