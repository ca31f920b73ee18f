"""Programs from npm, each pinned and in a folder of its own below .cache.

INSPECTOR = npm.Package("@modelcontextprotocol/inspector", "2.12.0", "mcp-inspector")
INSPECTOR.install()                                 # once
subprocess.run([INSPECTOR.program(), "--help"], env=node.environment())
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support import node, once

BEFORE = "2026-11-30"
"""What the pinned packages depend on is taken as it stood on this day: next month's is not tested."""
INSTALL_S = 600


@dataclass(frozen=True)
class Package:
    """One program, and the package that brings it."""

    name: str
    version: str
    command: str
    """The name of its executable."""
    scripts: bool = False
    """Whether the package needs its own install scripts to be run."""

    @property
    def folder(self) -> str:
        return f"npm-{self.name.rpartition('/')[2]}-{self.version}"

    def is_installed(self) -> bool:
        """Whether it is there, whole, and the node that runs it."""
        return node.is_installed() and once.is_filled(self.folder)

    def install(self) -> Path:
        """Bring it, and node, unless they are there; its executable.

        Raises CalledProcessError (npm's own words are in `stderr`), SetupError or OSError.
        """
        node.install()
        once.filled(self.folder, self._fill)
        return self.program()

    def program(self) -> Path:
        """The executable; it needs `node.environment()`."""
        return once.place_of(self.folder) / "node_modules" / ".bin" / self.command

    def _fill(self, place: Path) -> None:
        about = {"private": True, "dependencies": {self.name: self.version}}
        (place / "package.json").write_text(json.dumps(about), encoding="utf-8")
        cache = f"--cache={once.place_of('npm')}"
        quietly = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        scripts = [] if self.scripts else ["--ignore-scripts"]
        subprocess.run(
            [*node.npm(), "install", f"--before={BEFORE}", cache, *scripts, *quietly],
            cwd=place,
            env=node.environment(),
            check=True,
            capture_output=True,
            text=True,
            timeout=INSTALL_S,
        )
