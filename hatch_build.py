"""The build step: the standard library's Trees are stored in the wheel, so that nobody waits for a parser."""

import subprocess
import sys

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StandardLibraryTrees(BuildHookInterface):
    def initialize(self, version, build_data):
        # In a process of its own: the package is not imported into the build tool.
        subprocess.run([sys.executable, "-m", "staxlang.parser.library"], cwd=self.root, check=True)
