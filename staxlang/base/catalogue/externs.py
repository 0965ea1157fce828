"""Rows of the catalogue: extern operations - linear algebra of LAPACK, FFT, sorting, users' own."""

import numpy as np

from staxlang.base.catalogue.kind import DiagnosticKind as Row

EXTERN_ROWS: tuple[Row, ...] = (
    Row(
        "not-matrices", np.linalg.LinAlgError,
        "`{operation}` takes arrays of at least two axes, and this one has {rank}",
        "The last two axes of an operand of linear algebra are matrices; axes in front of them are batches.",
        "@stax.kernel\ndef f(a):\n    return np.linalg.inv(a)\nf(np.ones(3))",
        "@stax.kernel\ndef f(a):\n    return np.linalg.inv(np.diag(a))\nf(np.ones(3))",
    ),
    Row(
        "not-square", np.linalg.LinAlgError,
        "`{operation}` takes square matrices, and these are {rows} by {columns}",
        "Inverses, determinants, eigenvalues and solutions of as many equations as unknowns are of square matrices.",
        "@stax.kernel\ndef f(a):\n    return np.linalg.inv(a)\nf(np.ones((3, 2)))",
        "@stax.kernel\ndef f(a):\n    return np.linalg.inv(a.T @ a)\nf(np.eye(3, 2))",
    ),
    Row(
        "extents-differ", ValueError,
        "`{operation}` takes operands that fit together, and their extents are {left} and {right}",
        "A system of equations has as many right sides' elements as the matrix has rows.",
        "@stax.kernel\ndef f(a, b):\n    return np.linalg.solve(a, b)\nf(np.eye(3), np.ones(2))",
        "@stax.kernel\ndef f(a, b):\n    return np.linalg.solve(a, b)\nf(np.eye(3), np.ones(3))",
    ),
    Row(
        "no-lapack-dtype", TypeError,
        "`{operation}` does not take {dtype}: linear algebra is of f32, f64, c64 and c128",
        "LAPACK has no routines for 16-bit floats, and NumPy refuses them too. Integers and booleans become f64.",
        "@stax.kernel\ndef f(a):\n    return np.linalg.inv(a)\nf(np.eye(3, dtype=np.float16))",
        "@stax.kernel\ndef f(a):\n    return np.linalg.inv(a.astype(np.float32))\nf(np.eye(3, dtype=np.float16))",
        "cast it: `.astype(np.float32)`",
    ),
    Row(
        "extern-failed", np.linalg.LinAlgError,
        "`{operation}` failed: {reason}",
        "The data make the operation impossible: a singular matrix, one that is not positive definite, an iteration without end. NumPy "
        "raises LinAlgError for it as well. No argument has been written to.",
        "@stax.kernel\ndef f(a):\n    return np.linalg.cholesky(a)\nf(-np.eye(2))",
        "@stax.kernel\ndef f(a):\n    return np.linalg.cholesky(a)\nf(np.eye(2))",
    ),
    Row(
        "extern-refused", TypeError,
        "`{operation}` does not take these operands: {reason}",
        "The rule that gives an extern operation's result types has raised. It is called with the operands' types.",
        "op = stax.register_extern('examples.last', lambda x: x[-1].copy(), result=lambda x: stax.spec(x.shape[1:], x.dtype))\n"
        "@stax.kernel\ndef f(x, y):\n    return op(x, y)\nf(np.ones((2, 3)), np.ones(3))",
        "op = stax.register_extern('examples.last', lambda x: x[-1].copy(), result=lambda x: stax.spec(x.shape[1:], x.dtype))\n"
        "@stax.kernel\ndef f(x):\n    return op(x)\nf(np.ones((2, 3)))",
    ),
    Row(
        "extern-result", RuntimeError,
        "the extern operation `{operation}` gave {given} where {expected} was promised",
        "The program's memory is laid out by what the operation's rule promises; what its function gives must be just that.",
        "op = stax.register_extern('examples.half', lambda x: x[:1], result=lambda x: x)\n"
        "@stax.kernel\ndef f(x):\n    return op(x)\nf(np.ones(3))",
        "op = stax.register_extern('examples.double', lambda x: 2 * x, result=lambda x: x)\n"
        "@stax.kernel\ndef f(x):\n    return op(x)\nf(np.ones(3))",
        "give arrays of the promised shapes and dtypes, or correct `result=`",
    ),
    Row(
        "extern-keeps", RuntimeError,
        "the extern operation `{operation}` keeps an operand after it has returned",
        "Operands are lent for the call: their memory is used for other values right after it.",
        "kept = []\n"
        "op = stax.register_extern('examples.kept', lambda x: kept.append(x) or x + 1, result=lambda x: x)\n"
        "@stax.kernel\ndef f(x):\n    return op(x)\nf(np.ones(3))",
        "kept = []\n"
        "op = stax.register_extern('examples.kept', lambda x: kept.append(x.copy()) or x + 1, result=lambda x: x)\n"
        "@stax.kernel\ndef f(x):\n    return op(x)\nf(np.ones(3))",
        "keep a copy: `x.copy()`",
    ),
    Row(
        "bad-extern", ValueError,
        "the extern operation {name!r} cannot be registered: {reason}",
        "An extern operation has a dotted name of its own, a function on arrays, and a rule for its results: `result=`, or annotations of "
        "all dtypes and sizes.",
        "stax.register_extern('linalg.own', np.linalg.inv, result=lambda x: x)",
        "stax.register_extern('own.inverse', np.linalg.inv, result=lambda x: x)",
    ),
    Row(
        "extern-unknown", RuntimeError,
        "no extern operation is registered under the name `{operation}`",
        "A program refers to extern operations by name. One that came from the cache on disk is called before the module that registers "
        "its operation has been imported.",
        "# a cached program of a kernel whose extern operation is not registered in this process",
        "# the module that calls stax.register_extern is imported first",
        "import the module that registers it",
        runs=False,
    ),
)  # fmt: skip
