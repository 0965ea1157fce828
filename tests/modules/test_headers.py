"""Headers of .stx definitions: types of parameters and results, sizes and dtypes as names, facts; called from Python and in programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import staxlang as stax

X = np.arange(12.0).reshape(3, 4)


def expect_error(kind: type, code: str, function, *args, holds: tuple[str, ...] = ()) -> str:
    with pytest.raises(kind) as caught:
        function(*args)
    assert isinstance(caught.value, stax.StaxError) and caught.value.code == code, str(caught.value)
    for text in holds:
        assert text in str(caught.value), str(caught.value)
    return str(caught.value)


# ---- sizes, groups of axes, dtypes as names ----


def test_declared_names_are_values_in_the_body() -> None:
    m = stax.load_text("""
kernel sizes(x: T[*B, N, D], w: T[D]) -> T[*B, N]:
    return zeros((*B, N), T) + sum(x * w, axis=-1) / D + N + len(B)

kernel ramp(x: T[N]) -> T[N + 1]:
    return concatenate([arange(N).astype(T), x[:1]])
""")
    for x in (X, X[None].repeat(2, 0), X.astype("f4")):
        w = np.ones(4, x.dtype)
        got = m.sizes(x, w)
        np.testing.assert_allclose(got, x.sum(-1) / 4 + 3 + x.ndim - 2)
        assert got.dtype == x.dtype
    for n in (3, 5, 6):
        assert m.ramp(np.ones(n, "f4")).tolist() == [*range(n), 1.0] and m.ramp(np.ones(n, "f4")).dtype == np.float32
    assert m.ramp.stats().versions == 1


def test_index_notation_reads_declared_sizes() -> None:
    m = stax.load_text("kernel f(x: T[N, M]) -> T[N]:\n    let y[i] = sum[j in 0..M - 1] x[i, j] + N\n    return y\n")
    assert np.array_equal(m.f(X), X[:, :3].sum(1) + 3)


def test_generics_may_be_lower_case() -> None:
    m = stax.load_text("kernel f[n, t, *batch](x: t[*batch, n]) -> t[*batch]:\n    return sum(x, axis=-1) * n + len(batch)\n")
    assert np.array_equal(m.f(X), X.sum(1) * 4 + 1)
    assert np.array_equal(m.f(X[0]), X[0].sum() * 4)


def test_consts_are_sizes() -> None:
    m = stax.load_text("""
