"""`stax.fft`: discrete Fourier transforms, the functions of staxlang/stdlib/fft.stx; loaded when they are first used."""

from __future__ import annotations

from staxlang.namespace import functions_of

__getattr__, __dir__ = functions_of("fft", globals())
