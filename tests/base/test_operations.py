"""The table of operations against NumPy: dtypes over all pairs, examples, constant folding, derivatives by finite differences."""

from __future__ import annotations

import ast
import itertools
import math

import numpy as np
import pytest

from staxlang.base import operations
from staxlang.base.dtypes import (
    BF16,
    BOOL,
    DTYPES,
    F16,
    F32,
    F64,
    I64,
    U64,
    WEAK_COMPLEX,
    WEAK_DTYPES,
    WEAK_FLOAT,
    WEAK_INT,
    DType,
    from_numpy,
)
from staxlang.base.operations import OPERATIONS, Operation, evaluate_constant, result_type

CONCRETE = [dtype for dtype in DTYPES.values() if dtype is not BF16]
PYTHON = {WEAK_INT: int, WEAK_FLOAT: float, WEAK_COMPLEX: complex}
NAMESPACE = {name: row.reference for name, row in OPERATIONS.items()}
UFUNCS = [row for row in OPERATIONS.values() if isinstance(row.reference, np.ufunc)]


def by_numpy(row: Operation, dtypes: tuple[DType, ...]) -> tuple[tuple[DType | None, ...], DType | None] | None:
    ufunc = row.reference
    try:
        found = ufunc.resolve_dtypes((*(PYTHON.get(dtype) or dtype.numpy for dtype in dtypes), None))
    except TypeError:
        return None
    return tuple(map(from_numpy, found[:-1])), from_numpy(found[-1])


def by_rule(row: Operation, dtypes: tuple[DType, ...]) -> tuple[tuple[DType, ...], DType] | None:
    try:
        return result_type(row, dtypes)
    except TypeError:
        return None


@pytest.mark.parametrize("row", UFUNCS, ids=lambda row: row.name)
def test_dtypes_are_those_of_numpy_over_all_pairs(row: Operation) -> None:
    choices = CONCRETE + list(PYTHON) if row.arity > 1 else CONCRETE
    for dtypes in itertools.product(choices, repeat=row.arity):
        if all(dtype.weak for dtype in dtypes):
            continue
        expected, found = by_numpy(row, dtypes), by_rule(row, dtypes)
        if row.dtype_rule == "logical" and expected is not None and found is not None:
            # Truth is taken first: the same result as NumPy's loops for equal dtypes.
            expected = (found[0], expected[1])
        assert found == expected, dtypes


@pytest.mark.parametrize("row", [row for row in OPERATIONS.values() if row.arity == 3 or row not in UFUNCS], ids=lambda row: row.name)
def test_dtypes_of_other_rows_are_those_of_their_reference(row: Operation) -> None:
    for dtypes in itertools.product(CONCRETE, repeat=row.arity):
        if row.arity == 3 and dtypes[0] is not BOOL:
            continue
        found = by_rule(row, dtypes)
        if found is None:
            assert any(dtype.kind == "c" for dtype in dtypes)
            continue
        operands = [np.zeros(1, into.numpy) for into in found[0]]
        assert from_numpy(np.asarray(row.reference(*operands)).dtype) is found[1], dtypes


def test_bfloat16_stays_bfloat16_where_a_float_would() -> None:
    assert result_type(OPERATIONS["exp"], (BF16,)) == ((BF16,), BF16)
    assert result_type(OPERATIONS["add"], (BF16, WEAK_FLOAT)) == ((BF16, BF16), BF16)
    assert result_type(OPERATIONS["add"], (BF16, F16)) == ((F32, F32), F32)
    assert result_type(OPERATIONS["isnan"], (BF16,)) == ((BF16,), BOOL)


def test_a_comparison_of_signed_with_u64_is_exact() -> None:
    assert result_type(OPERATIONS["less"], (I64, U64)) == ((I64, U64), BOOL)
    assert evaluate_constant(OPERATIONS["less"], (-1, 2**64 - 1), (I64, U64)) is True
    assert evaluate_constant(OPERATIONS["equal"], (2**53, 2**53 + 1), (I64, U64)) is False


@pytest.mark.parametrize("name", ["subtract", "negative", "positive", "sign", "gcd"])
def test_bools_are_refused_where_numpy_refuses_them(name: str) -> None:
    row = OPERATIONS[name]
    with pytest.raises(TypeError, match="bool"):
        result_type(row, (BOOL,) * row.arity)


