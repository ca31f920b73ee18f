"""Read somebody's files: which are there, and their bytes, bounded and unpacked."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from core.errors import ScenarioError
from databases.sqlite_file import MAGIC

MAX_BYTES = 400_000_000
"""The largest file that is read, unpacked. Annual reports have up to 60 MB, company facts 15."""
MAX_FILES = 20_000
ENDINGS = (".html", ".htm", ".xhtml", ".json", ".sqlite", ".sqlite3", ".db")
LIST = "entity_ids.json"
"""The benchmark's list of companies, by its own name: no source of facts."""


def files_in(folder: Path) -> list[Path]:
    """The reports and JSON files of a folder, or the one file itself, in order of name.

    Raises ScenarioError where there is none. Links are followed; other folders are not entered.
    """
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise ScenarioError(f"{folder}: there is no such folder; --from names where the files are")
    found = sorted(path for path in folder.iterdir() if _is_source(path))
    if not found:
        raise ScenarioError(
            f"{folder} holds no report (.htm, .html) and no company facts (.json), each also .gz, and no SQLite file"
        )
    if len(found) > MAX_FILES:
        raise ScenarioError(f"{folder} holds more than {MAX_FILES:,} files")
    return found


def is_json(path: Path) -> bool:
    """Whether the name says so."""
    return _ending(path) == ".json"


def is_sqlite(path: Path) -> bool:
    """Whether it is a SQLite file, by its first bytes. Raises ScenarioError where it has none to read."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError as exc:
        raise ScenarioError(f"{path}: cannot be read: {exc.strerror or exc}") from exc


def read(path: Path) -> bytes:
    """A file's bytes, unpacked where its name ends in .gz.

    Raises ScenarioError with the file's name: cut short, not gzip, too large, not to be read.
    """
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as stream:
                data = stream.read(MAX_BYTES + 1)
        else:
            with path.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except EOFError as exc:
        raise ScenarioError(f"{path}: the gzip file ends early; download or copy it again") from exc
    except (gzip.BadGzipFile, zlib.error) as exc:
        raise ScenarioError(f"{path}: is no sound gzip file ({exc})") from exc
    except OSError as exc:
        raise ScenarioError(f"{path}: cannot be read: {exc.strerror or exc}") from exc
    if len(data) > MAX_BYTES:
        raise ScenarioError(f"{path}: is larger than {MAX_BYTES // 1_000_000} MB unpacked")
    return data


def _is_source(path: Path) -> bool:
    return path.name != LIST and _ending(path) is not None and path.is_file()


def _ending(path: Path) -> str | None:
    name = path.name.lower().removesuffix(".gz")
    return next((end for end in ENDINGS if name.endswith(end)), None)
