"""Keep beside a database what was built: its fingerprint, size, time of change and entities."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from core.errors import ScenarioError
from core.record import Record, UtcTime
from core.scenario import Entity
from databases.manifest import OptionValue

NAME = "scenario.json"


class TableOutline(Record):
    """What can be compared of a table without reading it through."""

    name: str
    row_count: int
    shape: str
    """sha-256 of its columns, types, comments and keys."""


class PartRecord(Record):
    """The database of those entities that have these tables of their own."""

    file: str
    """Its name in the folder `parts`."""
    entity_ids: tuple[str, ...]
    fingerprint: str
    size: int
    """Bytes."""
    mtime_ns: int


class BuildRecord(Record):
    """What stands in scenario.json."""

    version: str
    """The manifest's version at that time."""
    fingerprint: str
    size: int | None
    """Of the database file, bytes; None where it is a server."""
    mtime_ns: int | None
    built_at: UtcTime
    entities: tuple[Entity, ...]
    options: dict[str, OptionValue] = Field(default_factory=dict)
    """What the build was told."""
    outline: tuple[TableOutline, ...] | None = None
    """Of a database that another engine serves or that was not built here; None for other ones."""
    parts: tuple[PartRecord, ...] = ()
    """Where entities have tables of their own: what each explores instead of the whole."""
    notes: tuple[str, ...] = ()
    """What its builder had to say."""


def read_record(folder: Path) -> BuildRecord | None:
    """The record of a folder; None where there is none, or half of one (it is then not built)."""
    try:
        return BuildRecord.model_validate_json((folder / NAME).read_bytes())
    except PermissionError as exc:
        raise ScenarioError(f"{folder / NAME} may not be read by this user") from exc
    except (OSError, ValidationError):
        return None
