"""Many seeds in a row: what goes wrong is reduced and told once for each kind."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import staxlang as stax
from tests.drawn.generator import Drawn, draw
from tests.drawn.reducing import reduced
from tests.drawn.running import Differs, run


class Failure(NamedTuple):
    seed: int
    kind: str
    error: str
    program: Drawn

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.error}\n\n{self.program.text}"


def kind_of(error: Exception) -> str:
    """What tells one fault from another: a diagnostic's code, or the class of the error."""
    code = getattr(getattr(error, "diagnostic", None), "code", None)
    if code is None and isinstance(error, stax.StaxError):
        code = str(error).split(":")[0]
    return f"{type(error).__name__} {code or ''}".strip() if not isinstance(error, Differs) else "differs"


REFUSED = ("mask-read", "mask-mismatch", "kept-loop", "branch-mismatch", "read-only")
"""What is refused and says so: sizes that depend on data, masks of no elements (which NumPy takes for an array of any length), arrays that
change their type from round to round, ways out of a loop that return values of different types, writes to copies of what NumPy views."""


def failure(drawn: Drawn, options: dict[str, Any]) -> Exception | None:
    try:
        run(drawn, **options)
    except stax.StaxError as error:  # arguments in one memory that copies cannot serve are refused
        return None if overlapping(drawn) or any(f"[{code}]" in str(error) for code in REFUSED) else error
    except Exception as error:
        return error
    return None


def overlapping(drawn: Drawn) -> bool:
    """Whether arguments share memory."""
    space: dict[str, Any] = {"np": np}
    exec(drawn.made, space)
    x, y, z = space["arguments"]()[:3]
    return np.shares_memory(x, z) or np.shares_memory(y, z)


def options_of(seed: int) -> dict[str, Any]:
    """Half of the programs run natively with constant sizes, a quarter with symbolic ones, a quarter as graphs by the reference engine."""
    return {0: {"sizes": "symbolic"}, 1: {"engine": "reference"}}.get(seed % 4, {})


def judged(seeds: Iterable[int], loops: bool = False, **options: Any) -> Iterator[Failure | None]:
    """For each seed whose program runs under NumPy: None, or what is wrong."""
    for seed in seeds:
        drawn = draw(seed, loops)
        if drawn is None:
            continue
        how = {**options_of(seed), **options}
        error = failure(drawn, how)
        if error is None:
            yield None
            continue
        kind = kind_of(error)
        again = lambda attempt, kind=kind, how=how: _runs(attempt) and (e := failure(attempt, how)) is not None and kind_of(e) == kind
        yield Failure(seed, kind, str(error), reduced(drawn, again))


def _runs(drawn: Drawn) -> bool:
    """Whether NumPy still runs it."""
    space: dict[str, Any] = {}
    try:
        exec("import numpy as np\n" + drawn.text, space)
        space["f"](*space["arguments"]())
    except Exception:
        return False
    return True


def campaign(first: int, seconds: float, shown: int = 3, loops: bool = False) -> int:
    """Seeds from a first one on, for so long; failures are printed, at most a few of a kind. How many there were."""
    ended, count, found = time.monotonic() + seconds, 0, Counter[str]()

    def seeds() -> Iterator[int]:
        seed = first
        while time.monotonic() < ended:
            yield seed
            seed += 1

    for outcome in judged(seeds(), loops):
        count += 1
        if outcome is not None:
            found[outcome.kind] += 1
            if found[outcome.kind] <= shown:
                print(f"---- {outcome.kind}\n{outcome}", flush=True)
    print(f"{count} programs from seed {first} on, {sum(found.values())} failures {dict(found)}", file=sys.stderr)
    return sum(found.values())
