"""Find scenarios by name: the shipped ones, those that plug-ins bring, and those of this home."""

from __future__ import annotations

from importlib import import_module, resources
from importlib.metadata import entry_points
from pathlib import Path

from core.errors import ConfigError, UnknownNameError
from core.plugins import known
from databases.installed import InstalledScenario, install
from databases.manifest import read_manifest
from databases.variants import NAME as VARIANT
from databases.variants import choose, read_variant

__all__ = ["InstalledScenario", "is_shipped", "open_scenario", "scenario_ids"]

TOML = "scenario.toml"
SHIPPED = {
    "destinations": "databases.destinations",
    "filings": "databases.filings",
    "flights": "databases.flights",
    "insightbench": "databases.insightbench",
    "incidents": "databases.incidents",
    "wearables": "databases.wearables",
    "patients": "databases.patients",
}
"""Id to the package whose folder holds scenario.toml; the entry-point group ddr.scenarios adds to it."""


def scenario_ids(home: Path | None = None) -> list[str]:
    """Every scenario that can be opened by name, those of a home included."""
    return sorted({*known("ddr.scenarios", SHIPPED), *(_own(home) if home else ())})


def is_shipped(scenario_id: str) -> bool:
    """Whether the name is taken by a scenario that comes with the program or a plug-in."""
    return scenario_id in known("ddr.scenarios", SHIPPED)


def open_scenario(scenario_id: str, home: Path) -> InstalledScenario:
    """A scenario by its id; it need not be built.

    One of this home is either a variant of another (variant.json) or has a scenario.toml of its own.
    Raises UnknownNameError with the ids that exist, ConfigError where its scenario.toml is wrong.
    """
    return _open(scenario_id, home, ())


def _open(scenario_id: str, home: Path, variants: tuple[str, ...]) -> InstalledScenario:
    """`variants`: those whose base is looked for."""
    own = home / "scenarios" / scenario_id
    if scenario_id in variants:
        raise ConfigError(f"{own / VARIANT}: the scenario is a variant of itself; delete {own}")
    if not is_shipped(scenario_id):
        if scenario_id not in _own(home):  # so that no path stands for a name
            raise UnknownNameError("scenario", scenario_id, scenario_ids(home))
        if variant := read_variant(own):
            base = _open(variant.base, home, (*variants, scenario_id)).manifest
            return install(choose(base, variant.options, scenario_id), home)
    path = (_folder(scenario_id) if is_shipped(scenario_id) else own) / TOML
    manifest = read_manifest(path)
    if manifest.id != scenario_id:
        raise ConfigError(
            f"{path}: key 'id' is {manifest.id!r}, but it is registered as {scenario_id!r}"
        )
    return install(manifest, home)


def _own(home: Path) -> list[str]:
    """The scenarios of a home that it alone knows."""
    found = (home / "scenarios").glob("*/")
    return [f.name for f in found if (f / VARIANT).is_file() or (f / TOML).is_file()]


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
