"""Rows of the catalogue: what the evaluation of a program meets - operators, sequences, objects, static computations."""

from staxlang.base.catalogue.kind import DiagnosticKind as Row

EVALUATION_ROWS: tuple[Row, ...] = (
    Row(
        "no-operator", TypeError,
        "`{operation}` is not defined between {left} and {right}",
        "Python has no such operation for these two kinds of values.",
        "@stax.kernel\ndef f(x):\n    return x + (1, 2) ** 2\nf(np.ones(2))",
        "@stax.kernel\ndef f(x):\n    return x + np.array((1, 2)) ** 2\nf(np.ones(2))",
    ),
    Row(
        "no-unary-operator", TypeError,
        "`{operation}` is not defined for {operand}",
        "Python has no such operation for this kind of value.",
        "@stax.kernel\ndef f(x, k):\n    return x * ~k\nf(np.ones(2), 2.5)",
        "@stax.kernel\ndef f(x, k):\n    return x * -k\nf(np.ones(2), 2.5)",
    ),
    Row(
        "division-by-zero", ZeroDivisionError,
        "`{operation}` divides a Python number by zero",
        "Python raises for a zero divisor of its own numbers: when compiling where they are known then, else when the program runs. Arrays "
        "and NumPy's scalars give inf or nan.",
        "@stax.kernel\ndef f(x):\n    return x * (1 // 0)\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x * (1 // 2)\nf(np.ones(3))",
    ),
    Row(
        "static-value", ValueError,
        "{error}",
        "Python itself raised this when a value known at compile time was computed.",
        "@stax.kernel\ndef f(x):\n    return x + int('one')\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + int('1')\nf(np.ones(3))",
    ),
    Row(
        "static-too-large", ValueError,
        "`{operation}` gives a constant that is too large to compile",
        "Numbers and sequences that are known when compiling become part of the program.",
        "@stax.kernel\ndef f(x):\n    return x + 10 ** 1000000\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x + 10 ** 10\nf(np.ones(3))",
    ),
    Row(
        "no-length", TypeError,
        "{given} has no length",
        "`len` takes sequences, mappings and arrays of at least one axis.",
        "@stax.kernel\ndef f(x):\n    return x * len(x[0])\nf(np.ones(3))",
        "@stax.kernel\ndef f(x):\n    return x * len(x)\nf(np.ones(3))",
    ),
    Row(
        "position-out-of-range", IndexError,
        "index {index} is out of range for a sequence of {length}",
        "Python sequences are indexed when the kernel is compiled.",
        "@stax.kernel\ndef f(x, pair):\n    return x * pair[2]\nf(np.ones(3), (1, 2))",
        "@stax.kernel\ndef f(x, pair):\n    return x * pair[1]\nf(np.ones(3), (1, 2))",
    ),
    Row(
        "unhashable-key", TypeError,
        "{given} cannot be a dictionary's key",
        "Keys are values known when compiling, and hashable.",
        "@stax.kernel\ndef f(x, table):\n    return x * table[[1]]\nf(np.ones(3), {1: 2.0})",
        "@stax.kernel\ndef f(x, table):\n    return x * table[1]\nf(np.ones(3), {1: 2.0})",
    ),
    Row(
        "frozen-field", AttributeError,
        "the field `{name}` of {cls} cannot be assigned to: the dataclass is frozen",
        "`dataclasses.replace` makes a changed copy.",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass P:\n    k: float\n@stax.kernel\ndef f(x):\n    p = P(1.0)\n"
        "    p.k = 2.0\n    return x * p.k\nf(np.ones(3))",
        "from dataclasses import dataclass, replace\n@dataclass(frozen=True)\nclass P:\n    k: float\n@stax.kernel\ndef f(x):\n"
        "    p = replace(P(1.0), k=2.0)\n    return x * p.k\nf(np.ones(3))",
        "use `dataclasses.replace`",
    ),
    Row(
        "in-place-shape", ValueError,
        "`{operation}` would change the shape of {target} to that of {result}",
        "An in-place operation keeps the array that it changes; broadcasting may not enlarge it.",
        "@stax.kernel\ndef f(x, y):\n    x += y\n    return x\nf(np.ones(3), np.ones((2, 3)))",
        "@stax.kernel\ndef f(x, y):\n    return x + y\nf(np.ones(3), np.ones((2, 3)))",
        "write it as a new array",
    ),
)  # fmt: skip
