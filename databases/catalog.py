"""Find scenarios by name: the shipped ones, and those that plug-ins bring."""

from __future__ import annotations

from importlib import import_module, resources
from importlib.metadata import entry_points
from pathlib import Path

from core.errors import ConfigError, UnknownNameError
from core.plugins import known
from databases.installed import InstalledScenario, install
from databases.manifest import read_manifest

__all__ = ["InstalledScenario", "open_scenario", "scenario_ids"]

SHIPPED = {"flights": "databases.flights"}
"""Id to the package whose folder holds scenario.toml; the entry-point group ddr.scenarios adds to it."""


def scenario_ids() -> list[str]:
    """Every scenario that can be opened by name."""
    return known("ddr.scenarios", SHIPPED)


def open_scenario(scenario_id: str, home: Path) -> InstalledScenario:
    """A scenario by its id; it need not be built.

    Raises UnknownNameError with the ids that exist, ConfigError where its scenario.toml is wrong.
    """
    path = _folder(scenario_id) / "scenario.toml"
    manifest = read_manifest(path)
    if manifest.id != scenario_id:
        raise ConfigError(
            f"{path}: key 'id' is {manifest.id!r}, but it is registered as {scenario_id!r}"
        )
    return install(manifest, home)


def _folder(scenario_id: str) -> Path:
    package = SHIPPED.get(scenario_id) or _plugin(scenario_id)
    try:
        return Path(str(resources.files(import_module(package))))
    except (ImportError, TypeError) as exc:
        raise ConfigError(f"scenario {scenario_id!r}: cannot import {package!r}: {exc}") from exc


def _plugin(scenario_id: str) -> str:
    for point in entry_points(group="ddr.scenarios"):
        if point.name == scenario_id:
            return point.module
    raise UnknownNameError("scenario", scenario_id, scenario_ids())
