"""The loop IR (definitions by subscripts) and scheduled kernels (nests of loops): the values between graph and emitters.

Expressions are `Node`s whose type is a `DType`. Their operations:

    const   value=                      a number of the node's dtype
    size    value=<Size>                a size or subscript expression as an i64 value
    load    buffer=, subscripts=        an element; a subscript is a Size over loop indices and sizes, in which the
                                        symbol `$k` stands for the value of operand k (an indirect subscript, i64)
    guard   (condition, value, other)   value where condition holds, else other; loads under `value` run only there
    reduce  kind=, ranges=, part=       over ranges = ((index symbol, extent), ...), operand: the body
    cast    (value)                     to the node's dtype (C conversion rules of NumPy's astype)
    local   name=                       a name bound by `Let` or `Accumulator` (only inside kernels)
    scan    kind=, index=               only as a definition's whole body: the operand combined over index = 0 .. its own value,
                                        in order (cumsum and the like); kinds sum, prod, max, min
    assert_index  extent=, what=        the i64 operand; a run in which it is not in 0 .. extent - 1 fails
    <row>   any operation of the table in base/operations, operands already of the row's compute dtype
"""

from __future__ import annotations

from typing import Any, Literal

from staxlang.base.dtypes import DType
from staxlang.base.records import record
from staxlang.base.sizes import Size
from staxlang.compiler.node import Interner, Node

REDUCTIONS = ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "count", "welford", "logsumexp")

Range = tuple[str, Size]


@record
class Buffer:
    """Where elements live. Strides and offset count elements; address = offset + sum(subscript * stride)."""

    name: str
    dtype: DType
    shape: tuple[Size, ...]
    strides: tuple[Size, ...]
    role: Literal["input", "scalar", "output", "temporary", "constant"]
    position: int = -1  # which input / scalar / output of the program it is
    value: bytes | None = None  # a constant's data, row-major


@record
class Walk:
    """How a definition is computed that reads elements which it, or a neighbour, has made.

    Definitions of one `group` follow one another and are one kernel; those of one `stage` have the same ranges and are made together at
    each point, in their order. The indices in `order` run one after the other, outermost first; along those in `apart` nothing depends
    on anything, and they may be walked outside of all; the indices that are left are walked inside.
    """

    group: int
    stage: int
    order: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    def outermost_first(self, ranges: tuple[Range, ...]) -> tuple[Range, ...]:
        """The ranges in an order in which they may be walked."""
        extents = dict(ranges)
        last = [one for one in ranges if one[0] not in self.order and one[0] not in self.apart]
        return (*[one for one in ranges if one[0] in self.apart], *[(name, extents[name]) for name in self.order], *last)


@record
class Definition:
    """`buffer[subscripts] over ranges = body`; ranges name the loop indices, outermost first.

    `$k` in subscripts is the value of `indirect[k]` (a scatter). A buffer written by several definitions is written in their order;
    a later one than the first is an update of a part.
    """

    buffer: str
    ranges: tuple[Range, ...]
    subscripts: tuple[Size, ...]
    body: Node
    mode: Literal["set", "add", "multiply", "min", "max"] = "set"  # how an update combines with what is there
    indirect: tuple[Node, ...] = ()
    walk: Walk | None = None


@record
class LibraryCall:
    """A step done by a library: outs = kind(operands); operands and outs are buffer names with a view (shape, strides, offset).

    extern: the extern operation `name` with `options`, in which a size may stand; each result has a row-major buffer of its own. `check` is
    the node that a failed run is told by.
    loop: the `body` (a LoopProgram, of a scheduled loop its Schedule) in rounds that the size symbol `index` counts from 0: `extent` of
    them, or as many as begin with a true element in the buffer `go`; both, where none is None. The results are the buffers that the loop
    carries from round to round (behind them, once scheduled, the memory of the round's temporaries); the operands are these and what it
    only reads. `apart`: its rounds depend on no other, and may run in any order. After each round buffers change places: `moves` says
    of some whose memory each has from then on. After the last one those in `settled` have what they hold in their own memory again, and
    all that have moved are where they were: those in `homes` then are what their memory holds. If neither names one, they stay where
    they are.
    gemm: out[B.., M, N] = a[B.., M, K] @ b[B.., K, N], any number of batch axes B; `out` is row-major in its last two axes. Of a's and b's
    last two strides one is 1 and the other at least the extent that is walked by 1 (BLAS order N or T). K may be 0: out is zeros then.
    """

    kind: str  # "gemm", "extern", "loop"
    outs: tuple[BufferView, ...]
    operands: tuple[BufferView, ...]
    attributes: tuple[tuple[str, Any], ...] = ()

    @property
    def out(self) -> BufferView:
        """The only result."""
        (out,) = self.outs
        return out

    def __getitem__(self, name: str) -> Any:
        return dict(self.attributes)[name]

    @property
    def title(self) -> str:
        """What a reader calls it: `gemm`, `extern linalg.cholesky`."""
        return f"extern {self['name']}" if self.kind == "extern" else self.kind


@record
class BufferView:
    buffer: str
    shape: tuple[Size, ...]
    strides: tuple[Size, ...]
    offset: Size = 0


