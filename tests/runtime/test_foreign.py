"""Arrays of other libraries: taken without a copy, given back as the kind that came in; what cannot be taken is refused with advice."""

import array
import ctypes
import dataclasses
import subprocess
import sys
from collections import namedtuple
from functools import cache

import numpy as np
import pytest

import staxlang as stax

# ---- a library of our own, with DLPack and nothing else ----------------------------------------------------------------


class Grid:
    """Memory that only DLPack tells of."""

    def __init__(self, memory, device=(1, 0)):
        self.memory, self.device = memory, device

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class OtherGrid(Grid):
    def __array_namespace__(self):
        return Others


class Others:
    @staticmethod
    def from_dlpack(exporter):
        return OtherGrid(np.from_dlpack(exporter))


def from_dlpack(exporter):
    """This module is the library of Grid."""
    return Grid(np.from_dlpack(exporter))


class Interface:
    """Memory that only the array interface tells of."""

    def __init__(self, memory):
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__


@dataclasses.dataclass
class State:
    place: object
    step: float


Pair = namedtuple("Pair", "left right")


@stax.kernel
def mixed(x, y):
    return x * 2 + y, {"sum": x.sum(), "rows": len(x)}, [x.T, y], x


@stax.kernel
def update(x, by):
    x[1:] += by
    return x, x[::2]


@stax.kernel
def nested(pair, state, *more, flag=True):
    moved = State(state.place + pair.left, state.step * 2)
    return Pair(pair.right * 3, moved), (more[0]["a"][0] - 1 if flag else None), state


@pytest.fixture(autouse=True)
def versions_start_anew():
    for kernel in (mixed, update, nested):
        kernel.reset()


@pytest.mark.parametrize("kind", [Grid, OtherGrid])
def test_results_are_of_the_kind_that_came_in(kind):
    x, y = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    for _ in range(3):
        mine, theirs = kind(x), kind(y)
        product, parts, views, same = mixed(mine, theirs)
        assert type(product) is kind and np.array_equal(product.memory, x * 2 + y)
        assert type(parts["sum"]) is kind and parts["sum"].memory == x.sum() and parts["rows"] == 2
        assert same is mine and views[1] is theirs
        assert type(views[0]) is kind and np.shares_memory(views[0].memory, x)
    assert mixed.stats().route == "native" and mixed._dispatcher.native_hits >= 2


def test_memory_is_shared_both_ways():
    x = np.arange(6.0)
    given = Grid(x)
    for count in (1, 2):
        whole, every = update(given, 10.0)
        assert whole is given and np.array_equal(x, np.arange(6.0) + 10.0 * count * (np.arange(6) > 0))
        assert np.shares_memory(every.memory, x)
    every.memory[1] = -1
    assert x[2] == -1


def test_numbers_and_numpy_arrays_beside_them():
    product, _, views, _ = mixed(Grid(np.ones((2, 2))), 3)
    assert type(product) is Grid and np.array_equal(product.memory, np.full((2, 2), 5.0)) and views[1] == 3
    plain = np.ones((2, 2))
    product, _, views, _ = mixed(Grid(np.ones((2, 2))), plain)
    assert type(product) is Grid and views[1] is plain


def test_in_containers():
    left, right, place, last = (Grid(np.full(3, k)) for k in (1.0, 2.0, 3.0, 4.0))
    state = State(place, 0.5)
    pair, rest, same = nested(Pair(left, right), state, {"a": [last]})
    assert same == state and same.place is place and type(pair) is Pair and type(pair.left) is Grid and pair.left.memory[0] == 6
    assert type(pair.right) is State and pair.right.place.memory[0] == 4 and pair.right.step == 1
    assert rest.memory[0] == 3


def test_one_object_in_two_places_is_one_array():
    @stax.kernel
    def both(x, y):
        x += 1
        return y.sum()

    given = Grid(np.zeros(4))
    assert both(given, given).memory == 4 and both(given, Grid(np.zeros(4))).memory == 0


