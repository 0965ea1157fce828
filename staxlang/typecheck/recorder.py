"""The seam between the evaluator and what listens to it: one call per tensor operation, with types that are already known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from staxlang.base.sizes import Size
from staxlang.base.spans import Span
from staxlang.base.types import TensorType

Handle = Any
"""What a recorder calls a tensor value: a `TensorType` in the type recorder, a `Node` in the graph recorder."""

Opened = tuple[tuple[Handle, TensorType], ...]


class Recorder(Protocol):
    """Told about every tensor operation in program order."""

    @property
    def checking(self) -> bool:
        """True for a recorder that knows types only: diagnostics are collected, undecided branches are taken both ways."""
        ...

    @property
    def asks(self) -> bool:
        """Whether data gates have answers: not in a program for types."""
        ...

    def record(self, op: str, operands: tuple[Handle, ...], attributes: Mapping[str, Any], type: TensorType, span: Span | None) -> Handle:
        """One operation. Attribute values are hashable; `type` is the result's."""
        ...

    def composite(
        self,
        name: str,
        operands: tuple[Handle, ...],
        attributes: Mapping[str, Any],
        types: tuple[TensorType, ...],
        span: Span | None,
        open: Callable[[Recorder, tuple[Handle, ...]], Opened],
    ) -> tuple[Handle, ...]:
        """A library function that the compiler knows by name and keeps whole.

        `types` are the operands' types. `open(inner, parameters)` evaluates the function's body, telling `inner`, with one parameter handle
        per operand, and gives its results as (handle, type) pairs; the recorder calls it exactly once. One handle per result comes back.
        """
        ...

    def sources(self, handle: Handle) -> frozenset[int]:
        """The positions of the inputs that a value was made of; none where that is not known (type recorder)."""
        ...

    def trial(self) -> Callable[[], None]:
        """What is recorded from now on is forgotten when the result is called: it is recorded again then, or otherwise."""
        ...

    @property
    def keeps_loops(self) -> bool:
        """Whether a loop can be recorded here."""
        ...

    def mark(self) -> tuple[int, int]:
        """The place in the recording: what `measure`, `reads` and `loop` count from."""
        ...

    def measure(self, since: tuple[int, int]) -> tuple[int, bool]:
        """How many operations have been recorded since, and whether one of them deals with arrays."""
        ...

    def inputs_since(self, since: tuple[int, int]) -> frozenset[int]:
        """The positions of the inputs that operations recorded since read."""
        ...

    def reads(self, since: tuple[int, int], handle: Handle) -> bool:
        """Whether an operation that has been recorded since reads a value."""
        ...

    def loop(
        self, since: tuple[int, int], parameters: list[Handle], before: list[Handle], after: list[Handle],
        index: str, extent: Size | None, conditional: bool, span: Span | None, moves: tuple[int, ...] = (),
    ) -> tuple[Handle, ...]:  # fmt: skip
        """What has been recorded since was a round of a loop, for any round: `parameters` are the values that it carries, as a round
        finds them, `after` as it leaves them, `before` as they are before the loop. Rounds are counted by the symbol `index`, up to
        `extent`, or, `conditional`, until the first value is false. Gives the values after the loop; where some of them change memory
        from round to round (each number of `moves` tells into whose), what each memory holds."""
        ...

    def gate(
        self, operand: Handle, type: TensorType, span: Span | None, what: str, counts: str | None = None
    ) -> bool | int | float | complex | None:
        """The value of a 0-d tensor, needed now. None: not known here (type recorder). `what` is the user's expression. `counts`: the
        program goes on for any value, which is the counted size of this name; else the value is one of its conditions."""
        ...

    def closed(self, handle: Handle) -> Handle | None:
        """The value as it can be computed before the program runs; None where each round of a loop, or each place, has another one."""
        ...


class TypeRecorder:
    """Keeps types only: the handle of a value is its type. Serves the checker and the editor."""

    __slots__ = ()

    checking = True
    asks = True

    def record(self, op: str, operands: tuple[Handle, ...], attributes: Mapping[str, Any], type: TensorType, span: Span | None) -> Handle:
        return type

    def composite(
        self,
        name: str,
        operands: tuple[Handle, ...],
        attributes: Mapping[str, Any],
        types: tuple[TensorType, ...],
        span: Span | None,
        open: Callable[[Recorder, tuple[Handle, ...]], Opened],
    ) -> tuple[Handle, ...]:
        return tuple(handle for handle, _ in open(self, operands))

    def sources(self, handle: Handle) -> frozenset[int]:
        return frozenset()

    def trial(self) -> Callable[[], None]:
        return _nothing

    def gate(self, operand: Handle, type: TensorType, span: Span | None, what: str, counts: str | None = None) -> None:
        return None

    def closed(self, handle: Handle) -> Handle | None:
        return handle

    keeps_loops = False  # in checking a loop's rounds are walked until their types settle

    def mark(self) -> tuple[int, int]:
        return 0, 0

    def measure(self, since: tuple[int, int]) -> tuple[int, bool]:
        return 0, False

    def inputs_since(self, since: tuple[int, int]) -> frozenset[int]:
        return frozenset()

    def reads(self, since: tuple[int, int], handle: Handle) -> bool:
        return True

    def loop(
        self, since: tuple[int, int], parameters: list[Handle], before: list[Handle], after: list[Handle],
        index: str, extent: Size | None, conditional: bool, span: Span | None, moves: tuple[int, ...] = (),
    ) -> tuple[Handle, ...]:  # fmt: skip
        return tuple(after)


def _nothing() -> None:
    """There is nothing to forget."""
