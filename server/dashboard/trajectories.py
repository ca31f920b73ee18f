"""One trajectory as a story, with its checklist beside it for those who may see one."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from core.run import RunSpec
from core.trajectory import Trajectory
from server.dashboard.pages import page
from server.dashboard.queues import Queue
from server.dashboard.refusals import RefusedError
from server.dashboard.runs import may_see_values
from server.dashboard.sources import as_json, sources
from server.dashboard.telling import TURNS, told
from server.dashboard.viewer import InPlace, Place, Reader, Viewer, run_for
from server.store.closeups import Wanted, closeups
from server.store.figures import Figure, Figures

router = APIRouter()

_WORK: Final = Queue("Other trajectories are being told", waiting=12)
"""Each takes some tenths of a second of a core; a class that opens one together is not turned away."""
_KEPT_BY_NOBODY: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@router.get("/trajectories/{run}/{entity:path}")
def show_trajectory(
    *,
    run: str,
    entity: str,
    who: Reader,
    here: InPlace,
    trial: Annotated[int, Query(ge=1, le=2**31)] = 1,
    attempt: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    first: Annotated[int, Query(ge=1, le=2**31)] = 1,
    part: Literal["page", "sources", "figure"] = "page",
    place: Annotated[int, Query(ge=1, le=2**31)] = 1,
    number: Annotated[int, Query(ge=1, le=2**31)] = 1,
) -> Response:
    """The page. `part=sources`: where its numbers come from, as JSON for its script; `part=figure`: one of
    its pictures, by the place of its call among those that drew, and its number there."""
    spec = run_for(here, who, run).spec
    want = Wanted(spec.id, (entity, trial), attempt)
    if part != "page":
        if not may_see_values(who, spec.scenario_id, here):
            raise RefusedError(403, "What this scenario's database holds is for admins alone.")
        if part == "figure":
            return _figure(here, _begun(here, want, without_turns=True).id, (place, number))
        with _WORK.turn():
            return _sources(_begun(here, want))
    with _WORK.turn():
        return _page(here, who, spec, want, first)


def _page(here: Place, who: Viewer, spec: RunSpec, want: Wanted, first: int) -> Response:
    (one,) = told(here, who, [(spec, want)], first=first, most=TURNS)
    entity, _ = want.key
    keys = list(spec.entity_ids)
    at = keys.index(entity) if entity in keys else -1
    count = len(one.story.trajectory.turns)
    return page(
        "trajectory.html",
        who,
        title=f"{one.noun} {entity}, {one.name}",
        at="runs",
        wide=True,
        told=one,
        story=one.story,
        before=keys[at - 1] if at > 0 else None,
        behind=keys[at + 1] if 0 <= at < len(keys) - 1 else None,
        first=first,
        following=first + TURNS if first + TURNS <= count else None,
        previous=max(1, first - TURNS) if first > 1 else None,
    )


def _begun(here: Place, want: Wanted, *, without_turns: bool = False) -> Trajectory:
    (found,) = closeups(here.store, [want], without_turns=without_turns)
    if found is None:
        raise RefusedError(404, "Nobody has begun this entity in this trial of the run.")
    return found.trajectory


def _sources(run: Trajectory) -> Response:
    made = as_json(sources(run)) if run.stop_reason is None else _traced(_Ended(run))
    return JSONResponse(made, headers=_KEPT_BY_NOBODY)


def _figure(here: Place, trajectory_id: str, figure: Figure) -> Response:
    png = Figures(here.store).png(trajectory_id, figure)
    if png is None:
        raise RefusedError(404, "There is no such figure.")
    return Response(png, media_type="image/png", headers=_KEPT_BY_NOBODY)


class _Ended:
    """A trajectory that has ended: it changes no more, but for insights that are asked for later."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self._state = (trajectory.id, trajectory.started_at, trajectory.insights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Ended) and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._state[:2])


@lru_cache(maxsize=32)
def _traced(ended: _Ended) -> dict[str, Any]:
    return as_json(sources(ended.trajectory))
