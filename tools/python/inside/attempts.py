"""Note attempts to look where nothing is to be seen, as far as Python's audit events tell."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import Any

MOST_ATTEMPTS = 20
# Libraries look there on their own account; nothing of the kind exists in here.
HARMLESS = re.compile(
    r"/(proc/(cpuinfo|meminfo|sys/|self/(stat|statm|status|maps|fd|cgroup)\b)|sys/"
    r"|etc/(localtime|timezone|os-release|lsb-release|mime\.types|ld\.so)"
    r"|usr/(local/)?share/fonts|usr/X11R6|usr/X11/|etc/X11/|opt/local/share/fonts"
    r"|usr/lib/(os-release|ssl|locale|openoffice|X11)|usr/share/(locale|mime|zoneinfo)|usr/local/etc|kernel)"
)
ASKED_BY_LIBRARIES = frozenset(
    {"uname", "lsb_release", "/sbin/ldconfig", "ldconfig", "gcc", "cc", "fc-list", "lscpu", "pgrep"}
)
TELLING = re.compile(
    r"checklist|answer|ground.?truth|mapping|secret|qa\.json|\.duckdb", re.IGNORECASE
)

_LIBRARIES = re.compile(r"^/(site|python)|/site-packages/|/lib/python3")


class Attempts:
    """Hears Python's audit events from its making on; there is no way to end that."""

    def __init__(self, own: Iterable[str]) -> None:
        """`own` are the places where a session is at home, and may look."""
        self._own = tuple(own)
        self._seen: dict[str, None] = {}
        sys.addaudithook(self._hear)

    def take(self) -> list[str]:
        """What was noted since the last time."""
        seen, self._seen = list(self._seen), {}
        return seen

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event in {"open", "os.listdir", "os.scandir", "os.chdir", "glob.glob"}:
            self._path(args[0])
        elif event in {"socket.__new__", "socket.getaddrinfo", "urllib.Request"}:
            self._note("network" if event == "socket.__new__" else f"network {args[0]}")
        elif event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}:
            program = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else "?"
            if program not in ASKED_BY_LIBRARIES:
                self._note(f"program {program}")

    def _path(self, named: Any) -> None:
        if not isinstance(named, (str, bytes, os.PathLike)):
            return
        path = os.path.abspath(os.fsdecode(named))  # noqa: PTH100 - pathlib would be heard again
        if path.startswith(self._own):
            if TELLING.search(path) and not _LIBRARIES.search(path):
                self._note(path)
        elif not HARMLESS.match(path) or TELLING.search(path):
            self._note(path)

    def _note(self, what: str) -> None:
        if len(self._seen) < MOST_ATTEMPTS:
            self._seen[f"python: {what[:200]}"] = None
