"""Metrics from elsewhere, by exploration, to be held against people's ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.trajectory import Trajectory
from server.label_files import rows_of
from server.rating_agreement import Columns

_NAMES = ("subject", "entity", "trial")


def merged(
    columns: Columns, path: Path, trajectories: Sequence[Trajectory]
) -> dict[str, dict[str, float]]:
    """The columns with those of a file: a row per `subject` (trajectory) or `entity`.

    Every other column whose values are numbers is a metric. Raises ConfigError where a row names
    nothing of this run, or no row holds a number.
    """
    by_entity: dict[str, list[str]] = {}
    for each in trajectories:
        by_entity.setdefault(each.entity_id, []).append(each.id)
    known = {each.id for each in trajectories}
    found: dict[str, dict[str, float]] = {name: dict(each) for name, each in columns.items()}
    added = False
    for number, row in enumerate(rows_of(path), 1):
        subject, entity = str(row.get("subject") or ""), str(row.get("entity") or "")
        ids = [subject] if subject in known else by_entity.get(entity, [])
        if not ids:
            raise ConfigError(
                f"{path}, row {number}: no exploration is named {subject or entity!r}"
            )
        for name, value in _numbers(row).items():
            added = True
            found.setdefault(name, {}).update(dict.fromkeys(ids, value))
    if not added:
        raise ConfigError(f"{path} holds no figures beside {', '.join(_NAMES)}")
    return found


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for name, value in row.items():
        if name in _NAMES or isinstance(value, bool):
            continue
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            continue
        if isfinite(number):  # 'nan' is how some programs write that there is none
            found[name] = number
    return found
