"""What every native entry calls, as LLVM text: the way to Python on a miss, results on cache lines, large ones in recycled memory.

Everything here runs with the GIL held, so its tables need no lock.
"""

from __future__ import annotations

import sys

BLOCK = 1 << 21  # blocks are multiples of a huge page, and aligned to it
PAGE = 4096  # in front of a block, so that the block's data starts on its boundary; its last 64 bytes hold the size
ALIGNED = 1 << 12  # bytes from which a result begins on a cache line: vectors that cross lines are stored at half the speed
LARGE = 1 << 20  # bytes from which a result lives in a block
_TABLE = 64  # blocks kept for reuse at most

_ENTRIES = """
@stax_clock = global i64 0
@stax_miss_function = global ptr null
@stax_capsule = global ptr null
@stax_kept_bytes = global i64 0
@stax_keep_limit = global i64 1073741824
@stax_mapped_bytes = global i64 0
@PyArray_Type = external global i8
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr) nounwind
declare ptr @PyObject_CallOneArg(ptr, ptr) nounwind
declare ptr @PyLong_FromLong(i64) nounwind
declare ptr @PyErr_NoMemory() nounwind
declare void @Py_IncRef(ptr) nounwind
declare void @Py_DecRef(ptr) nounwind
declare ptr @stax_numpy_new(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr) nounwind
declare ptr @memcpy(ptr, ptr, i64) nounwind
declare ptr @memset(ptr, i32, i64) nounwind

define ptr @stax_miss(ptr %self, ptr %args, i64 %nargsf, ptr %kwnames) nounwind {
  %count = and i64 %nargsf, 9223372036854775807
  %plain = icmp eq ptr %kwnames, null
  br i1 %plain, label %sized, label %named
named:
  %length = getelementptr i8, ptr %kwnames, i64 16
  %keywords = load i64, ptr %length
  br label %sized
sized:
  %more = phi i64 [ 0, %0 ], [ %keywords, %named ]
  %total = add i64 %count, %more
  %room = add i64 %total, 1
  %vector = alloca ptr, i64 %room, align 16
  store ptr %self, ptr %vector
  %rest = getelementptr ptr, ptr %vector, i64 1
  %bytes = shl i64 %total, 3
  call ptr @memcpy(ptr %rest, ptr %args, i64 %bytes)
  %function = load ptr, ptr @stax_miss_function
  %given = add i64 %count, 1
  %answer = call ptr @PyObject_Vectorcall(ptr %function, ptr %vector, i64 %given, ptr %kwnames)
  ret ptr %answer
}

; No entry below a gate fits: on with the gate's next entry. (One at the root takes four arguments and does not look at the fifth.)
define ptr @stax_gate_miss(ptr %self, ptr %args, i64 %nargsf, ptr %kwnames, ptr %frame) nounwind {
  %place = getelementptr i8, ptr %frame, i64 8
  %next = load ptr, ptr %place
  %above = getelementptr i8, ptr %frame, i64 16
  %parent = load ptr, ptr %above
  %answer = call ptr %next(ptr %self, ptr %args, i64 %nargsf, ptr %kwnames, ptr %parent)
  ret ptr %answer
}

define void @stax_raise(ptr %function, i32 %status) nounwind {
  %wide = sext i32 %status to i64
  %number = call ptr @PyLong_FromLong(i64 %wide)
  %answer = call ptr @PyObject_CallOneArg(ptr %function, ptr %number)
  call void @Py_DecRef(ptr %number)
  ret void
}
"""

