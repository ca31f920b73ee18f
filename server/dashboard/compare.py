"""Two trajectories of one entity, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from analysis.rulings import ItemView
from core.run import RunSpec
from server.dashboard.pages import page
from server.dashboard.queues import Queue
from server.dashboard.refusals import RefusedError
from server.dashboard.runs import entities_of
from server.dashboard.telling import Told, told
from server.dashboard.viewer import InPlace, Place, Reader, Viewer, run_for
from server.runs import competitor
from server.store.closeups import Wanted
from server.store.overview import Overview, overviews

router = APIRouter()

MOST: Final = 200
"""Runs that are offered, the newest."""
TURNS: Final = 60
"""Turns of each of the two."""
_WORK: Final = Queue("Other trajectories are being compared")
_Name = Annotated[str | None, Query(max_length=200)]


@dataclass(frozen=True)
class Offered:
    """A run that may be chosen."""

    id: str
    scenario_id: str
    words: str


@dataclass(frozen=True)
class Pair:
    """What became of one item on both sides."""

    left: ItemView
    right: ItemView


@router.get("/compare")
def compare(
    *,
    who: Reader,
    here: InPlace,
    left: _Name = None,
    right: _Name = None,
    entity: _Name = None,
    trial: Annotated[int, Query(ge=1, le=2**31)] = 1,
) -> Response:
    """The choice; both stories, where all of it is chosen."""
    some = [run for run in overviews(here.store, before=None, count=MOST) if who.may_see(run)]
    one, other = (_run(here, who, some, name) for name in (left, right))
    if one and other and one.spec.scenario_id != other.spec.scenario_id:
        raise RefusedError(422, "These two runs are of two scenarios: go back and choose others.")
    both = _both(one, other)
    chosen = entity if entity in both else None
    entities, noun = entities_of(one.spec.scenario_id, here) if one and both else ({}, "entity")
    sides: list[Told] = []
    with ExitStack() as stack:
        if one and other and chosen is not None:
            stack.enter_context(_WORK.turn())  # both stories are told and drawn
            wanted = [(run.spec, Wanted(run.spec.id, (chosen, trial))) for run in (one, other)]
            sides = told(here, who, wanted, keys=("left", "right"), most=TURNS, is_alone=False)
        return page(
            "compare.html",
            who,
            title="Compare",
            at="compare",
            wide=bool(sides),
            offered=_offered(some, one, other),
            left=left,
            right=right,
            entity=chosen,
            trial=trial,
            both=[(each, entities[each].label if each in entities else each) for each in both],
            noun=noun,
            sides=sides,
            items=_items(sides),
        )


def _run(here: Place, who: Viewer, some: Sequence[Overview], name: str | None) -> Overview | None:
    if not name:
        return None
    return next((run for run in some if run.spec.id == name), None) or run_for(here, who, name)


def _both(one: Overview | None, other: Overview | None) -> list[str]:
    """The entities that both have begun."""
    if one is None or other is None:
        return []
    begun = {entity for entity, _ in one.stops} & {entity for entity, _ in other.stops}
    return [each for each in one.spec.entity_ids if each in begun]


def _offered(
    some: Sequence[Overview], one: Overview | None, other: Overview | None
) -> list[Offered]:
    """The chosen ones among them, however old they are; of one scenario, once one is chosen."""
    chosen = [run for run in (one, other) if run is not None]
    specs: dict[str, RunSpec] = {run.spec.id: run.spec for run in [*chosen, *some]}
    scenario = chosen[0].spec.scenario_id if chosen else None
    return [
        Offered(spec.id, spec.scenario_id, f"{competitor(spec)}, {spec.id}")
        for spec in specs.values()
        if scenario in (None, spec.scenario_id)
    ]


def _items(sides: Sequence[Told]) -> list[Pair]:
    """Item by item, for whoever may see the checklist; none where the two were judged by different ones."""
    if len(sides) != 2 or not all(side.shows_items for side in sides):
        return []
    others = {item.item.id: item for item in sides[1].story.items}
    return [
        Pair(item, others[item.item.id])
        for item in sides[0].story.items
        if item.item.id in others and others[item.item.id].item == item.item
    ]