@record
class LoopProgram:
    """What the graph becomes: buffers and definitions in order (single assignment but for updates)."""

    interner: Interner
    buffers: dict[str, Buffer]
    steps: tuple[Definition | LibraryCall, ...]
    outputs: tuple[str, ...]  # buffer of each result, in order; a buffer's shape may be another one of as many elements
    updates: tuple[tuple[int, str], ...] = ()  # (input position, buffer whose value is written back to it)
    checked: int = 0  # that many steps come before all that write to arguments, and hold every run-time check (0: nothing to part)
    checks: tuple[str, ...] = ()  # buffers that nobody reads, made for the run-time checks in their definitions
    shapes: tuple[tuple[Size, ...], ...] = ()  # the results' own shapes; empty: those of their buffers


# ---- scheduled kernels ---------------------------------------------------------------------------------------------
#
# What a kernel means (the scheduler keeps to it, emitters and the loop printer read it):
# - A kernel's statements run in order on the calling thread. A top-level Nest whose first loop is parallel may have the
#   iterations of that loop run by the pool in any grouping (`work` against the target's threshold decides); it is joined
#   before the next statement. Its iterations never depend on each other. A loop's extent may be <= 0: no iterations.
# - `Loop.start` and `Loop.extent` are Sizes over size symbols and the indices of enclosing loops (blocks: `start = 64*b`,
#   `extent = min(64, N - 64*b)`). Locals and tiles are unique within a schedule; an index symbol may name the loop of a later
#   nest again, never one inside its own.
# - In one iteration of a nest's loops its `body` runs in order; then each accumulator takes its `value`, which may use
#   locals that the body bound. After the loops the accumulators' names are locals of the enclosing level (seen by all
#   statements after the nest, at any depth). A Let binds from there to the end of the body that holds it, depth included.
#   Loads see what earlier statements stored.
# - In a nest with a vector loop (always its last) the body holds only Lets and Stores: there loads and stores handle
#   lanes, locals from outside are splat. No two lanes store to one element, and what a body loads from a buffer that it
#   also stores to has the same subscripts as the store (so lanes and unrolled copies are independent).
# - Nests without a vector loop run their body per iteration with scalars.
# - An accumulator over no iterations is its kind's neutral element (sum 0, prod 1, any false, all true, min and max the
#   greatest and least value, infinities for floats; position 0). argmin, argmax: on ties the lowest position.
# - Lanes of one accumulator combine in a fixed order that does not depend on the extent's value or on threads.
# - Tiles have constant extents and at most 128 KiB together: a stack allocation in the kernel function. Their contents are
#   private to an iteration of a top-level parallel loop and undefined when it begins; outside of such loops a tile keeps its
#   contents to the kernel's end.
# - Buffers that the scheduler adds (partial results) are temporaries in `Schedule.program.buffers` with an Allocation.
# - A temporary without an Allocation has an entry in `aliases` and starts where that buffer's memory starts.
# - `streaming` stores are never read again by the kernel; the emitter tests the buffer's bytes against
#   `Target.streaming_bytes` (statically, or at run time where the shape is symbolic).


@record
class Loop:
    """One loop of a nest. `parallel` only outermost in a kernel; `vector` only innermost in its nest.

    index runs over start .. start+extent by 1. A vector loop has `width` lanes and `unroll` copies of them
    (separate accumulators); its tail is masked.
    """

    index: str
    extent: Size
    kind: Literal["serial", "parallel", "vector"] = "serial"
    start: Size = 0
    width: int = 1
    unroll: int = 1


@record
class Accumulator:
    """A reduction over all loops of the nest that holds it; afterwards `name` is a local at the nest's own level.

    kind welford binds `name.mean` and `name.m2`; argmin/argmax (dtype i64) bind `name` (the position) and `name.value`,
    and `position` is the position counted over the reduced axes.
    """

    name: str
    kind: str
    dtype: DType  # of the accumulator (f32 for f16 and bf16 bodies)
    value: Node
    position: Size = 0


@record
class Let:
    name: str
    value: Node


@record
class Store:
    """`mode` other than set reads the element, combines, and writes (histograms, accumulator rows)."""

    buffer: str
    subscripts: tuple[Size, ...]
    value: Node
    mode: Literal["set", "add", "multiply", "min", "max"] = "set"
    streaming: bool = False  # non-temporal, where the output is larger than the last-level cache (a run-time size test)
    indirect: tuple[Node, ...] = ()  # the values of `$k` in subscripts


@record
class Nest:
    """loops (outermost first) around body; accumulators live over all of these loops, not over those outside."""

    loops: tuple[Loop, ...]
    body: tuple[Statement, ...]
    accumulators: tuple[Accumulator, ...] = ()


Statement = Nest | Let | Store


@record
class Kernel:
    """One compiled piece of code: statements in order. `tiles` are thread-private buffers (in cache), see above."""

    name: str
    body: tuple[Statement, ...]
    tiles: tuple[Buffer, ...] = ()
    work: Size = 0  # about how many scalar operations plus bytes/4; compared with the threads' threshold at run time
    lines: tuple[int, ...] = ()  # source lines it came from


@record
class Allocation:
    """A temporary's place in the arena: byte offset and size, both possibly symbolic; 64-byte aligned."""

    buffer: str
    offset: Size
    bytes: Size


@record
class Schedule:
    """Kernels and library calls in order, the arena, and what was decided (for `explain`)."""

    program: LoopProgram
    steps: tuple[Kernel | LibraryCall, ...]
    allocations: tuple[Allocation, ...] = ()
    arena_bytes: Size = 0
    aliases: tuple[tuple[str, str], ...] = ()  # (buffer, buffer whose memory it takes over)
    notes: tuple[str, ...] = ()  # decisions in words: fused, not fused and why, materialized
    checked: int = 0  # a run in which a check has failed ends after that many steps: those behind them write to arguments
