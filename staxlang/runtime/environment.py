"""The process's settings by its environment variables, read once."""

from __future__ import annotations

from functools import lru_cache

from staxlang.base.settings import Settings, from_environment
from staxlang.runtime import late


@lru_cache(maxsize=1)
def environment_settings() -> Settings:
    """Raises `bad-environment` for a STAX_ variable that cannot be read."""
    try:
        return from_environment()
    except ValueError as problem:
        late.raise_error("bad-environment", reason=str(problem))
