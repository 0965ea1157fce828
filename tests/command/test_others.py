"""`stax show`, `explain`, `check`, `test`, `doctor`, `cache`, and the command as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from staxlang.command.expectations import difference
from staxlang.command.main import COMMANDS
from staxlang.command.terminal import Terminal

# ---- show and explain ----


def test_show(stax_command) -> None:
    stages = {"graph": "reduce(", "optimized": "exp(", "loops": "sum[", "schedule": "def ", "llvm": "define", "asm": "ret"}
    for stage, holds in stages.items():
        ran = stax_command("show", "p.stx", "softmax", "--stage", stage, "-r", "x=f32[8,16]")
        assert ran.status == 0 and holds in ran.out, ran
    header = "kernel blur(x: f32[H, W]) -> f32[H - 2, W - 2] where H > 2, W > 2:"
    assert stax_command("show", "p.stx", "blur", "-s", "tree").out.startswith(header)
    assert "f32[H, W] = input" in stax_command("show", "p.stx", "blur", "-s", "graph").out
    ran = stax_command("show", "p.stx", "softmax", "-s", "graph")
    assert ran.status == 2 and "missing-argument" in ran.err
    ran = stax_command("show", "p.stx", "softmax", "-s", "machine")
    assert ran.status == 2 and "invalid choice" in ran.err


def test_explain(stax_command) -> None:
    ran = stax_command("explain", "p.stx", "softmax", "-r", "x=f32[64,64]")
    assert ran.status == 0 and "softmax: 1 kernel, 32.77 kB moved, 1.00 times the lower bound" in ran.out
    report = json.loads(stax_command("explain", "p.stx", "softmax", "-r", "x=f32[64,64]", "--json").out)
    assert report["bytes_moved"] == 2 * 4 * 64 * 64 and len(report["kernels"]) == 1


# ---- check ----

FAULTY = """
kernel product(a: T[M, K], b: T[N, K]) -> T[M, N]:
    return a @ b

kernel wrong_result(x: f32[N]) -> f32[N + 1]:
    return x

kernel unknown_name(x: T[N]):
    y = x + z
    return y + w

kernel for_some_dtypes(x: T[N]) -> T[N] where T: number:
    return x / 2

kernel fact(x: T[N]) where N > 3:
    return four(x[:2])

def four(x: T[N]) where N == 4:
    return x

kernel fine(x: T[*B, N], w: T[N] | none = none, axis: int = -1, flag=false) -> T[*B, N]:
    y = x if w is none else x * w
    if flag:
        y = y + 1
    return y - max(y, axis=-1, keepdims=true)

kernel local(x: T[N]):
    let y[i] = x[i] + x[i + 1]
    return sum(y)
"""


def test_check(stax_command, tmp_path) -> None:
    (tmp_path / "faulty.stx").write_text(FAULTY)
    ran = stax_command("check", "faulty.stx")
    assert ran.status == 1 and ran.err == ""
    found = [line for line in ran.out.splitlines() if line.startswith("error")]
    assert [line.partition("]")[0][6:] for line in found] == [
        "size-mismatch", "result-mismatch", "unknown-name", "unknown-name", "result-mismatch", "broken-fact",
    ], ran.out  # fmt: skip
    for text in ("did you mean `a @ b.T`", "faulty.stx:3:12", "f32[N + 1]", "with T = i64", "where N == 4", "6 errors in 1 file"):
        assert text in ran.out, ran.out
    ran = stax_command("check", "p.stx")
    assert ran.status == 0 and ran.out == "nothing is wrong in 1 file\n"
    assert stax_command("check", "-q", "p.stx").out == ""


def test_check_tells_slips_and_imports(stax_command, tmp_path) -> None:
    (tmp_path / "a.stx").write_text("kernel f(x)\n    return x\n\nkernel g(x):\n    return (x\n")
    (tmp_path / "b.stx").write_text("import nowhere\nfrom p import sofmax\nkernel f(x): return x\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.stx").write_text("const a = 1 / 0\n")
    ran = stax_command("check", "a.stx", "b.stx", "sub")
    assert ran.status == 1 and "5 errors in 3 files" in ran.out, ran
    for text in ("missing-colon", "never-closed", "module-not-found", "not-in-module", "did you mean `softmax`", "division-by-zero"):
        assert text in ran.out
    ran = stax_command("check", "nowhere.stx")
    assert ran.status == 2 and "file-not-found" in ran.err
    (tmp_path / "void").mkdir()
    assert stax_command("check", "void").status == 2


def test_check_says_nothing_of_what_is_not_known(stax_command, tmp_path) -> None:
    (tmp_path / "u.stx").write_text("""
