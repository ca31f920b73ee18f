"""A scenario at its place under DDR_HOME: whether it can be used, its entities, and what an agent is told."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from core.errors import DatabaseError, ScenarioError, UnknownNameError
from core.hints import typed
from core.scenario import Entity, Scenario, Task
from databases.connection import DatabaseHeldError, open_readonly
from databases.fingerprint import fingerprint
from databases.manifest import Manifest
from databases.record import NAME as RECORD
from databases.record import BuildRecord, read_record
from databases.seal import read_seal

TEMP_PREFIX = ".building-"
"""What the folder of a build under way, or of one that was killed, begins with."""


@dataclass(frozen=True)
class InstalledScenario:
    """A scenario and its place. It need not be built."""

    manifest: Manifest
    scenario: Scenario
    """With its fingerprint once it is built."""
    folder: Path
    database_path: Path

    def is_built(self) -> bool:
        """Whether a finished database of this version is there; says nothing of its health."""
        record = read_record(self.folder)
        is_current = record is not None and record.version == self.scenario.version
        return is_current and self.database_path.is_file()

    def check(self) -> None:
        """Raise unless the database is there, whole, free and what was built (issue: fingerprint).

        ScenarioError: not built, half built, changed, or built as another version. DatabaseError:
        missing, locked, corrupt. Each text names the command that mends it. Fast: size, time of
        change and the hash stored in the file are compared; rows are hashed again only where size
        or time differ.
        """
        record = self._record()
        stored, actual = self._read(rehash=self._is_touched(record))
        if stored != record.fingerprint or actual != record.fingerprint:
            self._refuse_changed()

    def stamp(self) -> Hashable:
        """Another value once what `check` looks at may be another; cheap."""
        return tuple(map(_state, (self.folder / RECORD, self.database_path, self.log_path)))

    def verify_content(self) -> str:
        """Hash every row again and return the fingerprint. Raises as `check` does."""
        record = self._record()
        _, actual = self._read(rehash=True)
        if actual != record.fingerprint:
            self._refuse_changed()
        return actual

    def entities(self) -> tuple[Entity, ...]:
        """The entities in the manifest's order. Raises ScenarioError where it is not built."""
        return tuple(
            Entity(scenario_id=self.scenario.id, id=entity_id, label=label)
            for entity_id, label in self._record().entities
        )

    def entity(self, entity_id: str) -> Entity:
        """One entity. Raises UnknownNameError with the ids that exist."""
        entities = {entity.id: entity for entity in self.entities()}
        if entity_id not in entities:
            raise UnknownNameError(self.scenario.entity_noun, entity_id, entities)
        return entities[entity_id]

    def task(self, entity_id: str) -> Task:
        """What an agent is told of one entity."""
        entity = self.entity(entity_id)
        noun = self.scenario.entity_noun
        return Task(
            scenario_id=self.scenario.id,
            entity_id=entity.id,
            entity_label=entity.label,
            entity_noun=noun,
            text=self.scenario.task_template.format(
                entity_noun=noun, entity_id=entity.id, entity_label=entity.label
            ),
        )

    @property
    def log_path(self) -> Path:
        """Where the engine keeps what a writer has not yet put into the file."""
        return self.database_path.with_name(f"{self.database_path.name}.wal")

    @property
    def _command(self) -> str:
        return typed(f"scenarios build {self.scenario.id}")

    def _refuse_changed(self) -> NoReturn:
        raise ScenarioError(
            f"{self.database_path} has changed since it was built; "
            f"build it anew: {self._command}. Runs made on the old content do not compare"
        )

    def _read(self, *, rehash: bool) -> tuple[str, str]:
        """The stored fingerprint, and the one of the rows where it was asked for (else again the stored)."""
        import duckdb

        try:
            with open_readonly(self.database_path) as connection:
                stored = read_seal(connection)
                return stored, fingerprint(connection) if rehash else stored
        except DatabaseHeldError:
            raise
        except DatabaseError as exc:
            raise DatabaseError(f"{exc}; build it anew: {self._command}") from exc
        except duckdb.Error as exc:
            raise DatabaseError(
                f"{self.database_path} is corrupt; build it anew: {self._command}"
            ) from exc

    def _is_touched(self, record: BuildRecord) -> bool:
        stat = self.database_path.stat()
        # A writer that died leaves a log beside the file, which every reader replays.
        changed = (stat.st_size, stat.st_mtime_ns) != (record.size, record.mtime_ns)
        return changed or self.log_path.exists()

    def _record(self) -> BuildRecord:
        """What was built. Raises where that is nothing, not all, gone, or of another version."""
        name = self.scenario.id
        record = read_record(self.folder)
        if record is None or not self.database_path.is_file():
            if any(self.folder.glob(f"{TEMP_PREFIX}*")):
                raise ScenarioError(
                    f"scenario {name} is half built: a build was broken off, or goes on in another "
                    f"process; to finish it: {self._command}"
                )
            if record is not None:
                raise DatabaseError(
                    f"{self.database_path} is missing; build it anew: {self._command}"
                )
            raise ScenarioError(f"scenario {name} is not built; build it: {self._command}")
        if record.version != self.scenario.version:
            raise ScenarioError(
                f"scenario {name} was built as version {record.version} and is version "
                f"{self.scenario.version} now; build it anew: {self._command}"
            )
        return record


def install(manifest: Manifest, home: Path) -> InstalledScenario:
    """The place of a scenario under a home."""
    folder = home / "scenarios" / manifest.id
    record = read_record(folder)
    return InstalledScenario(
        manifest=manifest,
        scenario=manifest.scenario(record.fingerprint if record else None),
        folder=folder,
        database_path=folder / manifest.database,
    )


def _state(path: Path) -> Hashable:
    """What tells one content of a file from another without reading it; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
