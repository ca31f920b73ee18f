"""Keep a scenario's documents where no agent reaches them: a private file beside the secrets."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pydantic import ValidationError

from core.document import Document
from core.errors import ScenarioError
from core.hints import typed

_TABLE = """
CREATE TABLE documents (
    id TEXT PRIMARY KEY, entity_id TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
    text TEXT NOT NULL, written_on TEXT, figures TEXT NOT NULL
) STRICT
"""
_COLUMNS = "id, entity_id, kind, title, text, written_on, figures"


def documents_path(home: Path, scenario_id: str) -> Path:
    """Where a scenario's documents are: mode 0600 in a folder of mode 0700."""
    return home / "documents" / f"{scenario_id}.sqlite3"


class DocumentWriter:
    """Takes a builder's documents one after another; nothing is kept before the build is whole."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.count = 0

    def add(self, document: Document) -> None:
        """Keep one. Raises ScenarioError where its id was there before."""
        row = (
            *(document.id, document.entity_id, document.kind, document.title, document.text),
            document.written_on.isoformat() if document.written_on else None,
            json.dumps(document.values, sort_keys=True),
        )
        try:
            self._connection.execute(f"INSERT INTO documents VALUES ({', '.join('?' * 7)})", row)
        except sqlite3.IntegrityError as exc:
            raise ScenarioError(f"the document {document.id!r} is there twice") from exc
        self.count += 1

    def add_all(self, documents: Iterable[Document]) -> None:
        """Keep several."""
        for document in documents:
            self.add(document)


@contextmanager
def writing(path: Path) -> Iterator[DocumentWriter]:
    """A new file, of mode 0600 before a byte is in it."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(_TABLE)
        yield DocumentWriter(connection)
        connection.execute("CREATE INDEX of_entity ON documents (entity_id, id)")
        connection.commit()


class Documents:
    """What was kept of one scenario."""

    def __init__(self, home: Path, scenario_id: str) -> None:
        self._path, self._scenario_id = documents_path(home, scenario_id), scenario_id

    def exist(self) -> bool:
        """Whether the scenario has any."""
        return self._path.is_file()

    def entity_ids(self) -> tuple[str, ...]:
        """The entities that a document is about, in order."""
        with self._open() as connection:
            rows = connection.execute("SELECT DISTINCT entity_id FROM documents ORDER BY 1")
            return tuple(entity_id for (entity_id,) in rows)

    def of(self, entity_id: str) -> tuple[Document, ...]:
        """An entity's documents, by id; none where there are none."""
        return tuple(self._read("WHERE entity_id = ? ORDER BY id", entity_id))

    def all(self) -> Iterator[Document]:
        """Every document, by entity and id."""
        yield from self._read("ORDER BY entity_id, id")

    def _read(self, clause: str, *values: str) -> Iterator[Document]:
        with self._open() as connection:
            for row in connection.execute(f"SELECT {_COLUMNS} FROM documents {clause}", values):
                given = dict(zip(_COLUMNS.split(", "), row, strict=True))
                figures = json.loads(given.pop("figures"))
                try:
                    yield Document.model_validate({**given, "values": figures})
                except ValidationError as exc:
                    raise ScenarioError(f"{self._path}: document {row[0]!r}: {exc}") from exc

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self.exist():
            raise ScenarioError(
                f"scenario {self._scenario_id} has no documents; those that have any keep them when "
                f"they are built: {typed(f'scenarios build {self._scenario_id}')}"
            )
        with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as connection:
            yield connection
