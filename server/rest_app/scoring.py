"""Score a run by rules alone, and read what was scored."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from checklists.loader import NoChecklistError, checklist_for
from core.checklist import Checklist
from core.errors import StoreError
from core.evaluation import Evaluation
from core.run import RunSpec
from databases.catalog import open_scenario
from server.evaluation_asked import Asked, prepare
from server.judged import Judged, own_evaluations, read
from server.rest_app.bodies.scores import Scores, VerdictLine, Verdicts
from server.rest_app.door import Admin, Anybody, InOffice, Office, Worker, readable, workable
from server.rest_app.problems import Problem
from server.runner import utc_now
from server.store import RunLock
from tools.threads import in_thread

router = APIRouter(tags=["scores"])


@router.post("/runs/{run}/score", summary="Score what has ended, by the checker without a model")
async def score_run(
    run: str,
    here: InOffice,
    token: Worker,
    baselines: Annotated[Literal["all", "none"], Query()] = "all",
) -> Scores:
    """An evaluation of its own each time. What goes on is not judged, and its items are unscored."""

    def work() -> Scores:
        spec = workable(here, token, run).spec
        ended = [head for head in here.store.heads(spec.id) if head.stop_reason is not None]
        if not ended:
            text = f"nothing of run {spec.id} has ended yet: wait for it, or close the run"
            raise Problem(409, "not-finished", text)
        facts = checklist(here, spec)
        installed = open_scenario(spec.scenario_id, here.settings.home)
        judging = prepare(Asked(baselines=baselines), spec, facts, here.store, installed).judging
        with ExitStack() as held:
            try:
                held.enter_context(RunLock(here.settings.locks, spec.id))
            except StoreError as exc:
                text = f"run {spec.id} is being worked on by another process: try again later"
                raise Problem(409, "busy", text, headers={"Retry-After": "5"}) from exc
            judged = asyncio.run(judging.judge(installed.entities(), utc_now()))
        return _scores(here, spec, judged)

    async with here.judging:
        return await in_thread(work, name="judging")


@router.get("/runs/{run}/scores", summary="The scores of a run's latest evaluation")
def show_scores(run: str, here: InOffice, token: Anybody) -> Scores:
    """By whichever checker it was made, and of which nothing is computed anew but the means."""
    spec = readable(here, token, run).spec
    latest = _latest(here, spec, None)
    facts = checklist(here, spec)
    if facts.hash != latest.checklist_hash:
        text = f"{latest.id} was judged by another checklist than the one that is here now"
        raise Problem(409, "checklist", text)
    installed = open_scenario(spec.scenario_id, here.settings.home)
    return _scores(here, spec, read(spec, here.store, facts, installed.entities(), latest.id))


@router.get("/runs/{run}/verdicts", summary="What the checker says of each item")
def list_verdicts(
    *,
    run: str,
    here: InOffice,
    token: Admin,
    evaluation: Annotated[str | None, Query(max_length=200)] = None,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> Verdicts:
    """They name the items of the checklist: whoever trains or tests an agent does not get to see them."""
    spec = readable(here, token, run).spec
    chosen = _latest(here, spec, evaluation)
    found = here.store.verdicts(chosen.id)
    past = after + limit
    lines = [
        VerdictLine(
            item=verdict.item_id,
            trajectory=verdict.trajectory_id,
            level=verdict.level,
            label=verdict.label,
            unscored_reason=verdict.unscored_reason,
            supporting_turns=list(verdict.supporting_turns),
            evidence=verdict.evidence,
        )
        for verdict in found[after:past]
    ]
    following = past if past < len(found) else None
    return Verdicts(evaluation=chosen.id, verdicts=lines, next=following)


def checklist(here: Office, spec: RunSpec) -> Checklist:
    """By which a run's scenario is scored. Raises Problem where there is none."""
    try:
        return checklist_for(spec.scenario_id, here.settings.checklists)
    except NoChecklistError as exc:
        text = f"scenario {spec.scenario_id} has no checklist on this server: nothing scores it"
        raise Problem(409, "no-checklist", text) from exc


def _latest(here: Office, spec: RunSpec, name: str | None) -> Evaluation:
    """The agent's own evaluation of that id, or the last one."""
    found = own_evaluations(here.store.evaluations(spec.id))
    chosen = [each for each in found if name in (None, each.id)]
    if not chosen:
        known = ", ".join(each.id for each in found[-10:]) or "none yet: POST score makes one"
        raise Problem(404, "no-evaluation", f"no such evaluation of run {spec.id}; known: {known}")
    return chosen[-1]


def _scores(here: Office, spec: RunSpec, judged: Judged) -> Scores:
    own = judged.evaluation
    parts: dict[str, Any] = {
        "run": spec.id,
        "evaluation": own.id,
        "checker": own.checker,
        "checklist": own.checklist_id,
        "checklist_version": own.checklist_version,
    }
    still_open = sum(head.stop_reason is None for head in here.store.heads(spec.id))
    return Scores(
        **parts,
        judged=len({verdict.trajectory_id for verdict in judged.verdicts}),
        still_open=still_open,
        scores=judged.scores,
    )
