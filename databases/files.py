"""Put files in place so that a reader, a crash or a power cut never meets half of one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_file(source: Path, target: Path) -> None:
    """Flush a file to disk and give it its final name in one step."""
    with source.open("rb") as handle:
        os.fsync(handle.fileno())
    source.replace(target)


def state_of(path: Path) -> Hashable:
    """What tells one content of a file from another without reading it; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def write_private(path: Path, values: Mapping[str, Any]) -> None:
    """Write JSON that only its owner may read: folder 0700, file 0600, the same bytes every time."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    # mkstemp makes the file 0600 before a byte is in it.
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(values, stream, sort_keys=True, indent=1, ensure_ascii=True)
            stream.write("\n")
        replace_file(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
