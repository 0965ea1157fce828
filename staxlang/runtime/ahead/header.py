"""Interfaces to the text of a C header."""

from __future__ import annotations

from collections.abc import Sequence

from staxlang.compiler.llvm.c_entry import CArray, CNumber
from staxlang.runtime.ahead.interface import Interface

_TYPE_ROWS = {
    "bool": "bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t", "u16": "uint16_t",
    "u32": "uint32_t", "u64": "uint64_t", "f16": "stax_f16", "bf16": "stax_bf16", "f32": "float", "f64": "double",
    "c64": "stax_c64", "c128": "stax_c128",
}  # fmt: skip
_OWN_TYPES = {
    "stax_f16": "typedef uint16_t stax_f16; /* the bits of an IEEE 754 half */",
    "stax_bf16": "typedef uint16_t stax_bf16; /* the upper half of a float's bits */",
    "stax_c64": "typedef struct { float re, im; } stax_c64;",
    "stax_c128": "typedef struct { double re, im; } stax_c128;",
}
_CONVENTION = """\
/*
 * {library}: made by Stax. Link with {link}.
 *
 * Every array is a pointer to its first element and, if it has axes, its extents: `x_shape[k]` elements along axis k. An argument has
 * strides too, in elements; a null pointer instead of them says that it lies row-major (the last axis has stride 1). Strides may be 0 or
 * negative. Results are row-major memory of the caller; `*_shapes` fills in their extents. An argument without `const` is changed.
 * Nothing that is written may overlap another array.
 *
 * Functions return 0, or a code of {prefix}_message(code); then no result is defined, and an argument that is changed may be changed in
 * part. They may be called from several threads at once. Large work is shared with {prefix}_threads(n) threads: by default as many as the
 * process may use.
 */
"""


def header_text(library: str, prefix: str, link: str, interfaces: Sequence[Interface]) -> str:
    """The header of a library."""
    guard = f"STAX_{prefix.upper()}_H"
    bodies = [_function(one) for one in interfaces]
    used = [text for name, text in _OWN_TYPES.items() if any(f"{name} " in body for body in bodies)]
    return "\n".join(
        [
            _CONVENTION.format(library=library, prefix=prefix, link=link),
            f"#ifndef {guard}",
            f"#define {guard}",
            "#include <stdbool.h>",
            "#include <stdint.h>",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            *used,
            *([""] if used else []),
            f"/* What a code says; never a null pointer. */\nconst char *{prefix}_message(int32_t code);",
            "",
            f"/* Let calls use at most n threads from now on; results do not depend on it. */\nvoid {prefix}_threads(int32_t n);",
            "",
            *bodies,
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "#endif",
            "",
        ]
    )


def _function(one: Interface) -> str:
    doc = "\n".join(f" * {line}".rstrip() for line in one.doc.replace("*/", "* /").strip().splitlines())
    inputs = ", ".join(_described(part) for part in one.order)
    results = ", ".join(_described(part) for part in one.outputs) or "nothing"
    comment = f"/*\n * {one.kernel}({inputs}) -> {results}\n" + (f" *\n{doc}\n" if doc else "") + " */"
    shapes = ", ".join([*_shape_parameters(one.order), *[f"int64_t *{out.name}_shape" for out in one.outputs if out.shape]])
    given = [text for part in one.order for text in _parameter(part)]
    parameters = ", ".join(given + [text for out in one.outputs for text in _result(out)])
    text = f"{comment}\nint32_t {one.name}({parameters or 'void'});\n"
    return text + f"int32_t {one.name}_shapes({shapes or 'void'});\n"


def _described(part: CArray | CNumber) -> str:
    if isinstance(part, CNumber):
        return f"{part.name}: {part.kind}"
    return f"{part.name}: {part.dtype}[{', '.join(map(str, part.shape))}]"


def _parameter(part: CArray | CNumber) -> list[str]:
    if isinstance(part, CNumber):
        kind = {"int": "int64_t", "float": "double", "bool": "bool", "complex": "double"}[part.kind]
        return [f"{kind} {part.name}"] if part.kind != "complex" else [f"double {part.name}_re", f"double {part.name}_im"]
    found = [f"{'' if part.written else 'const '}{_TYPE_ROWS[part.dtype]} *{part.name}"]
    return found + ([f"const int64_t *{part.name}_shape", f"const int64_t *{part.name}_strides"] if part.shape else [])


def _result(out: CArray) -> list[str]:
    return [f"{_TYPE_ROWS[out.dtype]} *{out.name}"] + ([f"const int64_t *{out.name}_shape"] if out.shape else [])


def _shape_parameters(order: Sequence[CArray | CNumber]) -> list[str]:
    found: list[str] = []
    for part in order:
        if isinstance(part, CNumber):
            found += [f"int64_t {part.name}"] if part.kind == "int" else []
        elif part.shape:
            found.append(f"const int64_t *{part.name}_shape")
    return found
