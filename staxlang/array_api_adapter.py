"""The array API standard as kernels of one operation each, so that a conformance suite can run over Stax. For tests; programs use `np`.

    import staxlang.array_api_adapter as xp
    xp.add(x, y)          # the kernel `return np.add(*args)`, called
    xp.linalg.solve(a, b)

Arrays are NumPy's, and so are dtypes, constants and what asks the library about itself.
"""

from __future__ import annotations

import linecache
from types import SimpleNamespace
from typing import Any

import numpy as np

from staxlang.base.diagnostics import StaxError
from staxlang.runtime.kernel import kernel

__array_api_version__ = "2024.12"

ELEMENTWISE = (
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift "
    "bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag "
    "isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum "
    "minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh sqrt square "
    "subtract tan tanh trunc"
)
CREATION = "arange asarray empty empty_like eye full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like"
DTYPE_QUESTIONS = "astype can_cast finfo iinfo isdtype result_type"
MANIPULATION = (
    "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack"
)
SEARCHES = "argmax argmin count_nonzero nonzero searchsorted where take take_along_axis argsort sort"
SETS = "unique_all unique_counts unique_inverse unique_values"
STATISTICS = "cumulative_prod cumulative_sum max mean min prod std sum var all any diff"
PRODUCTS = "matmul matrix_transpose tensordot vecdot"
LINALG = (
    "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr slogdet "
    "solve svd svdvals tensordot trace vecdot vector_norm"
)
FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"
FUNCTIONS = frozenset(
    " ".join((ELEMENTWISE, CREATION, DTYPE_QUESTIONS, MANIPULATION, SEARCHES, SETS, STATISTICS, PRODUCTS)).split()
)
_DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
_AS_THEY_ARE = frozenset(f"{_DTYPES} e inf nan newaxis pi from_dlpack".split())
_WRITTEN = {
    "sort": """def sort(x, /, *, axis=-1, descending=False, stable=True):
    if descending:
        return np.flip(np.sort(x, axis=axis, stable=stable), axis)
    return np.sort(x, axis=axis, stable=stable)
""",
    "argsort": """def argsort(x, /, *, axis=-1, descending=False, stable=True):
    if descending:  # of equal elements the first one comes first all the same
        return x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, stable=stable), axis)
    return np.argsort(x, axis=axis, stable=stable)
""",
}
"""Functions of the standard with parameters that NumPy's have not."""


def one_operation(path: str) -> Any:
    """The kernel that calls one function of NumPy's, `np.linalg.solve`, with all that it is called with."""
    name = path.rpartition(".")[2]
    text = _WRITTEN.get(path.removeprefix("np.")) or f"def {name}(*args, **kwargs):\n    return {path}(*args, **kwargs)\n"
    file = f"<array api: {path}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(text, file, "exec"), space)
    return kernel(space[name])


def __array_namespace_info__() -> Any:
    """NumPy's answers, but for what depends on programs: whether masks and sizes that depend on data are in them."""
    info: Any = np.__array_namespace_info__()
    try:
        one_operation("np.nonzero")(np.ones(2))
        sized = True
    except StaxError:
        sized = False
    info.capabilities = lambda: {"boolean indexing": sized, "data-dependent shapes": sized, "max dimensions": 64}
    return info


class _Extension(SimpleNamespace):
    """`linalg` or `fft`: its functions are made when they are first asked for."""

    def __init__(self, path: str, names: str) -> None:
        super().__init__(_path=path, _names=frozenset(names.split()))

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("_names", ()):
            raise AttributeError(f"{self.__dict__.get('_path')} of the array API has no {name!r}", name=name)
        made = self.__dict__[name] = one_operation(f"{self._path}.{name}")
        return made

    def __dir__(self) -> list[str]:
        return sorted(self._names)


linalg = _Extension("np.linalg", LINALG)
fft = _Extension("np.fft", FFT)


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        made = one_operation(f"np.{name}")
    elif name in _AS_THEY_ARE:
        made = getattr(np, name)
    else:
        raise AttributeError(f"the array API has no {name!r}", name=name)
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted({*FUNCTIONS, *_AS_THEY_ARE, "linalg", "fft", "__array_api_version__", "__array_namespace_info__"})

