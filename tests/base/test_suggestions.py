"""The nearest known name."""

from __future__ import annotations

import pytest

from staxlang.base.suggestions import closest, did_you_mean


@pytest.mark.parametrize(
    "name, candidates, found",
    [
        ("sofmax", ("softmax", "softplus", "max"), "softmax"), ("cehcked", ("checked", "threads"), "checked"), ("Sum", ("sum",), "sum"),
        ("keepdim", ("keepdims", "dtype"), "keepdims"), ("n", ("N", "m"), "N"), ("banana", ("axis", "dtype"), None), ("x", (), None),
        ("z", ("k", "zs"), None),
        ("axis", ("axis",), None),
    ],
)  # fmt: skip
def test_what_was_probably_meant(name: str, candidates: tuple[str, ...], found: str | None) -> None:
    assert closest(name, candidates) == found
    assert did_you_mean(name, candidates) == (None if found is None else f"did you mean `{found}`?")


def test_the_order_of_candidates_does_not_matter() -> None:
    assert closest("mat", ["max", "mad", "map"]) == closest("mat", ["map", "mad", "max"]) == "mad"
