"""NumPy names that are functions of the standard library, constants of .stx, and advice for names that are no operations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_FUNCTIONS = (
    "mean average var std nansum nanprod nancumsum nancumprod nanmax nanmin nanmean nanvar nanstd "
    "hstack vstack dstack column_stack block unstack delete append tile roll diff ediff1d rot90 fliplr flipud trim_zeros "
    "linspace logspace geomspace bartlett blackman hamming hanning meshgrid indices ix_ eye identity tri tril triu diag diagflat vander "
    "trace outer inner vdot vecdot matvec vecmat kron cross cov corrcoef select isclose allclose array_equal array_equiv nan_to_num "
    "isposinf isneginf iscomplex isreal sinc angle gradient trapezoid polyval convolve correlate unwrap "
    "digitize searchsorted interp piecewise"
)
_ORDERS = "sort argsort lexsort sort_complex partition argpartition median nanmedian quantile percentile nanquantile nanpercentile"
_SETS = (
    "nonzero flatnonzero argwhere unique unique_values unique_counts unique_inverse unique_all isin intersect1d union1d setdiff1d setxor1d "
    "bincount histogram histogram_bin_edges histogram2d histogramdd"
)
_MORE = (
    "poly polyadd polysub polymul polydiv polyder polyint polyfit roots i0 kaiser diag_indices diag_indices_from tril_indices triu_indices "
    "tril_indices_from triu_indices_from unravel_index ravel_multi_index choose insert resize fromfunction apply_over_axes nanargmax "
    "nanargmin packbits unpackbits asarray_chkfinite"
)
_LINALG = (
    "cholesky solve inv det slogdet qr svd svdvals eigh eigvalsh eig eigvals lstsq pinv matrix_rank "
    "tensorsolve tensorinv norm vector_norm matrix_norm matrix_power cross outer vecdot multi_dot"
)

_FFT = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2 fftfreq rfftfreq fftshift ifftshift"

_SERIES = {"chebyshev": "cheb", "legendre": "leg", "laguerre": "lag", "hermite": "herm", "hermite_e": "herme"}


def _spelled() -> dict[str, str]:
    table = {f"np.{name}": name for name in _FUNCTIONS.split()}
    table |= {f"np.linalg.{name}": name for name in _LINALG.split()}
    table["np.linalg.cond"] = "condition_number"
    table |= {"np.linalg.trace": "_last_trace", "np.linalg.diagonal": "_last_diagonal"}
    table |= {"np.linalg.cross": "_last_cross", "np.linalg.outer": "_vectors_outer"}
    table |= {"np.put": "_put", "method.put": "_put", "method.choose": "choose", "method.searchsorted": "searchsorted"}
    table["np.row_stack"] = "vstack"
    for family, short in _SERIES.items():
        table |= {f"np.polynomial.{family}.{short}{part}": f"{short}{part}" for part in ("val", "vander")}
    table |= {f"np.polynomial.polynomial.poly{part}": f"_power_{part}" for part in ("val", "vander", "der", "int")}
    table |= {f"np.fft.{name}": f"fft.{name}" for name in _FFT.split()}
    table |= {f"method.{name}": name for name in ("mean", "var", "std", "trace")}
    table |= {f"np.{name}": name for name in f"{_ORDERS} {_SETS} {_MORE}".split()}
    table |= {"np.compress": "_compress", "np.extract": "_extract", "method.compress": "_compress_method"}
    table |= {"method.sort": "_sort_in_place", "method.argsort": "argsort"}
    table |= {"method.partition": "_partition_in_place", "method.argpartition": "argpartition", "method.nonzero": "nonzero"}
    return table


LIBRARY_SPELLINGS: dict[str, str] = _spelled()

WORD_CONSTANTS: dict[str, Any] = {
    "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "euler_gamma": 0.57721566490153286060651209008240243,
    "errstate": np.errstate,
}  # fmt: skip

RANDOM_ADVICE = "use `stax.random` with a key: `stax.random.normal(key, shape)`"
_FILES = "read and write files outside of the kernel, and pass the arrays"
_TEXTS = "make texts of numbers outside of the kernel: it gives its results back"
_BYTES = "make the array outside of the kernel and pass it; `x.view(dtype)` reads bytes as numbers"
_DATES = "kernels compute with numbers: pass dates as integers, `dates.view(np.int64)`"
_PROCESS = "it is about the NumPy of this process and no array: call it outside of the kernel"
_MATRICES = "use two-dimensional arrays with `@`, and `np.block` to join them"
_LOOPS = "write a loop for each axis, `for i in range(x.shape[0])`, or operations on whole arrays"
_RECORDS = "pass each field as an array of its own"
_NUMBERS_ONLY = "kernels compute with numbers and booleans: `np.asarray(x, dtype=float)` outside"
_WIDEST = "`np.float64` and `np.complex128` are the widest floats of kernels"
_ABSTRACT = "it is a family of dtypes: convert by one of them, `np.float64(x)`, `np.int64(x)`"

_ADVICE_ROWS: tuple[tuple[str, str], ...] = (
    ("mask_indices", "use `np.tril_indices` or `np.triu_indices`, or `np.nonzero(mask)`"),
    ("rand randn random normal uniform randint standard_normal choice permutation shuffle", RANDOM_ADVICE),
    ("frompyfunc", "use `np.vectorize`, or write the function on whole arrays: a kernel's operations are elementwise already"),
    ("einsum_path", "`np.einsum` chooses the order of its products itself"),
    ("real_if_close", "the dtype of its result depends on data: use `x.real`"),
    ("as_strided", "use `np.lib.stride_tricks.sliding_window_view`, slices with steps, or `np.broadcast_to`"),
    ("load loadtxt genfromtxt fromfile fromregex save savetxt savez savez_compressed tofile dump dumps", _FILES),
    ("memmap", "open it outside of the kernel and pass it as an array, `np.asarray(m)`"),
    ("array2string array_repr array_str", _TEXTS),
    ("fromstring frombuffer tobytes", _BYTES),
    ("from_dlpack", "pass the object itself: arguments with DLPack are arrays in a kernel"),
    ("busday_count busday_offset is_busday busdaycalendar datetime_as_string datetime_data isnat datetime64 timedelta64", _DATES),
    ("geterr seterr geterrcall seterrcall", "kernels do not warn; `with np.errstate(...)` may stay where it is"),
    ("getbufsize setbufsize get_printoptions set_printoptions printoptions get_include show_config show_runtime info", _PROCESS),
    ("asmatrix bmat matrix", _MATRICES),
    ("poly1d", "use arrays of coefficients: `np.polyval`, `np.polymul`, `np.polyder`, `np.roots`"),
    ("nditer nested_iters flatiter", _LOOPS),
    ("broadcast", "use `np.broadcast_shapes` or `np.broadcast_arrays`"),
    ("ufunc", "use `np.vectorize`, or write the function on whole arrays"),
    ("recarray record void", _RECORDS),
    ("str_ bytes_ object_ character flexible", _NUMBERS_ONLY),
    ("longdouble clongdouble float96 float128 complex192 complex256", _WIDEST),
    ("generic number integer signedinteger unsignedinteger inexact floating complexfloating", _ABSTRACT),
    ("resize", "use `np.resize(x, shape)`, which makes a new array"),
    ("getfield setfield", "use `x.view(dtype)`, or pass the field as an array of its own"),
    ("setflags", "set them outside of the kernel; `x.copy()` is a writable array"),
    ("to_device", "arrays stay where they are: `stax.kernel` takes them on the device that they are on"),
)

REFUSED_ADVICE: dict[str, str] = {name: advice for names, advice in _ADVICE_ROWS for name in names.split()}

_MODULE_ADVICE: tuple[tuple[str, str], ...] = (
    ("numpy.random", RANDOM_ADVICE),
    ("numpy.strings", _NUMBERS_ONLY),
    ("numpy.char", _NUMBERS_ONLY),
    ("numpy.rec", _RECORDS),
    ("numpy.ma", "use `np.where`, reductions with `where=`, or functions that leave NaN out, `np.nanmean`"),
    ("numpy.lib.scimath", "compute with complex numbers: `np.sqrt(x.astype(complex))`"),
    ("scipy", "`stax` has some of SciPy's functions by their names; call others outside, or register them, `stax.register_extern`"),
)


def advice_of(module: str, name: str) -> str | None:
    """What to use instead of a function or class."""
    own = next((advice for prefix, advice in _MODULE_ADVICE if module == prefix or module.startswith((prefix + ".", prefix + "._"))), None)
    return own or REFUSED_ADVICE.get(name)


REFUSED_ATTRIBUTES: dict[str, str] = {
    "base": "a kernel cannot ask who owns memory: ask outside of it, `y.base is x`, or `np.shares_memory(x, y)`",
    "ctypes": "a kernel has no addresses: take the array's outside, and pass it to what wants it",
    "data": "a kernel has no addresses: take the array's outside, and pass it to what wants it",
}

STATIC_FUNCTIONS = ("base_repr", "binary_repr", "format_float_positional", "format_float_scientific", "mintypecode", "typename")
"""NumPy's functions of values that are known when compiling: NumPy itself is asked."""