const width = 4
const H = 2
kernel f(x: T[N, width], y: T[H * width]) -> T[N, H]: return x @ y.reshape((width, H))
""")
    assert np.array_equal(m.f(X, np.arange(8.0)), X @ np.arange(8.0).reshape(4, 2))
    expect_error(ValueError, "annotated-size", m.f, X[:, :3], np.arange(8.0), holds=("axis 1", "3", "4"))
    expect_error(ValueError, "annotated-size", m.f, X, np.arange(7.0))


def test_a_size_that_is_a_parameter() -> None:
    m = stax.load_text("kernel f(n: int, x: T[n]) -> T[n]:\n    return x * n\nkernel g(N, x: T[N, N + 1]):\n    return x + N\n")
    assert np.array_equal(m.f(3, np.ones(3)), [3.0, 3.0, 3.0])
    assert np.array_equal(m.f(4, np.ones(4)), [4.0] * 4)
    assert np.array_equal(m.g(3, X), X + 3)
    expect_error(ValueError, "annotated-size", m.f, 4, np.ones(3), holds=("`x`", "axis 0", "3", "n, which is 4"))
    expect_error(ValueError, "annotated-size", m.g, 2, X, holds=("N, which is 2",))


def test_sizes_are_solved_for() -> None:
    m = stax.load_text("kernel f(x: T[2 * D, 3]) -> T[D]:\n    return x[:D, 0] + D\nkernel g(x: T[N]):\n    return f(x.reshape((-1, 3)))\n")
    for d in (2, 3, 5):
        x = np.arange(6.0 * d).reshape(2 * d, 3)
        assert np.array_equal(m.f(x), x[:d, 0] + d)
        assert np.array_equal(m.g(x.ravel()), x[:d, 0] + d)
    expect_error(ValueError, "annotated-size", m.f, np.ones((5, 3)))
    expect_error(ValueError, "annotated-size", m.g, np.ones(15))


def test_powers_of_sizes() -> None:
    m = stax.load_text("kernel f(x: T[N], y: T[N ** 2]) -> T[N ** 2 + 1, N]:\n    return outer(concatenate([y, y[:1]]), x)\n")
    assert m.f(np.ones(3), np.ones(9)).shape == (10, 3)
    expect_error(ValueError, "annotated-size", m.f, np.ones(3), np.ones(8), holds=("N*N = 9",))
    alone = "`N` is found where it stands alone"
    for text, told in (("N ** 2", True), ("N // 2", True), ("2 * N", False)):
        one = stax.load_text(f"kernel f(x: T[{text}]): return x\n")
        assert (alone in expect_error(ValueError, "annotated-size", one.f, np.ones(5))) == told
    for size, advice in (("2 ** N", "write `_`"), ("N ** -1", "write `_`"), ("N / 2", "write `//`")):
        wrong = stax.load_text(f"kernel f(x: T[N]) -> T[{size}]: return x\n")
        expect_error(TypeError, "bad-annotation", wrong.f, np.ones(3), holds=("does not make a size", advice))


# ---- what is declared of parameters ----

TYPED = stax.load_text("""
kernel image(x: f32[H, W], y: f32[H, W]) -> f32[H, W]: return x + y
kernel number(x: f32, n: int, flag: bool = false): return (x * n, flag)
kernel floats(x: T[*B], y: T[*B]) -> T[*B] where T: float: return x * y
kernel either(x: T[N]) where T: i32 | i64: return x + 1
kernel optional(x: T[N], w: T[N] | none = none): return x if w is none else x * w
kernel pair(p: tuple[f64[N], f64[N]]) -> tuple[f64[N], int]: return (p[0] + p[1], 3)
kernel words(s: str, x: any): return x * len(s)
kernel scalar(x: T, y: T) -> T where T: float: return x + y
""")


def test_what_fits_is_taken() -> None:
    x = X.astype("f4")
    assert np.array_equal(TYPED.image(x, x), 2 * x)
    assert np.array_equal(TYPED.floats(X, X), X * X) and np.array_equal(TYPED.floats(x, x), x * x)
    assert np.array_equal(TYPED.either(np.arange(3)), [1, 2, 3])
    assert np.array_equal(TYPED.optional(X[0]), X[0]) and np.array_equal(TYPED.optional(X[0], X[1]), X[0] * X[1])
    got = TYPED.pair((X[0], X[1]))
    assert np.array_equal(got[0], X[0] + X[1]) and got[1] == 3
    assert np.array_equal(TYPED.words("abc", X), X * 3)
    assert TYPED.scalar(np.float32(1.5), np.float32(2)) == np.float32(3.5)


def test_a_number_for_a_scalar_of_a_dtype_has_that_dtype() -> None:
    value, flag = TYPED.number(0.1, 3)
    assert value == np.float32(0.1) * 3 and type(value) is np.float32 and flag is False
    assert type(TYPED.number(2, 3)[0]) is np.float32
    assert TYPED.number(np.float32(0.1), 4, True) == (np.float32(0.1) * 4, True)
    m = stax.load_text("kernel f(x: f32) -> f32: return x * 2\nkernel g(x: T[N]): return x * f(0.1)\n")
    assert m.f(0.1) == np.float32(0.1) * 2
    assert np.array_equal(m.g(X[0]), X[0] * np.float64(np.float32(0.1) * 2))


@pytest.mark.parametrize(
    ("kind", "code", "name", "args", "holds"),
    [
        (TypeError, "annotated-dtype", "image", (X, X), ("`x` has dtype f64", "f32")),
        (ValueError, "annotated-size", "image", (X.astype("f4"), X[:2].astype("f4")), ("`y`", "H is 3, axis 0 of `x`")),
        (ValueError, "annotated-rank", "image", (X[0].astype("f4"), X.astype("f4")), ("f32[H, W]",)),
        (TypeError, "annotated-kind", "image", (3.0, X), ("`x`", "f32[H, W]")),
        (TypeError, "annotated-kind", "image", ([1.0], X), ("`x`", "list")),
        (TypeError, "annotated-dtype", "floats", (np.arange(3), np.arange(3)), ("i64", "f32")),
        (TypeError, "annotated-dtype", "floats", (X, X.astype("f4")), ("`y` has dtype f32", "`T` is f64 from `x`")),
        (TypeError, "annotated-dtype", "either", (X[0],), ("f64", "i32 or i64")),
        (TypeError, "annotated-kind", "number", ("a", 2), ("str",)),
        (TypeError, "annotated-kind", "number", (1.5, 2.5), ("`n`", "float")),
        (TypeError, "annotated-kind", "words", (3, X), ("`s`", "int")),
        (TypeError, "annotated-kind", "optional", (X[0], "w"), ("`w`",)),
        (ValueError, "annotated-size", "pair", ((X[0], X[1][:3]),), ("`p[1]`", "N is 4")),
    ],
)
def test_what_does_not_fit_is_refused(kind: type, code: str, name: str, args: tuple, holds: tuple) -> None:
    expect_error(kind, code, getattr(TYPED, name), *args, holds=holds)


def test_a_result_is_held_to_its_type() -> None:
    m = stax.load_text("""
