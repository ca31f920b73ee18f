"""The release of notes: counted for the cohort, and kept as documents that no agent sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.document import Document
from core.errors import ScenarioError
from databases.patients.layout import NOTE_COLUMNS, NOTE_FILES
from databases.patients.load import faults_told, notes_of
from databases.patients.source import find_file, read_header

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext

KIND = "note"
TITLES = {"discharge": "Discharge summary", "radiology": "Radiology report"}
_CHUNK = 200
_TAKEN = "note_id, subject_id, charttime, text"


@dataclass(frozen=True)
class NoteFile:
    """One file of notes whose header is what it should be."""

    name: str
    path: Path
    columns: tuple[str, ...]
    """As its header has them."""

    @property
    def shown(self) -> str:
        """Its name for messages."""
        return f"note/{self.path.name}"


def find_notes(folder: Path) -> list[NoteFile]:
    """discharge and radiology. Raises ScenarioError where one is missing or has other columns."""
    found = []
    for name in NOTE_FILES:
        path = find_file(folder, name) or find_file(folder / "note", name)
        if path is None:
            raise ScenarioError(
                f"{folder} lacks {name}.csv.gz; give --notes the folder that has it"
            )
        columns = read_header(path, f"note/{path.name}", list(NOTE_COLUMNS))
        found.append(NoteFile(name, path, tuple(columns)))
    return found


def count_notes(
    connection: duckdb.DuckDBPyConnection, files: Collection[NoteFile]
) -> dict[int, int]:
    """subject_id to number of notes, over all files."""
    counts: Counter[int] = Counter()
    for file in files:
        with faults_told(file.shown):
            rows = connection.execute(
                f"SELECT subject_id, count(*) FROM {notes_of(file.path, file.columns)} GROUP BY subject_id"
            ).fetchall()
        counts.update(dict(rows))
    return dict(counts)


def keep_notes(
    connection: duckdb.DuckDBPyConnection,
    files: Collection[NoteFile],
    cohort: Collection[int],
    context: BuildContext,
) -> None:
    """Hand the cohort's notes to the documents; those of others are left where they are."""
    listed = ", ".join(str(subject_id) for subject_id in sorted(cohort))
    for file in files:
        with faults_told(file.shown):
            rows = connection.execute(
                f"SELECT {_TAKEN} FROM {notes_of(file.path, file.columns)} "
                f"WHERE subject_id IN ({listed}) AND text IS NOT NULL"
            )
            while chunk := rows.fetchmany(_CHUNK):
                for note_id, subject_id, charttime, text in chunk:
                    context.documents.add(
                        Document(
                            id=str(note_id),
                            entity_id=str(subject_id),
                            kind=KIND,
                            title=TITLES[file.name],
                            text=text,
                            written_on=charttime.date() if charttime else None,
                        )
                    )