_ARRAYS = """
; strides: null where row-major
define ptr @stax_new_array(ptr %descr, i32 %rank, ptr %dims, ptr %strides, i64 %bytes) nounwind {
  call void @Py_IncRef(ptr %descr)
  %many = icmp uge i64 %bytes, {ALIGNED}
  %strided = icmp ne ptr %strides, null
  %aligned = or i1 %many, %strided
  br i1 %aligned, label %block, label %plain
plain:
  %small = call ptr @stax_numpy_new(ptr @PyArray_Type, ptr %descr, i32 %rank, ptr %dims, ptr null, ptr null, i32 0, ptr null)
  ret ptr %small
block:
  %data = call ptr @stax_allocate(i64 %bytes)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %memory, label %wrap
memory:
  call void @Py_DecRef(ptr %descr)
  call ptr @PyErr_NoMemory()
  ret ptr null
wrap:
  %array = call ptr @stax_numpy_new(ptr @PyArray_Type, ptr %descr, i32 %rank, ptr %dims, ptr %strides, ptr %data, i32 1281, ptr null)
  %missing = icmp eq ptr %array, null
  br i1 %missing, label %undo, label %own
undo:
  call void @stax_release(ptr %data)
  ret ptr null
own:
  %place = getelementptr i8, ptr %array, i64 {FLAGS}
  %flags = load i32, ptr %place
  %owned = or i32 %flags, 4
  store i32 %owned, ptr %place
  %capsule = load ptr, ptr @stax_capsule
  call void @Py_IncRef(ptr %capsule)
  %handler = getelementptr i8, ptr %array, i64 {HANDLER}
  store ptr %capsule, ptr %handler
  ret ptr %array
}

define internal ptr @stax_handler_malloc(ptr %context, i64 %bytes) nounwind {
  %data = call ptr @stax_allocate(i64 %bytes)
  ret ptr %data
}

define internal ptr @stax_handler_calloc(ptr %context, i64 %count, i64 %size) nounwind {
  %bytes = mul i64 %count, %size
  %data = call ptr @stax_allocate(i64 %bytes)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %done, label %clear
clear:
  call ptr @memset(ptr %data, i32 0, i64 %bytes)
  br label %done
done:
  ret ptr %data
}

define internal ptr @stax_handler_realloc(ptr %context, ptr %old, i64 %bytes) nounwind {
  %data = call ptr @stax_allocate(i64 %bytes)
  %failed = icmp eq ptr %data, null
  %first = icmp eq ptr %old, null
  %nothing = or i1 %failed, %first
  br i1 %nothing, label %done, label %move
move:
  %capacity = call i64 @stax_capacity(ptr %old)
  %shrinks = icmp ult i64 %bytes, %capacity
  %part = select i1 %shrinks, i64 %bytes, i64 %capacity
  call ptr @memcpy(ptr %data, ptr %old, i64 %part)
  call void @stax_release(ptr %old)
  br label %done
done:
  ret ptr %data
}

define internal void @stax_handler_free(ptr %context, ptr %data, i64 %bytes) nounwind {
  call void @stax_release(ptr %data)
  ret void
}

@stax_handler = global { [127 x i8], i8, ptr, ptr, ptr, ptr, ptr } { [127 x i8] c"staxlang{PADDING}", i8 1, ptr null,
  ptr @stax_handler_malloc, ptr @stax_handler_calloc, ptr @stax_handler_realloc, ptr @stax_handler_free }
"""

