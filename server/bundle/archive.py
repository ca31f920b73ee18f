"""Open a bundle that anybody may have made: bounded, no path, no link, no name twice, every hash right."""

from __future__ import annotations

import hashlib
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from core.errors import BundleError
from server.bundle.manifest import MANIFEST, FileListed, Manifest, read_manifest

LARGEST: Final = 16 << 30
"""Bytes of all parts together, unpacked; a run of 300 explorations of 100 turns has one or two GB."""
LARGEST_LINE: Final = 64 << 20
_LARGEST_LIST: Final = 16 << 20
_MOST_PARTS: Final = 20_000
_LARGEST_DIRECTORY: Final = 400 * _MOST_PARTS
"""Bytes; an entry of a bundle has about 150."""
_MOST_RATIO: Final = 500
"""Of unpacked to packed bytes. Records come to 10 to 60; deflate cannot exceed 1032."""
_RATIO_FROM: Final = 1 << 20
"""Bytes below which the ratio is nobody's danger."""
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    RuntimeError,
)
"""What zipfile raises for bytes that it cannot make sense of (NotImplementedError is a RuntimeError)."""
_ENCRYPTED: Final = 0x1
_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Archive:
    """A bundle whose directory was looked at; its parts are checked as they are read."""

    name: str
    """The file's."""
    manifest: Manifest
    sha256: str
    """Of the whole file."""
    _packed: zipfile.ZipFile

    def lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """(number, line) of a part. Raises BundleError, at the end too where the hash is not as listed."""
        listed = self._listed(name)
        digest, size = hashlib.sha256(), 0
        with self._opened(name) as part:
            number = 0
            while line := part.readline(LARGEST_LINE + 1):
                number += 1
                size += len(line)
                if len(line) > LARGEST_LINE:
                    raise BundleError(
                        f"{self.name}: {name}, line {number}: over {LARGEST_LINE:,} bytes"
                    )
                digest.update(line)
                yield number, line
        self._check(listed, size, digest.hexdigest())

    def content(self, name: str) -> bytes:
        """A small part, whole."""
        return b"".join(line for _, line in self.lines(name))

    def names(self, folder: str) -> list[str]:
        """The parts below a folder."""
        return [each.name for each in self.manifest.files if each.name.startswith(f"{folder}/")]

    @property
    def size(self) -> int:
        """All parts together, unpacked."""
        return sum(each.bytes for each in self.manifest.files)

    def _listed(self, name: str) -> FileListed:
        return next(each for each in self.manifest.files if each.name == name)

    def _check(self, listed: FileListed, size: int, digest: str) -> None:
        if (size, digest) != (listed.bytes, listed.sha256):
            raise BundleError(
                f"{self.name}: {listed.name} is not what {MANIFEST} says (sha-256 {digest[:12]}, listed "
                f"is {listed.sha256[:12]}): it was damaged or changed on its way; fetch it again"
            )

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._packed.open(name) as part:
                yield part
        except (*_BROKEN, OSError) as exc:
            raise BundleError(f"{self.name}: {name} cannot be unpacked: {exc}") from exc


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """A bundle to read. Raises BundleError before anything of it is unpacked but its list."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            try:
                _check_directory(path.name, file)
                packed = zipfile.ZipFile(file)
            except _BROKEN as exc:
                raise BundleError(f"{path.name} is no zip file, or not all of one: {exc}") from exc
            with packed:
                _check_parts(path.name, packed)
                yield Archive(path.name, _manifest(path.name, packed), digest, packed)
    except OSError as exc:
        raise BundleError(f"{path} cannot be read: {exc.strerror or exc}") from exc


def _check_directory(source: str, file: IO[bytes]) -> None:
    """Its size, before a million entries are taken in; read where zipfile itself reads it."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
    if end is not None and end[zipfile._ECD_SIZE] > _LARGEST_DIRECTORY:  # type: ignore[attr-defined]
        raise BundleError(
            f"{source}: a directory of {end[zipfile._ECD_SIZE]:,} bytes; "  # type: ignore[attr-defined]
            f"a bundle's has at most {_LARGEST_DIRECTORY:,}"
        )
    file.seek(0)


def _check_parts(source: str, packed: zipfile.ZipFile) -> None:
    """What the directory tells: whoever unpacks more than that meets the end of the part."""
    infos = packed.infolist()
    if len(infos) > _MOST_PARTS:
        raise BundleError(f"{source}: {len(infos):,} parts; a bundle has at most {_MOST_PARTS:,}")
    seen: set[str] = set()
    total = 0
    for info in infos:
        what = f"{source}: {info.filename!r:.80}"
        if info.filename in seen:
            raise BundleError(f"{what} is in it twice")
        seen.add(info.filename)
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG) or info.is_dir():
            raise BundleError(f"{what} is a link or a folder; a bundle has plain files alone")
        if info.flag_bits & _ENCRYPTED or info.compress_type not in _PACKED:
            raise BundleError(f"{what} is encrypted, or packed in a way that no bundle is")
        if info.file_size > max(_RATIO_FROM, _MOST_RATIO * info.compress_size):
            raise BundleError(
                f"{what} unpacks to {info.file_size:,} bytes of {info.compress_size:,}: no records do"
            )
        total += info.file_size
    if (size := sum(info.compress_size for info in infos)) > packed.start_dir:
        raise BundleError(
            f"{source}: its parts have {size:,} bytes packed, the file has fewer: they lie upon one another"
        )
    if total > LARGEST:
        raise BundleError(f"{source}: {total:,} bytes unpacked; at most {LARGEST:,} are read")
    if MANIFEST not in seen:
        raise BundleError(f"{source} is no bundle of runs: it has no {MANIFEST}")
    if packed.getinfo(MANIFEST).file_size > _LARGEST_LIST:
        raise BundleError(f"{source}: {MANIFEST} has more than {_LARGEST_LIST:,} bytes")


def _manifest(source: str, packed: zipfile.ZipFile) -> Manifest:
    try:
        content = packed.read(MANIFEST)
    except _BROKEN as exc:
        raise BundleError(f"{source}: {MANIFEST} cannot be unpacked: {exc}") from exc
    found = read_manifest(content, source)
    listed = {each.name: each.bytes for each in found.files}
    there = {info.filename: info.file_size for info in packed.infolist()}
    if strangers := sorted(set(there) - set(listed) - {MANIFEST}):
        raise BundleError(
            f"{source}: {strangers[0]!r:.80} is in it, and {MANIFEST} does not list it"
        )
    for name, size in listed.items():
        if there.get(name) != size:
            raise BundleError(
                f"{source}: {MANIFEST} lists {name} with {size:,} bytes, and it has "
                + ("none" if name not in there else f"{there[name]:,}")
                + ": it was cut or changed on its way; fetch it again"
            )
    return found
