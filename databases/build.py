"""Build a scenario's database under a temporary name and put it in place in one step."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.errors import ConfigError, DdrError, ScenarioError
from core.plugins import load
from databases.catalog import open_scenario
from databases.connection import refuse_unopenable
from databases.files import replace_file, sync_folder, write_private
from databases.fingerprint import fingerprint
from databases.installed import TEMP_PREFIX, InstalledScenario, install
from databases.manifest import Manifest
from databases.record import NAME, BuildRecord
from databases.seal import write_seal

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


class Builder(Protocol):
    """What `[build] builder` in scenario.toml names."""

    def __call__(
        self, connection: duckdb.DuckDBPyConnection, context: BuildContext
    ) -> Mapping[str, Any] | None:
        """Fill the open, empty database, comments included.

        Returns what must stay secret (the pseudonyms) for $DDR_HOME/secrets, or None.
        """
        ...


def build(
    scenario_id: str, home: Path, *, progress: Progress = _silent, rebuild: bool = False
) -> InstalledScenario:
    """Build a scenario, or hand back the one that is there and sound.

    `rebuild` builds in any case. Raises ScenarioError where it cannot be built (no space, no
    source, a builder's own reasons). Whatever happens, Ctrl-C and kill -9 included, the final name
    holds a whole database or none.
    """
    manifest = open_scenario(scenario_id, home).manifest
    return build_manifest(manifest, home, progress=progress, rebuild=rebuild)


def build_manifest(
    manifest: Manifest, home: Path, *, progress: Progress = _silent, rebuild: bool = False
) -> InstalledScenario:
    """The same for a manifest in hand."""
    folder = install(manifest, home).folder
    refuse_unopenable(folder)
    with _failures_told(manifest.id, folder):
        folder.mkdir(parents=True, exist_ok=True)
        with _one_builder(folder, progress):
            target = install(manifest, home)
            if not rebuild and _is_sound(target):
                progress(f"{manifest.id} is already built", 1.0)
                return target
            _sweep(folder)
            _refuse_full_disk(folder, manifest.build.disk_mb)
            with tempfile.TemporaryDirectory(prefix=TEMP_PREFIX, dir=folder) as temporary:
                _make(target, home, Path(temporary), progress)
    progress(f"{manifest.id} is built", 1.0)
    return install(manifest, home)


def _make(target: InstalledScenario, home: Path, temporary: Path, progress: Progress) -> None:
    manifest = target.manifest
    fresh = temporary / manifest.database
    secrets, taken, entities = _fill(manifest, fresh, temporary / "work", progress)
    progress("putting the database in place", 0.97)
    if secrets is not None:
        write_private(home / "secrets" / f"{manifest.id}.json", secrets)
    stat = fresh.stat()
    built = BuildRecord(
        version=manifest.version,
        fingerprint=taken,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        built_at=datetime.now(UTC),
        entities=entities,
    )
    note = temporary / NAME
    note.write_text(built.model_dump_json(indent=2) + "\n", encoding="utf-8")
    # Between these two a crash leaves a database without its record, or with the one of equal
    # content before it: either way the next build or check knows what it sees.
    replace_file(fresh, target.database_path)
    replace_file(note, target.folder / NAME)
    sync_folder(target.folder)


def _fill(
    manifest: Manifest, fresh: Path, workspace: Path, progress: Progress
) -> tuple[Mapping[str, Any] | None, str, tuple[tuple[str, str], ...]]:
    """Secrets, fingerprint and (id, label) of each entity of the freshly made file."""
    import duckdb

    builder = _builder(manifest)
    workspace.mkdir()
    with duckdb.connect(str(fresh), config={"temp_directory": str(workspace)}) as connection:
        context = BuildContext(seed=manifest.build.seed, workspace=workspace, progress=progress)
        secrets = builder(connection, context)
        entities = _entities(manifest, connection)
        progress("taking the fingerprint", 0.8)
        taken = fingerprint(connection)
        write_seal(connection, taken)
        connection.execute("CHECKPOINT")
    return secrets, taken, entities


def _builder(manifest: Manifest) -> Builder:
    try:
        found: Builder = load("ddr.scenarios", manifest.build.builder, {})
    except ConfigError as exc:
        raise ConfigError(f"scenario {manifest.id}: key 'build.builder': {exc}") from exc
    return found


def _entities(
    manifest: Manifest, connection: duckdb.DuckDBPyConnection
) -> tuple[tuple[str, str], ...]:
    rows = connection.execute(manifest.entities.query).fetchall()
    where = f"scenario {manifest.id}: key 'entities.query'"
    if not rows or len(rows[0]) != 2:
        raise ConfigError(f"{where}: must give the columns id and label, and one entity at least")
    ids = [row[0] for row in rows]
    if None in ids or len(set(ids)) < len(ids):
        raise ConfigError(f"{where}: gives an id twice, or none")
    return tuple((str(entity_id), str(label)) for entity_id, label in rows)


def _is_sound(target: InstalledScenario) -> bool:
    try:
        target.check()
    except ScenarioError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove what killed builds left. Only the holder of the lock may."""
    for left in folder.glob(f"{TEMP_PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)


def _refuse_full_disk(folder: Path, needed_mb: int) -> None:
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < needed_mb:
        raise ScenarioError(
            f"{folder} has {free_mb} MB free and the build needs {needed_mb} MB; {_MORE_SPACE}"
        )


@contextlib.contextmanager
def _one_builder(folder: Path, progress: Progress) -> Iterator[None]:
    """Wait until no other process builds here. The lock ends with its process, however that ends."""
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another process that builds the same scenario", 0.0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


_MORE_SPACE = "free some space, or set DDR_HOME to a folder on another disk"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextlib.contextmanager
def _failures_told(scenario_id: str, folder: Path) -> Iterator[None]:
    """Turn what the machine or a builder throws into a ScenarioError that says what to do."""
    import duckdb

    try:
        yield
    except DdrError:
        raise
    except Exception as exc:
        if _is_full(exc):
            todo = f"{_MORE_SPACE}, then"
        elif isinstance(exc, OSError | duckdb.IOException):
            todo = f"make {folder} a folder that you may write to, then"
        else:
            todo = "when its builder is mended,"
        raise ScenarioError(
            f"building {scenario_id} failed ({type(exc).__name__}: {exc}); nothing half built was "
            f"put in place. To try again: {todo} ddr scenarios build {scenario_id}"
        ) from exc


def _is_full(exc: Exception) -> bool:
    """Whether the disk or a quota is used up. DuckDB says so in words, under several types."""
    if isinstance(exc, OSError):
        return exc.errno in _FULL
    return any(os.strerror(number) in str(exc) for number in _FULL)
