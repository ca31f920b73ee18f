"""Turn a name into an object: built-in, installed entry point, or `module:attribute`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from core.errors import ConfigError, UnknownNameError

Group = Literal[
    "ddr.providers", "ddr.sandboxes", "ddr.checkers", "ddr.agents", "ddr.scenarios", "ddr.engines"
]

_KIND: dict[Group, str] = {
    "ddr.providers": "provider",
    "ddr.sandboxes": "sandbox",
    "ddr.checkers": "checker",
    "ddr.agents": "agent",
    "ddr.scenarios": "scenario",
    "ddr.engines": "database engine",
}


def known(group: Group, builtin: Iterable[str]) -> list[str]:
    """Every name that `load` takes, but for free `module:attribute` ones."""
    return sorted({*builtin, *(point.name for point in entry_points(group=group))})


def load(group: Group, name: str, builtin: Mapping[str, str]) -> Any:
    """The object behind a name. `builtin` maps a name to `module:attribute`.

    Raises UnknownNameError with the known names, ConfigError where a module cannot be imported.
    """
    if name in builtin:
        return _attribute(builtin[name])
    for point in entry_points(group=group):
        if point.name == name:
            return _loaded(point)
    if ":" in name:
        return _attribute(name)
    raise UnknownNameError(_KIND[group], name, known(group, builtin))


def _attribute(path: str) -> Any:
    module, _, attribute = path.partition(":")
    # An entry point without an attribute is a whole module; a written-out path must name one.
    if not module or not attribute:
        raise ConfigError(f"cannot load {path!r}: write module:attribute")
    return _loaded(EntryPoint(name=path, value=path, group=""))


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as exc:
        raise ConfigError(f"cannot load {point.value!r}: {exc}") from exc
