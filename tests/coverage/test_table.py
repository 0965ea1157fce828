"""The table of docs/numpy.md against reality: what is supported gives what NumPy gives, what is refused says what to use."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import staxlang as stax
from staxlang.typecheck.coverage import EXTERN, REFUSED, Entry, entries
from tests.coverage.calls import DTYPES, FIXED, RECORDS, arrays, calls_of
from tests.stdlib.against_numpy import compiled, same

TABLE = entries()
SUPPORTED = [(name, row) for rows in TABLE.values() for row in rows if row.state != REFUSED for name in row.names]
REFUSALS = [(group, name, row) for group, rows in TABLE.items() for row in rows if row.state == REFUSED for name in row.names]
OPERANDS = {1: "f(x)", 2: "f(x, y)"}


def is_ufunc(row: Entry) -> bool:
    return row.route.startswith("the operation") and row.names[0] != "np.where"


def texts_of(name: str, row: Entry) -> tuple[tuple[str, str], ...]:
    """A ufunc is called with as many arrays as it takes, and with its options."""
    ufunc = eval(name, {"np": np}) if name.startswith("np.") and is_ufunc(row) else None
    if ufunc is None or name in RECORDS:
        return calls_of(name, row.names)
    call = "x, y" if ufunc.nin == 2 else "x"
    return tuple((text, text) for text in (f"{name}({call})", f"{name}({call}, out=o, where=m)"))


def asked_for(texts: tuple[tuple[str, str], ...]) -> tuple[dict[str, Any], list[tuple[str, str, str, Any]]]:
    """(all arguments, (dtype, text, kernel's text, what NumPy gives) of what NumPy takes), arrays renamed by their dtypes."""
    given: dict[str, Any] = {}
    wanted: list[tuple[str, str, str, Any]] = []
    for short, dtype in DTYPES.items():
        own = arrays(dtype)
        names = re.compile(rf"(?<![\w.\"'])({'|'.join([*own, 'o'])})\b(?!\s*=[^=]|['\"])")
        for mine, theirs in texts:
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    space = {"np": np, **{key: one.copy() for key, one in {**own, **FIXED}.items()}}
                    if "o" in names.findall(theirs):
                        space["o"] = np.zeros_like(eval(theirs.replace(", out=o, where=m", ""), dict(space)))
                        given[f"o_{short}"] = space["o"].copy()
                    result = eval(theirs, space)
            except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
                continue
            wanted.append((dtype, mine, names.sub(rf"\1_{short}", mine), result))
        given |= {f"{name}_{short}": one for name, one in own.items()}
    return given | FIXED, wanted


def compare(got: Any, want: Any, what: str) -> None:
    if isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(want), what
        for one, other in zip(got, want, strict=True):
            compare(one, other, what)
    elif want is None or isinstance(want, (str, np.dtype)):
        assert got == want, what
    elif isinstance(want, float):
        assert type(got) is type(want) and np.isclose(got, want, rtol=1e-12), what
    else:
        same(got, want, what, 64.0)


@pytest.mark.parametrize(("name", "row"), SUPPORTED, ids=[f"{name}-{row.state}" for name, row in SUPPORTED])
def test_what_is_supported(name: str, row: Entry) -> None:
    texts = texts_of(name, row)
    given, wanted = asked_for(texts)
    assert wanted, f"NumPy takes none of the calls of {name}: {texts}"
    names = [key for key in given if any(re.search(rf"\b{key}\b", text) for _, _, text, _ in wanted)]
    fresh: dict[str, Any] = {key: given[key].copy() for key in names}
    changed = any(isinstance(one, tuple) and any(part is None for part in one) for *_, one in wanted)
    if changed:  # arguments are written to: each call has its own
        for dtype, text, renamed, want in wanted:
            kernel = compiled(renamed, names, {"np": np})
            compare(kernel(**{key: given[key].copy() for key in names}), want, f"{text} of {dtype}")
            assert (kernel.stats().route, kernel.stats().fallbacks) == ("native", 0)
        return
    kernel = compiled("(" + ", ".join(text for _, _, text, _ in wanted) + ",)", names, {"np": np})
    results = kernel(**fresh)
    for (dtype, text, _, want), got in zip(wanted, results, strict=True):
        compare(got, want, f"{text} of {dtype}")
    stats = kernel.stats()
    assert (stats.route, stats.fallbacks) == ("native", 0)


@pytest.mark.parametrize(("group", "name", "row"), REFUSALS, ids=[name for _, name, _ in REFUSALS])
def test_what_is_refused(group: str, name: str, row: Entry) -> None:
    assert row.route, f"what to use instead of {name} is not said"
    text = f"x{name}" if name.startswith(".") else f"{name}(x)"
    with pytest.raises(stax.StaxError) as caught:
        compiled(text, ["x"], {"np": np})(np.ones(3))
    assert caught.value.code in ("unknown-operation", "unknown-attribute"), caught.value
    assert row.route in str(caught.value)


def test_states_are_those_of_the_programs() -> None:
    """A name that is said to be native makes no extern operation; one that always makes one does."""
    for name, row in SUPPORTED:
        if not name.startswith("np.linalg") or "for some arguments" in row.route:
            continue
        given, wanted = asked_for(texts_of(name, row))
        names = [key for key in given if any(re.search(rf"\b{key}\b", text) for _, _, text, _ in wanted)]
        kernel = compiled("(" + ", ".join(text for _, _, text, _ in wanted) + ",)", names, {"np": np})
        assert ("extern" in str(kernel.explain(**{key: given[key] for key in names}))) is (row.state == EXTERN), name


def test_every_record_is_of_a_name() -> None:
    known = {name for rows in TABLE.values() for row in rows for name in row.names}
    assert set(RECORDS) <= known | {"np.row_stack"}
