"""What runs came to: the leaderboard, and one run's curves, exploration, stopping and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Query

from analysis import spending
from analysis.axes import Axis
from analysis.exploration.explored import Point
from analysis.scaling import LABEL
from analysis.stopping import ENDINGS
from core.evaluation import Level
from server import costs, curves, exploration, stopping
from server.rest_app.bodies.analyses import (
    Costs,
    CostsLine,
    Curves,
    Exploration,
    ExplorationPoint,
    Leaderboard,
    LeaderboardRow,
    Stopping,
)
from server.rest_app.door import Anybody, InOffice, readable
from server.rest_app.problems import Problem, without_paths
from server.runs import competitor
from server.standings import standings
from server.standings_row import public_row
from tools.threads import in_thread

router = APIRouter(tags=["analyses"])

PATIENCE_S: Final = 2.0
"""So long a request waits for runs that nobody has summed up yet."""
_T = TypeVar("_T")

After = Annotated[int, Query(ge=0, le=2**31)]
Limit = Annotated[int, Query(ge=1, le=1_000)]
EvaluationId = Annotated[str | None, Query(max_length=200)]


@router.get("/leaderboard", summary="Who found how much, by scenario")
def show_leaderboard(
    *,
    here: InOffice,
    token: Anybody,
    scenario: Annotated[str | None, Query(max_length=100)] = None,
    after: After = 0,
    limit: Limit = 200,
) -> Leaderboard:
    """A page of the rows that the dashboard's first page shows."""
    wanted = () if scenario is None else (scenario,)
    found = standings(here.store, here.settings, scenarios=wanted, patience_s=PATIENCE_S)
    rows = [
        LeaderboardRow(
            scenario=board.scenario_id,
            group=number,
            apart=[without_paths(each) for each in group.apart],
            # Names and reasons may hold a path of this machine; the ids are for whoever has a token.
            row=public_row(row).model_copy(
                update={"run_id": row.run_id, "evaluation_id": row.evaluation_id}
            ),
        )
        for board in found.boards
        for number, group in enumerate(board.groups, start=1)
        for row in group.rows
    ]
    shown, following = _page(rows, after, limit)
    totals = list(found.public().totals)
    return Leaderboard(rows=shown, totals=totals, pending=found.pending, next=following)


@router.get("/runs/{run}/curves", summary="How accuracy grows along one axis")
async def show_curves(
    *,
    run: str,
    here: InOffice,
    token: Anybody,
    axis: Axis = "turn",
    level: Level = "message",
    evaluation: EvaluationId = None,
    after: After = 0,
    limit: Limit = 500,
) -> Curves:
    """By the newest evaluation or the one that is named; `limit` points of it from `after` on."""

    def work() -> Curves:
        spec = readable(here, token, run).spec
        found = curves.of_run(
            spec, here.store, here.settings, evaluation=evaluation, axes=(axis,), level=level
        )
        if found is None:
            text = f"run {spec.id} is not judged yet: POST score does it"
            raise Problem(404, "no-evaluation", text)
        whole = found.curve(axis)
        points, following = _page(whole.points, after, limit)
        return Curves(
            run=spec.id,
            evaluation=found.evaluation.id,
            axis=axis,
            level=level,
            label=LABEL,
            announced_budget=spec.announced_budget,
            undated_share=found.growths[axis].undated_share,
            curve=whole.model_copy(update={"points": tuple(points)}),
            next=following,
        )

    async with here.judging:
        return await in_thread(work, name="curves")


@router.get("/runs/{run}/exploration", summary="Where the trajectories looked")
async def show_exploration(
    *,
    run: str,
    here: InOffice,
    token: Anybody,
    evaluation: EvaluationId = None,
    after: After = 0,
    limit: Limit = 200,
) -> Exploration:
    """Coverage and entropy of each trajectory, the test over all of them, and the map of the schema."""

    def work() -> Exploration:
        spec = readable(here, token, run).spec
        found = exploration.of_run(
            spec, here.store, here.settings, evaluation=evaluation, with_turns=False
        )
        points, following = _page(found.exploration.points, after, limit)
        (own,) = found.evaluations
        return Exploration(
            run=spec.id,
            evaluation=own.id if own else None,
            left_out=found.left_out,
            trajectories=[_point(each) for each in points],
            regimes=list(found.exploration.regimes),
            heat=found.exploration.heat,
            next=following,
        )

    async with here.judging:
        return await in_thread(work, name="exploration")


@router.get("/runs/{run}/stopping", summary="When and why the trajectories ended")
async def show_stopping(
    *,
    run: str,
    here: InOffice,
    token: Anybody,
    evaluation: EvaluationId = None,
    after: After = 0,
    limit: Limit = 200,
) -> Stopping:
    """Those that chose to end apart from those that were ended."""

    def work() -> Stopping:
        spec = readable(here, token, run).spec
        found = stopping.of_run(spec, here.store, here.settings, evaluation=evaluation)
        ends = found.stopping
        stops, following = _page(ends.stops, after, limit)
        return Stopping(
            run=spec.id,
            evaluation=found.evaluation.id if found.evaluation else None,
            reasons=ends.reasons,
            turns={ending: ends.turns(ending) for ending in ENDINGS},
            turns_after_last_discovery={ending: ends.turns_after(ending) for ending in ENDINGS},
            near_finishes=ends.near_finishes,
            idle_replies=ends.nudges,
            insights_generated=ends.insights_generated,
            insights_valid=ends.insights_valid,
            insights_failed=ends.insights_failed,
            valid_insight_ratio=ends.valid_ratio,
            stops=stops,
            next=following,
        )

    async with here.judging:
        return await in_thread(work, name="stopping")


@router.get("/runs/{run}/costs", summary="What a run took")
async def show_costs(
    *, run: str, here: InOffice, token: Anybody, after: After = 0, limit: Limit = 200
) -> Costs:
    """Tokens and dollars by role, time by tool, and what each trajectory took; judges are not among them."""

    def work() -> Costs:
        spec = readable(here, token, run).spec
        found = costs.of_run(spec, competitor(spec), here.store, here.settings)
        lines, following = _page(found.explorations, after, limit)
        return Costs(
            run=spec.id,
            is_seen=found.is_seen,
            cost_usd=found.cost_usd,
            roles=list(found.roles),
            lost=found.lost,
            reasoning=found.reasoning,
            tools=list(found.tools),
            trajectories=[_line(each) for each in lines],
            next=following,
        )

    async with here.judging:
        return await in_thread(work, name="costs")


def _line(each: spending.Exploration) -> CostsLine:
    return CostsLine(
        trajectory=each.trajectory_id,
        entity=each.entity_id,
        trial=each.trial,
        turns=each.turns,
        calls=each.calls,
        errors=each.errors,
        tool_s=each.tool_s,
        agent_s=each.agent_s,
        other_s=each.other_s,
        whole_s=each.whole_s,
        repeated=each.repeats.repeated,
        loops=len(each.loops),
    )


def _point(point: Point) -> ExplorationPoint:
    return ExplorationPoint(
        trajectory=point.trajectory_id,
        entity=point.entity_id,
        trial=point.trial,
        accuracy=point.accuracy,
        turns=point.turns,
        coverage=point.use.coverage,
        entropy=point.use.entropy,
        accesses=point.use.accesses,
        tables=point.tables,
        is_followed=point.is_followed,
    )


def _page(whole: Sequence[_T], after: int, limit: int) -> tuple[list[_T], int | None]:
    """A part of it, and where the next one begins."""
    past = after + limit
    return list(whole[after:past]), past if past < len(whole) else None
