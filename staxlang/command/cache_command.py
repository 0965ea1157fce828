"""Show, list or clear the cache of compiled kernels on disk.

  stax cache            where it is, how large, how much it may hold
  stax cache path       the folder alone
  stax cache list       its entries, the last used first
  stax cache clear      remove them
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from staxlang.command.terminal import Terminal
from staxlang.command.words import amount, counted
from staxlang.runtime.disk import Store
from staxlang.runtime.environment import environment_settings
from staxlang.runtime.ground import store_for


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", default="info", choices=("info", "path", "size", "list", "clear"), help="default: info")


def run(arguments: Any, terminal: Terminal) -> int:
    settings = environment_settings()
    store = store_for(settings)
    if store is None:
        terminal.say("the cache is switched off (STAX_CACHE=0)")
        return 0
    return _ACTIONS[arguments.action](store, terminal)


def _path(store: Store, terminal: Terminal) -> int:
    terminal.say(store.folder)
    return 0


def _size(store: Store, terminal: Terminal) -> int:
    terminal.say(str(sum(size for _, size, _ in store.entries())))
    return 0


def _info(store: Store, terminal: Terminal) -> int:
    entries = store.entries()
    total = sum(size for _, size, _ in entries)
    size = f"{amount(total)} of at most {amount(store.limit)}"
    terminal.rows([("folder", store.folder), ("entries", f"{len(entries):,}"), ("size", size)])
    return 0


def _list(store: Store, terminal: Terminal) -> int:
    for path, size, used in sorted(store.entries(), key=lambda entry: -entry[2]):
        terminal.say(f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(used))}  {amount(size):>9}  {path}")
    return 0


def _clear(store: Store, terminal: Terminal) -> int:
    terminal.say(f"removed {counted(store.clear(), 'entry', 'entries')} from {store.folder}")
    return 0


_ACTIONS = {"info": _info, "path": _path, "size": _size, "list": _list, "clear": _clear}
