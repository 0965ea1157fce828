"""Symbolic sizes: every operation agrees with integers, texts read back, facts and bounds never claim what does not hold."""

from __future__ import annotations

import operator
import pickle
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staxlang.base.sizes import (
    Condition,
    Facts,
    Interval,
    Size,
    SizeExpression,
    bounds,
    compare,
    divides,
    evaluate,
    floordiv,
    index_range,
    linear_in,
    maximum,
    minimum,
    modulo,
    nonnegative,
    parse_size,
    prove_nonnegative,
    substitute,
    symbol,
    symbols,
)  # fmt: skip

NAMES = ("N", "M", "D", "i", "j")
N, M, D, i, j = map(symbol, NAMES)
thorough = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

environments = st.fixed_dictionaries({name: st.integers(0, 12) for name in NAMES})


@st.composite
def programs(draw, depth: int = 4):
    """A small program over sizes, as a function of how a symbol is read: run with symbols or with numbers, it means the same."""
    kind = draw(st.sampled_from(("name", "number", "+", "-", "*", "//", "%", "neg", "min", "max") if depth else ("name", "number")))
    if kind == "name":
        name = draw(st.sampled_from(NAMES))
        return lambda read: read(name)
    if kind == "number":
        number = draw(st.integers(-9, 9))
        return lambda read: number
    left = draw(programs(depth - 1))
    if kind == "neg":
        return lambda read: -left(read)
    right = draw(programs(depth - 1))
    if kind in ("min", "max"):
        symbolic, plain = (minimum, min) if kind == "min" else (maximum, max)

        def extreme(read):
            parts = left(read), right(read)
            return symbolic(*parts) if any(isinstance(part, SizeExpression) for part in parts) else plain(*parts)

        return extreme
    apply = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod}[kind]
    return lambda read: apply(left(read), right(read))


def symbolic(program) -> Size | None:
    try:
        return program(symbol)
    except ZeroDivisionError:
        return None


def number(program, env) -> int | None:
    try:
        return program(env.__getitem__)
    except ZeroDivisionError:
        return None


@thorough
@given(programs(), environments)
def test_operations_agree_with_integers(program, env) -> None:
    size, expected = symbolic(program), number(program, env)
    if size is None or expected is None:
        return
    try:
        assert evaluate(size, env) == expected
    except ZeroDivisionError:
        raise AssertionError("a division by zero that the program does not have") from None


@thorough
@given(programs())
def test_texts_read_back(program) -> None:
    size = symbolic(program)
    if size is None:
        return
    text = str(size)
    assert parse_size(text) == size
    assert str(parse_size(text)) == text


@thorough
@given(programs(), environments)
def test_texts_are_python(program, env) -> None:
    size = symbolic(program)
    if size is None:
        return
    try:
        expected = evaluate(size, env)
    except ZeroDivisionError:
        return
    assert eval(str(size), {"min": min, "max": max}, dict(env)) == expected


@thorough
@given(programs(3), programs(3), programs(3), environments)
def test_substitution_is_evaluation_in_steps(program, first, second, env) -> None:
    size, n, m = symbolic(program), symbolic(first), symbolic(second)
    if size is None or n is None or m is None:
        return
    try:
        values = {"N": evaluate(n, env), "M": evaluate(m, env)}
        expected = evaluate(size, env | values)
        replaced = substitute(size, {"N": n, "M": m})
        found = evaluate(replaced, env)
    except ZeroDivisionError:
        return
    assert found == expected
    assert symbols(replaced) <= (symbols(size) - {"N", "M"}) | symbols(n) | symbols(m)


@thorough
@given(programs(3), programs(3))
def test_equal_sizes_have_equal_hashes_and_survive_pickling(left, right) -> None:
    a, b = symbolic(left), symbolic(right)
    if a is None or b is None:
        return
    assert a + b == b + a and hash(a + b) == hash(b + a)
    assert a * b == b * a and (a + b) - b == a and pickle.loads(pickle.dumps(a)) == a
    assert not isinstance(a - a, SizeExpression)


