"""Trajectories: list a run's, fetch one, and keep what somebody reports that one took."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query

from core.errors import ToolError
from core.trajectory import Trajectory, Turn
from server.contacts import Contacts
from server.handing_in import read_usage
from server.rest_app.bodies.trajectories import (
    Kept,
    Reported,
    Reports,
    TrajectoryLine,
    TrajectoryPage,
    WholeTrajectory,
)
from server.rest_app.door import Anybody, InOffice, Worker, may_see_values, readable, workable
from server.rest_app.problems import Problem, without_paths
from server.store.attempts import counting
from server.store.seats import Seats
from server.store.turn_pages import turn_page

router = APIRouter(tags=["trajectories"])

FIRST: Final = 1
NOT_SHOWN: Final = "not shown: the data of this scenario are restricted"


@router.get("/runs/{run}/trajectories", summary="The trajectories of a run that count")
def list_trajectories(
    run: str,
    here: InOffice,
    token: Anybody,
    after: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> TrajectoryPage:
    """A page of them, without turns and insights."""
    spec = readable(here, token, run).spec
    heads = counting(here.store.heads(spec.id))
    places = {head.id: place for place, head in enumerate(heads, start=1)}
    begin = 0 if after is None else places.get(after, len(heads))
    shown = heads[begin : begin + limit]
    is_last = begin + limit >= len(heads)
    return TrajectoryPage(
        trajectories=[_line(head) for head in shown], next=None if is_last else shown[-1].id
    )


@router.get("/runs/{run}/trajectories/{entity}", summary="One trajectory with its turns")
def show_trajectory(
    *,
    run: str,
    entity: str,
    here: InOffice,
    token: Anybody,
    trial: Annotated[int, Query(ge=1, le=2**31)] = 1,
    first_turn: Annotated[int, Query(ge=FIRST, le=2**31)] = FIRST,
    turns: Annotated[int, Query(ge=1, le=500)] = 100,
) -> WholeTrajectory:
    """At most `turns` of them, from `first_turn` on; the insights and the report are whole."""
    spec = readable(here, token, run).spec
    head = _find(counting(here.store.heads(spec.id)), entity, trial)
    page = turn_page(here.store, head.id, first=first_turn, count=turns)
    contact = Contacts(spec, here.store).of(head) if spec.outside is not None else None
    return WholeTrajectory(
        trajectory=_told(page.trajectory, has_values=may_see_values(here, token, spec)),
        contact=contact,
        next_turn=page.next_turn,
    )


@router.post("/runs/{run}/usage", summary="Keep what trajectories are reported to have taken")
def report_usage(run: str, body: Reports, here: InOffice, token: Worker) -> Kept:
    """Kept as reported, in the place of what was reported before; nothing measured is touched."""
    spec = workable(here, token, run).spec
    if spec.outside is None:
        text = f"run {spec.id} is of an agent of the server's own, whose usage was measured"
        raise Problem(409, "measured", text)
    heads = counting(here.store.heads(spec.id))
    found = [(_find(heads, each.entity, each.trial).id, _said(each)) for each in body.reports]
    with here.store.together() as kept:
        for trajectory_id, said in found:
            Seats(kept).amend(trajectory_id, **said)
    return Kept(kept=len(found))


def _said(report: Reported) -> dict[str, Any]:
    try:
        usage = read_usage(report.usage)
    except ToolError as exc:
        raise Problem(422, "invalid", f"{report.entity[:100]!r}: {exc}") from exc
    said = {
        "reported_usage": usage,
        "reported_agent": report.agent,
        "reported_model": report.model,
    }
    if not (told := {name: value for name, value in said.items() if value is not None}):
        raise Problem(422, "invalid", f"{report.entity[:100]!r}: give usage, agent or model")
    return told


def _find(heads: list[Trajectory], entity: str, trial: int) -> Trajectory:
    for head in heads:
        if (head.entity_id, head.trial) == (entity, trial):
            return head
    text = f"nobody has begun entity {entity[:100]!r} in trial {trial} of this run"
    raise Problem(404, "no-such-trajectory", text)


def _line(head: Trajectory) -> TrajectoryLine:
    client = head.client
    return TrajectoryLine(
        trajectory=head.id,
        entity=head.entity_id,
        trial=head.trial,
        attempt=head.attempt,
        stop_reason=head.stop_reason.value if head.stop_reason else None,
        started_at=head.started_at,
        ended_at=head.ended_at,
        client=f"{client.name} {client.version}" if client else None,
        reported_agent=head.reported_agent,
        reported_model=head.reported_model,
        reported_usage=head.reported_usage,
    )


def _told(trajectory: Trajectory, *, has_values: bool) -> Trajectory:
    """Without what a sandbox or a fault says of the machine that it is on, and without what a restricted
    database holds where that is not for whoever asks."""
    sandbox, error = trajectory.sandbox, trajectory.error
    turns = trajectory.turns if has_values else tuple(map(_without_values, trajectory.turns))
    return trajectory.model_copy(
        update={
            "sandbox": sandbox.model_copy(update={"detail": None}) if sandbox else None,
            "error": without_paths(error) if error else None,
            "turns": turns,
        }
    )


def _without_values(turn: Turn) -> Turn:
    results = tuple(each.model_copy(update={"text": NOT_SHOWN}) for each in turn.tool_results)
    return turn.model_copy(update={"tool_results": results})