kernel size(x: T[N]) -> T[N]: return x[1:]
kernel dtype(x: T[N]) -> f32[N]: return x
kernel rank(x: T[*B, N]) -> T[*B]: return x
kernel part(x: T[N]) -> tuple[T[N], T]: return (x, x)
kernel fine(x: T[N]) -> tuple[T[N - 1], T]: return (x[1:], sum(x))
kernel inner(x: T[N]): return size(x) + 1
""")
    assert m.fine(X[0])[1] == 6.0
    expect_error(TypeError, "result-mismatch", m.size, X[0], holds=("`size`", "T[N]"))
    assert m.dtype(X[0].astype("f4")).dtype == np.float32
    expect_error(TypeError, "result-mismatch", m.dtype, X[0], holds=("f64",))
    expect_error(TypeError, "result-mismatch", m.rank, X)
    expect_error(TypeError, "result-mismatch", m.part, X[0])
    text = expect_error(TypeError, "result-mismatch", m.inner, X[0])
    assert "`size`" in text


def test_what_cannot_be_read_is_told_at_its_place() -> None:
    m = stax.load_text("kernel f(x: float32[N]): return x\nkernel g(x: f32[n]): return x\nkernel h(x: T[N]) where T: flaot: return x\n")
    expect_error(TypeError, "bad-annotation", m.f, X[0], holds=("`float32`", "did you mean `f32`"))
    expect_error(TypeError, "bad-annotation", m.g, X[0], holds=("capital letter",))
    expect_error(TypeError, "bad-annotation", m.h, X[0], holds=("did you mean `float`", ":3:"))


# ---- facts ----

FACTS = stax.load_text("""
kernel blur(x: T[H, W]) -> T[H - 2, W - 2] where H > 2, W > 2:
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
kernel fours(x: T[N]) -> T[N // 4] where N % 4 == 0:
    return sum(x.reshape((N // 4, 4)), axis=1)
kernel doubled(x: T[N], y: T[M]) -> T[M] where M == 2 * N:
    return concatenate([x, x]) + y
kernel chain(x: T[N], k: int) where 0 < k <= N, T: float:
    return x[:k]
kernel unequal(x: T[N], y: T[M]) where N != M: return (x, y)
kernel outer_blur(x: T[N]): return blur(x.reshape((N // 4, 4)))
""")


def test_facts_that_hold() -> None:
    x = np.random.rand(5, 6)
    np.testing.assert_allclose(FACTS.blur(x), (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4)
    for n in (4, 8, 12):
        assert np.array_equal(FACTS.fours(np.arange(float(n))), np.arange(float(n)).reshape(-1, 4).sum(1))
        assert np.array_equal(FACTS.doubled(np.ones(n), np.ones(2 * n)), np.full(2 * n, 2.0))
    assert FACTS.fours.stats().versions == FACTS.doubled.stats().versions == 1
    assert np.array_equal(FACTS.chain(X[0], 2), X[0][:2])
    assert FACTS.chain.stats().versions == 1 and np.array_equal(FACTS.chain(X[0], 3), X[0][:3]) and FACTS.chain.stats().versions == 1
    assert np.array_equal(FACTS.outer_blur(np.arange(12.0)), FACTS.blur(X))


@pytest.mark.parametrize(
    ("name", "args", "holds"),
    [
        ("blur", (X[:2],), ("where H > 2", "H is 2, axis 0 of `x`")),
        ("blur", (X[:, :1],), ("where W > 2", "W is 1, axis 1 of `x`")),
        ("fours", (np.ones(6),), ("where N % 4 == 0", "N is 6")),
        ("doubled", (np.ones(3), np.ones(5)), ("where M == 2 * N", "M is 5, axis 0 of `y`", "N is 3, axis 0 of `x`")),
        ("chain", (X[0], 0), ("where 0 < k <= N",)),
        ("chain", (X[0], 9), ("N is 4",)),
        ("unequal", (X[0], X[1]), ("where N != M",)),
        ("outer_blur", (np.ones(8),), ("where H > 2", "`blur`", "blur(x.reshape", "H is 2")),
    ],
)
def test_facts_that_do_not_hold(name: str, args: tuple, holds: tuple) -> None:
    function = getattr(FACTS, name)
    expect_error(ValueError, "broken-fact", function, *args, holds=holds)
    before = function.stats()
    expect_error(ValueError, "broken-fact", function, *args)  # and again: nothing was kept of the failed call
    assert function.stats().versions == before.versions


def test_a_fact_is_known_to_the_body() -> None:
    lowered = FACTS.doubled.lower(stax.spec(("P",), "f64"), stax.spec(("2*P",), "f64"))
    assert "M == 2*N" in " ".join(lowered.guards) or lowered.guards == ()
    got = lowered.compile()(np.ones(3), np.ones(6))
    assert np.array_equal(got, np.full(6, 2.0))
    guards = " ".join(FACTS.fours.explain(np.ones(8)).guards)
    assert "N % 4 == 0" in guards or "N%4 == 0" in guards, guards


def test_a_call_in_a_python_kernel_is_checked_too() -> None:
    @stax.kernel
    def whole(x):
        y = x + 1
        return FACTS.blur(y)

    np.testing.assert_allclose(whole(X), FACTS.blur(X + 1))
    text = expect_error(ValueError, "broken-fact", whole, X[:2], holds=("FACTS.blur(y)", "test_headers.py"))
    assert "where H > 2" in text

    @stax.kernel
    def wrong(x):
        return TYPED.image(x, x[1:])

    text = expect_error(ValueError, "annotated-size", wrong, X.astype("f4"), holds=("`y`", "x[1:]", "`image` is defined here"))
    assert "test_headers.py" in text


def test_lowering_needs_facts_that_can_hold() -> None:
    assert FACTS.blur.lower(stax.spec(("A", "B"), "f32")).compile()(X.astype("f4")).shape == (1, 2)
    assert np.array_equal(FACTS.fours.lower(stax.spec(("A",), "f64")).compile()(np.ones(8)), [4.0, 4.0])
    m = stax.load_text("kernel f(x: T[N, M]) where N % 22 == 0, (N + M) % 7 == 0: return x * 2\n")
    assert m.f.lower(stax.spec(("A", "B"), "f64")).compile()(np.ones((22, 6))).shape == (22, 6)
    with pytest.raises(stax.StaxError):
        m.f.lower(stax.spec(("A", "B"), "f64")).compile()(np.ones((22, 5)))


# ---- consts ----


def test_consts() -> None:
    m = stax.load_text("""
const a = 2
const b = a * 3 + 0.5
const c = sqrt(16.0)
const names = ["x", "y"]
const nested = {"k": (a, [b, none, true])}
const typed: int = 7
const kind = f32
const n = len(names)
kernel f(x): return x * b + c + nested["k"][0] + typed + n + array(nested["k"][1][:1])[0]
kernel g(n: int): return zeros((n,), kind)
""")
    assert (m.a, m.b, m.c, m.names, m.nested, m.typed, m.kind) == (2, 6.5, 4.0, ["x", "y"], {"k": (2, [6.5, None, True])}, 7, stax.f32)
    assert np.array_equal(m.f(X), X * 6.5 + 4 + 2 + 7 + 2 + 6.5)
    assert m.g(3).dtype == np.float32


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("const a = zeros(3)\n", TypeError, "not-constant"),
        ("const a = softmax(ones(3))\n", TypeError, "not-constant"),
        ("const a = b + 1\nconst b = 2\n", NameError, "unknown-name"),
        ("const a = a + 1\n", NameError, "unknown-name"),
        ("const a = 1 / 0\n", ZeroDivisionError, "division-by-zero"),
        ("const a: int = 1.5\n", TypeError, "annotated-kind"),
        ("const a: itn = 1\n", TypeError, "bad-annotation"),
        ("const a = [1, 2][7]\n", IndexError, "position-out-of-range"),
    ],
)
def test_consts_that_are_none(text: str, kind: type, code: str) -> None:
    text = expect_error(kind, code, stax.load_text, text, holds=("const",))
    assert "--> " in text


def test_consts_are_not_changed_by_programs() -> None:
    m = stax.load_text("const taps = [1.0, 2.0]\nkernel f(x):\n    taps.append(3.0)\n    return x * len(taps)\n")
    with pytest.raises(stax.StaxError):
        m.f(X)
    assert m.taps == [1.0, 2.0]


def test_the_import_line_names_a_missing_file(tmp_path: Path) -> None:
    expect_error(FileNotFoundError, "file-not-found", stax.load, tmp_path / "nn.stx", holds=(str(tmp_path),))
    (tmp_path / "nnn.stx").write_text("kernel f(x): return x\n")
    expect_error(FileNotFoundError, "file-not-found", stax.load, tmp_path / "nn.stx", holds=("did you mean `nnn.stx`",))
    expect_error(FileNotFoundError, "file-not-found", stax.load, tmp_path / "nnn", holds=("the file is called `nnn.stx`",))


@pytest.mark.parametrize(
    ("data", "holds"),
    [
        (b"kernel f(x):\n    return x\n\xff\xfe", "0xff in line 3"),
        ("kernel f(x): return x\n".encode("utf-16"), "UTF-16"),
        (b"kernel f(x):\n    return x\x00\n", "NUL byte in line 2"),
    ],
)
def test_files_that_are_no_text(tmp_path: Path, data: bytes, holds: str) -> None:
    (tmp_path / "a.stx").write_bytes(data)
    expect_error(OSError, "file-unreadable", stax.load, tmp_path / "a.stx", holds=(holds,))
    expect_error(OSError, "file-unreadable", stax.load, tmp_path)


def test_empty_files_and_odd_line_ends(tmp_path: Path) -> None:
    for number, data in enumerate((b"", b"\n\n", b"# only a comment", b"\xef\xbb\xbf", b'"""Doc."""')):
        (tmp_path / f"e{number}.stx").write_bytes(data)
        assert stax.load(tmp_path / f"e{number}.stx").__all__ == []
    (tmp_path / "a.stx").write_bytes(b"\xef\xbb\xbfkernel f(x):\r\n    return x + 1\r\n")
    assert stax.load(tmp_path / "a.stx").f(np.zeros(1))[0] == 1
