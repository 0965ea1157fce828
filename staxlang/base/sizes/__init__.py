"""Symbolic sizes: extents, subscripts and strides as canonical integer polynomials; conditions on them; what follows from facts."""

from staxlang.base.sizes.bounds import Interval, Ranges, index_range
from staxlang.base.sizes.condition import Condition, compare
from staxlang.base.sizes.expression import Size, SizeExpression, floordiv, is_subscript_name, maximum, minimum, modulo, nonnegative, symbol
from staxlang.base.sizes.facts import Facts, bounds, divides
from staxlang.base.sizes.parse import parse_size
from staxlang.base.sizes.proof import prove_nonnegative
from staxlang.base.sizes.queries import divisions, evaluate, linear_in, may_be_equal, substitute, symbols

__all__ = [
    "Condition", "Facts", "Interval", "Ranges", "Size", "SizeExpression", "bounds", "compare", "divides", "divisions",
    "evaluate", "floordiv", "index_range", "is_subscript_name", "linear_in", "maximum", "may_be_equal", "minimum", "modulo", "nonnegative",
    "parse_size", "prove_nonnegative", "substitute", "symbol", "symbols",
]  # fmt: skip
