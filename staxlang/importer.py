"""Importing this module lets `import nn` find nn.stx, wherever Python looks for modules and packages.

>>> import staxlang.importer
>>> import nn                      # nn.stx in a folder of sys.path; nn.py would come before it
>>> from models.blocks import attention
"""

from __future__ import annotations

import importlib
import sys
from importlib.abc import InspectLoader
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import CodeType, ModuleType
from typing import Any, NoReturn

SUFFIXES = [".stx"]


class StxLoader(InspectLoader):
    """Loads a module, or a package's `__init__.stx`, from a .stx file. What is wrong with it is told with its place."""

    def __init__(self, fullname: str, path: str) -> None:
        self.name = fullname
        self.path = path

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _modules().StxModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module; one that is filled already (`importlib.reload`) gets the file's present text."""
        try:
            _modules().fill_from_file(module, self.path)
        except Exception as problem:
            if isinstance(problem, ImportError):
                problem.name, problem.path = self.name, self.path
            if not isinstance(problem, importlib.import_module("staxlang.base.diagnostics").StaxError):
                raise
            raise problem.with_traceback(None) from None

    def is_package(self, fullname: str) -> bool:
        return self.path.replace("\\", "/").endswith("/__init__.stx")

    def get_filename(self, fullname: str) -> str:
        return self.path

    def get_source(self, fullname: str) -> str:
        return importlib.import_module("staxlang.parser.modules").read_file(self.path).text

    def get_code(self, fullname: str) -> CodeType:
        _refuse_to_run(fullname, self.path)


def _refuse_to_run(name: str, path: str) -> NoReturn:
    raise ImportError(f"{path} is no Python program: run one of its kernels with `stax run {path} KERNEL`", name=name, path=path)


def _modules() -> Any:
    """The module that makes modules of .stx files: loaded with the first."""
    return importlib.import_module("staxlang.runtime.modules")


_DETAILS: tuple[tuple[Any, list[str]], ...] = (
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (SourceFileLoader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
    (StxLoader, SUFFIXES),
)
_hook = FileFinder.path_hook(*_DETAILS)


def install() -> None:
    """Have Python's search of folders know .stx files. Done once, by the import of this module."""
    if _hook not in sys.path_hooks:
        sys.path_hooks.insert(0, _hook)
        sys.path_importer_cache.clear()
        importlib.invalidate_caches()


def uninstall() -> None:
    """Take that back; modules that have been imported stay."""
    if _hook in sys.path_hooks:
        sys.path_hooks.remove(_hook)
        sys.path_importer_cache.clear()


install()
