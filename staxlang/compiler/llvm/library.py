"""Library calls of a schedule: matrix products through `stax_gemm_f32` and its like, and the text of those over a CBLAS."""

from __future__ import annotations

import re

from staxlang.base.sizes import Size
from staxlang.base.sizes.expression import terms_of
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.memory import element_step, pointer
from staxlang.compiler.llvm.mirrors import mirror_text
from staxlang.compiler.llvm.nests import run_if, run_loop
from staxlang.compiler.loops.ir import BufferView, LibraryCall

GEMM_ARGUMENTS = "i32, i32, i64, i64, i64, ptr, i64, ptr, i64, ptr, i64"  # transposed a, b; M, N, K; a, lda; b, ldb; out, ldc
EMPTY: frozenset[str] = frozenset()


def emit_call(f: Function, call: LibraryCall) -> None:
    """The call at the open level, once per element of the batch axes."""
    if call.kind != "gemm":
        raise ValueError(f"no library does {call.kind}")
    out, (a, b) = call.out, call.operands
    batch = out.shape[:-2]
    indices: list[str] = []

    def loops(depth: int) -> None:
        if depth == len(batch):
            _gemm(f, out, a, b, indices)
            return
        end, _ = size_text(f, batch[depth])

        def body(index: str) -> None:
            indices.append(index)
            loops(depth + 1)
            indices.pop()

        run_loop(f, "0", end, 1, [], EMPTY, body)

    condition: str | None = None
    for extent in out.shape:
        if not isinstance(extent, int) or extent <= 0:
            text, _ = size_text(f, extent)
            test = f.name(f.level, f"icmp sgt i64 {text}, 0", "x")
            condition = test if condition is None else f.name(f.level, f"and i1 {condition}, {test}", "x")
    run_if(f, condition, [], EMPTY, lambda: loops(0))
    f.forget(f.module.root(f.module.buffers[out.buffer]))


def _gemm(f: Function, out: BufferView, a: BufferView, b: BufferView, indices: list[str]) -> None:
    dtype = f.module.buffers[out.buffer].dtype
    symbol = f"stax_gemm_{dtype.name}"
    f.module.externals[f"declare void @{symbol}({GEMM_ARGUMENTS})"] = None
    rows, columns, inner = out.shape[-2], out.shape[-1], a.shape[-1]
    turned_a, lead_a = _order(f, a, inner)
    turned_b, lead_b = _order(f, b, columns)
    sizes = ", ".join(f"i64 {size_text(f, size)[0]}" for size in (rows, columns, inner))
    lead = _at_least(f, out.strides[-2], columns)
    addresses = [_address(f, view, indices) for view in (a, b, out)]
    f.emit(
        f.level,
        f"call void @{symbol}(i32 {turned_a}, i32 {turned_b}, {sizes}, "
        f"ptr {addresses[0]}, i64 {lead_a}, ptr {addresses[1]}, i64 {lead_b}, ptr {addresses[2]}, i64 {lead})",
    )


def _order(f: Function, view: BufferView, columns: Size) -> tuple[int, str]:
    """(whether BLAS reads it transposed, its leading dimension) of the view's last two axes."""
    if view.strides[-1] == 1 and not (view.strides[-2] == 1 and view.shape[-1] != 1):
        return 0, _at_least(f, view.strides[-2], columns)
    return 1, _at_least(f, view.strides[-1], view.shape[-2])


def _at_least(f: Function, lead: Size, extent: Size) -> str:
    """A leading dimension that BLAS accepts: at least the row's extent and 1 (it is not used where there is a single row)."""
    first, _ = size_text(f, lead)
    if lead == extent and not isinstance(lead, int):
        return f.name(f.level, f"call i64 @llvm.smax.i64(i64 {first}, i64 1)", "x")
    if isinstance(lead, int) and isinstance(extent, int):
        return str(max(lead, extent, 1))
    least, _ = size_text(f, extent)
    most = f.name(f.level, f"call i64 @llvm.smax.i64(i64 {first}, i64 {least})", "x")
    return f.name(f.level, f"call i64 @llvm.smax.i64(i64 {most}, i64 1)", "x")


