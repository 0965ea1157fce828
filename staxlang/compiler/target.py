"""What the compiler knows of the machine passes through here: numbers only, found by the runtime or given by a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staxlang.base.records import record

if TYPE_CHECKING:
    from staxlang.base.sizes import Size


@record
class Target:
    """A machine to compile for. Sizes in bytes; part of a schedule's cache key, so it holds no more than decides code.

    The defaults describe a plain x86-64 machine, so that tests and prints do not depend on the machine they run on.
    """

    triple: str = "x86_64-unknown-linux-gnu"
    cpu: str = "x86-64-v3"
    features: str = ""
    vector_bytes: int = 32  # width of a vector register
    l1: int = 32 << 10  # data cache of one core
    l2: int = 512 << 10  # cache of one core
    llc: int = 16 << 20  # last level, shared
    cores: int = 2  # that the process may use
    streaming_bytes: int = 16 << 20  # outputs at least this large bypass the caches
    parallel_work: int = 1 << 18  # a kernel with at least this much `work` is given to the thread pool

    @property
    def registers(self) -> int:
        """Vector registers that code can name."""
        return 16 if self.triple.startswith("x86_64") and self.vector_bytes < 64 else 32

    def threads_pay(self, work: Size) -> bool:
        """Whether the pool could be wanted at all for so much work."""
        return self.cores > 1 and not (isinstance(work, int) and work < self.parallel_work)

    def lanes(self, itemsize: int) -> int:
        """Elements of this size in one vector register (at least one)."""
        return max(1, self.vector_bytes // max(1, itemsize))


def x86_64(vector_bytes: int = 64) -> Target:
    """A target for tests and examples: x86-64 with AVX-512 (64), AVX2 (32) or SSE2 (16).

    >>> x86_64(64).lanes(4)
    16
    """
    cpu = {64: "x86-64-v4", 32: "x86-64-v3"}.get(vector_bytes, "x86-64")
    return Target(cpu=cpu, vector_bytes=vector_bytes, l2=1 << 20, llc=32 << 20, streaming_bytes=16 << 20)
