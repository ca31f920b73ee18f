"""Write a twin as its owners would publish it: hosp/, icu/ and note/, one csv.gz per table."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

from core.errors import UsageError
from core.sql import literal, quote
from databases.files import replace_file
from databases.patients.layout import NOTE_COLUMNS, NOTE_FILES, Table

if TYPE_CHECKING:
    import duckdb

    from databases.patients.twin.notes import Note

_TYPES = {"discharge": "DS", "radiology": "RR"}


def tables(connection: duckdb.DuckDBPyConnection, wanted: Iterable[Table], folder: Path) -> None:
    """One file per table, each under its final name once it is whole."""
    for table in wanted:
        place = folder / table.module
        place.mkdir(parents=True, exist_ok=True)
        fresh = place / f".{table.name}.csv.gz.part"
        place_of = literal(str(fresh))
        connection.execute(
            f"COPY {quote(table.name)} TO {place_of} (FORMAT csv, HEADER, COMPRESSION gzip)"
        )
        replace_file(fresh, place / f"{table.name}.csv.gz")


def kept(written: Iterable[Note], folder: Path, workspace: Path) -> Iterator[Note]:
    """The same notes, written to the files of their release on the way."""
    place = folder / "note"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise UsageError(f"--export-layout {folder}: {exc.strerror}") from exc
    fresh = {name: workspace / f"{name}.csv.gz" for name in NOTE_FILES}
    with ExitStack() as stack:
        files = {name: stack.enter_context(_zipped(path)) for name, path in fresh.items()}
        writers = {name: csv.writer(file, lineterminator="\n") for name, file in files.items()}
        for writer in writers.values():
            writer.writerow(NOTE_COLUMNS)
        for note in written:
            stamp = note.written.isoformat(sep=" ")
            head = [note.note_id, note.subject_id, note.hadm_id, _TYPES[note.kind], note.number]
            writers[note.kind].writerow([*head, stamp, stamp, note.text])
            yield note
    for name, path in fresh.items():
        target = place / f"{name}.csv.gz"
        target.write_bytes(path.read_bytes())


def _zipped(path: Path) -> IO[str]:
    """A text file in gz, without a time of day in its header: the same notes give the same bytes."""
    return io.TextIOWrapper(gzip.GzipFile(path, "wb", mtime=0), encoding="utf-8", newline="")
