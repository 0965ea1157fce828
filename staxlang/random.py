"""`stax.random`: random numbers with explicit keys, the functions of staxlang/stdlib/random.stx; loaded when they are first used."""

from __future__ import annotations

from staxlang.namespace import functions_of

__getattr__, __dir__ = functions_of("random", globals())
