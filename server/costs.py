"""What a stored run took: its attempts that count, the calls of those that were lost, its dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.spending import Costs, costs
from core.errors import DdrError
from core.run import RunSpec
from core.trajectory import ModelCall, Trajectory
from databases.catalog import open_scenario
from server.following import SQLGLOT
from server.settings import Settings
from server.store import Repository

_USUAL: Final = "duckdb"


def of_run(spec: RunSpec, name: str, store: Repository, settings: Settings) -> Costs:
    """`name`: how the run is called."""
    trajectories = store.trajectories(spec.id)
    return costs(
        name,
        trajectories,
        lost_calls(store, spec.id, trajectories),
        dialect=dialect_of(spec, settings),
        is_seen=spec.outside is None and spec.origin is None,
    )


def dialect_of(spec: RunSpec, settings: Settings) -> str:
    """sqlglot's name of the dialect that the run's SQL is written in."""
    try:
        told = open_scenario(spec.scenario_id, settings.home).scenario.dialect
    except DdrError:  # it is not known here any more
        told = _USUAL
    return SQLGLOT.get(told, told)


def lost_calls(store: Repository, run_id: str, counting: Sequence[Trajectory]) -> list[ModelCall]:
    """The model calls of attempts that were explored again: paid for, and part of no score."""
    known = {each.id for each in counting}
    return [
        call
        for head in store.heads(run_id)
        if head.id not in known
        for call in store.trajectory(head.id).calls
    ]
