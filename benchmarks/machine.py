"""The machine's own limits: copy and read bandwidth, and its description."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy as np


def describe() -> str:
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
        platform.processor(),
    )
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}, NumPy {np.__version__}"
