"""Matrix products as code of our own: `stax_gemm_f32` and its like for programs that have no BLAS to call.

A block of B's columns is packed beside each other, and for a few rows of A at a time a tile of the result is kept in registers, as in
K. Goto, R. van de Geijn: Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3), 2008.
"""

from __future__ import annotations

from staxlang.compiler.target import Target

DEPTH = 256
ROWS = 96  # of A that one task takes
TASK_WORK = 1 << 18  # multiplications that a task has at least
_FIELDS = ("m", "n", "k", "a", "arow", "acol", "b", "brow", "bcol", "c", "ldc")
_POINTERS = ("a", "b", "c")


def products_text(target: Target) -> str:
    """The module of the four functions.

    >>> from staxlang.compiler.target import x86_64
    >>> products_text(x86_64(32)).count("define hidden void @stax_gemm_")
    4
    """
    bodies = [_product(name, kind, size, target.vector_bytes) for name, kind, size in (("f32", "float", 4), ("f64", "double", 8))]
    head = f'target triple = "{target.triple}"\ndeclare void @stax_parallel(ptr, ptr, i64, i64)\n'
    return head + "".join(bodies) + plain_products(("c64", "c128"), "hidden ")


def _product(name: str, kind: str, size: int, vector_bytes: int) -> str:
    lanes = max(2, vector_bytes // size)
    return _entry(name, kind, 2 * lanes) + _task(name, kind, lanes, {64: 8, 32: 6}.get(vector_bytes, 4))


def _entry(name: str, kind: str, columns: int) -> str:
    stores = [
        f"  %p.{field} = getelementptr i64, ptr %context, i64 {place}\n"
        f"  store {'ptr' if field in _POINTERS else 'i64'} %{field}, ptr %p.{field}, align 8"
        for place, field in enumerate(_FIELDS)
    ]
    return "\n".join(
        [
            f"define hidden void @stax_gemm_{name}(i32 %oa, i32 %ob, i64 %m, i64 %n, i64 %k, ptr %a, i64 %lda, ptr %b, i64 %ldb, "
            "ptr %c, i64 %ldc) nounwind {",
            f"  %context = alloca [{len(_FIELDS)} x i64], align 8",
            "  %ta = icmp ne i32 %oa, 0",
            "  %tb = icmp ne i32 %ob, 0",
            "  %arow = select i1 %ta, i64 1, i64 %lda",
            "  %acol = select i1 %ta, i64 %lda, i64 1",
            "  %brow = select i1 %tb, i64 1, i64 %ldb",
            "  %bcol = select i1 %tb, i64 %ldb, i64 1",
            *stores,
            f"  %panels.up = add i64 %n, {columns - 1}",
            f"  %panels = sdiv i64 %panels.up, {columns}",
            f"  %blocks.up = add i64 %m, {ROWS - 1}",
            f"  %blocks = sdiv i64 %blocks.up, {ROWS}",
            "  %tasks = mul i64 %panels, %blocks",
            f"  %depth = mul i64 %k, {ROWS * columns}",
            "  %each = call i64 @llvm.smax.i64(i64 %depth, i64 1)",
            f"  %share = sdiv i64 {TASK_WORK}, %each",
            "  %grain = call i64 @llvm.smax.i64(i64 %share, i64 1)",
            f"  call void @stax_parallel(ptr @stax.gemm.{name}, ptr %context, i64 %tasks, i64 %grain)",
            "  ret void",
            "}",
            "",
        ]
    )


def _task(name: str, kind: str, lanes: int, rows: int) -> str:
    """Tasks begin .. end; a task is a block of rows against a panel of columns."""
    size = 4 if kind == "float" else 8
    vector = f"<{lanes} x {kind}>"
    values = {
        "NAME": name, "KIND": kind, "VECTOR": vector, "COLUMNS": 2 * lanes, "LANES": lanes, "SIZE": size, "DEPTH": DEPTH, "BLOCK": ROWS,
        "STEP": rows, "SUFFIX": f"v{lanes}f{8 * size}",
    }  # fmt: skip
    text = _LOADS + _TASK
    text = text.replace("{ROWS.SETUP}", _each(rows, _ROW)).replace("{ACC.PHI}", _phis(rows)).replace("{STEPS}", _each(rows, _MULTIPLY))
    text = text.replace("{STORES}", _each(rows, _STORE))
    for key, value in values.items():
        text = text.replace("{" + key + "}", str(value))
    loads = "\n".join(
        f"  %p.{field} = getelementptr i64, ptr %context, i64 {place}\n"
        f"  %{field} = load {'ptr' if field in _POINTERS else 'i64'}, ptr %p.{field}, align 8"
        for place, field in enumerate(_FIELDS)
    )
    numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
    return text.replace("{FIELDS}", loads).replace("{NUMBERS}", numbers)


def _each(rows: int, template: str) -> str:
    return "\n".join(template.replace("{r}", str(r)) for r in range(rows))


def _phis(rows: int) -> str:
    return "\n".join(
        f"  %s{r}.{h} = phi {{VECTOR}} [ %start{r}.{h}, %tile ], [ %t{r}.{h}, %step ]" for r in range(rows) for h in (0, 1)
    )


_LOADS = """
declare {VECTOR} @llvm.masked.load.{SUFFIX}.p0(ptr, i32, <{LANES} x i1>, {VECTOR})
declare void @llvm.masked.store.{SUFFIX}.p0({VECTOR}, ptr, i32, <{LANES} x i1>)
"""

_TASK = """
define internal void @stax.gemm.{NAME}(ptr %context, i64 %begin, i64 %end) nounwind {
entry:
  %packed = alloca [{DEPTH} x [{COLUMNS} x {KIND}]], align 64
{FIELDS}
  %blocks.up = add i64 %m, {BLOCK_LESS}
  %blocks = sdiv i64 %blocks.up, {BLOCK}
  br label %tasks
tasks:
  %task = phi i64 [ %begin, %entry ], [ %task.next, %task.done ]
  %more = icmp slt i64 %task, %end
  br i1 %more, label %one, label %finish
finish:
  ret void
one:
  %panel = sdiv i64 %task, %blocks
  %block = srem i64 %task, %blocks
  %j0 = mul i64 %panel, {COLUMNS}
  %left = sub i64 %n, %j0
  %width = call i64 @llvm.smin.i64(i64 %left, i64 {COLUMNS})
  %i0 = mul i64 %block, {BLOCK}
  %i.up = add i64 %i0, {BLOCK}
  %i.end = call i64 @llvm.smin.i64(i64 %i.up, i64 %m)
  %last = sub i64 %i.end, 1
  %w0 = insertelement <{LANES} x i64> poison, i64 %width, i64 0
  %wide = shufflevector <{LANES} x i64> %w0, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer
  %mask0 = icmp slt <{LANES} x i64> <{NUMBERS}>, %wide
  %second = add <{LANES} x i64> <{NUMBERS}>, {OFFSET}
  %mask1 = icmp slt <{LANES} x i64> %second, %wide
  br label %depths
depths:
  %p0 = phi i64 [ 0, %one ], [ %p1, %rows.done ]
  %first = icmp eq i64 %p0, 0
  %p.left = sub i64 %k, %p0
  %depth = call i64 @llvm.smin.i64(i64 %p.left, i64 {DEPTH})
  br label %pack
pack:
  %q = phi i64 [ 0, %depths ], [ %q.next, %pack.done ]
  %q.more = icmp slt i64 %q, %depth
  br i1 %q.more, label %pack.row, label %rows
pack.row:
  %q.at = add i64 %p0, %q
  %q.offset = mul i64 %q.at, %brow
  %j.offset = mul i64 %j0, %bcol
  %from.offset = add i64 %q.offset, %j.offset
  %from = getelementptr {KIND}, ptr %b, i64 %from.offset
  %to = getelementptr [{COLUMNS} x {KIND}], ptr %packed, i64 %q
  br label %pack.each
pack.each:
  %j = phi i64 [ 0, %pack.row ], [ %j.next, %pack.store ]
  %j.more = icmp slt i64 %j, {COLUMNS}
  br i1 %j.more, label %pack.look, label %pack.done
pack.look:
  %inside = icmp slt i64 %j, %width
  br i1 %inside, label %pack.load, label %pack.store
pack.load:
  %j.at = mul i64 %j, %bcol
  %source = getelementptr {KIND}, ptr %from, i64 %j.at
  %element = load {KIND}, ptr %source, align {SIZE}
  br label %pack.store
pack.store:
  %kept = phi {KIND} [ 0.0, %pack.look ], [ %element, %pack.load ]
  %target = getelementptr {KIND}, ptr %to, i64 %j
  store {KIND} %kept, ptr %target, align {SIZE}
  %j.next = add i64 %j, 1
  br label %pack.each
pack.done:
  %q.next = add i64 %q, 1
  br label %pack
rows:
  %i = phi i64 [ %i0, %pack ], [ %i.next, %tile.done ]
  %i.more = icmp slt i64 %i, %i.end
  br i1 %i.more, label %tile, label %rows.done
tile:
  %a.depth = mul i64 %p0, %acol
  %keep0 = select i1 %first, <{LANES} x i1> zeroinitializer, <{LANES} x i1> %mask0
  %keep1 = select i1 %first, <{LANES} x i1> zeroinitializer, <{LANES} x i1> %mask1
{ROWS.SETUP}
  br label %inner
inner:
  %p = phi i64 [ 0, %tile ], [ %p.next, %step ]
{ACC.PHI}
  %p.more = icmp slt i64 %p, %depth
  br i1 %p.more, label %step, label %tile.done
step:
  %b.row = getelementptr [{COLUMNS} x {KIND}], ptr %packed, i64 %p
  %b0 = load {VECTOR}, ptr %b.row, align {SIZE}
  %b.half = getelementptr {VECTOR}, ptr %b.row, i64 1
  %b1 = load {VECTOR}, ptr %b.half, align {SIZE}
  %a.at = mul i64 %p, %acol
{STEPS}
  %p.next = add i64 %p, 1
  br label %inner
tile.done:
{STORES}
  %i.next = add i64 %i, {STEP}
  br label %rows
rows.done:
  %p1 = add i64 %p0, {DEPTH}
  %p1.more = icmp slt i64 %p1, %k
  br i1 %p1.more, label %depths, label %task.done
task.done:
  %task.next = add i64 %task, 1
  br label %tasks
}
""".replace("{BLOCK_LESS}", str(ROWS - 1)).replace("{OFFSET}", "splat (i64 {LANES})")

# Rows behind the last are the last again: they give the same values to the same places.
_ROW = """  %at{r}.up = add i64 %i, {r}
  %at{r} = call i64 @llvm.smin.i64(i64 %at{r}.up, i64 %last)
  %a{r}.offset = mul i64 %at{r}, %arow
  %a{r}.all = add i64 %a{r}.offset, %a.depth
  %a{r} = getelementptr {KIND}, ptr %a, i64 %a{r}.all
  %c{r}.offset = mul i64 %at{r}, %ldc
  %c{r}.all = add i64 %c{r}.offset, %j0
  %c{r}.0 = getelementptr {KIND}, ptr %c, i64 %c{r}.all
  %c{r}.1 = getelementptr {KIND}, ptr %c{r}.0, i64 {LANES}
  %start{r}.0 = call {VECTOR} @llvm.masked.load.{SUFFIX}.p0(ptr %c{r}.0, i32 {SIZE}, <{LANES} x i1> %keep0, {VECTOR} zeroinitializer)
  %start{r}.1 = call {VECTOR} @llvm.masked.load.{SUFFIX}.p0(ptr %c{r}.1, i32 {SIZE}, <{LANES} x i1> %keep1, {VECTOR} zeroinitializer)"""

_MULTIPLY = """  %ap{r} = getelementptr {KIND}, ptr %a{r}, i64 %a.at
  %av{r} = load {KIND}, ptr %ap{r}, align {SIZE}
  %ai{r} = insertelement {VECTOR} poison, {KIND} %av{r}, i64 0
  %as{r} = shufflevector {VECTOR} %ai{r}, {VECTOR} poison, <{LANES} x i32> zeroinitializer
  %m{r}.0 = fmul contract {VECTOR} %as{r}, %b0
  %t{r}.0 = fadd contract {VECTOR} %m{r}.0, %s{r}.0
  %m{r}.1 = fmul contract {VECTOR} %as{r}, %b1
  %t{r}.1 = fadd contract {VECTOR} %m{r}.1, %s{r}.1"""

_STORE = """  call void @llvm.masked.store.{SUFFIX}.p0({VECTOR} %s{r}.0, ptr %c{r}.0, i32 {SIZE}, <{LANES} x i1> %mask0)
  call void @llvm.masked.store.{SUFFIX}.p0({VECTOR} %s{r}.1, ptr %c{r}.1, i32 {SIZE}, <{LANES} x i1> %mask1)"""


def plain_products(dtypes: tuple[str, ...], linkage: str = "") -> str:
    """`stax_gemm_f32` and its like as plain loops: rows of the result, to which multiples of rows are added. Right, not fast."""
    made: list[str] = []
    for name in dtypes:
        kind, element, load, update = ("float" if name in ("f32", "c64") else "double"), *(_PAIR if name[0] == "c" else _REAL)
        text = _PLAIN.replace("LOAD_A", load).replace("UPDATE_C", update).replace("ELEMENT", element)
        made.append(text.replace("LINKAGE ", linkage).replace("NAME", name).replace("KIND", kind))
    return "".join(made)


_PLAIN = """
define LINKAGE void @stax_gemm_NAME(i32 %oa, i32 %ob, i64 %m, i64 %n, i64 %k, ptr %a, i64 %lda, ptr %b, i64 %ldb,
    ptr %c, i64 %ldc) nounwind {
entry:
  %ta = icmp ne i32 %oa, 0
  %tb = icmp ne i32 %ob, 0
  %arow = select i1 %ta, i64 1, i64 %lda
  %acol = select i1 %ta, i64 %lda, i64 1
  %brow = select i1 %tb, i64 1, i64 %ldb
  %bcol = select i1 %tb, i64 %ldb, i64 1
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i1, %nextrow ]
  %morerows = icmp slt i64 %i, %m
  br i1 %morerows, label %row, label %done
row:
  %co = mul i64 %i, %ldc
  %c0 = getelementptr ELEMENT, ptr %c, i64 %co
  %ao = mul i64 %i, %arow
  %a0 = getelementptr ELEMENT, ptr %a, i64 %ao
  br label %clear
clear:
  %q = phi i64 [ 0, %row ], [ %q1, %zero ]
  %morezeros = icmp slt i64 %q, %n
  br i1 %morezeros, label %zero, label %terms
zero:
  %cz = getelementptr ELEMENT, ptr %c0, i64 %q
  store ELEMENT zeroinitializer, ptr %cz
  %q1 = add i64 %q, 1
  br label %clear
terms:
  %p = phi i64 [ 0, %clear ], [ %p1, %nextterm ]
  %moreterms = icmp slt i64 %p, %k
  br i1 %moreterms, label %term, label %nextrow
term:
  %ap = mul i64 %p, %acol
  %aa = getelementptr ELEMENT, ptr %a0, i64 %ap
LOAD_A
  %bo = mul i64 %p, %brow
  %b0 = getelementptr ELEMENT, ptr %b, i64 %bo
  br label %columns
columns:
  %j = phi i64 [ 0, %term ], [ %j1, %column ]
  %morecolumns = icmp slt i64 %j, %n
  br i1 %morecolumns, label %column, label %nextterm
column:
  %bj = mul i64 %j, %bcol
  %bb = getelementptr ELEMENT, ptr %b0, i64 %bj
  %cc = getelementptr ELEMENT, ptr %c0, i64 %j
UPDATE_C
  %j1 = add i64 %j, 1
  br label %columns
nextterm:
  %p1 = add i64 %p, 1
  br label %terms
nextrow:
  %i1 = add i64 %i, 1
  br label %rows
done:
  ret void
}
"""

# Of a real and of a complex element: its type, how one of a is loaded, how its product with one of b is added to one of c.
_REAL = (
    "KIND",
    "  %are = load KIND, ptr %aa",
    """  %bre = load KIND, ptr %bb
  %cre = load KIND, ptr %cc
  %rr = fmul contract KIND %are, %bre
  %rs = fadd contract KIND %cre, %rr
  store KIND %rs, ptr %cc""",
)
_PAIR = (
    "[2 x KIND]",
    """  %ai = getelementptr KIND, ptr %aa, i64 1
  %are = load KIND, ptr %aa
  %aim = load KIND, ptr %ai""",
    """  %bi = getelementptr KIND, ptr %bb, i64 1
  %bre = load KIND, ptr %bb
  %bim = load KIND, ptr %bi
  %ci = getelementptr KIND, ptr %cc, i64 1
  %cre = load KIND, ptr %cc
  %cim = load KIND, ptr %ci
  %rr = fmul contract KIND %are, %bre
  %ii = fmul contract KIND %aim, %bim
  %ri = fmul contract KIND %are, %bim
  %ir = fmul contract KIND %aim, %bre
  %re = fsub contract KIND %rr, %ii
  %im = fadd contract KIND %ri, %ir
  %rs = fadd KIND %cre, %re
  %is = fadd KIND %cim, %im
  store KIND %rs, ptr %cc
  store KIND %is, ptr %ci""",
)
