"""The state of branches that stay in the program: whether data decides here, and what each side has written so far."""

from __future__ import annotations

from typing import Any

from staxlang.typecheck.recorder import Handle
from staxlang.typecheck.values import ArrayValue, Storage


class Choice:
    """`made` stands for the memory of `part` where `test` is `on`: what is written to one is written to the other, in that case."""

    __slots__ = ("made", "on", "part", "test")

    def __init__(self, test: ArrayValue, on: bool, part: ArrayValue, made: ArrayValue) -> None:
        self.test = test
        self.on = on
        self.part = part
        self.made = made

    def case(self, call: Any) -> ArrayValue:
        """When one stands for the other, as a 0-d bool."""
        return self.test if self.on else call.to_array(call.pointwise("logical_not", (self.test,)))


class Branches:
    """Part of an evaluation's context.

    `inside`: conditions on data become part of the program instead of data gates. `live` is the 0-d bool that says whether the
    place being evaluated is reached when the program runs, None where it always is. `journals` hold, since they were opened, the
    handle that each storage had before it was written. `lost` are names, by frame, that the sides of a branch left with different
    types (None: bound on one side only). `choices` are arrays that stand for one of two, oldest first.
    """

    __slots__ = ("choices", "inside", "journals", "live", "lost")

    def __init__(self) -> None:
        self.inside = False
        self.live: ArrayValue | None = None
        self.lost: dict[tuple[int, str], tuple[str, str] | None] = {}
        self.journals: list[dict[Storage, Handle]] = []
        self.choices: list[Choice] = []

    @property
    def keeps(self) -> bool:
        """Does a condition on data stay in the program here?"""
        return self.inside or self.live is not None

    def put(self, storage: Storage, handle: Handle) -> None:
        """Let a storage hold a handle; every open journal remembers what it held."""
        for journal in self.journals:
            journal.setdefault(storage, storage.handle)
        storage.handle = handle