@pytest.mark.parametrize(
    "given",
    [
        array.array("d", [1.0, 2.0, 3.0]), memoryview(np.array([1.0, 2.0, 3.0])), Interface(np.array([1.0, 2.0, 3.0])),
        (ctypes.c_double * 3)(1.0, 2.0, 3.0),
    ],
)  # fmt: skip
def test_buffers_become_numpy_arrays(given):
    whole, every = update(given, 1.0)
    assert whole is given and type(every) is np.ndarray
    assert np.array_equal(np.asarray(given), [1.0, 3.0, 4.0]) and np.shares_memory(every, np.asarray(given))
    assert type(mixed(given, 1)[1]["sum"]) is np.float64


def test_read_only_memory_is_not_written_to():
    with pytest.raises(stax.StaxError, match="read-only"):
        update(memoryview(b"abcdef"), 1)


def test_what_cannot_be_taken():
    with pytest.raises(stax.StaxError, match=r"(?s)y is a .*Grid on device 2:1 of DLPack.*CPU"):
        mixed(np.ones(3), Grid(np.ones(3), device=(2, 1)))
    with pytest.raises(stax.StaxError, match=r"y is a elsewhere.*Grid.* beside arrays of"):
        mixed(Grid(np.ones(3)), OtherGridElsewhere(np.ones(3)))
    with pytest.raises(stax.StaxError, match=r"pair\.left is a .*Grid that NumPy does not read"):
        nested(Pair(Grid(np.array(["a"])), 1), State(np.ones(1), 1.0), {"a": [1]})


class OtherGridElsewhere(OtherGrid):
    __module__ = "elsewhere.grids"


CAPTURED = Grid(np.ones(3))


def test_captured_arrays_of_other_libraries():
    @stax.kernel
    def shifted(x):
        return x + CAPTURED

    with pytest.raises(stax.StaxError, match=r"(?s)CAPTURED is a .*Grid.*pass it as an argument"):
        shifted(np.ones(3))


def test_explaining_and_lowering():
    x = Grid(np.ones((2, 3)))
    assert mixed.explain(x, x).bytes_moved > 0
    assert "multiply" in mixed.show("graph", x, x)
    product = mixed.lower(x, x).compile()(x, x)[0]
    assert type(product) is Grid and np.array_equal(product.memory, np.full((2, 3), 3.0))


# ---- torch -----------------------------------------------------------------------------------------------------------


@cache
def imported():
    return pytest.importorskip("torch")


@pytest.fixture
def torch():
    return imported()


def test_torch_in_torch_out(torch):
    x = torch.arange(6.0).reshape(2, 3)
    for _ in range(3):
        product, parts, views, same = mixed(x, 1.5)
        assert product.dtype == torch.float32 and torch.equal(product, x * 2 + 1.5)
        assert parts["sum"].shape == () and parts["sum"] == x.sum() and parts["rows"] == 2
        assert same is x and views[0].data_ptr() == x.data_ptr() and torch.equal(views[0], x.T)
    assert mixed.stats().route == "native" and mixed._dispatcher.native_hits >= 2


DTYPES = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"


@pytest.mark.parametrize("name", DTYPES.split())
def test_torch_dtypes(torch, name):
    dtype = getattr(torch, name)
    x = torch.ones((3, 2), dtype=dtype)

    @stax.kernel
    def transposed(x):
        return x.T + x[0, 0], x

    made, same = transposed(x)
    assert same is x and made.dtype is dtype and made.shape == (2, 3)
    assert np.array_equal(made.numpy(), x.numpy().T + x.numpy()[0, 0])


def test_torch_bf16(torch):
    pytest.importorskip("ml_dtypes")
    x = torch.tensor([1.0, 2.5, -3.0], dtype=torch.bfloat16)
    product, parts, _, same = mixed(x, x)
    assert product.dtype is torch.bfloat16 and torch.equal(product, x * 3) and parts["sum"].dtype is torch.bfloat16 and same is x
    whole, _ = update(x, 2)
    assert whole is x and x.tolist() == [1.0, 4.5, -1.0]


