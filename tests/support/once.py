"""Folders below .cache that are filled once, whoever comes first, and kept for every later run."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from server import bootstrap

ROOT = Path(__file__).resolve().parents[2]


def filled(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder `.cache/<name>`, filled by `fill` unless that has been done to its end before.

    Say in the name what is pinned in it: another version is another folder. Several processes may
    ask at once; one fills, the others wait. Raises whatever `fill` raises, and then begins anew next
    time.
    """
    place = place_of(name)
    place.parent.mkdir(exist_ok=True)
    with (place.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_filled(name):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            fill(place)
            (place / "finished").touch()
    return place


def is_filled(name: str) -> bool:
    """Whether the folder stands, whole."""
    return (place_of(name) / "finished").is_file()


def place_of(name: str) -> Path:
    return ROOT / ".cache" / name


def uv(*arguments: str | Path) -> tuple[list[str], dict[str, str]]:
    """A command of the pinned uv, and the environment that it needs; it knows no .venv of ours."""
    environ = bootstrap.uv_environment(ROOT, os.environ)
    del environ["UV_PROJECT_ENVIRONMENT"]
    return [str(bootstrap.uv_program(ROOT)), *map(str, arguments)], environ
