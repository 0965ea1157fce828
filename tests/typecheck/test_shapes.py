"""The shape rules of the graph's operations: what each gives, and what each refuses."""

import pytest

from staxlang.base.dtypes import BOOL, C64, F32, F64, I32, I64
from staxlang.base.operations import OPERATIONS, result_type
from staxlang.base.sizes import Condition, Facts, symbol
from staxlang.base.types import TensorType, tensor
from staxlang.typecheck.shapes import STRUCTURAL, IllegalOperation, gathered_shape, infer
from staxlang.typecheck.views import index

N, D, K = symbol("N"), symbol("D"), symbol("K")
I0, I1 = index(0), index(1)

LEGAL = [
    ("add", [tensor(F32, N, D), tensor(F32, N, D)], {}, None, tensor(F32, N, D)),
    ("less", [tensor(F32, N), tensor(F32, N)], {}, None, tensor(BOOL, N)),
    ("where", [tensor(BOOL, N), tensor(F32, N), tensor(F32, N)], {}, None, tensor(F32, N)),
    ("cast", [tensor(I32, N)], {}, tensor(F64, N), tensor(F64, N)),
    ("copy", [tensor(I32, N)], {}, None, tensor(I32, N)),
    ("view", [tensor(F32, N, D)], {"subscripts": (I1, I0)}, tensor(F32, D, N), tensor(F32, D, N)),
    ("reduce", [tensor(F32, N, D, 3)], {"kind": "sum", "axes": (0, 2)}, None, tensor(F32, D)),
    ("reduce", [tensor(F32, N, D)], {"kind": "argmax", "axes": (0, 1)}, None, tensor(I64)),
    ("reduce", [tensor(BOOL, N)], {"kind": "count", "axes": (0,)}, None, tensor(I64)),
    ("reduce", [tensor(C64, N)], {"kind": "welford_m2", "axes": (0,)}, None, tensor(F32)),
    ("scan", [tensor(F32, N)], {"kind": "sum", "axis": 0}, None, tensor(F32, N)),
    ("concatenate", [tensor(F32, N, 2), tensor(F32, K, 2)], {"axis": 0}, None, tensor(F32, N + K, 2)),
    ("pad", [tensor(F32, N), tensor(F32)], {"low": (1,), "high": (K,)}, None, tensor(F32, N + 1 + K)),
    ("gather", [tensor(F32, N, D, 4), tensor(I64, K, 2)], {"axes": (1,), "position": 1}, None, tensor(F32, N, K, 2, 4)),
    (
        "scatter",
        [tensor(F32, N, D), tensor(F32, K, D), tensor(I64, K)],
        {"axes": (0,), "position": 0, "mode": "add"},
        None,
        tensor(F32, N, D),
    ),
    ("update", [tensor(F32, N, D), tensor(F32, D)], {"subscripts": (1, I0), "shape": (D,)}, None, tensor(F32, N, D)),
    ("contract", [tensor(F32, 2, N, K), tensor(F32, 2, D, K)], {"batch": 1, "contracted": 1}, None, tensor(F32, 2, N, D)),
    ("compress", [tensor(F32, N, D), tensor(BOOL, N)], {"count": K}, None, tensor(F32, K, D)),
    ("masked_update", [tensor(F32, N, D), tensor(BOOL, N), tensor(F32, K, D)], {}, None, tensor(F32, N, D)),
    ("assert_index", [tensor(I64, N)], {"extent": D}, None, tensor(I64, N)),
    ("size", [], {"value": N}, None, tensor(I64)),
    ("constant", [], {"value": 1.0}, tensor(F32), tensor(F32)),
    ("constant_array", [], {"data": bytes(12)}, tensor(F32, 3), tensor(F32, 3)),
    ("iota", [], {"axis": 1}, tensor(I64, N, D), tensor(I64, N, D)),
    ("input", [], {"position": 0, "path": "x"}, tensor(F32, N), tensor(F32, N)),
    ("composite", [tensor(F32, N)], {"name": "softmax"}, tensor(F32, N), tensor(F32, N)),
]


@pytest.mark.parametrize("op, operands, attributes, declared, expected", LEGAL, ids=[row[0] for row in LEGAL])
def test_legal(op, operands, attributes, declared, expected):
    assert infer(op, operands, attributes, declared=declared) == expected
    assert infer(op, operands, attributes, declared=expected) == expected


