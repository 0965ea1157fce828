"""Extern operations: the record, the table, and Stax's own rows by family (linear, fourier, ordering)."""

from staxlang.base.externs.extern import (
    DEMAND,
    DIVISION,
    OWN,
    RAISED,
    Extern,
    Options,
    Pruned,
    add_extern,
    find_extern,
    is_reserved,
    together,
)

__all__ = ["DEMAND", "DIVISION", "OWN", "RAISED", "Extern", "Options", "Pruned", "add_extern", "find_extern", "is_reserved", "together"]
