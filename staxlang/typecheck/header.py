"""What a definition of .stx declares, read when somebody asks: most processes never do."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from staxlang.parser import tree

if TYPE_CHECKING:
    from staxlang.typecheck.signatures import Signature


class Header:
    """What a definition says of its parameters, its result and its sizes. `lookup` gives the module's names in types."""

    __slots__ = ("_signature", "lookup", "tree")

    def __init__(self, function: tree.Function, lookup: Callable[[str], Any]) -> None:
        self.tree = function
        self.lookup = lookup
        self._signature: Signature | None = None

    @property
    def is_plain(self) -> bool:
        """Says nothing."""
        function = self.tree
        return not function.facts and function.returns is None and all(one.annotation is None for one in function.parameters)

    @property
    def signature(self) -> Signature:
        found = self._signature
        if found is None:
            found = self._signature = import_module("staxlang.typecheck.signatures").read_signature(self.tree, self.lookup, stx=True)
            assert found is not None
        return found
