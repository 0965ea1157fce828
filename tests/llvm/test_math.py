"""Every elementary function, in both formats, vector and scalar, against longer mantissas, in ULP; special values exactly NumPy's."""

import ctypes
import itertools
import re

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

from staxlang.compiler.llvm.math import FUNCTIONS, expand_math

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
ENGINES = []
mpmath.mp.dps = 40
SAMPLES = 1 << 14
DTYPES = {"f32": np.float32, "f64": np.float64}
LANES = {"f32": 16, "f64": 8}
TWO_ARGUMENTS = {"power", "arctan2", "hypot", "logaddexp", "logaddexp2"}
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    np.nan,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1e-300,
    5e-324,
    1e-45,
    1e300,
    88.8,
    -104.0,
    709.9,
    -745.2,
    1e-10,
    -1e-10,
]
RANGES = {
    "log": (1e-3, 10), "log2": (1e-3, 10), "log10": (1e-3, 10), "log1p": (-1, 5), "sin": (-300, 300), "cos": (-300, 300),
    "tan": (-100, 100),
    "arccosh": (1, 10), "arctanh": (-1, 1), "arcsin": (-1, 1), "arccos": (-1, 1), "tanh": (-12, 12), "erf": (-5, 5), "erfc": (-4, 9),
}  # fmt: skip
# Largest error in ULP: (f32, f64). Functions composed of others are a little looser in f64.
DEFAULT = (2.5, 1.5)
COMPOSED = {
    "sinh": (2.5, 2.6),
    "arctanh": (2.5, 2.0),
    "arccosh": (2.5, 2.0),
    "arcsinh": (2.5, 1.8),
    "logaddexp": (2.5, 2.0),
    "logaddexp2": (2.5, 2.0),
    "erfc": (2.5, 3.5),
    "arctan2": (2.5, 2.0),
}


def text_of(name, dtype, width, native_scale):
    """A function `f` over arrays."""
    counter = itertools.count()
    arity = 2 if name in TWO_ARGUMENTS else 1
    element = {"f32": "float", "f64": "double"}[dtype]
    vector = element if width == 1 else f"<{width} x {element}>"
    lines, result, module = expand_math(name, dtype, width, [f"%x{k}" for k in range(arity)], lambda: f"%v{next(counter)}", native_scale)
    loads = [f"%p{k} = getelementptr {element}, ptr %a{k}, i64 %i\n%x{k} = load {vector}, ptr %p{k}, align 4" for k in range(arity)]
    return "\n".join([
        *module,
        "define void @f(ptr %a0, ptr %a1, ptr %out, i64 %n) {", "entry:", "br label %loop", "loop:",
        "%i = phi i64 [0, %entry], [%i2, %latch]",
        *loads, *lines, "br label %latch", "latch:",
        f"%q = getelementptr {element}, ptr %out, i64 %i", f"store {vector} {result}, ptr %q, align 4",
        f"%i2 = add i64 %i, {width}", "%c = icmp slt i64 %i2, %n", "br i1 %c, label %loop, label %done", "done:", "ret void", "}",
    ])  # fmt: skip


def compiled(name, dtype, width, native_scale):
    module = llvm.parse_assembly(text_of(name, dtype, width, native_scale))
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True, codemodel="jitdefault"
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    ENGINES.append(engine)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(engine.get_function_address("f"))

    def run(x, y=None):
        out = np.empty_like(x)
        function(x.ctypes.data, (x if y is None else y).ctypes.data, out.ctypes.data, len(x))
        return out

    return run


def each(function):
    return lambda *arrays: np.array(
        [np.longdouble(mpmath.nstr(function(*(mpmath.mpf(float(v)) for v in values)), 25)) for values in zip(*arrays)], np.longdouble
    )


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


REFERENCES = {
    "exp_nonpositive": np.exp,
    "power": np.power, "sigmoid": sigmoid, "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "erf": each(lambda x: mpmath.erf(x)), "erfc": each(lambda x: mpmath.erfc(x)),
}  # fmt: skip


def arguments(name, dtype, kind):
    rng = np.random.default_rng(7)
    real = DTYPES[dtype]
    count = 2048 if name in ("erf", "erfc") else SAMPLES
    if kind == "range":
        x = rng.uniform(*RANGES.get(name, (-20, 20)), count)
    elif kind == "small":
        x = rng.choice([-1, 1], count) * 10.0 ** rng.uniform(-12, 0, count)
    else:
        bits = rng.integers(0, 2**64, count, dtype=np.uint64)
        x = (bits >> 32).astype(np.uint32).view(np.float32) if dtype == "f32" else bits.view(np.float64)
    x = x.astype(real)
    if name == "exp_nonpositive":
        x = -np.abs(x)
    if name not in TWO_ARGUMENTS:
        return (x,)
    if name == "power":
        return (np.abs(x), rng.uniform(-9, 9, count).astype(real))
    if name.startswith("logaddexp"):
        x = np.abs(x)  # of opposite signs the result may cancel, in any method
        return (x, np.roll(x, 3))
    return (x, np.roll(x, 3) if kind == "bits" else rng.uniform(-20, 20, count).astype(real))