@thorough
@given(programs(3), environments)
def test_what_seems_nonnegative_is(program, env) -> None:
    size = symbolic(program)
    if size is None:
        return
    try:
        value = evaluate(size, env)
    except ZeroDivisionError:
        return
    if nonnegative(size) or prove_nonnegative(size):
        assert value >= 0


relations = st.sampled_from(("==", "!=", "<", "<="))


@thorough
@given(st.lists(st.tuples(relations, programs(2), programs(2)), max_size=4), relations, programs(2), programs(2), environments)
def test_facts_decide_only_what_holds(assumed, relation, left, right, env) -> None:
    """Whatever values the symbols have that satisfy the facts, a decision is true of them, and simplifying keeps the value."""
    facts = Facts()
    try:
        for name, a, b in assumed:
            a, b = symbolic(a), symbolic(b)
            if a is None or b is None:
                return
            condition = Condition(name, a, b)
            if not condition.holds(env):
                condition = condition.negation
            facts = facts.assume(condition)
        a, b = symbolic(left), symbolic(right)
        if a is None or b is None:
            return
        asked = Condition(relation, a, b)
        expected, value = asked.holds(env), evaluate(a, env)
    except ZeroDivisionError:
        return
    assert facts.decide(asked) in (None, expected), (facts, asked)
    assert evaluate(facts.simplify(a), env) == value


@thorough
@given(programs(3), st.integers(1, 9), st.integers(1, 9), environments)
def test_bounds_hold_for_every_index(program, rows, columns, env) -> None:
    size = symbolic(program)
    if size is None:
        return
    ranges = {"i": Interval(0, rows - 1 + N), "j": Interval(i, i + columns - 1)}
    interval = bounds(size, ranges)
    for end in (interval.low, interval.high):
        assert end is None or symbols(end).isdisjoint(ranges)
    try:
        for at_i in range(rows + env["N"]):
            for at_j in range(at_i, at_i + columns):
                value = evaluate(size, env | {"i": at_i, "j": at_j})
                assert interval.low is None or evaluate(interval.low, env) <= value
                assert interval.high is None or value <= evaluate(interval.high, env)
    except ZeroDivisionError:
        return


@pytest.mark.parametrize(
    "text",
    [
        "i - (j + 2)//5", "N + i + j//8 + 8", "i + (j + 1)//2 + max(M, 3)//N", "4*(i*((j + 3)//4)) + 4*((j + 3)//4)",
        "(j + 5)//6 + i % max(i, 3)", "9*(i*(j//2)) - 9*(i*min(N, i))", "min((8//N)//max(2, i), -((j + 3)//4) - i)", "i//N", "i//N + j % N",
    ],
)  # fmt: skip
def test_bounds_are_free_of_indices_that_ranges_of_others_depend_on(text) -> None:
    """An end that divides an earlier index is bounded again. Where N is 0 a division by it has no value: nothing is claimed of it."""
    size = parse_size(text)
    for rows, columns in ((1, 1), (4, 2), (3, 5)):
        ranges = {"i": Interval(0, rows - 1 + N), "j": Interval(i, i + columns - 1)}
        interval = bounds(size, ranges)
        for end in (interval.low, interval.high):
            assert end is None or symbols(end).isdisjoint(ranges)
        for n in range("//N" in text or "% N" in text, 6):
            env = {"N": n, "M": 4}
            values = [evaluate(size, env | {"i": a, "j": b}) for a in range(rows + n) for b in range(a, a + columns)]
            assert interval.low is None or evaluate(interval.low, env) <= min(values)
            assert interval.high is None or max(values) <= evaluate(interval.high, env)


def test_a_divisor_that_is_always_0_has_no_bounds() -> None:
    """The divisor's bounds say that it is 0: the division has no value, and asking for its bounds is no error."""
    for divisor in (floordiv(minimum(i, 2), 3), floordiv(i, 8)):
        assert isinstance(divisor, SizeExpression)
        assert bounds(floordiv(M, divisor), {"i": Interval(0, 5)}) == Interval(None, None)


