"""Fill a scenario's database in a temporary folder, record what it holds, and put it in place."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ScenarioError
from core.scenario import Entity
from databases import external
from databases.builder import BuildContext, Built, Progress, find_builder
from databases.comments import comment
from databases.documents import documents_path, writing
from databases.files import replace_file, sync_folder, write_private
from databases.fingerprint import fingerprint
from databases.installed import InstalledScenario
from databases.manifest import BuildSection, Manifest
from databases.parts import FOLDER as PARTS
from databases.parts import write_parts
from databases.record import NAME, BuildRecord, PartRecord, TableOutline
from databases.seal import write_seal
from databases.target import Target
from databases.variants import NAME as VARIANT
from databases.variants import VariantRecord

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class _Filled:
    """What is known of the freshly made file."""

    said: Built
    fingerprint: str
    entities: tuple[Entity, ...]
    parts: tuple[PartRecord, ...] = ()
    outline: tuple[TableOutline, ...] | None = None


def make(target: InstalledScenario, home: Path, temporary: Path, progress: Progress) -> None:
    """Let the builder make the database below `temporary`, and put all that comes of it in place."""
    manifest, section = target.manifest, target.manifest.build
    assert section is not None  # a manifest without it has a database, and comes to `survey`
    fresh, texts = temporary / manifest.place, temporary / "documents.sqlite3"
    workspace = temporary / "work"
    workspace.mkdir()
    with writing(texts) as documents:
        context = BuildContext(
            seed=section.seed,
            workspace=workspace,
            progress=progress,
            options=section.options,
            documents=documents,
            downloads=home / "downloads" / target.base,
            folder=Path(section.folder) if section.folder else None,
        )
        filled = _fill(manifest, section, fresh, context)
    progress("putting the database in place", 0.97)
    if filled.said.secrets is not None:
        write_private(home / "secrets" / f"{manifest.id}.json", filled.said.secrets)
    _put_documents(texts if documents.count else None, documents_path(home, manifest.id))
    stat = fresh.stat()
    built = BuildRecord(
        version=manifest.version,
        fingerprint=filled.fingerprint,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        built_at=datetime.now(UTC),
        entities=filled.entities,
        options=section.options,
        outline=filled.outline,
        parts=filled.parts,
        notes=tuple(filled.said.notes),
    )
    note = _noted(built, temporary)
    _put_variant(section, target.folder, temporary)
    # Between these a crash leaves a database without its record, or with the one of equal
    # content before it: either way the next build or check knows what it sees.
    target.log_path.unlink(missing_ok=True)
    replace_file(fresh, target.database_path)
    _put_parts(filled.parts, temporary / PARTS, target.folder / PARTS)
    replace_file(note, target.folder / NAME)
    sync_folder(target.folder)


def survey(target: InstalledScenario, _home: Path, temporary: Path, progress: Progress) -> None:
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


def _fill(manifest: Manifest, section: BuildSection, fresh: Path, context: BuildContext) -> _Filled:
    import duckdb

    builder = find_builder(manifest.id, section.builder)
    filling = fresh if manifest.is_filled_here else context.workspace / "unused.duckdb"
    spill = str(context.workspace)
    with duckdb.connect(str(filling), config={"temp_directory": spill}) as connection:
        # Ours are in words, and not on stdout.
        connection.execute("SET enable_progress_bar = false")
        said = builder(connection, context)
        built = said if isinstance(said, Built) else Built(secrets=said)
        if manifest.is_filled_here:
            return _filled(manifest, built, connection, fresh, context.progress)
    return _taken(manifest, built, fresh, context)


def _filled(
    manifest: Manifest,
    built: Built,
    connection: duckdb.DuckDBPyConnection,
    fresh: Path,
    progress: Progress,
) -> _Filled:
    """Of a DuckDB file that the builder filled through its connection."""
    comment(connection, manifest)
    entities = _entities(manifest, built, connection)
    progress("taking the fingerprint", 0.8)
    taken = fingerprint(connection)
    write_seal(connection, taken)
    parts = write_parts(connection, entities, fresh.parent / PARTS, progress)
    connection.execute("CHECKPOINT")
    return _Filled(built, taken, entities, parts)


def _taken(manifest: Manifest, built: Built, fresh: Path, context: BuildContext) -> _Filled:
    """Of a finished file that is served by another engine."""
    inside = context.workspace.resolve()
    if built.file is None or not built.file.resolve().is_relative_to(inside):
        raise ScenarioError(
            f"scenario {manifest.id}: its builder must leave a finished file of the dialect "
            f"{manifest.dialect} in the workspace (databases.builder.Built.file)"
        )
    shutil.move(built.file, fresh)
    place = Target(dialect=manifest.dialect, location=str(fresh), fact_columns=manifest.facts)
    known = None if built.entities is None else _named(manifest, built.entities)
    with external.opened(place) as source:
        found = external.survey(source, manifest, context.progress, known)
    return _Filled(built, found.fingerprint, found.entities, outline=found.outline)


def _entities(
    manifest: Manifest, built: Built, connection: duckdb.DuckDBPyConnection
) -> tuple[Entity, ...]:
    if built.entities is not None:
        return _named(manifest, built.entities)
    listed = connection.execute(manifest.entities.query)
    columns = [column[0] for column in listed.description or ()]
    return external.list_entities(manifest, columns, listed.fetchall())


def _named(manifest: Manifest, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """A builder need not know under which name its scenario is kept. No id stands for two."""
    ids = [entity.id for entity in entities]
    if not ids or len(set(ids)) < len(ids):
        raise ScenarioError(f"scenario {manifest.id}: its builder gives an entity twice, or none")
    return tuple(entity.model_copy(update={"scenario_id": manifest.id}) for entity in entities)


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


def _put_variant(section: BuildSection, folder: Path, temporary: Path) -> None:
    if section.base is None:
        return
    note = temporary / VARIANT
    record = VariantRecord(base=section.base, options=section.options)
    note.write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    replace_file(note, folder / VARIANT)


def _put_parts(parts: Sequence[PartRecord], fresh: Path, place: Path) -> None:
    """The new ones, each in one step; then those of the build before go, with their logs."""
    if not parts:
        shutil.rmtree(place, ignore_errors=True)
        return
    place.mkdir(exist_ok=True)
    kept = {part.file for part in parts}
    for path in place.iterdir():
        if path.name not in kept:
            path.unlink()
    for name in sorted(kept):
        replace_file(fresh / name, place / name)
    sync_folder(place)
