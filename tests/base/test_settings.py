"""Settings: read once from variables that are given, refused by name where they cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from staxlang.base.settings import CHOICE_ROWS, LOG_TOPICS, SETTING_NAMES, Settings, check_setting, from_environment


def test_defaults() -> None:
    assert from_environment({}) == Settings()
    assert Settings().max_versions == 8 and Settings().max_compilations == 256 and not Settings().strict


@pytest.mark.parametrize(
    "variable, text, setting, value",
    [
        ("STAX_THREADS", "4", "threads", 4), ("STAX_NUM_THREADS", "3", "threads", 3), ("STAX_CACHE", "0", "cache_enabled", False),
        ("STAX_CACHE", "1", "cache_enabled", True), ("STAX_CACHE_DIR", "/tmp/here", "cache_dir", "/tmp/here"),
        ("STAX_CACHE_SIZE_LIMIT", "64M", "cache_size_limit", 64 << 20), ("STAX_LOG", "recompiles, cache", "log", {"recompiles", "cache"}),
        ("STAX_MAX_VERSIONS", "2", "max_versions", 2), ("STAX_ISA", "AVX2", "isa", "avx2"), ("STAX_CHECKED", "yes", "checked", True),
        ("STAX_FAST_MATH", "on", "fast_math", True), ("STAX_FALLBACK", "numpy", "fallback", "numpy"),
        ("STAX_STRICT", "on", "strict", True),
        ("STAX_SIZES", "symbolic", "sizes", "symbolic"), ("STAX_ENGINE", "reference", "engine", "reference"),
        ("STAX_LOG", "", "log", set()),
        ("STAX_UNROLL_LIMIT", "0", "unroll_limit", 0),
    ],
)  # fmt: skip
def test_variables(variable: str, text: str, setting: str, value: object) -> None:
    assert getattr(from_environment({variable: text, "OTHER": "1"}), setting) == value


@pytest.mark.parametrize(
    "variable, text", [("STAX_THREADS", "many"), ("STAX_MAX_VERSIONS", "0"), ("STAX_LOG", "all,nothing"), ("STAX_ISA", "mmx"),
                       ("STAX_CHECKED", "perhaps"), ("STAX_FALLBACK", "jax"), ("STAX_THREADS", "-1")],
)  # fmt: skip
def test_what_cannot_be_read_is_named(variable: str, text: str) -> None:
    with pytest.raises(ValueError, match=variable):
        from_environment({variable: text})


def test_they_are_a_value() -> None:
    changed = Settings().with_options(checked=True, log=frozenset(("cache",)))
    assert changed.checked and not Settings().checked and hash(changed) != hash(Settings())
    assert Settings().with_options() == Settings()
    with pytest.raises(AttributeError):
        changed.checked = False  # type: ignore[misc]
    with pytest.raises(TypeError):
        Settings().with_options(no_such=1)


def test_options_are_checked_as_variables_are() -> None:
    assert check_setting("sizes", "static") == "static" and check_setting("threads", 2) == 2
    for setting, value in (("sizes", "maybe"), ("threads", True), ("checked", 1), ("max_versions", 0), ("log", ["x"])):
        with pytest.raises(ValueError, match=setting if setting != "log" else "topic"):
            check_setting(setting, value)
    assert set(CHOICE_ROWS) <= set(SETTING_NAMES)


def test_the_page_names_every_setting_and_topic() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    missing = [name for name in (*SETTING_NAMES, *LOG_TOPICS) if f"| `{name}` |" not in page]
    variables = {"cache_enabled": "STAX_CACHE"}
    missing += [name for name in SETTING_NAMES if f"`{variables.get(name, 'STAX_' + name.upper())}`" not in page]
    assert missing == []
