"""Settings: one frozen value, made in one place (the only reader of environment variables) and passed down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from staxlang.base.records import record, replace


@record
class Settings:
    """What decides how kernels are compiled and run. The names are those of `@stax.kernel`'s options where both exist."""

    threads: int = 0  # 0: as many as the process may use
    cache_enabled: bool = True
    cache_dir: str | None = None  # None: the user's cache folder
    cache_size_limit: int = 512 << 20  # bytes
    log: frozenset[str] = frozenset()  # of LOG_TOPICS
    max_versions: int = 8  # of one kernel
    max_compilations: int = 256  # of the process
    unroll_limit: int = 80  # trip count times body nodes up to which a loop over constants unrolls
    static_loop_limit: int = 4096  # iterations of a loop that must unroll
    recursion_limit: int = 200  # depth of inlined calls
    isa: str | None = None  # instead of the host's: avx512, avx2, sse2, neon
    checked: bool = False  # an operation that makes NaN or infinity of finite numbers is an error (indices are always tested)
    fast_math: bool = False
    strict: bool = False  # more versions than max_versions are an error, and so is a fallback
    fallback: str | None = None  # "numpy": run under NumPy what cannot be compiled, with a warning
    engine: str | None = None  # None: by the arguments; cpu, reference
    sizes: str = "evidence"  # when an extent becomes symbolic: evidence, static, symbolic
    branches: str = "gates"  # where data-dependent branches go: gates, inside
    overlap: str = "guard"  # written arguments that overlap others: guard (test, then copy), assume-none

    def with_options(self, **options: Any) -> Settings:
        """These settings with some replaced."""
        return replace(self, **options) if options else self


LOG_TOPICS = frozenset(("recompiles", "compilation", "passes", "fusion", "cache", "gates", "fallback", "threads", "all"))
ISAS = ("avx512", "avx2", "sse2", "neon", "generic")
CHOICE_ROWS: dict[str, tuple[str | None, ...]] = {
    "isa": (None, *ISAS),
    "fallback": (None, "numpy"),
    "engine": (None, "cpu", "reference"),
    "sizes": ("evidence", "static", "symbolic"),
    "branches": ("gates", "inside"),
    "overlap": ("guard", "assume-none"),
}
SETTING_NAMES: tuple[str, ...] = Settings.__match_args__
_FALSE = frozenset(("0", "false", "no", "off", ""))
_TRUE = frozenset(("1", "true", "yes", "on"))
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings by the variables STAX_THREADS (or STAX_NUM_THREADS), STAX_CACHE_DIR, STAX_LOG, ...: each field's name in capitals.

    STAX_CACHE=0 turns the disk cache off; STAX_LOG takes topics with commas between. ValueError names a variable that cannot be read.

    >>> from_environment({"STAX_LOG": "recompiles,cache", "STAX_MAX_VERSIONS": "4"}).max_versions
    4
    """
    variables = os.environ if environment is None else environment
    read = {name[5:].lower(): (name, text) for name, text in variables.items() if name.startswith("STAX_")}
    for other, name in (("num_threads", "threads"), ("cache", "cache_enabled")):
        if other in read:
            read.setdefault(name, read.pop(other))
    options = {name: _value(name, *read[name]) for name in SETTING_NAMES if name in read}
    return Settings(**options)


def wants_color(is_terminal: bool, environment: Mapping[str, str] | None = None) -> bool:
    """Whether text for people gets colors: on a terminal, unless NO_COLOR is set or it is a dumb one; FORCE_COLOR has them anywhere.

    >>> wants_color(True, {"NO_COLOR": "1"}), wants_color(False, {"FORCE_COLOR": "1"})
    (False, True)
    """
    variables = os.environ if environment is None else environment
    if variables.get("NO_COLOR"):
        return False
    if variables.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_terminal and variables.get("TERM") != "dumb"


def _value(setting: str, variable: str, text: str) -> Any:
    default = getattr(_DEFAULTS, setting)
    text = text.strip()
    try:
        if setting == "log":
            return _topics(text)
        if setting in CHOICE_ROWS:
            return check_setting(setting, text.lower() or None)
        if isinstance(default, bool):
            return _truth(text)
        if isinstance(default, int):
            return check_setting(setting, _number(text))
        return text or None
    except ValueError as error:
        raise ValueError(f"the environment variable {variable}={text!r} cannot be read: {error}") from None


def check_setting(setting: str, value: Any) -> Any:
    """The value if the setting can take it; ValueError says what it can take."""
    if setting in CHOICE_ROWS:
        choices = CHOICE_ROWS[setting]
        if value not in choices:
            raise ValueError(f"{setting} must be one of {', '.join(str(choice) for choice in choices)}")
    elif setting == "log":
        return _topics(",".join(value))
    else:
        default = getattr(_DEFAULTS, setting)
        if isinstance(default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{setting} must be True or False")
        elif isinstance(default, int):
            least = 0 if setting in ("threads", "cache_size_limit", "unroll_limit") else 1
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{setting} must be an integer of at least {least}")
    return value


def _topics(text: str) -> frozenset[str]:
    topics = frozenset(topic.strip().lower() for topic in text.split(",") if topic.strip())
    unknown = sorted(topics - LOG_TOPICS)
    if unknown:
        raise ValueError(f"there is no log topic {unknown[0]!r}; topics are {', '.join(sorted(LOG_TOPICS))}")
    return topics


def _truth(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise ValueError("expected 1 or 0")


def _number(text: str) -> int:
    unit = _UNITS.get(text[-1:].lower(), 1)
    try:
        return int(text[:-1] if unit > 1 else text) * unit
    except ValueError:
        raise ValueError("expected an integer") from None


_DEFAULTS = Settings()