_BLOCKS = """
declare ptr @mmap(ptr, i64, i32, i32, i32, i64) nounwind
declare i32 @munmap(ptr, i64) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind
@stax_block_table = internal global [{TABLE} x ptr] zeroinitializer
@stax_block_count = internal global i64 0

define internal ptr @stax_map(i64 %size) nounwind {
  %wide = add i64 %size, {BLOCK_AND_PAGE}
  %raw = call ptr @mmap(ptr null, i64 %wide, i32 3, i32 {ANONYMOUS}, i32 -1, i64 0)
  %start = ptrtoint ptr %raw to i64
  %failed = icmp eq i64 %start, -1
  br i1 %failed, label %none, label %trim
none:
  ret ptr null
trim:
  %up = add i64 %start, {BLOCK_AND_PAGE_LESS_1}
  %aligned = and i64 %up, -{BLOCK}
  %page = sub i64 %aligned, {PAGE}
  %before = sub i64 %page, %start
  %end = add i64 %aligned, %size
  %last = add i64 %start, %wide
  %after = sub i64 %last, %end
  %some = icmp ne i64 %before, 0
  br i1 %some, label %front, label %back
front:
  call i32 @munmap(ptr %raw, i64 %before)
  br label %back
back:
  %tail = inttoptr i64 %end to ptr
  %more = icmp ne i64 %after, 0
  br i1 %more, label %cut, label %ready
cut:
  call i32 @munmap(ptr %tail, i64 %after)
  br label %ready
ready:
  %block = inttoptr i64 %aligned to ptr
  {ADVISE}
  %place = getelementptr i8, ptr %block, i64 -64
  store i64 %size, ptr %place
  %mapped = load i64, ptr @stax_mapped_bytes
  %total = add i64 %mapped, %size
  store i64 %total, ptr @stax_mapped_bytes
  ret ptr %block
}

define internal void @stax_unmap(ptr %block, i64 %size) nounwind {
  %page = getelementptr i8, ptr %block, i64 -{PAGE}
  %whole = add i64 %size, {PAGE}
  call i32 @munmap(ptr %page, i64 %whole)
  %mapped = load i64, ptr @stax_mapped_bytes
  %total = sub i64 %mapped, %size
  store i64 %total, ptr @stax_mapped_bytes
  ret void
}

define internal ptr @stax_take(i64 %index) nounwind {
  %count = load i64, ptr @stax_block_count
  %left = sub i64 %count, 1
  store i64 %left, ptr @stax_block_count
  %place = getelementptr ptr, ptr @stax_block_table, i64 %index
  %block = load ptr, ptr %place
  %last = getelementptr ptr, ptr @stax_block_table, i64 %left
  %moved = load ptr, ptr %last
  store ptr %moved, ptr %place
  %size = call i64 @stax_capacity(ptr %block)
  %kept = load i64, ptr @stax_kept_bytes
  %rest = sub i64 %kept, %size
  store i64 %rest, ptr @stax_kept_bytes
  ret ptr %block
}

define void @stax_trim() nounwind {
  br label %loop
loop:
  %count = load i64, ptr @stax_block_count
  %done = icmp eq i64 %count, 0
  br i1 %done, label %out, label %one
one:
  %block = call ptr @stax_take(i64 0)
  %size = call i64 @stax_capacity(ptr %block)
  call void @stax_unmap(ptr %block, i64 %size)
  br label %loop
out:
  ret void
}

define ptr @stax_allocate(i64 %bytes) nounwind {
entry:
  %large = icmp uge i64 %bytes, {LARGE}
  br i1 %large, label %search, label %small
small:
  %line = call ptr @stax_line_allocate(i64 %bytes)
  ret ptr %line
search:
  %up = add i64 %bytes, {BLOCK_LESS_1}
  %need = and i64 %up, -{BLOCK}
  %quarter = lshr i64 %need, 2
  %most = add i64 %need, %quarter
  %first = add i64 %most, 1
  %count = load i64, ptr @stax_block_count
  br label %loop
loop:
  %index = phi i64 [ 0, %search ], [ %following, %next ]
  %best = phi i64 [ -1, %search ], [ %better, %next ]
  %size = phi i64 [ %first, %search ], [ %smaller, %next ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %found, label %next
next:
  %place = getelementptr ptr, ptr @stax_block_table, i64 %index
  %candidate = load ptr, ptr %place
  %have = call i64 @stax_capacity(ptr %candidate)
  %enough = icmp uge i64 %have, %need
  %tight = icmp ult i64 %have, %size
  %fits = and i1 %enough, %tight
  %better = select i1 %fits, i64 %index, i64 %best
  %smaller = select i1 %fits, i64 %have, i64 %size
  %following = add i64 %index, 1
  br label %loop
found:
  %none = icmp eq i64 %best, -1
  br i1 %none, label %map, label %reuse
reuse:
  %old = call ptr @stax_take(i64 %best)
  ret ptr %old
map:
  %new = call ptr @stax_map(i64 %need)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %retry, label %fresh
retry:
  call void @stax_trim()
  %second = call ptr @stax_map(i64 %need)
  %lost = icmp eq ptr %second, null
  br i1 %lost, label %nothing, label %fresh
nothing:
  ret ptr null
fresh:
  %block = phi ptr [ %new, %map ], [ %second, %retry ]
  ret ptr %block
}

define void @stax_release(ptr %block) nounwind {
  %size = call i64 @stax_capacity(ptr %block)
  %large = icmp uge i64 %size, {LARGE}
  br i1 %large, label %recycle, label %small
small:
  call void @stax_line_release(ptr %block)
  ret void
recycle:
  %count = load i64, ptr @stax_block_count
  %kept = load i64, ptr @stax_kept_bytes
  %total = add i64 %kept, %size
  %limit = load i64, ptr @stax_keep_limit
  %full = icmp eq i64 %count, {TABLE}
  %much = icmp ugt i64 %total, %limit
  %drop = or i1 %full, %much
  br i1 %drop, label %unmap, label %keep
unmap:
  call void @stax_unmap(ptr %block, i64 %size)
  ret void
keep:
  store i64 %total, ptr @stax_kept_bytes
  %place = getelementptr ptr, ptr @stax_block_table, i64 %count
  store ptr %block, ptr %place
  %more = add i64 %count, 1
  store i64 %more, ptr @stax_block_count
  ret void
}
"""

