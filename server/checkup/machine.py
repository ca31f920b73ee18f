"""The machine itself: its Python, who we are, where things are kept, and how much room there is."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from core.errors import DdrError
from server.checkup.finding import Finding
from server.settings import Settings

_HOME_MB = 500
_TEMPORARY_MB = 200
_NAME_A_HOME = "export DDR_HOME=/a/folder/of/yours"


def python() -> Finding:
    """ddr's one language; nothing has to be compiled or installed beside it."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), version, None)


def user() -> Finding:
    """Root works, but a server wants a user who owns nothing but its home."""
    number = os.geteuid()
    if number:
        return Finding("user", True, f"an ordinary one (uid {number})", needed=False)
    return Finding(
        "user",
        False,
        "root: whoever breaks out of the server has the whole machine",
        "serve as a user of its own, as Dockerfile and deploy/ddr.service do",
        needed=False,
    )


def home(settings: Settings) -> Finding:
    """The folder with databases, records and secrets."""
    try:
        settings.prepare()
    except DdrError as exc:
        return Finding("home", False, str(exc), _NAME_A_HOME)
    place = settings.home
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding("home", False, f"{place} may not be written by this user", _NAME_A_HOME)
    if open_to := stat.S_IMODE(place.stat().st_mode) & 0o077:
        return Finding(
            "home",
            False,
            f"{place} is open to other users of this machine (mode ...{open_to:02o})",
            f"chmod 700 {place}",
            needed=False,
        )
    return Finding("home", True, str(place))


def space(settings: Settings) -> list[Finding]:
    """Room for databases and records, for what is written in passing, and for queries that are large."""
    from tools.sql.engine import EngineLimits
    from tools.sql.spill import usual_place

    kept = settings.home if settings.home.exists() else Path(settings.home.anchor)
    spill, spill_mb = usual_place(), EngineLimits().spill_mb
    large = _room("large queries", spill, spill_mb, f"free {spill_mb} MB there", needed=False)
    if large.ok and _is_memory(spill):
        large = Finding(
            large.name,
            False,
            f"{spill} is memory, and queries write there what does not fit into memory",
            f"mount a disk at {spill}, such as a volume of a container",
            needed=False,
        )
    return [
        _room("disk", kept, _HOME_MB, f"free {_HOME_MB} MB below {settings.home}"),
        _room(
            "temporary files",
            Path(tempfile.gettempdir()),
            _TEMPORARY_MB,
            f"free {_TEMPORARY_MB} MB there, or export TMPDIR=/another/folder",
        ),
        large,
    ]


def _room(name: str, place: Path, wanted_mb: int, remedy: str, *, needed: bool = True) -> Finding:
    free_mb = shutil.disk_usage(place).free // 2**20
    enough = free_mb >= wanted_mb
    detail = f"{free_mb} MB free in {place}"
    return Finding(name, enough, detail, None if enough else remedy, needed)


def _is_memory(place: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether a folder lies on a tmpfs; not known is no."""
    try:
        lines = [line.split() for line in mounts.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return False
    above = {Path(words[1]): words[2] for words in lines if place.is_relative_to(words[1])}
    return bool(above) and above[max(above, key=lambda path: len(path.parts))] == "tmpfs"
