"""Whole processes: import, import plus the first call, and the same with what an earlier process left on disk."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

FIRST_CALL = """
import json, sys, time
start = time.perf_counter()
{imports}
imported = time.perf_counter()
{program}
called = time.perf_counter()
print(json.dumps({{"import": imported - start, "first": called - imported}}))
"""

ARRAYS = "import numpy as np\nx = np.ones((64, 128), np.float32)\nw = np.ones((64, 128), np.float32)\n"
STARTS = {
    "numpy": ("import numpy as np", "(np.maximum(x + w, 0) * 2).sum(-1)"),
    # `kernel` by name: it is then that the runtime is loaded, which belongs to the import.
    "stax": ("from staxlang import kernel\nimport numpy as np", "f = kernel(relu_sum)\nf(x, w)"),
    "numba": ("import numba\nimport numpy as np", "f = numba.njit(cache=True)(relu_sum)\nf(x, w)"),
    "jax": (
        "import jax, jax.numpy as jnp\nimport numpy as np",
        "f = jax.jit(lambda x, w: (jnp.maximum(x + w, 0) * 2).sum(-1))\njax.block_until_ready(f(x, w))",
    ),
    "torch": ("import torch\nimport numpy as np", "x, w = torch.from_numpy(x), torch.from_numpy(w)\n(torch.relu(x + w) * 2).sum(-1)"),
    "torch.compile": (
        "import torch\nimport numpy as np",
        "x, w = torch.from_numpy(x), torch.from_numpy(w)\nf = torch.compile(lambda x, w: (torch.relu(x + w) * 2).sum(-1))\nf(x, w)",
    ),
}
DEFINITION = "def relu_sum(x, w):\n    return (np.maximum(x + w, 0) * 2).sum(axis=-1)\n"


def once(peer: str, folder: str) -> dict[str, float]:
    imports, program = STARTS[peer]
    script = os.path.join(folder, f"start_{peer.replace('.', '_')}.py")
    arrays = "x = np.ones((64, 128), np.float32)\nw = np.ones((64, 128), np.float32)\n"
    text = FIRST_CALL.format(imports=imports, program=program).replace("imported =", f"{arrays}{DEFINITION}imported =")
    with open(script, "w") as file:
        file.write(text)
    caches = {"STAX_CACHE_DIR": f"{folder}/stax", "NUMBA_CACHE_DIR": f"{folder}/numba", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor"}
    if peer == "jax":
        caches |= {
            "JAX_COMPILATION_CACHE_DIR": f"{folder}/jax",
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
        }
    # Byte code is kept, as on a user's machine.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | caches
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def measure(peer: str, rounds: int = 5) -> dict[str, float]:
    """Medians in seconds: import, first call without and with a cache on disk."""
    cold, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        once(peer, folder)  # byte code
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(once(peer, folder))
            warm.append(once(peer, folder))
    return {
        "import": statistics.median(r["import"] for r in cold + warm),
        "cold": statistics.median(r["first"] for r in cold),
        "warm": statistics.median(r["first"] for r in warm),
    }