_LINES = """
declare ptr @PyMem_RawMalloc(i64) nounwind
declare void @PyMem_RawFree(ptr) nounwind

define i64 @stax_capacity(ptr %block) nounwind {
  %place = getelementptr i8, ptr %block, i64 -64
  %size = load i64, ptr %place
  ret i64 %size
}

define internal ptr @stax_line_allocate(i64 %bytes) nounwind {
  %room = add i64 %bytes, 128
  %raw = call ptr @PyMem_RawMalloc(i64 %room)
  %failed = icmp eq ptr %raw, null
  br i1 %failed, label %none, label %align
none:
  ret ptr null
align:
  %start = ptrtoint ptr %raw to i64
  %up = add i64 %start, 127
  %aligned = and i64 %up, -64
  %data = inttoptr i64 %aligned to ptr
  %owner = getelementptr i8, ptr %data, i64 -56
  store ptr %raw, ptr %owner
  %size = getelementptr i8, ptr %data, i64 -64
  store i64 %bytes, ptr %size
  ret ptr %data
}

define internal void @stax_line_release(ptr %data) nounwind {
  %owner = getelementptr i8, ptr %data, i64 -56
  %raw = load ptr, ptr %owner
  call void @PyMem_RawFree(ptr %raw)
  ret void
}
"""

_ONLY_LINES = """
define void @stax_trim() nounwind {
  ret void
}

define ptr @stax_allocate(i64 %bytes) nounwind {
  %data = call ptr @stax_line_allocate(i64 %bytes)
  ret ptr %data
}

define void @stax_release(ptr %data) nounwind {
  call void @stax_line_release(ptr %data)
  ret void
}
"""


def support_text(platform: str = sys.platform, array_flags: int = 64, array_handler: int = 88) -> str:
    """The module of support functions for a system (`sys.platform`'s names)."""
    blocks = _LINES + (_ONLY_LINES if platform == "win32" else _BLOCKS)
    advise = "call i32 @madvise(ptr %block, i64 %size, i32 14)" if platform == "linux" else ""  # MADV_HUGEPAGE
    values = {
        "ALIGNED": ALIGNED,
        "LARGE": LARGE,
        "FLAGS": array_flags,
        "HANDLER": array_handler,
        "PADDING": "\\00" * (127 - len("staxlang")),
        "TABLE": _TABLE,
        "PAGE": PAGE,
        "BLOCK": BLOCK,
        "BLOCK_LESS_1": BLOCK - 1,
        "BLOCK_AND_PAGE": BLOCK + PAGE,
        "BLOCK_AND_PAGE_LESS_1": BLOCK + PAGE - 1,
        "ANONYMOUS": 0x22 if platform == "linux" else 0x1002,
        "ADVISE": advise,
    }
    text = _ENTRIES + _ARRAYS + blocks
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text
