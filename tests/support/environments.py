"""Environments of Python clients that would quarrel with the project's own, each pinned to the last package.

    python = AGENTS.install()                           # once, from PyPI; a second or two
    subprocess.run([python, "explore.py"])

The pins are made from the .in file beside them, for every Python from 3.11 on:

    uv pip compile --universal --python-version 3.11 --no-annotate --no-header X.in -o X.txt
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support import once

PINS = once.ROOT / "tests" / "clients" / "pins"
INSTALL_S = 600


@dataclass(frozen=True)
class Environment:
    """One environment below .cache; other pins, or another Python, are another one."""

    name: str

    @property
    def pins(self) -> Path:
        return PINS / f"{self.name}.txt"

    @property
    def folder(self) -> str:
        made_of = self.pins.read_bytes() + sys.version.encode()
        return f"clients-{self.name}-{hashlib.sha256(made_of).hexdigest()[:12]}"

    def is_installed(self) -> bool:
        """Whether it stands, whole."""
        return once.is_filled(self.folder)

    def install(self) -> Path:
        """Make it unless it is there; its interpreter.

        Raises CalledProcessError (uv's own words are in `stderr`), SetupError or OSError.
        """
        once.filled(self.folder, self._fill)
        return self.python()

    def python(self) -> Path:
        """Its interpreter."""
        return self.program("python")

    def program(self, name: str) -> Path:
        """A command that one of its packages brings."""
        return once.place_of(self.folder) / "bin" / name

    def _fill(self, place: Path) -> None:
        for words in (
            ("venv", "--quiet", "--allow-existing", "--python", sys.executable, place),
            ("pip", "install", "--quiet", "--python", place, "--requirements", self.pins),
        ):
            command, environ = once.uv(*words)
            subprocess.run(
                command, env=environ, check=True, capture_output=True, text=True, timeout=INSTALL_S
            )


AGENTS = Environment("agents")
"""The clients that live with the protocol's second SDK."""
LANGCHAIN = Environment("langchain")
"""Needs the first."""
ALL = (AGENTS, LANGCHAIN)
