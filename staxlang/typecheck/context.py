"""One evaluation's state (EvaluationContext), and what the meaning of an operation may ask for at one call of it (CallContext).

How the two halves of the front end meet. The evaluator asks names.py for meanings:

    resolve(object) -> Meaning | None       np.exp, math.sqrt, operator.add, np.float32, stax.softmax, by identity; not Python functions
    method(name) -> Meaning | None          x.sum(...): args[0] is the array
    attribute(name) -> Meaning | None       x.T, x.shape, x.dtype: args == [the array]
    subscript(call, array, index) -> Value              x[index]; index is a Value (a tuple of them where several, SliceValue, ...)
    assign_subscript(call, array, index, value) -> None x[index] = value
    word(name) -> Meaning | None            the words of .stx that need no import (exp, sum, maximum, where, ...)
    KNOWN_COMPOSITES: frozenset[str]        library functions that stay whole (softmax, var, layer_norm, ...)

and calls `meaning.apply(call, args, kwargs, span) -> Value` with a CallContext. Arguments are abstract values (values.py), never UNKNOWN
and never containers of UNKNOWN: the evaluator answers those itself. Operators between Python numbers are the evaluator's too; an operator
that touches an array is `call.pointwise(row, operands)`, and `@` is `resolve(np.matmul)`.
"""

# Abstract values are Any: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from staxlang.base.diagnostics import Diagnostic, Note, diagnose
from staxlang.base.dtypes import I64, DType
from staxlang.base.sizes import Condition, Facts, Size, evaluate, may_be_equal, symbols
from staxlang.base.spans import Span
from staxlang.base.types import TensorType
from staxlang.typecheck import binding, counts, scalars
from staxlang.typecheck import pointwise as pointwise_operations
from staxlang.typecheck.branching import Branches
from staxlang.typecheck.counts import Counts
from staxlang.typecheck.guards import Capture, ContentGuard, FrozenScalar, Gate, Getter, ShapeGuard, SizeBinding, SizeOrigin, constant_type
from staxlang.typecheck.index_notation.scope import Indices
from staxlang.typecheck.kept.scope import Loops
from staxlang.typecheck.memory_order import Order
from staxlang.typecheck.mutation import write
from staxlang.typecheck.origins import ordinal, origin_note, source_text
from staxlang.typecheck.problems import Problem
from staxlang.typecheck.recorder import Handle, Recorder
from staxlang.typecheck.values import ArrayValue, RecordValue, ScalarValue, Storage, Value