def reference(name, xs):
    with np.errstate(all="ignore"):
        return REFERENCES.get(name, getattr(np, name, None))(*(x.astype(np.longdouble) for x in xs))


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_accuracy(name, dtype):
    run = compiled(name, dtype, LANES[dtype], native_scale=False)
    bound = COMPOSED.get(name, DEFAULT)[dtype == "f64"]
    for kind in ("range", "small", "bits"):
        xs = arguments(name, dtype, kind)
        if kind == "bits" and name in ("erf", "erfc"):
            continue  # mpmath cannot take every bit pattern; the special values cover the ends
        got, exact = run(*xs), reference(name, xs)
        with np.errstate(all="ignore"):
            expected = exact.astype(DTYPES[dtype])
            ulp = np.abs(got.astype(np.longdouble) - exact) / np.spacing(np.abs(expected)).astype(np.longdouble)
        finite = np.isfinite(expected) & np.isfinite(got)
        assert np.array_equal(got[~finite], expected[~finite], equal_nan=True), (kind, [x[~finite][:3] for x in xs])
        worst = int(np.argmax(np.where(finite, ulp, 0)))
        assert ulp[worst] <= bound or not finite.any(), (kind, float(ulp[worst]), [x[worst] for x in xs])


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_special_values_and_scalar_form(name, dtype):
    vector, scalar = compiled(name, dtype, LANES[dtype], native_scale=False), compiled(name, dtype, 1, native_scale=False)
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL).astype(DTYPES[dtype])
        special = -np.abs(special) if name == "exp_nonpositive" else special
    if name in TWO_ARGUMENTS:
        xs = tuple(np.resize(v, 544).copy() for v in (np.repeat(special, len(special)), np.tile(special, len(special))))
    else:
        xs = (np.resize(special, 32).copy(),)
    got = vector(*xs)
    assert np.array_equal(got.view(np.uint8), scalar(*xs).view(np.uint8)) or np.array_equal(got, scalar(*xs), equal_nan=True)
    if name in ("erf", "erfc"):
        limits = {"erf": [0.0, 1.0, -1.0], "erfc": [1.0, 0.0, 2.0]}[name]
        points = np.resize(np.array([0.0, np.inf, -np.inf], DTYPES[dtype]), 48).copy()
        assert vector(points)[:3].tolist() == limits and np.isnan(vector(np.full(16, np.nan, DTYPES[dtype]))).all()
        return
    exact = reference(name, xs)
    with np.errstate(all="ignore"):
        expected = exact.astype(DTYPES[dtype])
    assert np.array_equal(np.isnan(got), np.isnan(expected)), [x[np.isnan(got) != np.isnan(expected)] for x in xs]
    assert np.allclose(got, expected, rtol=1e-6 if dtype == "f32" else 1e-14, atol=np.finfo(DTYPES[dtype]).tiny * 1e-6, equal_nan=True)
    zero = expected == 0
    assert np.array_equal(np.signbit(got[zero]), np.signbit(expected[zero])), [x[zero] for x in xs]


@pytest.mark.skipif(not llvm.get_host_cpu_features().get("avx512f"), reason="the instruction is of AVX-512")
@pytest.mark.parametrize("name", ["exp", "expm1", "tanh", "power", "cbrt"])
def test_native_scaling_gives_the_same_bits(name):
    for dtype in DTYPES:
        xs = arguments(name, dtype, "range")
        plain, native = compiled(name, dtype, LANES[dtype], False)(*xs), compiled(name, dtype, LANES[dtype], True)(*xs)
        assert np.array_equal(plain, native, equal_nan=True)


def assembly(name, dtype, cpu, width):
    machine = llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(cpu=cpu, opt=2)
    return machine.emit_assembly(llvm.parse_assembly(text_of(name, dtype, width, cpu == "x86-64-v4")))


@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "log", "log2", "log1p", "tanh", "sinh", "power", "cbrt", "sin", "cos"])
def test_no_lane_is_converted_by_itself(name):
    """AVX2 converts no 64-bit integers: LLVM would take vectors of them apart, which takes longer than the function."""
    for dtype in DTYPES:
        text = assembly(name, dtype, "x86-64-v3", LANES[dtype] // 2)
        own = text[text.index("\nf:") :]  # without what large angles call
        assert not re.search("cvttsd2si|cvtsi2sd|pinsrq", own), (dtype, own)


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_cube_roots_divide_nothing(cpu):
    for dtype in DTYPES:
        assert "div" not in assembly("cbrt", dtype, cpu, LANES[dtype] // (2 if cpu == "x86-64-v3" else 1))


def test_whole_powers_are_exact():
    """As of any pow worth its name: 3.0 ** 4 is 81, and the square root of a square has no fraction."""
    whole, exponent = (v.ravel() for v in np.meshgrid(np.arange(1.0, 300.0), np.arange(0.0, 25.0)))
    for dtype, digits in (("f32", 24), ("f64", 53)):
        run = compiled("power", dtype, LANES[dtype], native_scale=False)
        exact = whole * 1.0 < 2.0 ** (digits / np.maximum(exponent, 1))
        x, y = (np.resize(v[exact], 4096).astype(DTYPES[dtype]) for v in (whole, exponent))
        assert np.array_equal(run(x, y), np.array([float(int(a) ** int(b)) for a, b in zip(x, y)], DTYPES[dtype]))
        assert np.array_equal(run(x * x, np.full_like(x, 0.5)), x)