def _address(f: Function, view: BufferView, indices: list[str]) -> str:
    buffer = f.module.buffers[view.buffer]
    text, _ = pointer(f, buffer, terms_of(view.offset), {})
    for index, stride in zip(indices, view.strides[:-2], strict=True):
        step, _ = size_text(f, stride)
        offset = f.name(f.level, f"mul i64 {index}, {step}", "x")
        text = f.name(f.level, f"getelementptr {element_step(buffer.dtype)}, ptr {text}, i64 {offset}", "p")
    return text


def gemm_text(wide: bool) -> str:
    """The `stax_gemm` functions over the CBLAS of `OUTSIDE`, whose integers are i64 where `wide`, else i32."""
    return "".join([_product_text(*one, "i64" if wide else "i32") for one in _FORMATS])


def _product_text(name: str, letter: str, kind: str, side: int, whole: str) -> str:
    """One function. A matrix by its own transpose is a symmetric product, as in NumPy: half of it is computed, and mirrored.

    kind: as the mirror moves elements. Complex factors are given by address.
    """
    is_complex = letter in "cz"
    real = {"c": "float", "z": "double"}.get(letter, kind)
    factors = [f"@stax.{one}.{name} = internal constant [2 x {real}] [{real} {one}, {real} 0.0]" for one in ("1.0", "0.0")]
    one, zero = (f"ptr @stax.{number}.{name}" if is_complex else f"{kind} {number}" for number in ("1.0", "0.0"))
    by = "ptr" if is_complex else kind
    product, half = f"stax_cblas_{letter}gemm", f"stax_cblas_{letter}syrk"
    declared = (
        f"declare void @{product}(i32, i32, i32, {whole}, {whole}, {whole}, {by}, ptr, {whole}, ptr, {whole}, {by}, ptr, {whole})\n"
        f"declare void @{half}(i32, i32, i32, {whole}, {whole}, {by}, ptr, {whole}, {by}, ptr, {whole})\n"
    )
    given = ("m", "n", "k", "lda", "ldb", "ldc")
    casts = "\n".join([f"  %{one}.w = " + (f"add i64 %{one}, 0" if whole == "i64" else f"trunc i64 %{one} to i32") for one in given])
    values = {"NAME": name, "WHOLE": whole, "PRODUCT": product, "HALF": half, "CASTS": casts, "UNIT": one, "ZERO": zero}
    declared += "\n".join(factors) if is_complex else ""
    return mirror_text(name, kind, side) + declared + re.sub("[A-Z]{4,}", lambda word: values[word[0]], _PRODUCT)


_FORMATS = (("f32", "s", "float", 8), ("f64", "d", "double", 8), ("c64", "c", "i64", 8), ("c128", "z", "i128", 1))
PRODUCTS = tuple([f"stax_gemm_{name}" for name, *_ in _FORMATS])
OUTSIDE = tuple([f"{letter}{routine}" for _, letter, *_ in _FORMATS for routine in ("gemm", "syrk")])
"""The routines of a CBLAS that they call, each under the symbol `stax_cblas_` and its name."""

_PRODUCT = """
define void @stax_gemm_NAME(i32 %oa, i32 %ob, i64 %m, i64 %n, i64 %k, ptr %a, i64 %lda, ptr %b, i64 %ldb, ptr %c, i64 %ldc) nounwind {
entry:
CASTS
  %ta = add i32 %oa, 111
  %tb = add i32 %ob, 111
  %one.storage = icmp eq ptr %a, %b
  %square = icmp eq i64 %m, %n
  %turned = icmp ne i32 %oa, %ob
  %one.step = icmp eq i64 %lda, %ldb
  %several = icmp sgt i64 %m, 1
  %alike = and i1 %one.storage, %square
  %apart = and i1 %turned, %several
  %alike.too = and i1 %alike, %one.step
  %symmetric = and i1 %alike.too, %apart
  br i1 %symmetric, label %half, label %whole
whole:
  call void @PRODUCT(i32 101, i32 %ta, i32 %tb, WHOLE %m.w, WHOLE %n.w, WHOLE %k.w, UNIT, ptr %a, WHOLE %lda.w, ptr %b, WHOLE %ldb.w,
                     ZERO, ptr %c, WHOLE %ldc.w)
  ret void
half:
  call void @HALF(i32 101, i32 121, i32 %ta, WHOLE %m.w, WHOLE %k.w, UNIT, ptr %a, WHOLE %lda.w, ZERO, ptr %c, WHOLE %ldc.w)
  call void @stax.mirror.NAME(ptr %c, i64 %ldc, i64 %m)
  ret void
}
"""