kernel f(x, y, h):
    s = sum[k] x[k] * y[k]
    let c[i, j] = x[i] + y[j]
    let d[i] = sum[j] c[i, j]
    z = [v * 2 for v in x]
    w, *r = y
    a = x.shape[0] + y.foo.bar
    for q in range(a):
        s = s + x[q] if q > 2 else s - 1
    while s > 0:
        s = s - x.sum()
    assert a > 3, "no"
    t = {"a": x, "b": (y, s)}
    let h[x[i]] += y[i]
    x[2:] = y.T
    return (s, c, d, z, w, r, t["a"], f"{a}", x if s > 1 else y, lambda p: p + x, h)
""")
    ran = stax_command("check", "u.stx")
    assert ran.status == 0 and "nothing is wrong" in ran.out, ran


def test_check_of_recursion(stax_command, tmp_path) -> None:
    """What ends a recursion is not known without a call, unless constants do: then its rounds are walked."""
    (tmp_path / "r.stx").write_text("""
def walk(x, deep):
    found = []
    for part in x:
        found.append(walk(part, deep - 1) if deep > 0 else part)
        for other in part:
            found.append(even(walk(other, deep)))
    return found

def even(x): return odd(x[1:]) if x.shape[0] > 1 else x
def odd(x): return even(x[1:]) + odd(x[::2])
def halved(x, n): return x[:2] if n == 0 else halved(x / 2, n - 1)

