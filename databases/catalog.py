"""Find scenarios by name, shipped or brought by plug-ins, and say whether one can be used."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module, resources
from importlib.metadata import entry_points
from pathlib import Path

from core.errors import ConfigError, DatabaseError, ScenarioError, UnknownNameError
from core.plugins import known
from core.scenario import Entity, Scenario, Task
from databases.connection import open_readonly
from databases.fingerprint import fingerprint
from databases.manifest import Manifest, read_manifest
from databases.record import BuildRecord, read_record
from databases.seal import read_seal

SHIPPED = {"flights": "databases.flights"}
"""Id to the package whose folder holds scenario.toml."""
TEMP_PREFIX = ".building-"


@dataclass(frozen=True)
class InstalledScenario:
    """A scenario and its place under DDR_HOME. It need not be built."""

    manifest: Manifest
    scenario: Scenario
    """With its fingerprint once it is built."""
    folder: Path
    database_path: Path

    def is_built(self) -> bool:
        """Whether a finished database and its record are there; says nothing of their health."""
        return self.database_path.is_file() and read_record(self.folder) is not None

    def check(self) -> None:
        """Raise ScenarioError or DatabaseError, with the command that mends it, unless all is well.

        Fast: content is hashed again only where size or time of change are not the recorded ones.
        """
        record = self._record()
        try:
            connection = open_readonly(self.database_path)
        except DatabaseError as exc:
            held = "held by" in str(exc) or "cannot open" in str(exc)
            raise DatabaseError(str(exc) if held else f"{exc}; {self._mend}") from exc
        with connection:
            try:
                sealed = read_seal(connection)
                if self._touched(record):
                    sealed = fingerprint(connection) if sealed == record.fingerprint else sealed
            except DatabaseError as exc:
                raise DatabaseError(f"{self.database_path}: {exc}; {self._mend}") from exc
            except Exception as exc:
                import duckdb

                if not isinstance(exc, duckdb.Error):
                    raise
                raise DatabaseError(f"{self.database_path} is corrupt; {self._mend}") from exc
        if sealed != record.fingerprint:
            raise ScenarioError(
                f"{self.database_path} has changed since it was built; {self._mend}"
            )

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
    def _mend(self) -> str:
        return f"build it anew: ddr scenarios build {self.scenario.id}"

    def _touched(self, record: BuildRecord) -> bool:
        stat = self.database_path.stat()
        return (stat.st_size, stat.st_mtime_ns) != (record.size, record.mtime_ns)

    def _record(self) -> BuildRecord:
        """What was built. Raises ScenarioError: not built, half built, gone, or of another version."""
        name, build = self.scenario.id, f"ddr scenarios build {self.scenario.id}"
        record = read_record(self.folder)
        if record is None or not self.database_path.is_file():
            if self.folder.is_dir() and any(self.folder.glob(f"{TEMP_PREFIX}*")):
                raise ScenarioError(f"scenario {name} is half built; run it again: {build}")
            if record is not None:
                raise DatabaseError(f"{self.database_path} is missing; build it anew: {build}")
            raise ScenarioError(f"scenario {name} is not built; build it: {build}")
        if record.version != self.scenario.version:
            raise ScenarioError(
                f"scenario {name} was built as version {record.version}, this release has "
                f"{self.scenario.version}; {self._mend}"
            )
        return record


def scenario_ids() -> list[str]:
    """Every scenario that can be opened by name."""
    return known("ddr.scenarios", SHIPPED)


def open_scenario(scenario_id: str, home: Path) -> InstalledScenario:
    """A scenario by its id. Raises UnknownNameError with the ids that exist; need not be built."""
    manifest = read_manifest(_manifest_path(scenario_id))
    if manifest.id != scenario_id:
        raise ConfigError(
            f"{_manifest_path(scenario_id)}: key 'id' is {manifest.id!r}, registered as {scenario_id!r}"
        )
    return install(manifest, home)


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


def _manifest_path(scenario_id: str) -> Path:
    module = SHIPPED.get(scenario_id)
    if module is None:
        points = {point.name: point.value for point in entry_points(group="ddr.scenarios")}
        if scenario_id not in points:
            raise UnknownNameError("scenario", scenario_id, scenario_ids())
        module = points[scenario_id]
    try:
        package = import_module(module)
    except ImportError as exc:
        raise ConfigError(f"scenario {scenario_id!r}: cannot import {module}: {exc}") from exc
    return Path(str(resources.files(package))) / "scenario.toml"
