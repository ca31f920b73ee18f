"""Build a scenario's database under a temporary name and put it in place in one step."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.errors import ConfigError, ScenarioError, UsageError
from core.plugins import load
from core.scenario import Entity
from databases import external
from databases.catalog import is_shipped, open_scenario
from databases.connection import DatabaseHeldError, refuse_unopenable
from databases.documents import DocumentWriter, documents_path, writing
from databases.files import replace_file, sync_folder, write_private
from databases.fingerprint import fingerprint
from databases.installed import TEMP_PREFIX, InstalledScenario, install
from databases.manifest import Manifest
from databases.record import NAME, BuildRecord, read_record
from databases.seal import write_seal
from databases.variants import NAME as VARIANT
from databases.variants import Options, VariantRecord, choose, refuse_missing
from databases.workplace import failures_told, one_builder, refuse_full_disk, sweep

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[str, float], None]
"""Told what is being done, in words, and how far along it is (0 to 1)."""


def _silent(_what: str, _share: float) -> None: ...


@dataclass(frozen=True)
class BuildContext:
    """What a builder is handed."""

    seed: str
    workspace: Path
    """An empty folder for files of the builder's own; it is deleted afterwards."""
    progress: Progress
    options: Options
    """Every option of the manifest, with its default where the build was told nothing."""
    documents: DocumentWriter
    """Takes the texts that checklists are made from, and agents never see."""

    def refuse_full_disk(self, needed_mb: int) -> None:
        """Raise ScenarioError unless so much is free: where the need is only known from the source."""
        refuse_full_disk(self.workspace, needed_mb)


@dataclass(frozen=True)
class Built:
    """What a builder may hand back."""

    secrets: Mapping[str, Any] | None = None
    """What must stay secret (the pseudonyms), for $DDR_HOME/secrets."""
    entities: Sequence[Entity] | None = None
    """Where they are not to be had by the manifest's query alone."""


class Builder(Protocol):
    """What `[build] builder` in scenario.toml names."""

    def __call__(
        self, connection: duckdb.DuckDBPyConnection, context: BuildContext
    ) -> Built | Mapping[str, Any] | None:
        """Fill the open, empty database, comments included.

        A mapping stands for Built(secrets=mapping).
        """
        ...


def build(
    scenario_id: str,
    home: Path,
    *,
    options: Options | None = None,
    name: str | None = None,
    progress: Progress = _silent,
    rebuild: bool = False,
) -> InstalledScenario:
    """Build a scenario, or hand back the one that is there and sound.

    Without options, those of the build before hold. `rebuild` builds in any case, and so do other
    options than those before. Raises ScenarioError where it cannot be built (no space, no source, a
    builder's own reasons), UsageError where it does not take an option. Whatever happens, Ctrl-C and
    kill -9 included, the final name holds a whole database or none.
    """
    manifest = planned(scenario_id, home, options=options, name=name)
    return build_manifest(manifest, home, progress=progress, rebuild=rebuild)


def planned(
    scenario_id: str, home: Path, *, options: Options | None = None, name: str | None = None
) -> Manifest:
    """The manifest that these options make. Raises as `build` does where they do not fit."""
    installed = open_scenario(scenario_id, home)
    before = read_record(installed.folder)
    chosen = options if options or before is None else before.options
    manifest = choose(installed.manifest, chosen or {}, name)
    if manifest.id != scenario_id and is_shipped(manifest.id):
        raise UsageError(f"{manifest.id} is the name of another scenario; give another --name")
    return manifest


def build_manifest(
    manifest: Manifest, home: Path, *, progress: Progress = _silent, rebuild: bool = False
) -> InstalledScenario:
    """The same for a manifest in hand."""
    folder = install(manifest, home).folder
    if manifest.build is not None:
        refuse_unopenable(folder)
    with failures_told(manifest.id, folder):
        folder.mkdir(parents=True, exist_ok=True)
        with one_builder(folder, progress):
            target = install(manifest, home)
            if not rebuild and _is_same(target) and _is_sound(target):
                progress(f"{manifest.id} is already built", 1.0)
                return target
            refuse_missing(manifest)
            sweep(folder)
            if manifest.build is not None:
                refuse_full_disk(folder, manifest.build.disk_mb)
            with tempfile.TemporaryDirectory(prefix=TEMP_PREFIX, dir=folder) as temporary:
                make = _make if manifest.database is None else _survey
                make(target, home, Path(temporary), progress)
    progress(f"{manifest.id} is built", 1.0)
    return install(manifest, home)


