"""`stax run`: values from files, numbers and random arrays; results to files or told."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

X = np.arange(30.0).reshape(5, 6)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_from_file_to_file(stax_command, tmp_path) -> None:
    ran = stax_command("run", "p.stx", "softmax", "--arg", "x=x.npy", "--out", "y.npy")
    assert ran.status == 0 and ran.out == "" and "y.npy: f64[5, 6]" in ran.err
    np.testing.assert_allclose(np.load("y.npy"), softmax(X), rtol=1e-12)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["blur", "-a", "x=x32.npy"], X.astype("f4")[1:-1, 1:-1]),
        (["scaled", "-a", "x=x.npy"], X * 2),
        (["scaled", "-a", "x=x.npy", "-a", "factor=-0.5", "-a", "shift=3"], X * -0.5 + 3),
        (["scaled", "-a", "x=x.npy", "-a", "mode=minus", "-a", "shift=1"], X * 2 - 1),
        (["scaled", "-a", "x=x.npy", "-a", "mode='minus'", "-a", "shift=1"], X * 2 - 1),
        (["scaled", "-a", "x=both.npz:y"], X[1] * 2),
        (["scaled", "-a", "x=both.npz:y:f32"], X[1].astype("f4") * 2),
        (["blur", "-a", "x=x.npy:float32"], X.astype("f4")[1:-1, 1:-1]),
        (["scaled", "-a", "x=table.csv:price:i64"], np.array([20.0, 22.0, 24.0])),
        (["scaled", "-a", "x=both.npz"], X[0] * 2),
        (["scaled", "-a", "x=one.npz"], X[0] * 2),
        (["scaled", "-a", "x=table.csv:price"], np.array([10.5, 11.5, 12]) * 2),
        (["scaled", "-a", "x=table.csv"], np.array([[1, 10.5], [2, 11.5], [3, 12]]) * 2),
        (["scaled", "-a", "x=plain.csv"], np.array([[1, 2, 3], [4, 5, 6]]) * 2.0),
        (["scaled", "-a", "x=[[1, 2], [3, 4]]"], np.array([[1, 2], [3, 4]]) * 2.0),
        (["scaled", "-a", "x=[1, -2.5]", "-a", "factor=2*3"], np.array([1, -2.5]) * 6),
        (["scaled", "-a", "x=[1+2j]"], np.array([1 + 2j]) * 2),
        (["softmax", "-a", "x=[0, 0]", "-a", "x=[0.0, 0.0]"], np.array([0.5, 0.5])),
        (["blur", "-a", "x=[[1,2,3],[4,5,6],[7,8,9]]"], np.array([[5.0]], "f4")),
    ],
)
def test_values(stax_command, words: list[str], expected: np.ndarray) -> None:
    ran = stax_command("run", "p.stx", *words, "--out", "y.npy")
    assert ran.status == 0, ran
    got = np.load("y.npy")
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert got.dtype == expected.dtype


def test_several_results(stax_command) -> None:
    words = ["run", "p.stx", "parts", "-a", "x=both.npz", "-a", "y=both.npz"]
    assert stax_command(*words, "-o", "s.npy", "-o", "d.npy").status == 0
    assert np.array_equal(np.load("s.npy"), X[0] + X[1]) and np.array_equal(np.load("d.npy"), X[0] - X[1])
    assert stax_command(*words, "-o", "all.npz").status == 0
    with np.load("all.npz") as made:
        assert sorted(made.files) == ["arr_0", "arr_1"] and np.array_equal(made["arr_1"], X[0] - X[1])
    assert stax_command(*words, "-o", "1=d.npy").status == 0 and np.array_equal(np.load("d.npy"), X[0] - X[1])
    assert stax_command("run", "p.stx", "named", "-a", "x=one.npz", "-o", "n.npz").status == 0
    with np.load("n.npz") as made:
        assert made["sum"] == 15 and np.array_equal(made["double"], X[0] * 2)
    ran = stax_command(*words, "-o", "a.npy", "-o", "b.npy", "-o", "c.npy")
    assert ran.status == 2 and "too-many-outputs" in ran.err and "2 results" in ran.err


def test_an_argument_written_in_place(stax_command) -> None:
    ran = stax_command("run", "p.stx", "fill", "-a", "u=one.npz", "-a", "value=7", "-o", "u=u.npy")
    assert ran.status == 0 and np.array_equal(np.load("u.npy"), np.full(6, 7.0))
    assert "u: f64[6]  min 7  mean 7  max 7" in stax_command("run", "p.stx", "fill", "-a", "u=one.npz", "-a", "value=7").out


def test_tables(stax_command) -> None:
    assert stax_command("run", "p.stx", "scaled", "-a", "x=plain.csv", "-o", "y.csv").status == 0
    assert Path("y.csv").read_text() == "2,4,6\n8,10,12\n"
    assert stax_command("run", "p.stx", "scaled", "-a", "x=one.npz", "-o", "y.csv").status == 0
    assert np.array_equal(np.loadtxt("y.csv"), X[0] * 2)
    ran = stax_command("run", "p.stx", "scaled", "-r", "x=f32[2,2,2]", "-o", "y.csv")
    assert ran.status == 2 and "at most 2 axes" in ran.err


def test_summaries(stax_command) -> None:
    out = stax_command("run", "p.stx", "scaled", "-a", "x=x.npy").out
    assert out.startswith("result: f64[5, 6]  min 0  mean 29  max 58\n") and "[[ 0.  2.  4." in out
    out = stax_command("run", "p.stx", "named", "-a", "x=one.npz").out
    assert "sum: f64[]  15.0" in out and "double: f64[6]" in out
    out = stax_command("run", "p.stx", "scaled", "-a", "x=[true, false]", "-a", "factor=true", "-a", "shift=false").out
    assert out, out
    assert "not finite" in stax_command("run", "p.stx", "scaled", "-a", "x=[inf, nan, 1.0]").out
    assert stax_command("run", "p.stx", "scaled", "-a", "x=3").out == "result: float  6.0\n"
    assert "[[0. 1.]]" in stax_command("run", "p.stx", "scaled", "-a", "x=[[0.0, 0.5]]", "-o", "-").out


def test_random_arrays(stax_command) -> None:
    first = stax_command("run", "p.stx", "scaled", "--random", "x=f32[64,64]", "-o", "a.npy")
    assert first.status == 0
    stax_command("run", "p.stx", "scaled", "--random", "f32[64,64]", "-o", "b.npy")
    stax_command("run", "p.stx", "scaled", "--random", "x=float32[64, 8*8]", "--seed", "1", "-o", "c.npy")
    a, b, c = np.load("a.npy"), np.load("b.npy"), np.load("c.npy")
    assert np.array_equal(a, b) and not np.array_equal(a, c) and a.dtype == c.dtype == np.float32
    assert 0 <= a.min() and a.max() < 2 and abs(a.mean() - 1) < 0.05
    for text, low, high in (("i64[100]", 0, 9), ("i8[100]:-3:3", -3, 3), ("f64[100]:-1:1", -1, 1), ("bool[100]", 0, 1), ("u8[3,0]", 0, 0)):
        assert stax_command("run", "p.stx", "scaled", "-r", f"x={text}", "-a", "factor=1", "-o", "a.npy").status == 0
        a = np.load("a.npy")
        assert a.size == 0 or (low <= a.min() and a.max() <= high and a.min() < a.max())
    assert stax_command("run", "p.stx", "parts", "-r", "f64[9]", "-r", "f64[9]", "-o", "a.npy").status == 0
    assert stax_command("run", "p.stx", "scaled", "-r", "x=c64[4]", "-o", "a.npy").status == 0 and np.load("a.npy").dtype == np.complex64


def test_the_standard_input(stax_command, monkeypatch) -> None:
    data = io.BytesIO()
    np.save(data, X)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.getvalue())))
    assert stax_command("run", "p.stx", "scaled", "-a", "x=-", "-o", "y.npy").status == 0
    assert np.array_equal(np.load("y.npy"), X * 2)


def test_engine_checked_and_explain(stax_command) -> None:
    ran = stax_command("run", "p.stx", "softmax", "-a", "x=x.npy", "--engine", "reference", "-o", "y.npy")
    assert ran.status == 0
    np.testing.assert_allclose(np.load("y.npy"), softmax(X), rtol=1e-12)
    assert stax_command("run", "p.stx", "softmax", "-a", "x=x.npy", "--checked", "-o", "z.npy").status == 0
    np.testing.assert_allclose(np.load("z.npy"), softmax(X), rtol=1e-12)
    ran = stax_command("run", "p.stx", "softmax", "-a", "x=x.npy", "--explain", "-o", "y.npy")
    assert "softmax: 1 kernel" in ran.out and "times the lower bound; runs native" in ran.out


def test_the_only_kernel_needs_no_name(stax_command, tmp_path) -> None:
    (tmp_path / "one.stx").write_text("kernel f(x): return x + 1\n")
    assert stax_command("run", "one.stx", "-a", "x=1").out == "result: int  2\n"
    ran = stax_command("run", "p.stx", "-a", "x=1")
    assert ran.status == 2 and "softmax(x: T[*B, D])" in ran.err


@pytest.mark.parametrize(
    ("words", "status", "holds"),
    [
        (["run", "q.stx", "f"], 2, ("file-not-found", "q.stx", "did you mean `p.stx`")),
        (["run", ".", "f"], 2, ("file-unreadable",)),
        (["run", "x.npy", "f"], 2, ("file-unreadable", "x.npy")),
        (["run", "p.stx", "sofmax"], 2, ("no-such-kernel", "did you mean `softmax`")),
        (["run", "p.stx", "WEIGHT"], 2, ("no-such-kernel",)),
        (["run", "p.stx", "softmax"], 2, ("missing-argument", "`x`", "--random x=")),
        (["run", "p.stx", "softmax", "-a", "x=none.npy"], 2, ("file-not-found", "none.npy")),
        (["run", "p.stx", "softmax", "-a", "x=x.nyp"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-a", "x=./x.png"], 2, ("file-not-found",)),
        (["run", "p.stx", "softmax", "-a", "x"], 2, ("malformed-argument", "no `NAME=`")),
        (["run", "p.stx", "softmax", "-a", "x="], 2, ("malformed-argument", "nothing behind")),
        (["run", "p.stx", "softmax", "-a", "=3"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-a", "xx=3"], 2, ("unknown-parameter", "did you mean `x`")),
        (["run", "p.stx", "softmax", "-a", "x=[1, [2, 3]]"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-a", "x=[1, 'a']"], 2, ("malformed-argument", "no array of numbers")),
        (["run", "p.stx", "softmax", "-a", "x=1/0"], 2, ("malformed-argument", "division")),
        (["run", "p.stx", "softmax", "-a", "x=" + "[" * 5000], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-a", "x=" + "1," * 60000], 2, ("malformed-argument", "write the values into a file")),
        (["run", "p.stx", "softmax", "-a", "x=__import__('os')"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-a", "x=both.npz:z"], 2, ("unreadable-array", "`x`, `y`")),
        (["run", "p.stx", "scaled", "-a", "x=table.csv:cost"], 2, ("unreadable-array", "day, price")),
        (["run", "p.stx", "scaled", "-a", "x=plain.csv:cost"], 2, ("no names",)),
        (["run", "p.stx", "softmax", "-r", "x=f31[4]"], 2, ("malformed-argument", "did you mean `f32`")),
        (["run", "p.stx", "softmax", "-r", "x=f32[N]"], 2, ("malformed-argument", "`N` is no size")),
        (["run", "p.stx", "softmax", "-r", "x=f32[-1]"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-r", "x=f32[4]:1:0"], 2, ("malformed-argument", "LOWEST")),
        (["run", "p.stx", "softmax", "-r", "x=f32(4)"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-r", "x=f32[1000000000000000000]"], 2, ("malformed-argument",)),
        (["run", "p.stx", "softmax", "-r", "f32[4]", "-r", "f32[4]"], 2, ("malformed-argument", "every parameter has a value")),
        (["run", "p.stx", "softmax", "-a", "x=x.npy", "-o", "nowhere/y.npy"], 2, ("file-unwritable", "nowhere/y.npy")),
        (["run", "p.stx", "softmax", "-a", "x=x.npy", "-o", "y.png"], 2, ("file-unwritable", ".png")),
        (["run", "p.stx", "softmax", "-a", "x=x.npy", "-o", "z=y.npy"], 2, ("malformed-argument", "no result `z`")),
        (["run", "p.stx", "scaled", "-a", "x=none", "-o", "y.npy"], 1, ("error[",)),
        (["run", "p.stx", "softmax", "-a", "x=3"], 1, ("annotated-kind", "p.stx:5:16")),
        (["run", "p.stx", "blur", "-a", "x=x.npy"], 1, ("annotated-dtype", "p.stx:")),
        (["run", "p.stx", "blur", "-r", "x=f32[2,9]"], 1, ("broken-fact", "H > 2")),
        (["run", "p.stx", "parts", "-r", "x=f32[2]", "-r", "y=f32[3]"], 1, ("annotated-size", "N is 2")),
        (["run"], 2, ("usage: stax run",)),
        (["run", "p.stx", "softmax", "--sead", "3"], 2, ("unrecognized arguments",)),
        (["run", "p.stx", "softmax", "--seed", "three"], 2, ("--seed",)),
    ],
)
def test_misuse(stax_command, words: list[str], status: int, holds: tuple[str, ...]) -> None:
    ran = stax_command(*words)
    assert ran.status == status, ran
    assert ran.out == "" and all(text in ran.err for text in holds), ran


@pytest.mark.parametrize(
    ("name", "data", "holds"),
    [
        ("a.npy", b"", "empty"),
        ("a.npy", b"no array", "pickled"),
        ("a.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }" + b" " * 50 + b"\n", "a.npy"),
        ("a.npz", b"PK\x03\x04 broken", "a.npz"),
        ("a.npz", b"", "a.npz"),
        ("a.csv", b"", "no rows"),
        ("a.csv", b"a,b\n", "no numbers"),
        ("a.csv", b"1,2\n3\n", "line 2 has 1 entries, line 1 has 2"),
        ("a.csv", b"1,2\n3,x\n", "`x` in line 2 is no number"),
        ("a.csv", b"\xff\xfe\x00", "no text"),
    ],
)
def test_damaged_files(stax_command, tmp_path, name: str, data: bytes, holds: str) -> None:
    (tmp_path / name).write_bytes(data)
    ran = stax_command("run", "p.stx", "scaled", "-a", f"x={name}")
    assert ran.status == 2 and holds in ran.err, ran


@pytest.mark.parametrize("value", ["[1, 2.5]", "[1, 300]", "[-1, 2]", "[1, 2j]", "table.csv:price"])
def test_written_numbers_are_never_narrowed(stax_command, tmp_path, value: str) -> None:
    (tmp_path / "u.stx").write_text("kernel f(x: u8[N]): return x\n")
    ran = stax_command("run", "u.stx", "-a", f"x={value}")
    assert ran.status == 2 and "is no u8" in ran.err, ran
    assert stax_command("run", "u.stx", "-a", "x=[1, 2.0, 255]").out.startswith("result: u8[3]")


def test_pickled_objects_are_not_loaded(stax_command, tmp_path) -> None:
    np.save(tmp_path / "o.npy", np.array([{"a": 1}], object), allow_pickle=True)
    ran = stax_command("run", "p.stx", "scaled", "-a", "x=o.npy")
    assert ran.status == 2 and "pickled" in ran.err


def test_a_program_with_slips(stax_command, tmp_path) -> None:
    (tmp_path / "bad.stx").write_text("kernel f(x)\n    return x\n\nkernel g(x):\n    return (x\n")
    ran = stax_command("run", "bad.stx", "g", "-a", "x=1")
    assert ran.status == 1 and "missing-colon" in ran.err and "never-closed" in ran.err and "bad.stx:1" in ran.err
