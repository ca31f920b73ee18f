"""Find the owners' files and make sure that each is whole, plain text and headed as it should be."""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NoReturn, Protocol

from core.errors import ScenarioError

FEATURES, SURVEYS, PEOPLE = "FeatureData", "SurveyData", "ParticipantsInfoData"
"""The folders of one study."""
LARGEST_BYTES: Final = 20_000_000_000
"""What a file may hold once it is unpacked: a few MB of gzip can unpack to anything."""
LONGEST_HEADER: Final = 4_000_000
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Text:
    """A file that was read through once, and how errors are told of it."""

    shown: str
    """Its name for people: `INS-W_1/FeatureData/steps.csv.gz`."""
    path: Path
    """Where it stands unpacked."""
    header: tuple[str, ...]

    def fail(self, said: str, *, line: int | None = None, column: str | None = None) -> NoReturn:
        """Raise ScenarioError with the place in front."""
        place = [self.shown]
        place += [f"line {line}"] if line is not None else []
        place += [f"column {column!r}"] if column is not None else []
        raise ScenarioError(f"{', '.join(place)}: {said}")


def studies(root: Path) -> list[Path]:
    """The studies' folders (INS-W_1, ...) at or below a folder, by name.

    Raises ScenarioError where there is none.
    """
    if not root.is_dir():
        raise ScenarioError(f"{root} is not a folder; --from takes the one that holds INS-W_1")
    if (root / FEATURES).is_dir():
        return [root]
    found = sorted(folder for folder in root.iterdir() if (folder / FEATURES).is_dir())
    if not found:
        raise ScenarioError(
            f"{root} holds no study: --from takes a folder with {FEATURES} and {SURVEYS} in it, or one "
            "with several such folders (INS-W_1, INS-W_2, ...)"
        )
    return found


def located(study: Path, folder: str, name: str) -> Path | None:
    """The file of that name, plain or gzipped; None where there is neither."""
    places = (study / folder / f"{name}.csv", study / folder / f"{name}.csv.gz")
    return next((path for path in places if path.is_file()), None)


def opened(path: Path, workspace: Path) -> Text:
    """Read a file through, unpacked into the workspace where it is gzipped.

    Raises ScenarioError with file and line where it cannot be opened, ends early, is damaged, is not
    UTF-8, or has a header in which a name stands twice.
    """
    shown = "/".join(path.parts[-3:])
    text = Text(shown, path, ())
    try:
        plain = path.open("rb")
    except OSError as exc:
        text.fail(f"cannot be read: {exc.strerror or exc}")
    with plain:
        if path.suffix == ".gz":
            unpacked = workspace / f"{path.parents[1].name}-{path.stem}"
            with gzip.GzipFile(fileobj=plain) as source, unpacked.open("wb") as sink:
                _read_through(text, source, sink)
            text = Text(shown, unpacked, ())
        else:
            _read_through(text, plain, None)
    return Text(shown, text.path, _header(text))


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


def _read_through(text: Text, source: _Readable, sink: BinaryIO | None) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, size, chunk = 1, 0, b""
    try:
        while chunk := source.read(_CHUNK):
            decoder.decode(chunk)
            if sink is not None:
                sink.write(chunk)
            line += chunk.count(b"\n")
            size += len(chunk)
            if size > LARGEST_BYTES:
                text.fail(f"unpacks to more than {LARGEST_BYTES:,} bytes", line=line)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as exc:
        before = exc.object[: exc.start]
        # What was left over of the chunk before belongs to this line: it has no line's end.
        text.fail(
            f"is not UTF-8 (byte {exc.object[exc.start]:#04x}); save it as UTF-8, as its owners publish it",
            line=line + (before.count(b"\n") if chunk else 0),
        )
    except EOFError:
        text.fail("ends early: it was cut off; copy or download it again", line=line)
    except (gzip.BadGzipFile, zlib.error) as exc:
        text.fail(f"is damaged ({exc}); copy or download it again", line=line)


def _header(text: Text) -> tuple[str, ...]:
    with text.path.open(encoding="utf-8-sig", newline="") as stream:
        first = stream.readline(LONGEST_HEADER)
    if not first.strip():
        text.fail("is empty", line=1)
    if len(first) == LONGEST_HEADER:
        text.fail("the header does not end", line=1)
    names: tuple[str, ...] = ()
    with contextlib.suppress(csv.Error):
        names = tuple(next(csv.reader([first]), ()))
    # DuckDB tells names apart by more than their case.
    twice = [name for name, n in Counter(name.casefold() for name in names).items() if n > 1]
    if twice:
        text.fail(f"the column {twice[0]!r} stands twice", line=1)
    for needed in ("pid",):
        if needed not in names:
            text.fail("is missing; the header names no such column", line=1, column=needed)
    return names


def rows(text: Text, needed: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """A small file's rows with their lines.

    Raises ScenarioError with line or column where a column is missing or a row has more or fewer.
    """
    for name in needed:
        if name not in text.header:
            text.fail("is missing; the header names no such column", line=1, column=name)
    found = []
    with text.path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            next(reader)
            for row in reader:
                if not row:
                    continue
                if len(row) != len(text.header):
                    said = f"has {len(row)} fields, the header {len(text.header)}"
                    text.fail(said, line=reader.line_num)
                found.append((reader.line_num, dict(zip(text.header, row, strict=True))))
        except csv.Error as exc:
            text.fail(str(exc), line=reader.line_num)
    return found
