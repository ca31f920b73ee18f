"""Build a scenario's database under a temporary name and put it in place in one step."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.errors import ScenarioError
from core.plugins import load
from databases import record
from databases.catalog import TEMP_PREFIX, InstalledScenario, install, open_scenario
from databases.connection import refuse_unopenable
from databases.files import replace_file, sync_folder, write_private
from databases.fingerprint import fingerprint
from databases.manifest import Manifest
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

    `rebuild` builds in any case. Raises ScenarioError where it cannot be built: no space, no
    source, a builder's own reasons. Whatever happens, the final name holds a whole database or none.
    """
    return build_manifest(
        open_scenario(scenario_id, home).manifest, home, progress=progress, rebuild=rebuild
    )


def build_manifest(
    manifest: Manifest, home: Path, *, progress: Progress = _silent, rebuild: bool = False
) -> InstalledScenario:
    """The same for a manifest in hand."""
    target = install(manifest, home)
    refuse_unopenable(target.database_path)
    with _failures_told(manifest.id, home):
        target.folder.mkdir(parents=True, exist_ok=True)
        with _one_builder(target.folder, progress):
            target = install(manifest, home)
            if not rebuild and _is_sound(target):
                progress(f"{manifest.id} is already built", 1.0)
                return target
            _sweep(target.folder)
            _refuse_full_disk(target.folder, manifest.build.disk_mb)
            with tempfile.TemporaryDirectory(prefix=TEMP_PREFIX, dir=target.folder) as temporary:
                _make(target, home, Path(temporary), progress)
    progress(f"{manifest.id} is built", 1.0)
    return install(manifest, home)


def _make(target: InstalledScenario, home: Path, temporary: Path, progress: Progress) -> None:
    import duckdb

    manifest = target.manifest
    builder: Builder = load("ddr.scenarios", manifest.build.builder, {})
    workspace = temporary / "work"
    workspace.mkdir()
    fresh = temporary / manifest.database
    config: dict[str, str | bool | int | float | list[str]] = {"temp_directory": str(workspace)}
    with duckdb.connect(str(fresh), config=config) as connection:
        context = BuildContext(seed=manifest.build.seed, workspace=workspace, progress=progress)
        secrets = builder(connection, context)
        progress("taking the fingerprint", 0.9)
        taken = fingerprint(connection)
        write_seal(connection, taken)
        entities = connection.execute(manifest.entities.query).fetchall()
        connection.execute("CHECKPOINT")
    if secrets is not None:
        write_private(home / "secrets" / f"{manifest.id}.json", secrets)
    stat = fresh.stat()
    replace_file(fresh, target.database_path)
    built = record.BuildRecord(
        version=manifest.version,
        fingerprint=taken,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        built_at=datetime.now(UTC),
        entities=tuple((str(entity_id), str(label)) for entity_id, label in entities),
    )
    note = temporary / record.NAME
    note.write_text(built.model_dump_json(indent=2) + "\n", encoding="utf-8")
    replace_file(note, target.folder / record.NAME)
    sync_folder(target.folder)


def _is_sound(target: InstalledScenario) -> bool:
    try:
        target.check()
    except ScenarioError:
        return False
    return True


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"{TEMP_PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)


def _refuse_full_disk(folder: Path, needed_mb: int) -> None:
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < needed_mb:
        raise ScenarioError(
            f"{folder} has {free_mb} MB free and the build needs {needed_mb} MB; "
            "free some space, or set DDR_HOME to a folder on another disk"
        )


@contextlib.contextmanager
def _one_builder(folder: Path, progress: Progress) -> Iterator[None]:
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


@contextlib.contextmanager
def _failures_told(scenario_id: str, home: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except (OSError, duckdb.Error) as exc:
        raise ScenarioError(
            f"building {scenario_id} under {home} failed: {exc}; nothing half done was left in place. "
            f"Free some space or make the folder writable, then: ddr scenarios build {scenario_id}"
        ) from exc
