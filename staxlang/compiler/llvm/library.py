"""Library calls of a schedule: matrix products through `stax_gemm_f32` and `stax_gemm_f64`, and the text of those over a CBLAS."""

from __future__ import annotations

from staxlang.base.sizes import Size
from staxlang.base.sizes.expression import terms_of
from staxlang.compiler.llvm.extents import size_text
from staxlang.compiler.llvm.function import Function
from staxlang.compiler.llvm.memory import pointer
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
        kind = "double" if buffer.dtype.bits == 64 else "float"
        text = f.name(f.level, f"getelementptr {kind}, ptr {text}, i64 {offset}", "p")
    return text


def gemm_text(f32: str, f64: str, wide: bool) -> str:
    """The two `stax_gemm` functions over CBLAS symbols of those names, whose integers are i64 where `wide`, else i32."""
    whole = "i64" if wide else "i32"
    parts: list[str] = []
    for name, cblas, kind, one in (("f32", f32, "float", "1.0"), ("f64", f64, "double", "1.0")):
        signature = f"i32, i32, i32, {whole}, {whole}, {whole}, {kind}, ptr, {whole}, ptr, {whole}, {kind}, ptr, {whole}"
        parts.append(f"declare void @{cblas}({signature})")
        lines = ["%ta = add i32 %oa, 111", "%tb = add i32 %ob, 111"]
        for given in ("m", "n", "k", "lda", "ldb", "ldc"):
            lines.append(f"%{given}.w = " + (f"add i64 %{given}, 0" if wide else f"trunc i64 %{given} to i32"))
        lines.append(
            f"call void @{cblas}(i32 101, i32 %ta, i32 %tb, {whole} %m.w, {whole} %n.w, {whole} %k.w, {kind} {one}, "
            f"ptr %a, {whole} %lda.w, ptr %b, {whole} %ldb.w, {kind} 0.0, ptr %c, {whole} %ldc.w)"
        )
        arguments = "i32 %oa, i32 %ob, i64 %m, i64 %n, i64 %k, ptr %a, i64 %lda, ptr %b, i64 %ldb, ptr %c, i64 %ldc"
        parts.append(f"define void @stax_gemm_{name}({arguments}) nounwind {{\n  " + "\n  ".join([*lines, "ret void"]) + "\n}")
    return "\n".join(parts) + "\n"
