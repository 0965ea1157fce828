"""The build step: the standard library's Trees are stored in the wheel, so that nobody waits for a parser."""

import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StandardLibraryTrees(BuildHookInterface):
    def initialize(self, version, build_data):
        sys.path.insert(0, str(Path(self.root)))
        try:
            from staxlang.parser.library import build_trees
        finally:
            sys.path.pop(0)
        build_trees()