def test_a_wrong_number_of_operands_is_refused() -> None:
    with pytest.raises(TypeError, match="takes 2 operands"):
        result_type(OPERATIONS["add"], (F32,))


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)
def test_examples_hold(row: Operation) -> None:
    call, value = row.example.split(" -> ")
    result = np.asarray(eval(call, NAMESPACE)).item()
    assert result == eval(value) or math.isclose(result, eval(value), rel_tol=1e-15)
    assert call.startswith(row.name + "(")


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)
def test_spellings_name_what_they_say(row: Operation) -> None:
    modules = {"np": np, "math": math, "operator": __import__("operator"), "builtins": __import__("builtins")}
    for spelling in row.spellings:
        space, name = spelling.split(".", 1)
        if space in modules:
            found = getattr(modules[space], name, None)
            assert found is not None or (space == "math" and name in ("exp2", "cbrt")), spelling
            if space == "np" and isinstance(found, np.ufunc):
                assert found is row.reference or found(1.5) == row.reference(1.5)  # rad2deg is a second degrees
        else:
            assert space in ("binary", "unary", "method", "attribute", "stax"), spelling


def test_no_spelling_belongs_to_two_rows() -> None:
    seen: dict[str, str] = {}
    for row in OPERATIONS.values():
        for spelling in row.spellings:
            assert seen.setdefault(spelling, row.name) == row.name


def names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)
def test_texts_use_known_names(row: Operation) -> None:
    texts = [] if isinstance(row.derivative, str) else list(row.derivative)
    if texts:
        assert len(texts) == row.arity
    else:
        assert isinstance(row.derivative, str) and row.derivative.startswith("none: ")
    for text in texts:
        assert names_in(text) <= {*row.operands, "g", "y", *OPERATIONS}
    if row.expansion is not None:
        assert names_in(row.expansion) <= {*row.operands, *OPERATIONS}


def draw(row: Operation, count: int, dtype: type = np.float64) -> list[np.ndarray]:
    random = np.random.default_rng(7)
    return [random.uniform(low, high, count).astype(dtype) for low, high in row.domain]


@pytest.mark.parametrize("row", [r for r in OPERATIONS.values() if r.expansion], ids=lambda row: row.name)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_expansions_equal_their_operation(row: Operation, dtype: type) -> None:
    operands = draw(row, 4000, dtype)
    if row.dtype_rule == "logical":
        operands = [operand > 0.5 for operand in operands]
    assert row.expansion is not None
    result = eval(row.expansion, NAMESPACE | dict(zip(row.operands, operands, strict=True)))
    expected = row.reference(*operands)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=4 * np.finfo(dtype).eps, atol=8 * np.finfo(dtype).eps)


DIFFERENTIABLE = [row for row in OPERATIONS.values() if not isinstance(row.derivative, str)]


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_derivatives_equal_finite_differences(row: Operation) -> None:
    operands = draw(row, 200)
    if row.name == "where":
        operands[0] = operands[0] > 0.5
    if row.name == "ldexp":
        operands[1] = np.round(operands[1]).astype(np.int64)
    y = row.reference(*operands)
    g = np.random.default_rng(1).uniform(0.5, 1.5, 200)
    for position, text in enumerate(row.derivative):
        if operands[position].dtype.kind != "f" or row.name == "imag":
            continue
        names = NAMESPACE | dict(zip(row.operands, operands, strict=True)) | {"g": g, "y": y}
        adjoint = eval(text, names) + np.zeros(200)
        step = 1e-6
        up, down = ([o + sign * step if k == position else o for k, o in enumerate(operands)] for sign in (1, -1))
        slope = (row.reference(*up).astype(float) - row.reference(*down)) / (2 * step)
        near = np.abs(slope) < 1e5  # a step that meets a jump measures the jump
        np.testing.assert_allclose(adjoint[near], (g * slope)[near], rtol=2e-4, atol=2e-4)
        assert near.mean() > 0.95


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_derivatives_keep_single_precision(row: Operation) -> None:
    """A text must not meet numbers among themselves: `where(c, 1, 0)` alone would be an array of i64."""
    if row.name in ("imag", "float_power"):
        return
    operands = draw(row, 5, np.float32)
    if row.name == "where":
        operands[0] = operands[0] > 0.5
    if row.name == "ldexp":
        operands[1] = np.round(operands[1]).astype(np.int32)
    names = NAMESPACE | dict(zip(row.operands, operands, strict=True)) | {"g": np.ones(5, np.float32), "y": row.reference(*operands)}
    for text in row.derivative:
        if text != "0":
            assert eval(text, names).dtype == np.float32, text