class EvaluationContext:
    """Everything that one evaluation gathers. Made new for each; nothing of it outlives a failed one."""

    __slots__ = (
        "arguments", "asked", "attribute", "branches", "capture_type", "captured", "captures", "checking", "choose", "container",
        "counts", "declared", "depth_limit", "diagnostics", "facts", "frozen_leaves", "function", "gates", "guards", "hints", "indices",
        "invoke", "iterate", "iterations", "late_reads", "library", "lift", "loops", "masks", "next_position", "origins", "quiet",
        "recorder", "rigid", "sizes", "storages", "unroll_limit", "written",
    )  # fmt: skip

    def __init__(
        self,
        recorder: Recorder,
        hints: Mapping[str, int] | None = None,
        facts: Facts | None = None,
        rigid: frozenset[str] = frozenset(),
        unroll_limit: int = 4096,
        depth_limit: int = 200,
    ) -> None:
        self.recorder = recorder
        self.checking = recorder.checking
        self.facts = facts if facts is not None else Facts()
        self.hints: dict[str, int] = dict(hints or {})
        self.rigid = set(rigid)
        self.origins: list[SizeOrigin] = []
        self.guards: list[ShapeGuard | FrozenScalar | ContentGuard] = []
        self.gates: list[Gate] = []
        self.captures: list[Capture] = []
        self.sizes: list[SizeBinding] = []
        self.diagnostics: list[Diagnostic] = []
        self.frozen_leaves: dict[int, Any] = {}
        self.captured: dict[Any, Value] = {}
        self.asked: dict[int, int] = {}  # of a number, by its position: how many conditions on it were decided
        self.next_position = 0
        self.arguments: Mapping[str, Any] = {}
        self.unroll_limit = unroll_limit
        self.depth_limit = depth_limit
        self.iterations = 0
        # What the evaluator puts in when it starts, so that operations may call back into it:
        self.invoke: Callable[..., Value] = _not_started  # (call, function, args, kwargs)
        self.library: Callable[[str], Value | None] = _not_started  # a function of the standard library by its name
        self.attribute: Callable[..., Value] = _not_started  # (call, value, name)
        self.iterate: Callable[..., list[Value]] = _not_started  # (call, value, what)
        self.container: Callable[..., Value] = _not_started  # (call, captured container) -> its elements
        self.function: Callable[..., Value] = _not_started  # (Python function, getter, span)
        self.lift: Callable[..., Value] = _not_started  # (context, Python object, getter, span)
        self.choose: Callable[..., Value] = _not_started  # (call, condition, thunk, thunk): one of two evaluations, chosen by the program
        self.storages: dict[Any, Storage] = {}
        self.branches = Branches()
        self.quiet = False  # inside of `with np.errstate(...)`
        self.indices, self.loops = Indices(), Loops()
        self.written: dict[int, None] = {}  # positions of the inputs that have been written to so far
        self.late_reads: dict[tuple[int, int], None] = {}  # (input that was read, input that had been written to by then)
        self.declared: dict[str, Size] = {}  # symbols of annotations that are expressions of others
        self.masks: dict[Handle, tuple[Size, TensorType]] = {}  # of each boolean mask that was read by: how many it chooses; its type
        self.counts = Counts()
        self.capture_type: Callable[[Any, DType, Getter], TensorType] = constant_type

    # ---- memory of inputs ----

    def note_read(self, storage: Storage) -> None:
        """An input is read: if its memory is that of another one that has been written to, it is read too late."""
        if storage.source is not None and self.written:
            position = storage.source.position
            self.late_reads.update(dict.fromkeys([(position, other) for other in self.written if other != position]))

    # ---- sizes ----

    def hint(self, size: Size) -> int | None:
        """The size at the call that is being captured; None where it is not known (checking)."""
        if isinstance(size, int):
            return size
        hints = self.hints
        for name in symbols(size):
            if name not in hints and counts.answer(self, name) is None:
                return None
        return evaluate(size, hints)

    def decide(self, condition: Condition, span: Span | None = None, why: str = "") -> bool | None:
        """Is the condition true? Proved from what is known, else taken from the hints and kept as a shape guard. None: only in checking."""
        answer = self.loops.decide(condition, self.facts)
        if answer is not None:
            return answer
        left, right = self.hint(condition.left), self.hint(condition.right)
        if left is None or right is None:
            return self._decide_rounds(condition, span, why)
        answer = condition.holds(self.hints)
        held = condition if answer else condition.negation
        self.assume(held)
        self.guards.append(ShapeGuard(held, span, why))
        return answer

    def _decide_rounds(self, condition: Condition, span: Span | None, why: str) -> bool | None:
        """Whether an order holds in every round of the loops around, or in none, by a guard on the call's own sizes. None: neither."""
        for answer, needed in self.loops.sufficient(condition, self.facts):
            if all(self.hint(side) is not None for side in (needed.left, needed.right)) and self.decide(needed, span, why):
                return answer
        return None

    def assume(self, condition: Condition) -> None:
        self.facts = self.facts.assume(condition)

    def origin(self, size: Size, owner: Any = None, handle: Handle = None) -> Note | None:
        """Where a size came from, as a note: `D is the last axis of parameter x (line 11)`.

        A constant extent says nothing by itself: it is looked up only among the axes of `owner`, the source of an operand's storage, or
        of the inputs that the operand with this handle was made of, where just one of those has it.
        """
        for origin in self.origins:
            if origin.size == size and (not isinstance(size, int) or origin.owner is owner):
                return origin_note(self, size, origin)
        if not isinstance(size, int):
            names = symbols(size)
            for origin in self.origins:
                if len(names) == 1 and not isinstance(origin.size, int) and symbols(origin.size) == names:
                    return origin_note(self, origin.size, origin)
        elif owner is None and handle is not None:
            inputs = self.recorder.sources(handle)
            found = [one for one in self.origins if one.size == size and getattr(one.owner, "position", None) in inputs]
            if len(found) == 1:
                return origin_note(self, size, found[0])
        return None

    # ---- needing a value now ----

    def freeze(self, scalar: ScalarValue, span: Span | None, why: str) -> Any:
        """The Python number that a run-time scalar is at this call; its leaves join the key. None: only in checking."""
        return scalars.freeze(self, scalar, span, why)

    def gate(self, handle: Handle, type: TensorType, span: Span | None, what: str) -> Any:
        """The value of a 0-d tensor, kept as a data gate. None: only in checking."""
        if self.indices.active:
            self.fail("index-decides", span, what=f"`{what}`" if what else "the value")
        known = self.counts.of.get(handle)
        if known is not None and counts.settled(self, known):
            return scalars.fixed_size(self, known, span, f"`{what}`")
        if (self.branches.live is not None or self.loops.active) and not self.checking:
            self.fail("gate-in-region", span, what=f"`{what}`" if what else "the value")
        value = self.recorder.gate(handle, type, span, what)
        if value is not None:
            self.gates.append(Gate(handle, type, value, span, what))
            self.counts.answered[handle] = value
        return value

    # ---- captures and diagnostics ----

    def take_position(self) -> int:
        position = self.next_position
        self.next_position += 1
        return position

    def content(self, getter: Getter, kind: str, expected: Any, span: Span | None) -> None:
        """Remember that a captured object's content was used as a constant."""
        guard = ContentGuard(getter, kind, expected, span)
        for known in self.guards:
            if isinstance(known, ContentGuard) and known.getter == getter and known.kind == kind:
                return
        self.guards.append(guard)

    def note_origins(self, shape: tuple[Size, ...], name: str, span: Span | None, owner: Any) -> None:
        """Remember where the sizes of an input's shape came from; the first place of each symbol counts."""
        for axis, extent in enumerate(shape):
            self.origins.append(SizeOrigin(extent, f"the {ordinal(axis, len(shape))} of {name}", span, owner))

    def fail(self, code: str, span: Span | None, **fields: Any) -> NoReturn:
        """Report a row of the catalogue outside of a call."""
        raise Problem(diagnose(code, span, **fields))

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic, once for its place (whichever call of a function led there)."""
        for known in self.diagnostics:
            if known.span == diagnostic.span and known.message == diagnostic.message and known.code == diagnostic.code:
                return
        self.diagnostics.append(diagnostic)


class CallContext:
    """One use of an operation: where it stands in the program, and everything its meaning may do.

    `span` is the user's line (for code of the standard library: the call of it). `tree` is the expression, or None.
    """

    __slots__ = ("context", "frame", "span", "tree")

    def __init__(self, context: EvaluationContext, span: Span | None, tree: Any = None, frame: Any = None) -> None:
        self.context = context
        self.span = span
        self.tree = tree
        self.frame = frame

    @property
    def checking(self) -> bool:
        return self.context.checking

    # ---- recording ----

    def record(self, op: str, operands: tuple[Handle, ...], attributes: Mapping[str, Any], type: TensorType) -> Handle:
        """One graph-level operation (contract of the graph: operands all explicit, broadcasts and casts too). Gives its handle."""
        if self.context.indices.active:
            self._refuse_ragged(type)
        return self.context.recorder.record(op, operands, attributes, type, self.span)

    def _refuse_ragged(self, type: TensorType) -> None:
        """An array whose extent is another one for each value of an index."""
        indices = self.context.indices
        for extent in type.shape:
            among = indices.among(extent)
            if among and not indices.searching:
                self.error("index-in-shape", extent=indices.text(extent), name=among[0].name)

    def array(self, handle: Handle, type: TensorType, scalar: bool | None = None, order: Order | None = None) -> ArrayValue:
        """A new array, with memory of its own, that holds a handle. A 0-d one is a NumPy scalar (immutable) unless `scalar=False`."""
        return ArrayValue(Storage(handle, type, order=order), type, None, (not type.shape) if scalar is None else scalar)

    def operation(self, op: str, operands: Sequence[ArrayValue], type: TensorType, order: Order | None = None, **named: Any) -> ArrayValue:
        """`record` on arrays, giving a new array of the given type, its axes in that order in memory. `named`: the attributes."""
        return self.array(self.record(op, tuple(self.handle(x) for x in operands), named, type), type, order=order)

    def handle(self, value: Value) -> Handle:
        """What a numeric value holds now: an array's current value (its view read), a number as a 0-d value of its default dtype."""
        return pointwise_operations.read(self, value)

    def type_of(self, value: Value) -> TensorType:
        """dtype and shape of a numeric value; Python numbers have shape () and a weak dtype. Anything else is an error at the call."""
        return pointwise_operations.type_of(self, value)

    def is_numeric(self, value: Value) -> bool:
        """An array, NumPy scalar, Python number, size or run-time scalar (bool included)."""
        return pointwise_operations.is_numeric(value)

    def constant(self, value: Any, dtype: DType) -> Handle:
        """A 0-d constant of a dtype. A Python integer that does not fit is an error, as in NumPy."""
        return pointwise_operations.constant(self, value, dtype)

    def size_handle(self, size: Size) -> Handle:
        """A size as a 0-d i64 value."""
        return pointwise_operations.size_handle(self, size)

    def iota(self, shape: tuple[Size, ...], axis: int) -> Handle:
        """The i64 array of a shape whose elements are their subscript along an axis."""
        return self.record("iota", (), {"axis": axis}, TensorType(I64, shape))

    # ---- arrays, views, storages ----

    def to_array(self, value: Value, dtype: DType | None = None) -> ArrayValue:
        """A numeric value as an array (itself if it is one of that dtype); numbers become 0-d arrays of their default dtype."""
        return pointwise_operations.to_array(self, value, dtype)

    def view(self, array: ArrayValue, shape: tuple[Size, ...], subscripts: tuple[Size, ...], scalar: bool = False) -> ArrayValue:
        """An array that shares `array`'s memory: its element [i0, ..] is `array`'s element [subscripts] (sizes over `i0`, `i1`, ..).

        `scalar`: the NumPy scalar x[1, 2], which is a copy of what is there now.
        """
        made = pointwise_operations.view(array, shape, subscripts)
        return self.array(pointwise_operations.read(self, made), made.type, scalar=True) if scalar else made

    def locked(self, array: ArrayValue) -> ArrayValue:
        """The same array, not to be written through (what np.broadcast_to and np.diagonal give)."""
        made = ArrayValue(array.storage, array.type, array.subscripts, array.scalar)
        made.readonly = True
        return made

    def copy(self, array: ArrayValue, order: Order | None = None) -> ArrayValue:
        """The same elements in memory of their own."""
        return self.array(self.handle(array), TensorType(array.type.dtype, array.type.shape), scalar=False, order=order)

    def strides(self, array: ArrayValue) -> tuple[Size, ...] | None:
        """Element strides of an array in its storage's memory as NumPy would have it; None where the view is not affine."""
        return pointwise_operations.strides(self, array)

    def cast(self, value: Value, dtype: DType) -> ArrayValue:
        """A numeric value in a dtype: the same array where it has it already, else a new one (astype is `copy` of that)."""
        return pointwise_operations.cast(self, value, dtype)

    def broadcast_shapes(self, *shapes: tuple[Size, ...], operands: Sequence[Value] = ()) -> tuple[Size, ...]:
        """NumPy's broadcast of shapes. Decides what it must (shape guards); a mismatch is the diagnostic, with origins (of `operands`)."""
        return pointwise_operations.broadcast_shapes(self, shapes, operands)

    def broadcast(self, value: Value, shape: tuple[Size, ...]) -> Handle:
        """A numeric value read as an operand of a shape that it broadcasts to. Its dtype stays (weak numbers: their default dtype)."""
        return pointwise_operations.broadcast(self, value, shape)

    def pointwise(self, name: str, operands: Sequence[Value], dtype: DType | None = None) -> Value:
        """A row of the operation table on numeric values: NumPy's promotion, broadcast, casts. `dtype` is the ufunc's dtype= argument.

        All operands static: computed now, a static NumPy scalar.
        """
        return pointwise_operations.pointwise(self, name, operands, dtype)

    def write(self, array: ArrayValue, value: Value) -> None:
        """`array[...] = value`: cast (same-kind rules are the caller's) and broadcast into the array's memory; later reads see it."""
        write(self, array, value)

    # ---- binding times ----

    def decide(self, condition: Condition, why: str = "") -> bool | None:
        """Is a condition on sizes true? Kept as a shape guard where it is not provable. None only in checking: take the general way."""
        return self.context.decide(condition, self.span, why)

    def same_size(self, left: Size, right: Size, why: str = "") -> bool:
        """Are two extents equal? In checking, undecided: true if one of them is flexible, false if both are the user's own symbols."""
        if left is right or left == right:
            return True
        answer = self.decide(Condition("==", left, right), why)
        if answer is None and not self.checking:
            return False  # how many a mask chooses in each round of a loop is equal to nothing else
        return answer if answer is not None else not self.is_rigid(left, right) or may_be_equal(left, right)

    def is_rigid(self, *sizes: Size) -> bool:
        """Do the sizes speak only of constants and of symbols that the user declared (for checking: different ones are a mismatch)?"""
        rigid = self.context.rigid
        return all(isinstance(size, int) or symbols(size) <= rigid for size in sizes)

    def hint(self, size: Size) -> int | None:
        """The extent at the call that is being captured; a decision taken on it must go through `decide`."""
        return self.context.hint(size)

    def simplify(self, size: Size) -> Size:
        """The size with the equalities known so far put in."""
        return size if isinstance(size, int) else self.context.facts.simplify(size)

    def size(self, value: Value, what: str) -> Size:
        """An int-like value as a size (stays at run time). `what` names the argument in the error. 0-d integer arrays become data gates."""
        return binding.as_size(self, value, what)

    def shape(self, value: Value, what: str = "shape") -> tuple[Size, ...]:
        """An int-like value or a sequence of them as a shape."""
        value = binding.unpacked(self, value)
        if isinstance(value, RecordValue) and value.ordered:
            value = tuple(value.fields.values())
        if isinstance(value, (tuple, list)):
            return tuple(binding.as_size(self, item, what) for item in value)
        return (binding.as_size(self, value, what),)

    def static(self, value: Value, what: str) -> Any:
        """The Python object that a value is, needed now: scalars are frozen, 0-d arrays become gates, containers are converted deeply.

        A size that is not constant is fixed to its hint by a shape guard. Raises where it cannot be known (checking: `unknown` is raised as
        a Problem that only makes the expression unknown).
        """
        return binding.static(self, value, what)

    def static_int(self, value: Value, what: str) -> int:
        """`static`, and it must be an integer (operator.index)."""
        return binding.static_int(self, value, what)

    def freeze(self, value: Value, why: str) -> Any:
        """`static` of one number, with the reason that its guard will give."""
        return binding.static(self, value, why)

    def truth(self, value: Value, what: str = "") -> bool | None:
        """bool(value), deciding, freezing or gating. None only in checking."""
        return binding.truth(self, value, what or self.text())

    # ---- other code ----

    def call(self, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value] | None = None) -> Value:
        """Call any callable value (a function is inlined)."""
        return self.context.invoke(self, function, list(args), dict(kwargs or {}))

    def library(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value] | None = None) -> Value:
        """Call a function of the standard library by its .stx name: inlined, or kept whole if the compiler knows it."""
        function = self.context.library(name)
        if function is None:
            raise LookupError(f"the standard library has no {name!r}")
        return self.context.invoke(self, function, list(args), dict(kwargs or {}))

    def items(self, value: Value, what: str) -> list[Value]:
        """The elements of a static sequence or of an array's first axis (its length must be static)."""
        return self.context.iterate(self, value, what)

    # ---- errors ----

    def error(self, code: str, *, span: Span | None = None, notes: Sequence[Note] = (), help: str | None = None, **fields: Any) -> NoReturn:
        """Report a row of the catalogue at this call (or at `span`) and give the call up."""
        site = self.frame.notes() if self.frame is not None else ()
        raise Problem(diagnose(code, span or self.span, notes=(*notes, *site), help=help, **fields))

    def warn(self, code: str, *, span: Span | None = None, notes: Sequence[Note] = (), help: str | None = None, **fields: Any) -> None:
        """Keep a diagnostic and go on."""
        self.context.report(diagnose(code, span or self.span, notes=tuple(notes), help=help, **fields))

    def argument_span(self, index: int) -> Span | None:
        """The place of the call's index-th argument (of a method: 0 is the receiver), for a caret on it."""
        part = self._part(index)
        return part.span if part is not None else self.span

    def text(self, index: int | None = None) -> str:
        """The source text of the call, or of its index-th argument."""
        part = self.tree if index is None else self._part(index)
        return source_text(part) if part is not None else "the value"

    def operand_note(self, index: int, value: Value, size: Size | None = None) -> Note:
        """`x: f32[N, D]   D is the last axis of parameter x (line 11)` for an operand, with the origin of one of its sizes."""
        written = self.text(index)
        written = written if written.isidentifier() or not self.frame.library else "an operand"  # the library's own text says nothing
        text = f"{written}: {self.describe(value)}"
        owner = value.storage.source if isinstance(value, ArrayValue) else None
        handle = value.storage.handle if isinstance(value, ArrayValue) else None
        origin = self.context.origin(size, owner, handle) if size is not None else None
        return Note(None, f"{text}   {origin.text}" if origin is not None else text)

    def operation_text(self, name: str = "") -> str:
        """What the user wrote for this operation: `+`, `np.add`, `x.sum`."""
        tree = self.tree
        if tree is None:
            return name or "the operation"
        operation = getattr(tree, "op", None)
        if operation is not None:
            return operation + "=" if type(tree).__name__ == "AugmentedAssign" else operation
        if type(tree).__name__ == "Compare":
            return tree.ops[0]
        return source_text(tree.function) if type(tree).__name__ == "Call" else name or source_text(tree)

    def describe(self, value: Value) -> str:
        """A value's type in the user's words: `f32[N, D]`, `int`, `tuple`."""
        return pointwise_operations.describe(value)

    def _part(self, index: int) -> Any:
        tree = self.tree
        kind = type(tree).__name__
        if kind == "Call":
            parts = tree.arguments
            if type(tree.function).__name__ == "Attribute" and self.frame is not None and self.frame.is_method_call(tree):
                parts = (tree.function.value, *parts)
        elif kind == "Binary":
            parts = (tree.left, tree.right)
        elif kind == "Compare":
            parts = (tree.left, *tree.rights)
        elif kind == "Unary":
            parts = (tree.operand,)
        elif kind == "Subscript":
            parts = (tree.value, tree.index)
        elif kind == "AugmentedAssign":
            parts = (tree.target, tree.value)
        elif kind == "Attribute":
            parts = (tree.value,)
        else:
            parts = ()
        return parts[index] if index < len(parts) else None


def _not_started(*_: Any) -> Any:
    raise RuntimeError("the evaluation has not been started")
