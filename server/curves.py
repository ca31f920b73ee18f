"""Curves of stored runs: which evaluation speaks for each, and what of the store they need.

    of_run(spec, store, settings, *, evaluation=None, axes=("turn",), level="message", protocol=None)
        -> RunCurves | None        # None = the run is not scored yet

    found = of_run(spec, store, settings)
    found.growths["turn"]                    # analysis.growth.Growth, one per axis that was asked for
    found.curve("turn")                      # core.evaluation.Curve, as-run, with its band
    found.growths["turn"].undated_share      # supported without a turn: in no curve

No text is read. By turns a run of 300 trajectories of 30 turns takes some 50 ms with its band; along
the other axes each turn's body is read through for its usage, which takes some 200 ms. `draws` of `curve`
says how many resamples its band takes; 400 do for a page.
Raises ChecklistError where the evaluation's checklist is not the one that lies here any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from analysis.axes import Axis
from analysis.growth import Dating, Find, Growth, growth
from analysis.scaling import as_run
from checklists.loader import load
from core.checklist import Checklist
from core.errors import ChecklistError, UsageError
from core.evaluation import Curve, Evaluation, Level
from core.hints import typed
from core.run import RunSpec
from databases.catalog import open_scenario
from server.diffing import Side, sides_of
from server.judged import own_evaluations
from server.runs import competitor
from server.settings import Settings
from server.store import Repository
from server.store.trails import supported, trails

DRAWS = 2000
Dated = Literal["first", "last", "sufficient"]
"""By which turn a find counts: its first supporting turn, its last one, or the first by which the
insights suffice (server.min_sufficient)."""


@dataclass(frozen=True)
class RunCurves:
    """One run along the axes that were asked for."""

    name: str
    """Tells it from others: its model or agent, with the run's id where that is not enough."""
    spec: RunSpec
    evaluation: Evaluation
    level: Level
    dating: Dated
    growths: Mapping[Axis, Growth]

    def curve(self, axis: Axis, *, draws: int = DRAWS, seed: int | None = None) -> Curve:
        """As-run, at every place where it rises. Raises KeyError for an axis that was not asked for."""
        return as_run(
            self.growths[axis], draws=draws, seed=self.spec.seed if seed is None else seed
        )


def of_run(
    spec: RunSpec,
    store: Repository,
    settings: Settings,
    *,
    evaluation: str | None = None,
    axes: Sequence[Axis] = ("turn",),
    level: Level = "message",
    protocol: str | None = None,
) -> RunCurves | None:
    """The curves of a run by its newest evaluation, or the one that is named; None without any.

    `protocol` ddr dates a find by its last supporting turn (DDR-11); None = as it was judged.
    Raises UsageError for an evaluation that is none of this run's, ChecklistError.
    """
    side = _alone(spec, store, evaluation)
    if side is None:
        return None
    return of_side(side, store, settings, axes=axes, level=level, protocol=protocol)


def of_side(
    side: Side,
    store: Repository,
    settings: Settings,
    *,
    axes: Sequence[Axis],
    level: Level = "message",
    protocol: str | None = None,
    checklist: str | None = None,
    found: Sequence[Find] | None = None,
) -> RunCurves:
    """The curves of a run by a given evaluation. `checklist`: an id or a file, where it was judged by
    one that lies elsewhere; `found` in place of the evaluation's own finds.

    Raises ChecklistError, UsageError.
    """
    spec, own = side.spec, side.evaluation
    facts = facts_of(side, settings, checklist)
    items = [item for entity_id in spec.entity_ids for item in facts.of(entity_id)]
    dating: Dating = "last" if (protocol or own.protocol) == "ddr" else "first"
    finds = supported(store, own.id, level=level, dating=dating) if found is None else found
    acts = trails(store, spec.id, axes)
    clusters = _clusters(spec.scenario_id, spec.scenario_fingerprint, settings.home)
    return RunCurves(
        name=side.name,
        spec=spec,
        evaluation=own,
        level=level,
        dating=dating if found is None else "sufficient",
        growths={
            axis: growth(
                items,
                acts,
                finds,
                axis,
                competitor=side.name,
                clusters=clusters,
                at_end=level == "trajectory",
            )
            for axis in axes
        },
    )


def facts_of(side: Side, settings: Settings, named: str | None = None) -> Checklist:
    """The checklist that a run was judged by. Raises ChecklistError where it is another one now."""
    own = side.evaluation
    asked = (named or own.checklist_id, own.checklist_hash, settings.checklists)
    facts = _checklist(*asked)
    if facts.hash != own.checklist_hash:  # the file may have come right since it was read
        _checklist.cache_clear()
        facts = _checklist(*asked)
    if facts.hash != own.checklist_hash:
        raise ChecklistError(
            f"the checklist {facts.id} is not the one that {own.id} was judged by: judge again, "
            f"{typed(f'evaluate {side.spec.id}')}, or name that one by --checklist"
        )
    return facts


def sides(
    specs: Sequence[RunSpec], store: Repository, named: Sequence[str] = ()
) -> tuple[Side, ...]:
    """The evaluation that speaks for each run, as `ddr diff` chooses them.

    Raises UsageError for a run without one, one named twice, an evaluation that is none of theirs.
    """
    if len(specs) > 1:
        return sides_of(specs, store, named)
    alone = _alone(specs[0], store, named[0] if named else None)
    if alone is None:
        run = specs[0].id
        raise UsageError(f"run {run} is not scored yet: {typed(f'evaluate {run}')}")
    return (alone,)


def _alone(spec: RunSpec, store: Repository, named: str | None) -> Side | None:
    found = own_evaluations(store.evaluations(spec.id))
    if named is not None:
        chosen = [each for each in found if each.id == named]
        if not chosen:
            known = ", ".join(each.id for each in found) or "none yet"
            raise UsageError(f"{named} is no evaluation of {spec.id}; there are: {known}")
        found = chosen
    return Side(competitor(spec), spec, found[-1]) if found else None


@lru_cache(maxsize=8)
def _checklist(name: str, digest: str, own: Path | None) -> Checklist:
    """Read once: a large one takes longer than all curves. `digest` tells its editions apart."""
    return load(name, own)


@lru_cache(maxsize=8)
def _clusters(scenario_id: str, fingerprint: str, home: Path) -> Mapping[str, str]:
    """What each entity is drawn together with; read once for each content of the scenario."""
    return {each.id: each.cluster for each in open_scenario(scenario_id, home).entities()}
