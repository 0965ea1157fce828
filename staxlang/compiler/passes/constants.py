"""Seeing that a node is the same number in every place."""

from __future__ import annotations

from typing import Any

from staxlang.compiler.node import Node


def splat(node: Node) -> Any:
    """The number that a constant, or a view of one, is everywhere; None for anything else."""
    while node.op == "view":
        node = node.operands[0]
    return node["value"] if node.op == "constant" else None


def is_splat(node: Node) -> bool:
    while node.op == "view":
        node = node.operands[0]
    return node.op == "constant"


def is_number(node: Node, value: int) -> bool:
    """Is the node this number everywhere (bools are no numbers; -0.0 counts as 0)?"""
    found = splat(node)
    return found is not None and not isinstance(found, bool) and found == value
