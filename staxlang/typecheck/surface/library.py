"""NumPy names that are functions of the standard library, constants of .stx, and advice for names that are no operations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_FUNCTIONS = (
    "mean average var std nansum nanprod nancumsum nancumprod nanmax nanmin nanmean nanvar nanstd "
    "hstack vstack dstack column_stack block unstack delete append tile roll diff ediff1d rot90 fliplr flipud "
    "linspace logspace geomspace bartlett blackman hamming hanning meshgrid indices ix_ eye identity tri tril triu diag diagflat vander "
    "trace outer inner vdot vecdot matvec vecmat kron cross cov corrcoef select isclose allclose array_equal array_equiv nan_to_num "
    "isposinf isneginf iscomplex isreal sinc angle divmod modf frexp gradient trapezoid polyval convolve correlate unwrap "
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
    "nanargmin packbits unpackbits"
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
    table |= {"method.sort": "_sort_in_place", "method.argsort": "argsort"}
    table |= {"method.partition": "_partition_in_place", "method.argpartition": "argpartition", "method.nonzero": "nonzero"}
    return table


LIBRARY_SPELLINGS: dict[str, str] = _spelled()

WORD_CONSTANTS: dict[str, Any] = {
    "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "euler_gamma": 0.57721566490153286060651209008240243,
    "errstate": np.errstate,
}  # fmt: skip

_DATA_SIZED = "the size of its result depends on data: call it outside the kernel, and pass what it gives"
RANDOM_ADVICE = "use `stax.random` with a key: `stax.random.normal(key, shape)`"

_ADVICE_ROWS: tuple[tuple[str, str], ...] = (
    ("compress extract", _DATA_SIZED),
    ("rand randn random normal uniform randint standard_normal choice permutation shuffle", RANDOM_ADVICE),
    ("vectorize frompyfunc", "write the function on whole arrays: a kernel's operations are elementwise already"),
    ("apply_along_axis", "use operations with `axis=`"),
)

REFUSED_ADVICE: dict[str, str] = {name: advice for names, advice in _ADVICE_ROWS for name in names.split()}