NOT_HOLOMORPHIC = ("absolute", "sign", "real", "imag", "rint", "conjugate")


@pytest.mark.parametrize("name", [r.name for r in DIFFERENTIABLE if "c" in r.dtype_rule and r.arity == 1 and r.name not in NOT_HOLOMORPHIC])
def test_complex_derivatives_follow_the_conjugate_convention(name: str) -> None:
    row = OPERATIONS[name]
    random = np.random.default_rng(5)
    x = random.uniform(0.2, 0.8, 50) + 1j * random.uniform(0.2, 0.8, 50)
    g = random.normal(size=50) + 1j * random.normal(size=50)
    y = row.reference(x)
    adjoint = eval(row.derivative[0], NAMESPACE | {"x": x, "y": y, "g": g})
    step = 1e-6
    slope = (row.reference(x + step) - row.reference(x - step)) / (2 * step)  # holomorphic
    np.testing.assert_allclose(adjoint, g * np.conj(slope), rtol=1e-6)


def test_ties_and_edges_of_derivatives() -> None:
    at = {"a": np.array([1.0, 1.0, 2.0]), "b": np.array([1.0, 2.0, 1.0]), "g": np.ones(3), "y": np.array([1.0, 2.0, 2.0])}
    assert eval(OPERATIONS["maximum"].derivative[0], NAMESPACE | at).tolist() == [0.5, 0.0, 1.0]
    zero = {"a": np.zeros(1), "b": np.zeros(1), "g": np.ones(1), "y": np.zeros(1)}
    assert eval(OPERATIONS["hypot"].derivative[0], NAMESPACE | zero).tolist() == [0.0]
    infinite = {"a": np.array([-np.inf]), "b": np.array([-np.inf]), "g": np.ones(1), "y": np.array([-np.inf])}
    with np.errstate(invalid="ignore"):
        assert eval(OPERATIONS["logaddexp"].derivative[0], NAMESPACE | infinite).tolist() == [0.5]
    power = {"a": np.array([0.0]), "b": np.array([2.0]), "g": np.ones(1), "y": np.zeros(1)}
    assert [eval(text, NAMESPACE | power).tolist() for text in OPERATIONS["power"].derivative] == [[0.0], [0.0]]


@pytest.mark.parametrize("x", [-800.0, -100.0, 0.0, 100.0, 800.0])
def test_references_without_numpy_are_accurate_far_out(x: float) -> None:
    assert OPERATIONS["sigmoid"].reference(x) == pytest.approx(math.exp(min(x, 0)) / (1 + math.exp(-abs(x))), rel=1e-15)
    assert OPERATIONS["softplus"].reference(x) == pytest.approx(max(x, 0) + math.log1p(math.exp(-abs(x))), rel=1e-15)
    assert OPERATIONS["erf"].reference(np.float32(x)).dtype == np.float32


def test_constants_fold_as_numpy_computes() -> None:
    assert evaluate_constant(OPERATIONS["add"], (200, 100), DTYPES["u8"]) == 44
    assert evaluate_constant(OPERATIONS["exp"], (1.0,), F32) == float(np.exp(np.float32(1)))
    assert math.isnan(evaluate_constant(OPERATIONS["divide"], (0.0, 0.0), F64))
    assert evaluate_constant(OPERATIONS["less"], (1, 2), [I64, I64]) is True
    assert evaluate_constant(OPERATIONS["where"], (np.bool_(True), np.float32(1), np.float32(2)), F32) == 1.0
    assert type(evaluate_constant(OPERATIONS["floor"], (1.5,), F64)) is float


def test_the_table_has_numpys_ufuncs() -> None:
    """Every ufunc of NumPy on bool, integer and real arrays is a row, or is known to be made of rows."""
    composed = {"divmod", "frexp", "modf", "matmul", "vecdot", "matvec", "vecmat", "isnat"}
    ufuncs = {value.__name__ for value in vars(np).values() if isinstance(value, np.ufunc)}
    rows = {row.reference.__name__ for row in UFUNCS}
    assert ufuncs - rows - composed <= {"deg2rad", "rad2deg"}
    assert operations.OPERATION_ROWS and WEAK_DTYPES