@thorough
@given(programs(3), st.integers(1, 6), environments)
def test_divisibility_is_true_of_every_value(program, divisor, env) -> None:
    size = symbolic(program)
    if size is None:
        return
    answer = divides(divisor, size)
    try:
        assert answer in (None, evaluate(size, env) % divisor == 0)
    except ZeroDivisionError:
        return


@thorough
@given(programs(3), environments)
def test_linear_parts_add_up(program, env) -> None:
    size = symbolic(program)
    if size is None:
        return
    parts = linear_in(size, ("i", "j"))
    if parts is None:
        return
    coefficients, rest = parts
    assert all(symbols(part).isdisjoint(("i", "j")) for part in (*coefficients.values(), rest))
    assert sum((c * symbol(name) for name, c in coefficients.items()), rest) == size


# ---- what must simplify ----


@pytest.mark.parametrize(
    "size, text",
    [
        (N + 1, "N + 1"), (2 * D, "2*D"), ((N - 1) // 2, "(N - 1)//2"), (i % 4, "i % 4"), (D - N, "D - N"), (N * M + i - 1, "M*N + i - 1"),
        (16 * (i % 4) + 4 * (i // 4), "4*(i//4) + 16*(i % 4)"), (i + i // 4, "i + i//4"), (-(N // 2), "-(N//2)"), (-N, "-N"),
        ((N + 3) // 2, "(N + 1)//2 + 1"), (M * (i % 4), "M*(i % 4)"), ((i // 4) % N, "(i//4) % N"), (i % (N + 1), "i % (N + 1)"),
        (minimum(N, M), "min(M, N)"), (2 * minimum(N, 4), "2*min(N, 4)"), ((i // 2) * (j // 2), "(i//2)*(j//2)"),
        (7 - i % 3, "7 - i % 3"), (symbol("x.shape[0]") + 1, "x.shape[0] + 1"), (symbol("$0") * 2, "2*$0"),
        (N - (M + 1) % D, "N - (M + 1) % D"),
    ],
)  # fmt: skip
def test_texts_are_readable(size: Size, text: str) -> None:
    assert str(size) == text


@pytest.mark.parametrize(
    "left, right",
    [
        (M * (i // M) + i % M, i), ((i % 8) // 8, 0), (i // 4 // 8, i // 32), ((M * N + M) // M, N + 1), ((N * N + N) // (N + 1), N),
        ((M * i) // (M * N), i // N), ((4 * N + 2) // 2, 2 * N + 1), ((4 * N + 3) // 4, N), (-(-N // 4), (N + 3) // 4),
        ((i * M + j) // M, i + j // M), (minimum(N, N + 1, M, N), minimum(M, N)), (maximum(0, N), N), (N % 1, 0), (N // -1, -N),
        ((N + 1) // 2 - 1, (N - 1) // 2), ((M * (N + 1) + i) // (N + 1), M + i // (N + 1)), (maximum(minimum(N, 5), 0), minimum(N, 5)),
        ((6 * N + 4 * M) % 2, 0), (-(N // -3), (N + 2) // 3),
    ],
)  # fmt: skip
def test_equal_sizes_are_the_same(left: Size, right: Size) -> None:
    assert left == right


def test_constants_are_plain_integers() -> None:
    for size in (N - N + 3, 0 * N, (N + 2) - N, N // N, N % N, minimum(3, N + 4), floordiv(7, 2), modulo(-7, 3)):
        assert type(size) is int
    with pytest.raises(ZeroDivisionError):
        N // 0


def test_a_symbolic_size_has_no_truth_value_and_no_order() -> None:
    with pytest.raises(TypeError, match="truth value"):
        bool(N)
    with pytest.raises(TypeError):
        N < M  # noqa: B015
    with pytest.raises(TypeError):
        N + 0.5
    assert N != 3 and (N == N) is True


def test_names_of_symbols() -> None:
    with pytest.raises(ValueError, match="cannot name"):
        symbol("N M")
    path = symbol("config['a'].xs[0].shape[1]")
    assert parse_size(str(path * 2 + 1)) == path * 2 + 1
    signed = symbol("k", signed=True)
    assert not nonnegative(signed) and signed != symbol("k") and parse_size("k + 1", signed={"k"}) == signed + 1


@pytest.mark.parametrize("text", ["", "N +", "2 3", "(N", "N)", "a = b", "1.5", "min()", "N // ", "x[0"])
def test_texts_that_are_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


# ---- facts ----


def assume(*texts: str) -> Facts:
    facts = Facts()
    for text in texts:
        facts = facts.assume(condition(text))
    return facts


def condition(text: str) -> Condition:
    for relation in ("==", "!=", "<=", ">=", "<", ">"):
        left, found, right = text.partition(relation)
        if found:
            return compare(relation, parse_size(left), parse_size(right))
    raise ValueError(text)


@pytest.mark.parametrize(
    "facts, asked, answer",
    [
        ((), "N <= N + 1", True), ((), "N + 1 == N", False), ((), "N < N", False), ((), "0 <= N", True), ((), "N == M", None),
        ((), "2*N == 2*M + 1", False), ((), "N < 1", None), ((), "N//2 <= N", True), ((), "0 <= N % 4", True), ((), "N % 4 < 4", True),
        ((), "N - N//2 <= N", True), ((), "min(N, M) <= N", True), ((), "N <= max(N, M)", True), ((), "max(N, M) < N", False),
        (("D == K",), "D + 1 == K + 1", True), (("D == 2*N",), "N <= D", True), (("N == 4",), "N*M == 4*M", True),
        (("N <= M", "M <= D"), "N <= D", True), (("N < M", "M < D"), "N + 2 <= D", True), (("N != 0",), "1 <= N", True),
        (("N <= M", "M <= N"), "N == M", True), (("i < N", "j < M"), "i*M + j < N*M", True), (("1 <= N",), "N == 0", False),
        (("2*N == 3*M",), "3*M == 2*N", True), (("N <= 8",), "N < 9", True), (("N <= 8",), "N <= 7", None), (("N != M",), "N == M", False),
        (("N < M",), "M <= N", False), (("N < M",), "N != M", True), (("H > 2",), "0 <= H - 2", True), (("N == M + 1",), "M < N", True),
        (("N % 4 == 0",), "N == 4*(N//4)", True), (("1 <= M",), "N <= N*M", True), (("N == M", "M == D"), "N == D", True),
        (("N == D", "N == K", "K == 5"), "D*2 == 10", True), (("3*N == M",), "M % 3 == 0", True),
        (("0 <= 3*i - 1",), "1 <= i", True), (("4*N <= 4*M + 3",), "N <= M", True), (("2*N <= M",), "N <= M", True),
    ],
)  # fmt: skip
def test_decisions(facts: tuple[str, ...], asked: str, answer: bool | None) -> None:
    assert assume(*facts).decide(condition(asked)) is answer


@pytest.mark.parametrize(
    "facts, size, simpler",
    [
        (("j < M",), "(i*M + j)//M", "i"), (("j < M",), "(i*M + j) % M", "j"), (("j < M",), "(M*i + j)//(M*N)", "i//N"),
        (("j < 8",), "(8*i + j)//16", "i//2"), (("D == K",), "K - D", "0"), (("N == 2*M",), "N//2", "M"), (("i < 4",), "i//4 + i % 4", "i"),
        (("D == K", "K == 4"), "D + K", "8"), (("i < N", "j < M"), "((i*M + j)//M)*M + (i*M + j) % M", "M*i + j"),
    ],
)  # fmt: skip
def test_simplification(facts: tuple[str, ...], size: str, simpler: str) -> None:
    assert assume(*facts).simplify(parse_size(size)) == parse_size(simpler)


def test_short_names_stay_when_equalities_are_solved() -> None:
    facts = assume("x.shape[0] == N")
    assert str(facts.simplify(symbol("x.shape[0]") + 1)) == "N + 1"


def test_contradictions_are_refused_and_facts_are_values() -> None:
    facts = assume("N < M")
    with pytest.raises(ValueError, match="contradicts"):
        facts.assume(condition("M <= N"))
    assert facts.assume(condition("N <= M")) is facts
    assert assume("N < M") == facts and hash(assume("N < M")) == hash(facts) and pickle.loads(pickle.dumps(facts)) == facts
    assert [str(c) for c in facts.conditions] == ["N < M"]
    assert facts.conditions[0].negation == condition("M <= N")


def test_a_signed_symbol_is_not_taken_to_be_positive() -> None:
    k = symbol("k", signed=True)
    assert Facts().decide(Condition("<=", 0, k)) is None
    assert Facts().assume(Condition("<=", 0, k)).decide(Condition("<", -1, k)) is True
    assert Facts().assume(Condition("==", k, N - 1)).decide(Condition("<=", 0, k)) is None


# ---- bounds ----


@pytest.mark.parametrize(
    "size, ranges, expected",
    [
        ("N*i + j", {"i": (0, "3"), "j": (0, "N - 1")}, ("0", "4*N - 1")),
        ("16*(i % 4) + 4*(i//4)", {"i": (0, "31")}, ("0", "76")),
        ("i - j", {"i": (0, "N - 1"), "j": (0, "i")}, ("0", "N - 1")),
        ("(i//4) % 2", {"i": (0, "31")}, ("0", "1")),
        ("i % 5 - 2", {"i": (0, "N - 1")}, ("-2", "2")),
        ("min(i, 7)", {"i": (0, "N")}, ("0", "min(7, N)")),
        ("i*j", {"i": (0, "4"), "j": (0, "5")}, ("0", "20")),
        ("N - 1 - i", {"i": (0, "N - 1")}, ("0", "N - 1")),
        ("M*i + N", {"i": (2, "3")}, ("2*M + N", "3*M + N")),
    ],
)
def test_bounds(size: str, ranges: dict[str, tuple[int, str]], expected: tuple[str, str]) -> None:
    found = bounds(parse_size(size), {name: Interval(low, parse_size(high)) for name, (low, high) in ranges.items()})
    assert (found.low, found.high) == tuple(map(parse_size, expected))


def test_bounds_use_facts() -> None:
    assert bounds(i // M, {"i": index_range(M)}, assume("1 <= M")).high in (0, (M - 1) // M)
    facts = assume("1 <= M")
    assert facts.decide(Condition("<", i * M + j, N * M), {"i": index_range(N), "j": index_range(M)}) is True
    assert facts.simplify((i * M + j) // M, {"i": index_range(N), "j": index_range(M)}) == i


# ---- cost ----


def test_many_unknown_sizes_are_decided_by_counting() -> None:
    """Concatenating 64 arrays of unknown extents: the work is linear in the number of terms, not a search (a count, not a time)."""
    extents = [symbol(f"s{k}") for k in range(64)]
    facts = Facts()
    total: Size = 0
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    for extent in extents:
        assert facts.decide(Condition("<=", total, total + extent)) is True
        assert facts.decide(Condition("<", i, total + extent)) is None
        total = total + extent
    sys.setprofile(None)
    assert symbols(total) == {f"s{k}" for k in range(64)}
    assert calls < 30_000


def test_texts_are_equal_in_every_process() -> None:
    code = "from staxlang.base.sizes import *; print(minimum(*map(symbol, 'QWERTZ')) * symbol('A') + (symbol('B') * symbol('C')) // 7)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    runs = {
        subprocess.run([sys.executable, "-c", code], env=environment | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1 and b"min(" in runs.pop()