kernel f(x, deep): return walk(x, deep)
kernel g(x: f32[N]) -> f32[N]: return even(x)
kernel h(x: f32[8]) -> f32[3]: return halved(x, 5)
kernel endless(x): return endless(x + 1)
""")
    ran = stax_command("check", "r.stx")
    assert ran.status == 1 and "1 error in 1 file" in ran.out and "result-mismatch" in ran.out and "f32[3]" in ran.out, ran


def test_the_programs_of_the_examples_are_right(stax_command) -> None:
    ran = stax_command("check", str(Path(__file__).parents[2] / "examples" / "stx"))
    assert ran.status == 0 and "nothing is wrong in 2" in ran.out, ran


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x00\x01\x02", b"\xff\xfe" * 100, b"kernel " * 1000, b"(" * 2000, b"x" * 200_000, b"\n" * 5000,
        "kernel ф(x): return ∑(x)\n".encode(),
    ],
)
def test_check_of_anything(stax_command, tmp_path, data: bytes) -> None:
    (tmp_path / "any.stx").write_bytes(data)
    assert stax_command("check", "any.stx").status in (0, 1, 2)


# ---- test ----

EXAMPLES = '''
const K = 3

kernel right(x: f32[*B]):
    """Doc.

    >>> right([1.0, 2.0])
    [2.0, 4.0]
    >>> y = right([[1, 2]])
    >>> y[0]
    [2.0, 4.0]
    >>> right(arange(2.0).astype(f32)) + K
    [3.0, 5.0]
    >>> right(
    ...     [0.5])
    [1.0]
    >>> right("a")
    error[annotated-kind]

    More words.
    >>> exp(right([1.0]))
    [7.3891]
    >>> (1, true, none, "a", _private(2))
    (1, true, none, 'a', 4)
    """
    return x * 2

def _private(x):
    """Private ones too.

    >>> _private(3)
    6
    """
    return x * 2

kernel wrong(x: T[*B]):
    """Everything here is wrong.

    >>> wrong([[1.0, 2.0], [3.0, 4.0]])
    [[1.0, 2.0], [3.0, 5.0]]
    >>> wrong([1.0])
    [1.0, 2.0]
    >>> wrong([1.0]) > 0
    [1]
    >>> wrong(
    >>> wrong([1.0]).shap
    (1,)
    >>> rihgt([1.0])
    [1.0]
    >>> wrong([1.0])
    >>> (wrong([1.0]), 2)
    ([1.0], 3)
    """
    return x
'''


def test_test(stax_command, tmp_path) -> None:
    (tmp_path / "e.stx").write_text(EXAMPLES)
    ran = stax_command("test", "e.stx", "-k", "right")
    assert ran.status == 0 and ran.out.startswith("8 passed in"), ran
    ran = stax_command("test", "e.stx", "-k", "_private", "-v")
    line = EXAMPLES.split("\n").index("    >>> _private(3)") + 1
    assert ran.status == 0 and f"ok    e.stx:{line} _private: _private(3)" in ran.out
    ran = stax_command("test", "e.stx", "-k", "wrong")
    assert ran.status == 1 and "0 passed, 8 failed" in ran.out, ran
    for text in (
        f"FAILED e.stx:{line + 8} wrong", ">>> wrong([[1.0, 2.0], [3.0, 4.0]])",
        "expected: [[1.0, 2.0], [3.0, 5.0]]", "got:      [[1.0, 2.0],",
        "first difference at [1, 1]: expected 5.0, got 4.0 (1 of 4 differ)", "the shapes differ: expected [2], got [1]",
        "the kinds differ: expected numbers, got truth values", "did you mean `right`", "expected: nothing", "in [1]: first difference",
        "never-closed",
    ):  # fmt: skip
        assert text in ran.out, (text, ran.out)
    ran = stax_command("test", "e.stx", "p.stx", "-x")
    assert ran.status == 1 and "1 failed" in ran.out
    assert stax_command("test", "p.stx").out.startswith("1 passed in")


def test_test_of_nothing(stax_command, tmp_path) -> None:
    (tmp_path / "n.stx").write_text("kernel f(x): return x\n")
    assert "there are no examples" in stax_command("test", "n.stx").out
    assert stax_command("test").status == 2
    assert stax_command("test", "nowhere.stx").status == 2
    ran = stax_command("test", "--library", "-k", "leaky_relu")
    assert ran.status == 0 and ran.out.startswith("1 passed")


@pytest.mark.parametrize(
    ("value", "expected", "told"),
    [
        (np.float32(0.1), "0.1", None),
        (np.array([0.12345]), "[0.1235]", None),
        (np.array([0.12345]), "[0.123]", "first difference at [0]"),
        (np.array([1.0, np.nan, np.inf]), "[1, nan, inf]", None),
        (np.array([1.0, np.nan]), "[1, 2]", "at [1]"),
        (np.array([1 + 2j]), "[1+2j]", None),
        (np.array([1, 2]), "[1, 3]", "at [1]: expected 3, got 2"),
        (np.array([10**15 + 1]), f"[{10**15}]", "first difference"),
        (np.array([1.0, -1e-17]), "[1.0, 0.0]", None),
        (np.array([-1e-17]), "[0.0]", "first difference"),
        ((1, "a"), "(1, 'a')", None),
        ((1, 2), "(1,)", "expected 1 parts, got 2"),
        ((np.array([1]), 2), "[[1], 2]", None),
        ([1, 2], "(1, 2)", "expected tuple, got list"),
        ({"a": 1}, "{'a': 1}", None),
        ({"a": 1}, "{'b': 1}", "keys"),
        (np.arange(100), "[ 0 1 2 ... 99]", None),
        (None, "none", None),
        (None, "1", ""),
        ("text", "'text'", None),
    ],
)
def test_expectations(value: object, expected: str, told: str | None) -> None:
    found = difference(value, expected)
    assert (found is None) == (told is None) and (told is None or told in (found or "")), found


# ---- doctor and cache ----


def test_doctor(stax_command) -> None:
    ran = stax_command("doctor")
    assert ran.status == 0 and "everything works" in ran.out, ran
    for name in ("stax", "python", "numpy", "llvmlite", "processor", "cores", "threads", "blas", "engines", "cache", "a kernel"):
        assert any(line.startswith(name) for line in ran.out.splitlines()), name
    facts = json.loads(stax_command("doctor", "--json").out)
    assert facts["numpy"] == np.__version__ and facts["troubles"] == [] and "native" in facts["a kernel"]


def run(*words: str, fails: int = 0, **options) -> str:
    done = subprocess.run([sys.executable, "-m", "staxlang", *words], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == fails, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_doctor_names_troubles(tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {**os.environ, "STAX_CACHE_DIR": str(blocked / "cache")}
    out = run("doctor", env=environment, fails=1)
    assert "cannot be written to" in out and "STAX_CACHE_DIR moves it" in out
    assert "bad-environment" in run("doctor", env={**os.environ, "STAX_THREADS": "many"}, fails=2)


def test_cache(stax_command, fresh_cache) -> None:
    environment = {**os.environ, "STAX_CACHE_DIR": str(fresh_cache)}
    assert run("cache", "path", env=environment).strip() == str(fresh_cache)
    assert "entries  0" in run("cache", env=environment)
    run("run", "p.stx", "softmax", "-r", "f32[8,8]", env=environment)
    listed = run("cache", "list", env=environment).splitlines()
    assert len(listed) > 2 and all(line.endswith(".stax") for line in listed)
    assert int(run("cache", "size", env=environment)) > 1000
    assert f"removed {len(listed)} entries" in run("cache", "clear", env=environment)
    assert run("cache", "list", env=environment) == ""
    assert "switched off" in run("cache", env={**environment, "STAX_CACHE": "0"})


# ---- the command as a whole ----


def test_help_and_wrong_commands(stax_command) -> None:
    assert "commands:" in stax_command("--help").out
    for name in COMMANDS:
        ran = stax_command(name, "--help")
        assert ran.status == 0 and f"usage: stax {name}" in ran.out and len(ran.out.splitlines()) > 6
        assert stax_command("help", name).out == ran.out
    assert stax_command().status == 2
    ran = stax_command("shwo")
    assert ran.status == 2 and "did you mean `show`" in ran.err
    assert stax_command("--version").out.startswith("stax ")
    assert stax_command("--verison").status == 2


def test_colors(monkeypatch) -> None:
    class Screen:
        encoding = "utf-8"
        text = ""

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None:
            pass

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    terminal = Terminal(screen, screen)  # type: ignore[arg-type]
    assert terminal.colored("error[x-y]: bad\n --> a:1:1\n  |\n1 | x\n  | ^") != "" and "\x1b[" in terminal.paint("a", "red")
    with terminal.waiting("working"):
        deadline = time.monotonic() + 20
        while "working" not in screen.text and time.monotonic() < deadline:
            time.sleep(0.05)
    assert "working" in screen.text and screen.text.endswith("\x1b[2K")
    monkeypatch.setenv("NO_COLOR", "1")
    assert Terminal(screen, screen).paint("a", "red") == "a"  # type: ignore[arg-type]
    narrow = Screen()
    narrow.encoding = "ascii"
    Terminal(narrow, narrow).say("é")  # type: ignore[arg-type]
    assert narrow.text == "\\xe9\n"


def test_as_a_process(stax_command, tmp_path) -> None:
    assert "result: f32[4, 4]" in run("run", "p.stx", "softmax", "-r", "x=f32[4,4]", cwd=tmp_path)
    assert "\x1b[" not in run("check", "p.stx", cwd=tmp_path)
    assert "\x1b[" in run("check", "nowhere.stx", cwd=tmp_path, fails=2, env={**os.environ, "FORCE_COLOR": "1"})
    script = Path(sys.executable).with_name("stax")
    if script.exists():
        done = subprocess.run([str(script), "--version"], capture_output=True, text=True, timeout=60)
        assert done.stdout.startswith("stax ")
    shell = f"{sys.executable} -m staxlang show p.stx softmax -s asm -r x=f32[64,64] | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupted(stax_command, tmp_path) -> None:
    body = "x = x + sin(x * k) * cos(x) @ ones((3, 3)) if k % 2 == 0 else x"
    (tmp_path / "slow.stx").write_text(f"kernel f(x):\n    for k in range(4000):\n        {body}\n    return x\n")
    words = [sys.executable, "-m", "staxlang", "run", "slow.stx", "f", "-r", "x=f64[3,3]"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=120)[1]
    assert "Traceback" not in err
    assert process.returncode == 0 or (process.returncode == 130 and "interrupted" in err), (process.returncode, err)


def test_without_packages_that_are_optional(stax_command, tmp_path) -> None:
    hide = "import sys; sys.modules.update(dict.fromkeys(('ml_dtypes', 'torch', 'triton', 'scipy')))"

    def run_without(*words: str) -> subprocess.CompletedProcess[str]:
        text = f"{hide}; from staxlang.command.main import main; raise SystemExit(main({list(words)!r}))"
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, cwd=tmp_path)

    done = run_without("run", "p.stx", "softmax", "-r", "x=f32[4,4]")
    assert done.returncode == 0 and "result: f32[4, 4]" in done.stdout, done.stderr
    assert run_without("check", "p.stx").returncode == run_without("test", "p.stx").returncode == run_without("doctor").returncode == 0
    (tmp_path / "half.stx").write_text("kernel f(x: bf16[N]): return x\n")
    for words in (["-r", "x=bf16[4]"], ["-a", "x=x.npy:bf16"], ["-a", "x=[1, 2]"], ["-a", "x=table.csv:price"]):
        done = run_without("run", "half.stx", "f", *words)
        assert done.returncode == 2 and "ml_dtypes" in done.stderr and "defect" not in done.stderr, done.stderr


def test_starting_costs_little() -> None:
    heavy = "[name for name in ('numpy', 'lark', 'llvmlite') if name in sys.modules]"
    text = f"import sys; from staxlang.command.main import main; main(['--help']); print({heavy})"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
