"""Build a scenario's database under a temporary name and put it in place in one step."""

from __future__ import annotations

import tempfile
from pathlib import Path

from core.errors import ScenarioError, UsageError
from databases.builder import BuildContext, Builder, Built, Progress
from databases.catalog import is_shipped, open_scenario
from databases.connection import DatabaseHeldError, refuse_unopenable
from databases.installed import TEMP_PREFIX, InstalledScenario, install
from databases.making import make, survey
from databases.manifest import Manifest
from databases.record import read_record
from databases.variants import Options, choose, refuse_missing
from databases.workplace import failures_told, one_builder, refuse_full_disk, sweep

__all__ = ["BuildContext", "Builder", "Built", "Progress", "build", "build_manifest", "planned"]


def _silent(_what: str, _share: float) -> None: ...


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
                act = make if manifest.database is None else survey
                act(target, home, Path(temporary), progress)
    progress(f"{manifest.id} is built", 1.0)
    return install(manifest, home)


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
