"""Runs: make one, list them, see how far one is, get its configurations, close it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.status import HTTP_201_CREATED

from core.access import Token
from core.outside import Key, Outside
from server import configurations, enrolment
from server.rest_app.bodies.runs import (
    Closed,
    ConfigurationFile,
    Configurations,
    MadeRun,
    NewRun,
    NewSeat,
    Place,
    RunPage,
    RunState,
    SeatConfiguration,
)
from server.rest_app.door import Anybody, InOffice, Worker, may_read, may_work, readable, workable
from server.rest_app.letting_in import address, let_in
from server.rest_app.problems import Problem
from server.runner import utc_now
from server.store.overview import Overview, overview, overviews
from server.store.seats import Seats, SeatState

router = APIRouter(tags=["runs"])


@router.post("/runs", status_code=HTTP_201_CREATED, summary="Let an agent from outside in")
def make_run(body: NewRun, request: Request, here: InOffice, token: Worker) -> MadeRun:
    """A run with a seat for each entity and trial, or for each trial where `queue` is said."""
    enrolled = let_in(
        here,
        token,
        body.scenario,
        body.agent,
        entities=body.entities,
        outside=Outside(
            has_shell=body.has_shell, has_web=body.has_web, queue=body.queue, idle_s=body.idle_s
        ),
        trials=body.trials,
        tools=body.tools,
        limits=body.limits,
        goal=body.goal,
        seed=body.seed,
        endpoint_allowed=body.endpoint_allowed,
    )
    base = address(request)
    seats = [
        NewSeat(
            path=issued.seat.path,
            url=issued.url(base),
            token=issued.token,
            keys=_places(issued.seat.keys),
        )
        for issued in enrolled.seats
    ]
    return MadeRun(run=enrolled.spec.id, seats=seats)


@router.get("/runs", summary="The runs that the token may read, the newest first")
def list_runs(
    here: InOffice,
    token: Anybody,
    after: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> RunPage:
    """A page of them."""
    found: list[Overview] = []
    while len(found) <= limit:
        page = overviews(here.store, before=after, count=limit + 1)
        if not page:
            break
        after = page[-1].spec.id
        found += [run for run in page if may_read(token, run)]
    shown = found[:limit]
    following = shown[-1].spec.id if len(found) > limit else None
    return RunPage(runs=[_state(run, token) for run in shown], next=following)


@router.get("/runs/{run}", summary="How far a run is")
def show_run(run: str, here: InOffice, token: Anybody) -> RunState:
    """One run."""
    return _state(readable(here, token, run), token)


@router.get("/runs/{run}/configurations", summary="How a client is told of each seat")
def show_configurations(
    *,
    run: str,
    request: Request,
    here: InOffice,
    token: Worker,
    client: Annotated[str, Query(max_length=50, examples=["opencode"])],
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Configurations:
    """Files to be written into the folder that the client is started in."""
    spec = workable(here, token, run).spec
    chosen = configurations.CLIENTS.get(client)
    if chosen is None:
        known = ", ".join(configurations.CLIENTS)
        raise Problem(422, "unknown-name", f"unknown client {client!r}; known: {known}")
    base = address(request)

    def configuration(state: SeatState) -> SeatConfiguration:
        url = state.seat.url(base)
        made = configurations.files_of(chosen, url, None)
        files = [ConfigurationFile(path=file.path, text=file.text) for file in made]
        keys = _places(state.seat.keys)
        return SeatConfiguration(
            path=state.seat.path, url=url, keys=keys, is_closed=state.is_closed, files=files
        )

    seats = Seats(here.store).of_run(spec.id)
    past = after + limit
    return Configurations(
        client=client,
        command=chosen.command,
        seats=[configuration(state) for state in seats[after:past]],
        next=past if past < len(seats) else None,
    )


@router.post("/runs/{run}/close", summary="Take all seats of a run back")
def close_run(run: str, here: InOffice, token: Worker) -> Closed:
    """What is open ends as abandoned, what never was met as no_contact. Closing again changes nothing."""
    spec = workable(here, token, run).spec
    enrolment.close(spec, here.store, now=utc_now())
    closed = overview(here.store, spec.id)
    return Closed(run=spec.id, stop_reasons=_stops(closed) if closed else {})


def _state(run: Overview, token: Token) -> RunState:
    spec = run.spec
    outside = spec.outside
    return RunState(
        run=spec.id,
        created_at=spec.created_at,
        scenario=spec.scenario_id,
        agent=spec.agent,
        agent_class=spec.agent_class,
        from_outside=outside is not None,
        mine=may_work(token, spec),
        has_shell=outside.has_shell if outside else None,
        has_web=outside.has_web if outside else None,
        queue=outside is not None and outside.queue,
        tools=spec.tools,
        goal=spec.goal,
        entities=len(spec.entity_ids),
        trials=spec.trials,
        limits=spec.limits,
        wanted=run.wanted,
        begun=len(run.stops),
        open=run.open,
        ended=run.ended,
        stop_reasons=_stops(run),
        is_finished=run.is_finished,
    )


def _stops(run: Overview) -> dict[str, int]:
    return dict(Counter(stop.value for stop in run.stops.values() if stop is not None))


def _places(keys: Sequence[Key]) -> list[Place]:
    return [Place(entity=entity_id, trial=trial) for entity_id, trial in keys]