ILLEGAL = [
    ("add", [tensor(F32, N), tensor(F64, N)], {}, None, "must be cast"),
    ("add", [tensor(F32, N), tensor(F32, D)], {}, None, "different shapes"),
    ("add", [tensor(F32, N)], {}, None, "2 operands wanted"),
    ("nothing", [], {}, None, "not an operation"),
    ("view", [tensor(F32, N)], {"subscripts": (I0, I0)}, tensor(F32, N), "1 subscripts wanted"),
    ("view", [tensor(F32, N)], {"subscripts": (I1,)}, tensor(F32, N), "uses i1"),
    ("view", [tensor(F32, N)], {"subscripts": (I0,)}, None, "type must be given"),
    ("view", [tensor(F32, N)], {"subscripts": (I0,)}, tensor(F64, N), "is f32, not f64"),
    ("reduce", [tensor(F32, N)], {"kind": "sum", "axes": (1,)}, None, "axis 1 of 1"),
    ("reduce", [tensor(F32, N, D)], {"kind": "sum", "axes": (0, 0)}, None, "not different"),
    ("reduce", [tensor(F32, N)], {"kind": "median", "axes": (0,)}, None, "not a kind"),
    ("reduce", [tensor(BOOL, N)], {"kind": "sum", "axes": (0,)}, None, "cast to i64 first"),
    ("reduce", [tensor(F32, N)], {"kind": "any", "axes": (0,)}, None, "takes bool"),
    ("concatenate", [tensor(F32, N, 2), tensor(F32, K, 3)], {"axis": 0}, None, "differ beside axis 0"),
    ("concatenate", [], {"axis": 0}, None, "nothing to join"),
    ("pad", [tensor(F32, N), tensor(F64)], {"low": (1,), "high": (1,)}, None, "not a 0-d f32"),
    ("gather", [tensor(F32, N), tensor(I32, K)], {"axes": (0,), "position": 0}, None, "not i64"),
    ("gather", [tensor(F32, N), tensor(I64, K)], {"axes": (0,), "position": 1}, None, "position 1"),
    ("scatter", [tensor(F32, N), tensor(F32, D), tensor(I64, K)], {"axes": (0,), "position": 0, "mode": "set"}, None, "the indices choose"),
    ("update", [tensor(F32, N), tensor(F32, K)], {"subscripts": (I0,), "shape": (D,)}, None, "the view"),
    ("contract", [tensor(F32, N, K), tensor(F32, D, N)], {"batch": 0, "contracted": 1}, None, "contracted axes"),
    ("compress", [tensor(F32, N), tensor(BOOL, D)], {"count": K}, None, "the mask is"),
    ("constant", [], {"value": 1}, tensor(F32, 3), "it is 0-d"),
    ("constant_array", [], {"data": bytes(8)}, tensor(F32, 3), "8 bytes are no"),
    ("add", [tensor(F32, N), tensor(F32, N)], {}, tensor(F32, D), "not f32[D]"),
]


@pytest.mark.parametrize("op, operands, attributes, declared, reason", ILLEGAL, ids=[row[0] for row in ILLEGAL])
def test_illegal(op, operands, attributes, declared, reason):
    with pytest.raises(IllegalOperation) as caught:
        infer(op, operands, attributes, declared=declared)
    assert reason in str(caught.value)


def test_facts_make_sizes_equal():
    facts = Facts().assume(Condition("==", N, D))
    assert infer("add", [tensor(F32, N), tensor(F32, D)], {}, facts) == tensor(F32, N)
    assert infer("add", [tensor(F32, N), tensor(F32, N)], {}, facts, tensor(F32, D)) == tensor(F32, D)


def test_every_row_has_a_rule():
    for name, operation in OPERATIONS.items():
        for dtype in (F32, I32, BOOL):
            try:
                wanted, result = result_type(operation, (dtype,) * operation.arity)
            except TypeError:
                continue
            assert infer(name, [TensorType(one, (N,)) for one in wanted], {}) == TensorType(result, (N,))
    assert not STRUCTURAL & set(OPERATIONS)


def test_gathered_shapes():
    assert gathered_shape((2, 3, 4), (1,), (5, 6), 1) == (2, 5, 6, 4)
    assert gathered_shape((2, 3, 4), (0, 2), (5,), 0) == (5, 3)
