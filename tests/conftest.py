"""Each test process has a cache folder of its own, so that no test meets what another run has left."""

import os
import tempfile

_folder = tempfile.TemporaryDirectory(prefix="stax-tests-")
os.environ["STAX_CACHE_DIR"] = os.path.join(_folder.name, "cache")
os.environ["STAX_MAX_COMPILATIONS"] = "100000"  # all tests are one process
