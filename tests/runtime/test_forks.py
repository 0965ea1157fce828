"""A fork while another thread compiles: the child has all locks and none of the threads that hold them; a compilation inside of another."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

FORKED = """
    import os, signal, sys, threading, time
    import numpy as np, staxlang as stax
    from staxlang.runtime import forks, late

    forks._PATIENCE = float(sys.argv[1])
    x = np.ones((8, 16))
    f, g = stax.kernel(lambda x: np.tanh(x).sum(-1)), stax.kernel(lambda x: x * 3 + 1)
    if sys.argv[2] == "warm":
        stax.kernel(lambda x: x - 1)(x)
    native, begun = late.native(), threading.Event()
    plain = native.compile_text

    def slowly(*args):
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            time.sleep(0.5)
        return plain(*args)

    native.compile_text = slowly
    thread = threading.Thread(target=f, args=(x,))
    thread.start()
    begun.wait(20)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        good = np.allclose(f(x), np.tanh(x).sum(-1)) and np.array_equal(g(x), x * 3 + 1)
        good = good and np.array_equal(f(x[1:]), f(x)[1:]) and f.stats().route == "native"
        os._exit(0 if good else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    thread.join(20)
    print(code, np.allclose(f(x), np.tanh(x).sum(-1)), f.stats().compilations, thread.is_alive())
"""

WITHIN = """
    import signal, threading
    import numpy as np, staxlang as stax
    from staxlang.runtime import late

    signal.alarm(40)
    x = np.ones((8, 16))
    f, g = stax.kernel(lambda x: np.exp(x).sum(-1)), stax.kernel(lambda x: x * 5 + 1)
    native = late.native()
    plain, seen = native.compile_text, []

    def handler(*_):
        seen.append(np.array_equal(g(x), x * 5 + 1) and np.array_equal(f(x), np.exp(x).sum(-1)))

    def interrupted(*args):
        if threading.current_thread() is threading.main_thread() and not seen:
            seen.append("inside")
            signal.raise_signal(signal.SIGUSR1)
        return plain(*args)

    signal.signal(signal.SIGUSR1, handler)
    native.compile_text = interrupted
    print(np.array_equal(f(x), np.exp(x).sum(-1)), seen, np.array_equal(g(x), x * 5 + 1))
"""


def run(text: str, folder: Path, *arguments: str) -> str:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STAX_CACHE": "0"}
    done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=90, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


@pytest.mark.parametrize(("patience", "first"), [("20", "cold"), ("20", "warm"), ("0", "warm")])
def test_a_fork_while_another_thread_compiles(patience: str, first: str, tmp_path: Path) -> None:
    """The fork waits for the end of the compilation; where it has waited for long enough, the child has free locks all the same."""
    assert run(FORKED, tmp_path, patience, first) == "0 True 1 False"


def test_a_compilation_inside_of_another(tmp_path: Path) -> None:
    """What a signal's handler calls compiles in the middle of the interrupted one, in the same thread."""
    assert run(WITHIN, tmp_path) == "True ['inside', True] True"
