"""What type checkers see of `stax.random`. By tools/build_stub.py."""

# ruff: noqa: E501

from typing import Any

def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = ...) -> Any: """How many trials it takes until the first success, each of which has probability `p`."""
def rayleigh(key: Any, shape: Any = None, scale: Any = 1.0, dtype: Any = ...) -> Any: """Lengths of vectors of two normal numbers with standard deviation `scale`."""
def weibull(key: Any, a: Any, shape: Any = None, scale: Any = 1.0, dtype: Any = ...) -> Any: """Numbers that exceed x with probability exp(-(x / scale) ** a)."""
def pareto(key: Any, a: Any, shape: Any = None, dtype: Any = ...) -> Any: """Numbers that exceed x with probability (1 + x) ** -a, as NumPy's: the classical distribution of Pareto less 1 (Lomax)."""
def power(key: Any, a: Any, shape: Any = None, dtype: Any = ...) -> Any: """Numbers between 0 and 1 that are less than x with probability x ** a."""
def triangular(key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = ...) -> Any: """Numbers between `left` and `right` whose density rises up to `mode` and falls behind it, both along straight lines."""
def rademacher(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: """-1 or 1, equally likely."""
def maxwell(key: Any, shape: Any = None, scale: Any = 1.0, dtype: Any = ...) -> Any: """Lengths of vectors of three normal numbers with standard deviation `scale`."""
def student_t(key: Any, df: Any, shape: Any = None, dtype: Any = ...) -> Any: """A normal number divided by the root of a mean of the squares of `df` others (Bailey, "Polar generation of random variates with the
    t-distribution", Mathematics of Computation 62, 1994, in the form of Box and Muller)."""
def wald(key: Any, mean: Any, scale: Any, shape: Any = None, dtype: Any = ...) -> Any: """The inverse Gaussian distribution: when a Brownian motion with drift arrives (Michael, Schucany and Haas, 1976)."""
def gamma(key: Any, a: Any, shape: Any = None, scale: Any = 1.0, dtype: Any = ...) -> Any: """Numbers with density x ** (a - 1) * exp(-x / scale), divided by what makes it one (Marsaglia and Tsang, 2000)."""
def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = ...) -> Any: """Sums of the squares of `df` normal numbers."""
def f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = ...) -> Any: """Means of the squares of `dfnum` normal numbers, divided by those of `dfden` others."""
def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = ...) -> Any: """Numbers between 0 and 1 with density x ** (a - 1) * (1 - x) ** (b - 1), divided by what makes it one."""
def dirichlet(key: Any, alpha: Any, shape: Any = ..., dtype: Any = ...) -> Any: """Vectors of shares that add up to 1, with density proportional to the product of x[k] ** (alpha[k] - 1); `alpha` is their last axis."""
def poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = ...) -> Any: """How often something happens that happens `lam` times on average: by search below 16, else by Hoermann's method of 1993."""
def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = ...) -> Any: """The number of successes among `n` trials of probability `p`: by search for means below 16, else by Hoermann's method of 1993."""
def negative_binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = ...) -> Any: """The number of failures before `n` successes of probability `p`: a Poisson number whose mean is a gamma number."""
def multinomial(key: Any, n: Any, pvals: Any, shape: Any = ...) -> Any: """How often each of several outcomes comes in `n` independent trials; `pvals` are their probabilities, the last one is what is left to 1."""
def vonmises(key: Any, mu: Any, kappa: Any, shape: Any = None, dtype: Any = ...) -> Any: """Angles between -pi and pi around `mu`, with density proportional to exp(kappa * cos(x - mu)) (Best and Fisher, 1979)."""
def orthogonal(key: Any, n: Any, shape: Any = ..., dtype: Any = ...) -> Any: """Orthogonal matrices of n rows, uniformly distributed (Mezzadri, "How to generate random matrices from the classical compact groups",
    2007): the factor of a matrix of normal numbers, its columns' signs set by the other factor's diagonal."""
def ball(key: Any, d: Any, shape: Any = ..., dtype: Any = ...) -> Any: """Points of the unit ball of d dimensions, uniformly distributed: a normal vector's direction, and the d-th root of a uniform number."""
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
def permutation(key: Any, x: Any, axis: Any = 0) -> Any: """What stands along `axis` in a random order, all orders equally likely; of an integer, the numbers below it."""
def shuffle(key: Any, x: Any, axis: Any = 0) -> Any: """Put what stands along `axis` of an array into a random order, in place."""
def choice(key: Any, a: Any, shape: Any = ..., replace: Any = True, p: Any = None, axis: Any = 0) -> Any: """Elements of `a` along `axis`, or numbers below the integer `a`, equally likely or with the probabilities `p` (which are divided by their
    sum). Without `replace` each is taken at most once: the first ones of a random order, with `p` that of the logarithms of `p` plus
    Gumbel numbers (Efraimidis and Spirakis, 2006)."""
