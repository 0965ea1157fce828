"""Every test run has its own cache on disk, so that what an earlier run compiled is not what this one tests. No test fails for the time
that drawing its examples took: machines are shared."""

import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")
FOLDER = tempfile.mkdtemp(prefix="stax-tests-")
os.environ["STAX_CACHE_DIR"] = os.path.join(FOLDER, "cache")
os.environ["STAX_MAX_COMPILATIONS"] = "100000"  # all tests of a run are one process


def pytest_unconfigure(config):
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """A cache folder for the child processes of one test."""
    monkeypatch.setenv("STAX_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
