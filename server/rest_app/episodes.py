"""Episodes for RL frameworks: reset, step and reward over HTTP, at the same desk as over MCP."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Request
from starlette.status import HTTP_201_CREATED

from core.errors import DdrError
from core.evaluation import LEVELS, Level, Verdict
from core.outside import Caller, Outside
from core.trajectory import Client, StopReason, Trajectory
from databases.catalog import open_scenario
from evaluator.reward import Reward as Guarded
from evaluator.reward import score
from server import enrolment
from server.build import make_checker
from server.desk import Desk
from server.rest_app.bodies.episodes import (
    Action,
    Episode,
    LevelReward,
    NewEpisode,
    Reward,
    Step,
    ToolLine,
)
from server.rest_app.door import InOffice, Office, Worker, desk, workable
from server.rest_app.letting_in import let_in
from server.rest_app.problems import Problem
from server.rest_app.scoring import checklist
from server.runner import utc_now
from server.store.attempts import counting
from server.store.seats import Seats
from tools.threads import in_thread

router = APIRouter(tags=["episodes"])

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_CLIENT_CHARS: Final = 100


@router.post("/episodes", status_code=HTTP_201_CREATED, summary="Reset: an episode begins")
async def reset(body: NewEpisode, here: InOffice, token: Worker) -> Episode:
    """A run of one entity. Its token is told this once; the agent, or the trainer for it, steps with it."""

    def work() -> tuple[str, str]:
        enrolled = let_in(
            here,
            token,
            body.scenario,
            body.policy,
            entities="sample:1" if body.entity is None else [body.entity],
            outside=Outside(has_shell=body.has_shell, has_web=body.has_web),
            tools=body.tools,
            limits=body.limits,
            seed=body.seed,
            endpoint_allowed=body.endpoint_allowed,
        )
        (issued,) = enrolled.seats
        return issued.seat.path, issued.token

    path, secret = await in_thread(work, name="reset")
    at = await here.desks.at(path)
    if at is None:
        raise AssertionError("a seat that was kept has its desk")
    try:
        specs = await at.specs()
    except DdrError as exc:
        enrolment.close(at.spec, here.store, now=utc_now())
        _LOG.warning("an episode's tools cannot be opened: %s", exc)
        text = "the tools cannot be opened just now: try again in a moment"
        raise Problem(503, "tools", text, headers={"Retry-After": "5"}) from exc
    task = at.task()
    return Episode(
        episode=path,
        token=secret,
        run=at.spec.id,
        entity=task.entity_id,
        task=task.text,
        instructions=at.instructions(),
        tools=[ToolLine(**spec.model_dump()) for spec in specs],
    )


@router.post("/episodes/{path}/step", summary="Step: call one tool")
async def step(
    path: str,
    body: Action,
    request: Request,
    here: InOffice,
    at: Annotated[Desk, Depends(desk)],
) -> Step:
    """With the episode's own token. A failed call is an observation; hanging up stops the work."""
    caller = Caller(client=_client(request))
    seen = await _unless_gone(request, at.call(body.tool, body.arguments, caller))
    turn = (seen.data or {}).get("turn")
    return Step(
        observation=_mended(seen.text),
        turn=turn if isinstance(turn, int) else None,
        is_error=seen.is_error,
        error_kind=seen.error_kind,
        done=_is_done(here, path),
    )


@router.post("/episodes/{path}/reward", summary="Reward: what an ended episode was worth")
async def reward(path: str, here: InOffice, token: Worker) -> Reward:
    """By the checker without a model, computed anew each time and never kept with the trajectory."""

    def work() -> Reward:
        state = Seats(here.store).at(path)
        if state is None:
            raise Problem(404, "no-such-episode", "there is no such episode; a reset makes one")
        spec = workable(here, token, state.seat.run_id).spec
        # Where nobody ever came, only the closing of its run began a trajectory, and ended it.
        heads = counting(here.store.heads(spec.id))
        head = next((h for h in heads if (h.entity_id, h.trial) == state.key), None)
        if head is None or head.stop_reason is None:
            text = "the episode goes on: step with the tool finish, or close its run"
            raise Problem(409, "not-finished", text)
        facts = checklist(here, spec)
        trajectory = here.store.trajectory(head.id)
        entities = open_scenario(spec.scenario_id, here.settings.home).entities()

        items = facts.of(trajectory.entity_id)

        async def judge() -> list[Verdict]:
            checker = make_checker("matching", entities)
            return [v async for v in checker.check(items, trajectory, evaluation_id="reward")]

        guarded = score(trajectory, items, entities=entities)
        return _reward(path, trajectory, asyncio.run(judge()), guarded)

    async with here.judging:
        return await in_thread(work, name="reward")


def _reward(path: str, trajectory: Trajectory, verdicts: list[Verdict], guarded: Guarded) -> Reward:
    stop = trajectory.stop_reason or StopReason.NO_CONTACT
    levels = {level: _level(verdicts, level) for level in LEVELS}
    why = next((v.unscored_reason for v in verdicts if v.label is None), None)
    worth = levels["message"].reward
    return Reward(
        episode=path,
        entity=trajectory.entity_id,
        stop_reason=stop.value,
        reward=worth,
        why_none=None if worth is not None else why or "the checklist asks nothing of this entity",
        guarded=guarded.value,
        contradictions=guarded.contradictions,
        untraced=guarded.untraced,
        turns=len(trajectory.turns),
        message=levels["message"],
        trajectory=levels["trajectory"],
    )


def _level(verdicts: list[Verdict], level: Level) -> LevelReward:
    labels = Counter(v.label or "unscored" for v in verdicts if v.level == level)
    total = labels.total()
    # Unscored items count as not found, unless all are: then nothing was measured.
    measured = total > labels["unscored"]
    return LevelReward(
        reward=labels["supported"] / total if measured else None,
        supported=labels["supported"],
        contradicted=labels["contradicted"],
        insufficient=labels["insufficient"],
        unscored=labels["unscored"],
        out_of=total,
    )


def _is_done(here: Office, path: str) -> bool:
    state = Seats(here.store).at(path)
    if state is None or state.is_closed:
        return True
    is_last = state.place + 1 == len(state.seat.keys)
    ended = state.trajectory_id is not None and (
        here.store.head(state.trajectory_id).stop_reason is not None
    )
    return is_last and ended


async def _unless_gone(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """What `work` comes to; where the client hangs up, it is cancelled."""
    working = asyncio.ensure_future(work)
    watching = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.wait([working])
        raise Problem(408, "gone", "the client hung up; nothing came of this call")
    finally:
        working.cancel()
        watching.cancel()


async def _gone(request: Request) -> None:
    # The body was read before: what comes now is that the client has left.
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _client(request: Request) -> Client:
    """Who calls, by the header that HTTP has for it."""
    said = request.headers.get("user-agent", "").partition(" ")[0]
    name, _, version = said[:_CLIENT_CHARS].partition("/")
    return Client(name=name or "unknown", version=version, protocol="rest")


def _mended(text: str) -> str:
    """Half of a surrogate pair fits in no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
