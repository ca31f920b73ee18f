"""Find the shared libraries that ELF files need, so that the sandbox holds these and no others."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_RPATH, DT_RUNPATH = 1, 5, 15, 29
LONGEST_NAME = 4096


@dataclass(frozen=True)
class Elf:
    """What one file says of its libraries."""

    interpreter: str | None
    """The loader that a program names."""
    needed: tuple[str, ...] = ()
    """Sonames."""
    search: tuple[str, ...] = ()
    """Folders that the file itself names; may hold $ORIGIN."""


def read_elf(path: Path) -> Elf | None:
    """None for a file that is not 64-bit little-endian ELF."""
    with path.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return None
        (at,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(at)
        table = file.read(size * count)
        segments = [struct.unpack_from("<IIQQQQQQ", table, i * size) for i in range(count)]

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        interpreter, dynamic = None, b""
        for kind, _, offset, _, _, length, _, _ in segments:
            if kind == PT_INTERP:
                interpreter = read(offset, length).rstrip(b"\0").decode()
            elif kind == PT_DYNAMIC:
                dynamic = read(offset, length)
        entries = list(_entries(dynamic))
        strings = next((value for tag, value in entries if tag == DT_STRTAB), 0)
        loads = [s for s in segments if s[0] == PT_LOAD and s[3] <= strings < s[3] + s[5]]
        base = loads[0][2] + strings - loads[0][3] if loads else 0

        def names(*tags: int) -> tuple[str, ...]:
            found = [value for tag, value in entries if tag in tags]
            return tuple(read(base + at, LONGEST_NAME).split(b"\0", 1)[0].decode() for at in found)

        search = [part for text in names(DT_RPATH, DT_RUNPATH) for part in text.split(":")]
        return Elf(interpreter, names(DT_NEEDED), tuple(search))


def is_readable(path: Path) -> bool:
    """Whether it is there for us; a folder that is closed to us holds nothing."""
    return os.access(path, os.R_OK)


def _entries(dynamic: bytes) -> Iterator[tuple[int, int]]:
    for at in range(0, len(dynamic) - 15, 16):
        tag, value = struct.unpack_from("<QQ", dynamic, at)
        if tag == 0:
            return
        yield tag, value


def libraries(roots: Iterable[Path], folders: Sequence[Path]) -> tuple[dict[str, Path], set[str]]:
    """Every library that the roots need outside themselves, by soname, and the loaders they name.

    A soname that is found nowhere is left out: whatever needs it fails to import, and says so.
    """
    todo = list(roots)
    own = {path.name for path in todo}
    found: dict[str, Path] = {}
    loaders: set[str] = set()
    while todo:
        path = todo.pop()
        elf = read_elf(path)
        if elf is None:
            continue
        if elf.interpreter:
            loaders.add(elf.interpreter)
        named = [Path(part.replace("$ORIGIN", str(path.parent))) for part in elf.search]
        for soname in elf.needed:
            if soname in found or soname in own:
                continue
            places = (folder / soname for folder in (*named, *folders))
            place = next((p for p in places if is_readable(p)), None)
            if place:
                found[soname] = place.resolve()
                todo.append(place)
    return found, loaders
