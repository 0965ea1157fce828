"""Ctrl-C while a loop of a kernel runs: it ends as Python's own would, and arrays keep what has been written."""

import signal
import subprocess
import sys
import textwrap
import threading

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

HEAD = """
import signal, sys, threading, time
import numpy as np
import staxlang as stax

signal.signal(signal.SIGINT, signal.default_int_handler)  # processes in the background may have been given none

@stax.kernel
def endless(x):
    while True:
        x[0] += 1
        if x[0] < 0:
            return x

@stax.kernel
def swept(u, v, n):
    for _ in range(n):
        v[1:-1] = u[1:-1] + 1
        u, v = v, u

@stax.kernel
def nested(x, n):
    s = 0.0
    for i in range(n):
        x[2] = i
        for j in range(1000000):
            s = s * 0.5 + x[j % 2] * i
    return s

def when(array):
    # Says so once a kernel has written an array, which others see at once.
    def wait():
        before = array.copy()
        while np.array_equal(array, before):
            time.sleep(0.05)
        time.sleep(0.1)
        print("ready")
    threading.Thread(target=wait, daemon=True).start()

def told(call):
    try:
        call()
    except KeyboardInterrupt:
        return True
    return False
"""


def run(tmp_path, text, interrupts=1):
    """What a script prints that is sent SIGINT whenever it says that it is ready."""
    path = tmp_path / "script.py"
    path.write_text(HEAD + textwrap.dedent(text))
    process = subprocess.Popen([sys.executable, "-u", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    late = threading.Timer(120, process.kill)
    late.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            if line.startswith("ready"):
                process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, lines
    finally:
        late.cancel()
        process.kill()
    return lines


def test_an_interrupted_loop(tmp_path):
    """An endless `while`, a `for` of too many rounds with exchanged arguments, one inside another. The next call runs."""
    lines = run(
        tmp_path,
        """
        x = np.zeros(3)
        when(x)
        print(told(lambda: endless(x)), x[0] > 1000)
        u, v = np.zeros(5), np.zeros(5)
        when(u)
        print(told(lambda: swept(u, v, 10**15)), abs(u[1] - v[1]) == 1 and max(u[1], v[1]) > 1000, u[0] == 0)
        when(x)
        print(told(lambda: nested(x, 10**9)))
        print(endless(np.array([-3.0])))
        """,
    )
    assert [line for line in lines if line != "ready"] == ["True True", "True True True", "True", "[-2.]"]


def test_what_a_handler_raises(tmp_path):
    """A handler of the user's: what it raises comes out of the call, what it returns lets the loop go on."""
    lines = run(
        tmp_path,
        """
        class Stop(Exception):
            pass

        seen = []

        def handler(number, frame):
            seen.append(number)
            if len(seen) > 1:
                raise Stop("enough")
            when(x)

        signal.signal(signal.SIGINT, handler)
        x = np.zeros(3)
        when(x)
        try:
            endless(x)
        except Stop as stop:
            print(stop, len(seen))
        """,
    )
    assert lines[-1] == "enough 2"


def test_a_loop_in_another_thread(tmp_path):
    """The main thread waits, and is interrupted at once; the thread goes on as one of Python's would."""
    lines = run(
        tmp_path,
        """
        x = np.zeros(3)
        thread = threading.Thread(target=endless, args=(x,), daemon=True)
        thread.start()
        when(x)
        began = time.monotonic()
        print(told(lambda: thread.join(60)), time.monotonic() - began < 50)
        before = x[0]
        time.sleep(0.2)
        print(x[0] > before > 0)
        """,
    )
    assert lines[1:] == ["True True", "True"]