def _make(target: InstalledScenario, home: Path, temporary: Path, progress: Progress) -> None:
    manifest = target.manifest
    fresh = temporary / manifest.place
    texts = temporary / "documents.sqlite3"
    with writing(texts) as documents:
        secrets, taken, entities = _fill(manifest, fresh, temporary / "work", documents, progress)
    progress("putting the database in place", 0.97)
    if secrets is not None:
        write_private(home / "secrets" / f"{manifest.id}.json", secrets)
    _put_documents(texts if documents.count else None, documents_path(home, manifest.id))
    stat = fresh.stat()
    built = BuildRecord(
        version=manifest.version,
        fingerprint=taken,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        built_at=datetime.now(UTC),
        entities=entities,
        options=manifest.build.options if manifest.build else {},
    )
    note = _noted(built, temporary)
    _put_variant(manifest, target.folder, temporary)
    # Between these two a crash leaves a database without its record, or with the one of equal
    # content before it: either way the next build or check knows what it sees.
    target.log_path.unlink(missing_ok=True)
    replace_file(fresh, target.database_path)
    replace_file(note, target.folder / NAME)
    sync_folder(target.folder)


def _survey(target: InstalledScenario, _home: Path, temporary: Path, progress: Progress) -> None:
    """The same for a database that is there already: it is read once, and nothing is copied."""
    with external.opened(target.target) as source:
        found = external.survey(source, target.manifest, progress)
    stat = None if target.is_server else target.database_path.stat()
    built = BuildRecord(
        version=target.manifest.version,
        fingerprint=found.fingerprint,
        size=stat.st_size if stat else None,
        mtime_ns=stat.st_mtime_ns if stat else None,
        built_at=datetime.now(UTC),
        entities=found.entities,
        outline=found.outline,
    )
    replace_file(_noted(built, temporary), target.folder / NAME)
    sync_folder(target.folder)


def _noted(built: BuildRecord, temporary: Path) -> Path:
    note = temporary / NAME
    note.write_text(built.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return note


def _put_documents(fresh: Path | None, place: Path) -> None:
    """Before the database is in place: a checklist is never made from the texts of another build."""
    if fresh is None:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.parent.chmod(0o700)
    replace_file(fresh, place)


def _put_variant(manifest: Manifest, folder: Path, temporary: Path) -> None:
    section = manifest.build
    if section is None or section.base is None:
        return
    note = temporary / VARIANT
    record = VariantRecord(base=section.base, options=section.options)
    note.write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    replace_file(note, folder / VARIANT)


def _fill(
    manifest: Manifest,
    fresh: Path,
    workspace: Path,
    documents: DocumentWriter,
    progress: Progress,
) -> tuple[Mapping[str, Any] | None, str, tuple[Entity, ...]]:
    """Secrets, fingerprint and entities of the freshly made file."""
    import duckdb

    section = manifest.build
    assert section is not None  # a manifest without it has a database, and comes to _survey
    builder = _builder(manifest.id, section.builder)
    workspace.mkdir()
    with duckdb.connect(str(fresh), config={"temp_directory": str(workspace)}) as connection:
        connection.execute(
            "SET enable_progress_bar = false"
        )  # ours are in words, and not on stdout
        context = BuildContext(
            seed=section.seed,
            workspace=workspace,
            progress=progress,
            options=section.options,
            documents=documents,
        )
        said = builder(connection, context)
        built = said if isinstance(said, Built) else Built(secrets=said)
        entities = _entities(manifest, built, connection)
        progress("taking the fingerprint", 0.8)
        taken = fingerprint(connection)
        write_seal(connection, taken)
        connection.execute("CHECKPOINT")
    return built.secrets, taken, entities


def _entities(
    manifest: Manifest, built: Built, connection: duckdb.DuckDBPyConnection
) -> tuple[Entity, ...]:
    if built.entities is not None:
        return tuple(built.entities)
    listed = connection.execute(manifest.entities.query)
    columns = [column[0] for column in listed.description or ()]
    return external.list_entities(manifest, columns, listed.fetchall())


def _builder(scenario_id: str, name: str) -> Builder:
    try:
        found: Builder = load("ddr.scenarios", name, {})
    except ConfigError as exc:
        raise ConfigError(f"scenario {scenario_id}: key 'build.builder': {exc}") from exc
    return found


def _is_same(target: InstalledScenario) -> bool:
    """Whether the build that is there was told the same."""
    record, section = read_record(target.folder), target.manifest.build
    return record is not None and record.options == (section.options if section else {})


def _is_sound(target: InstalledScenario) -> bool:
    try:
        target.check()
    except DatabaseHeldError:
        raise
    except ScenarioError:
        return False
    return True