def test_torch_layouts(torch):
    x = torch.arange(24.0).reshape(4, 6)
    for view in (x.T, x[:, ::2], x[1:, 1:], x[0].expand(3, 6), x.as_strided((2, 3), (1, 6), 2), x[:0]):
        assert torch.equal(mixed(view, 1)[0], view * 2 + 1)
    whole, every = update(x[:, 1], 5.0)
    assert x[:, 1].tolist() == [1.0, 12.0, 18.0, 24.0] and every.data_ptr() == whole.data_ptr() == x[0, 1:].data_ptr()


def test_views_that_torch_does_not_have_are_copies(torch):
    x = torch.arange(4.0)

    @stax.kernel
    def reversed_and_spread(x):
        return x[::-1], np.broadcast_to(x, (2, 4))

    back, spread = reversed_and_spread(x)
    assert torch.equal(back, x.flip(0)) and torch.equal(spread, x.expand(2, 4))


def test_torch_gradients(torch):
    weight = torch.ones(3, requires_grad=True)
    for given in (weight, torch.nn.Parameter(torch.ones(3)), torch.ones(3) * weight):
        with pytest.raises(stax.StaxError, match=r"(?s)x is a torch tensor that requires a gradient.*x\.detach\(\).*no_grad"):
            mixed(given, 1)
        with torch.no_grad():
            made = mixed(given, 1)[0]
        assert torch.equal(made, torch.full((3,), 3.0)) and not made.requires_grad


def test_torch_tensors_that_are_refused(torch):
    class Marked(torch.Tensor):
        pass

    rows = (
        (torch.ones(3, device="meta"), r"x is a torch\.Tensor on meta(?s:.*)x\.cpu\(\)"),
        (torch.ones(3).to_sparse(), r"layout torch\.sparse_coo(?s:.*)x\.to_dense\(\)"),
        (torch.ones(3, dtype=torch.complex64).conj(), r"pending `conj`(?s:.*)x\.resolve_conj\(\)"),
        (torch.ones(3, dtype=torch.complex64).conj().imag, r"pending `neg`(?s:.*)x\.resolve_neg\(\)"),
        (torch.zeros(3).to(torch.float8_e4m3fn), r"float8_e4m3fn(?s:.*)x\.to\(torch\.float32\)"),
        (torch.ones(3).as_subclass(Marked), r"subclass(?s:.*)as_subclass\(torch\.Tensor\)"),
    )
    for given, message in rows:
        with pytest.raises(stax.StaxError, match=message):
            mixed(given, 1)
    with pytest.raises(stax.StaxError, match=r"y is a .*Grid beside arrays of torch"):
        mixed(torch.ones(3), Grid(np.ones(3)))


def test_torch_overlap_and_branches(torch):
    @stax.kernel
    def branched(x):
        if x.sum() > 0:
            x += 1
            return x
        return x * 2

    x = torch.ones(3)
    assert branched(x) is x and x.tolist() == [2.0] * 3
    assert branched(-x).tolist() == [-4.0] * 3
    base = torch.arange(6.0)

    @stax.kernel
    def shifted(x, y):
        x += y
        return x

    assert shifted(base[1:], base[:-1]).tolist() == [1.0, 3.0, 5.0, 7.0, 9.0] and base.tolist() == [0.0, 1.0, 3.0, 5.0, 7.0, 9.0]


def test_operations_outside_of_kernels(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.allclose(stax.softmax(x), torch.softmax(x, -1))
    assert torch.allclose(stax.exp(x), torch.exp(x))


def test_nothing_imports_torch():
    program = "import sys, numpy as np, staxlang as stax; stax.exp(memoryview(b'abc')); sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
