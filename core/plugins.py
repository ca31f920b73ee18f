"""Turn a name into an object: built-in, installed entry point, or `module:attribute`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any, Literal

from core.errors import ConfigError, UnknownNameError

Group = Literal["ddr.providers", "ddr.sandboxes", "ddr.checkers", "ddr.agents", "ddr.scenarios"]


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
            return point.load()
    if ":" in name:
        return _attribute(name)
    raise UnknownNameError(group.removeprefix("ddr.").rstrip("s"), name, known(group, builtin))


def _attribute(path: str) -> Any:
    module, _, attribute = path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        raise ConfigError(f"cannot load {path!r}: {exc}") from exc
