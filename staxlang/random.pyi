"""What type checkers see of `stax.random`. By tools/build_stub.py."""

# ruff: noqa: E501

from typing import Any

def key(seed: Any) -> Any: """A key made of an integer."""
def split(key: Any, n: Any = 2) -> Any: """`n` keys made of one, for draws that are to be independent of each other. The old key is not to be used again."""
def fold_in(key: Any, data: Any) -> Any: """A key made of a key and an integer: of the number of a step, a layer, a worker."""
def bits(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: """Unsigned integers of which every bit is random."""
def uniform(key: Any, shape: Any = None, low: Any = 0.0, high: Any = 1.0, dtype: Any = ...) -> Any: """Numbers that are equally likely everywhere from `low` up to, but not including, `high` (which rounding may give)."""
def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any: """True with probability `p`."""
def normal(key: Any, shape: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = ...) -> Any: """Normal numbers with mean `loc` and standard deviation `scale`."""
def lognormal(key: Any, shape: Any = None, mean: Any = 0.0, sigma: Any = 1.0, dtype: Any = ...) -> Any: """Numbers whose logarithms are normal with this mean and standard deviation."""
def truncated_normal(key: Any, low: Any, high: Any, shape: Any = None, dtype: Any = ...) -> Any: """Standard normal numbers between `low` and `high`, also far out."""
def multivariate_normal(key: Any, mean: Any, cov: Any, shape: Any = ..., dtype: Any = ...) -> Any: """Normal vectors with this mean and covariance matrix."""
def exponential(key: Any, shape: Any = None, scale: Any = 1.0, dtype: Any = ...) -> Any: """Waiting times with mean `scale`."""
def laplace(key: Any, shape: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = ...) -> Any: """Numbers with density exp(-|x - loc| / scale) / (2 * scale)."""
def cauchy(key: Any, shape: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = ...) -> Any: """Numbers with density 1 / (pi * scale * (1 + ((x - loc) / scale) ** 2))."""
def gumbel(key: Any, shape: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = ...) -> Any: """Numbers distributed as the greatest of many: exp(-exp(-(x - loc) / scale)) is the probability of less than x."""
def logistic(key: Any, shape: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = ...) -> Any: """Numbers x that are less with probability sigmoid((x - loc) / scale)."""
def categorical(key: Any, logits: Any, axis: Any = ..., shape: Any = None) -> Any: """Numbers of categories, each as likely as softmax(logits, axis) says; `logits` are repeated where `shape` has more axes."""
def integers(key: Any, low: Any, high: Any = None, shape: Any = None, dtype: Any = ..., endpoint: Any = False) -> Any: """Integers from `low` up to, but not including, `high` (with `endpoint`: including); of one argument, from 0 up to it.

    The probabilities of any two differ by less than one part in 2 ** 64."""
