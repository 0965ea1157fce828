"""The cache on disk: damage, foreign owners, bounds, unusable folders; never an exception, at most one warning."""

import os
import stat
import subprocess
import sys
import threading
import warnings

import pytest

from staxlang.base.diagnostics import StaxWarning
from staxlang.runtime.disk import Store, digest

KEY = digest("a", "b")


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / "cache"))


def only_file(store: Store) -> str:
    ((path, _, _),) = store.entries()
    return path


def test_round_trip_and_private_folder(store):
    assert store.get(KEY) is None
    store.put(KEY, b"payload" * 100)
    assert store.get(KEY) == b"payload" * 100
    assert (store.hits, store.misses) == (1, 1)
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(store.folder).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(only_file(store)).st_mode) == 0o600
    assert Store(store.folder).get(KEY) == b"payload" * 100


def test_keys_tell_parts_apart():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("x") == digest(b"x")


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "header", "longer"])
def test_damaged_entry_is_a_miss_and_goes(store, damage):
    store.put(KEY, b"0123456789" * 50)
    path = only_file(store)
    data = bytearray(open(path, "rb").read())
    if damage == "truncate":
        data = data[:-7]
    elif damage == "flip":
        data[-3] ^= 1
    elif damage == "empty":
        data = bytearray()
    elif damage == "header":
        data[0] ^= 0xFF
    else:
        data += b"x"
    with open(path, "wb") as file:
        file.write(data)
    assert store.get(KEY) is None
    assert store.entries() == []
    store.put(KEY, b"again")
    assert store.get(KEY) == b"again"


def test_entries_that_others_may_write_are_not_loaded(store):
    store.put(KEY, b"code")
    os.chmod(only_file(store), 0o666)
    with pytest.warns(StaxWarning, match="can be written by others"):
        assert store.get(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.get(KEY) is None  # one warning only


def test_a_folder_that_others_may_write_is_not_used(tmp_path):
    folder = tmp_path / "shared"
    Store(str(folder)).put(KEY, b"code")
    os.chmod(folder, 0o777)
    with pytest.warns(StaxWarning):
        assert Store(str(folder)).get(KEY) is None


def test_links_are_not_followed(store, tmp_path):
    store.put(KEY, b"code")
    path = only_file(store)
    os.rename(path, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", path)
    assert store.get(KEY) is None


def test_unusable_folder_gives_one_warning(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    store = Store(str(blocked / "cache"))
    with pytest.warns(StaxWarning, match="going on without it"):
        store.put(KEY, b"x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.put(KEY, b"x")
        assert store.get(KEY) is None


def test_size_is_bounded_and_the_oldest_goes(tmp_path):
    store = Store(str(tmp_path / "cache"), limit=40_000)
    keys = [digest(str(k)) for k in range(30)]
    for number, key in enumerate(keys):
        store.put(key, bytes(2000))
        path = os.path.join(store.folder, key[:2], key[2:] + ".stax")
        os.utime(path, (number, number))
    assert sum(size for _, size, _ in store.entries()) <= 40_000 + 40_000 // 16 + 2100
    assert store.get(keys[-1]) is not None
    assert store.get(keys[0]) is None


def test_processes_write_one_entry_at_once(tmp_path):
    program = (
        "import sys; from staxlang.runtime.disk import Store\n"
        "s = Store(sys.argv[1])\n"
        "for k in range(200):\n"
        "    s.put('ab' * 16, b'y' * 5000); got = s.get('ab' * 16); assert got is None or got == b'y' * 5000\n"
    )
    folder = str(tmp_path / "cache")
    running = [subprocess.Popen([sys.executable, "-c", program, folder]) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert Store(folder).get("ab" * 16) == b"y" * 5000
    assert [name for name in os.listdir(folder) if name.startswith("new-")] == []


def test_clear(store):
    for k in range(5):
        store.put(digest(str(k)), b"z")
    assert store.clear() == 5 and store.entries() == []


def test_the_warning_of_a_thread_of_our_own_names_no_line(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for action in ("always", "error"):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter(action)
            thread = threading.Thread(target=Store(str(blocked / "cache")).put, args=(KEY, b"x"))
            thread.start()
            thread.join()
        assert [one.filename for one in heard] == (["staxlang"] if action == "always" else [])
        assert all("error" not in str(one.message) and "STAX_CACHE_DIR" in str(one.message) for one in heard)
