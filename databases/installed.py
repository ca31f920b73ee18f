"""A scenario at its place under DDR_HOME: whether it can be used, its entities, and what an agent is told."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from core.errors import DatabaseError, ScenarioError, UnknownNameError
from core.hints import typed
from core.scenario import Entity, Goal, Scenario, Task
from databases import external, parts
from databases.connection import DatabaseHeldError, open_readonly
from databases.files import state_of
from databases.fingerprint import fingerprint
from databases.manifest import Manifest
from databases.record import NAME as RECORD
from databases.record import BuildRecord, read_record
from databases.schema import Schema, read_schema
from databases.seal import read_seal
from databases.target import Target, vouched_for, with_password
from databases.tasks import task_of

TEMP_PREFIX = ".building-"
"""What the folder of a build under way, or of one that was killed, begins with."""


@dataclass(frozen=True)
class InstalledScenario:
    """A scenario and its place. It need not be built."""

    manifest: Manifest
    scenario: Scenario
    """With its fingerprint once it is built."""
    folder: Path

    @property
    def is_server(self) -> bool:
        """Whether the database is reached by a URL, and is no file."""
        return self.manifest.database is not None and self.manifest.database.url is not None

    @property
    def database_path(self) -> Path:
        """The database file. Raises ScenarioError where there is none, but a server."""
        if self.is_server:
            raise ScenarioError(
                f"the database of {self.scenario.id} is on a server; this works on a file only"
            )
        # An absolute path stays what it is.
        return self.folder / self.manifest.place

    @property
    def place(self) -> str:
        """Where the database is, for people: a path, or a URL without its password."""
        return self.manifest.place if self.is_server else str(self.database_path)

    @property
    def target(self) -> Target:
        """What an engine is opened with. Holds the password; raises ScenarioError where it is not set."""
        place = self.place
        section = self.manifest.database
        if section is not None and section.url is not None:
            place = section.url
            if name := section.password_env:
                if not (password := os.environ.get(name)):
                    raise ScenarioError(
                        f"scenario {self.scenario.id}: the environment variable {name} is not set; it"
                        " holds the password of the database"
                    )
                place = with_password(place, password)
            if section.role_only_reads:
                place = vouched_for(place)
        return Target(
            dialect=self.scenario.dialect, location=place, fact_columns=self.manifest.facts
        )

    def target_for(self, entity_id: str) -> Target:
        """What the engine of one entity's tools is opened with: where entities have tables of their own,
        a database that holds these alone. Raises UnknownNameError, and as `target` does."""
        part = parts.part_of(self._record().parts, self.entity(entity_id).id)
        if part is None:
            return self.target
        place = str(self.folder / parts.FOLDER / part.file)
        return self.target.model_copy(update={"location": place})

    def databases(self, entity_ids: Iterable[str]) -> dict[str, Path]:
        """The file that each entity's agents explore: its own, where there is one, else the whole, as for
        an entity that nobody knows. Raises as `check` does, and as `database_path`."""
        record = self._record()
        own = {name: part.file for part in record.parts for name in part.entity_ids}
        folder, whole = self.folder / parts.FOLDER, self.database_path
        return {name: folder / own[name] if name in own else whole for name in entity_ids}

    @property
    def base(self) -> str:
        """The shipped scenario whose variant this is; its own id where it is none."""
        section = self.manifest.build
        return (section.base if section else None) or self.scenario.id

    def is_built(self) -> bool:
        """Whether a finished database of this version is there; says nothing of its health."""
        record = read_record(self.folder)
        is_current = record is not None and record.version == self.scenario.version
        return is_current and (self.is_server or self.database_path.is_file())

    def schema(self) -> Schema:
        """What the database holds. Raises as `check` does."""
        self._record()
        if self.manifest.is_filled_here:
            with open_readonly(self.database_path) as connection:
                return read_schema(connection)
        with external.opened(self.target) as source:
            return source.schema()

    def fact_count(self) -> int:
        """How many facts can be asked for by name; each counts as a field. Raises as `check` does."""
        if not self.manifest.facts:
            return 0
        with external.opened(self.target) as source:
            return external.count_facts(source, self.manifest.facts)

    def check(self) -> None:
        """Raise unless the database is there, whole, free and what was built (issue: fingerprint).

        ScenarioError: not built, half built, changed, or built as another version. DatabaseError:
        missing, locked, corrupt. Each text names the command that mends it. Fast: size, time of
        change and the hash stored in the file are compared; rows are hashed again only where size
        or time differ. Of a database on a server the role, the schema and the numbers of rows are.
        """
        record = self._record()
        if not self.manifest.is_filled_here:
            if self.is_server or self._is_touched(record):
                self._check_external(record, rehash=not self.is_server)
            return
        stored, actual = self._read(rehash=self._is_touched(record))
        if stored != record.fingerprint or actual != record.fingerprint:
            self._refuse_changed()
        self._check_parts(record, rehash=False)

    def stamp(self) -> Hashable:
        """Another value once what `check` looks at may be another; cheap. None for a server, of which
        only `check` can tell."""
        if self.is_server:
            return None
        own = tuple(map(state_of, (self.folder / RECORD, self.database_path, *self._logs)))
        record = read_record(self.folder)
        return own, parts.stamp_of(record.parts, self.folder) if record else None

    def verify_content(self) -> str:
        """Hash every row again and return the fingerprint. Raises as `check` does."""
        record = self._record()
        if not self.manifest.is_filled_here:
            self._check_external(record, rehash=True)
            return record.fingerprint
        _, actual = self._read(rehash=True)
        if actual != record.fingerprint:
            self._refuse_changed()
        self._check_parts(record, rehash=True)
        return actual

    def entities(self) -> tuple[Entity, ...]:
        """The entities in the manifest's order. Raises ScenarioError where it is not built."""
        return self._record().entities

    def notes(self) -> tuple[str, ...]:
        """What its builder had to say. Raises ScenarioError where it is not built."""
        return self._record().notes

    def entity(self, entity_id: str) -> Entity:
        """One entity. Raises UnknownNameError with the ids that exist."""
        entities = {entity.id: entity for entity in self.entities()}
        if entity_id not in entities:
            raise UnknownNameError(self.scenario.entity_noun, entity_id, entities)
        return entities[entity_id]

    def task(self, entity_id: str, goal: Goal = "none") -> Task:
        """What an agent is told of one entity. Raises UsageError where it has no goal to be told."""
        entity = self.entity(entity_id)
        part = parts.part_of(self._record().parts, entity_id)
        is_apart = part is not None and len(part.entity_ids) == 1
        return task_of(self.scenario, entity, goal, is_apart=is_apart)

    @property
    def log_path(self) -> Path:
        """Where the engine keeps what a writer has not yet put into the file."""
        return self.database_path.with_name(f"{self.database_path.name}.wal")

    @property
    def _logs(self) -> tuple[Path, ...]:
        """What a writer that died may leave beside the file; every reader replays it."""
        beside = self.database_path
        return (
            self.log_path,
            *(beside.with_name(f"{beside.name}{end}") for end in ("-wal", "-journal")),
        )

    @property
    def build_command(self) -> str:
        """What builds it, as it is typed here; PATH stands for the owners' files, where none are known."""
        known = read_record(self.folder) is not None or not self._lacks_source
        return typed(f"scenarios build {self.scenario.id}{'' if known else ' --from PATH'}")

    @property
    def how_to_build(self) -> str:
        """The same, and the twin's command where somebody without the owners' files can have one."""
        section = self.manifest.build
        if section is None or "synthetic" not in section.variants or not self._lacks_source:
            return self.build_command
        twin = typed(f"scenarios build {self.scenario.id} --synthetic")
        return f"{self.build_command}; or its generated twin: {twin}"

    @property
    def _lacks_source(self) -> bool:
        """Whether it is made of something that nobody has named yet."""
        section = self.manifest.build
        if section is None or not section.needs_one_of:
            return False
        return not any(section.options.get(option) for option in section.needs_one_of)

    def _refuse_changed(self, how: str = "") -> NoReturn:
        raise ScenarioError(
            f"{self.place} has changed since it was built{how}; "
            f"build it anew: {self.build_command}. Runs made on the old content do not compare"
        )

    def _check_external(self, record: BuildRecord, *, rehash: bool) -> None:
        with external.opened(self.target) as source:
            schema = source.schema()
            if said := external.changes(record.outline or (), external.outline(schema)):
                self._refuse_changed(f": {'; '.join(said[:5])}")
            if rehash and external.take_fingerprint(source, schema) != record.fingerprint:
                self._refuse_changed()

    def _check_parts(self, record: BuildRecord, *, rehash: bool) -> None:
        try:
            parts.check_parts(record.parts, self.folder, rehash=rehash)
        except DatabaseHeldError:
            raise
        except ScenarioError as exc:
            raise type(exc)(f"{exc}; build it anew: {self.build_command}") from exc

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
            raise DatabaseError(f"{exc}; build it anew: {self.build_command}") from exc
        except duckdb.Error as exc:
            raise DatabaseError(
                f"{self.database_path} is corrupt; build it anew: {self.build_command}"
            ) from exc

    def _is_touched(self, record: BuildRecord) -> bool:
        stat = self.database_path.stat()
        changed = (stat.st_size, stat.st_mtime_ns) != (record.size, record.mtime_ns)
        return changed or any(log.exists() for log in self._logs)

    def _record(self) -> BuildRecord:
        """What was built. Raises where that is nothing, not all, gone, or of another version."""
        name = self.scenario.id
        record = read_record(self.folder)
        if record is None or not (self.is_server or self.database_path.is_file()):
            if any(self.folder.glob(f"{TEMP_PREFIX}*")):
                raise ScenarioError(
                    f"scenario {name} is half built: a build was broken off, or goes on in another "
                    f"process; to finish it: {self.build_command}"
                )
            if record is not None:
                raise DatabaseError(f"{self.place} is missing; build it anew: {self.build_command}")
            raise ScenarioError(f"scenario {name} is not built; build it: {self.how_to_build}")
        if record.version != self.scenario.version:
            raise ScenarioError(
                f"scenario {name} was built as version {record.version} and is version "
                f"{self.scenario.version} now; build it anew: {self.build_command}"
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
    )
