"""Runs of a small scenario that are explored and judged by hand, for the leaderboard."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from core.checklist import Checklist, ChecklistItem
from core.evaluation import LEVELS, Evaluation, Level
from core.run import ModelSpec, RunSpec
from core.scenario import Entity, License
from core.trajectory import Insight, ModelCall, Role, StopReason, ToolCall, ToolResult, Turn, Usage
from server.standings_kept import keep_summary
from server.store import Repository
from tests.server.support import START, draft, evaluation, spec, verdict

ENTITIES = [
    Entity(scenario_id="small", id="01", label="Ash Air"),
    Entity(scenario_id="small", id="02", label="Birch Air"),
]
ITEMS = ("01-a", "01-b", "02-a")
"""Two items of one entity, one of the other."""


def item(name: str) -> ChecklistItem:
    """An open item; its entity stands in its name."""
    return ChecklistItem(
        id=name,
        entity_id=name.partition("-")[0],
        question="?",
        answer=f"Fact {name}",
        category="volume",
        difficulty="easy",
        source="test",
    )


def checklist(scenario_id: str = "small", **changes: Any) -> Checklist:
    """Of the three items."""
    return Checklist(
        id=scenario_id,
        version="1",
        scenario_id=scenario_id,
        hash="c0de",
        license=License(name="CC0-1.0"),
        items=tuple(map(item, ITEMS)),
    ).model_copy(update=changes)


def call(role: Role = "agent", cost: float | None = 0.02, **usage: Any) -> ModelCall:
    """A model call; without a cost nobody knew a price."""
    known: dict[str, Any] = {"input_tokens": 100, "output_tokens": 10, **usage}
    return ModelCall(
        role=role,
        model_asked="m",
        usage=Usage(**known, cost_usd=cost, cost_reason=None if cost is not None else "no price"),
        started_at=START,
        duration_s=1.0,
    )


def turn(index: int, made: ModelCall | None) -> Turn:
    """A turn with one query."""
    name = f"c{index}"
    return Turn(
        index=index,
        tool_calls=(ToolCall(call_id=name, name="execute_query", arguments="{}"),),
        tool_results=(ToolResult(call_id=name, name="execute_query", text="{}", duration_s=0.5),),
        call=made,
        started_at=START,
        duration_s=2.0,
    )


def explore(
    store: Repository,
    run: RunSpec,
    *,
    turns: Mapping[str, int] | None = None,
    cost: float | None = 0.02,
    stop: StopReason = StopReason.FINISHED,
) -> RunSpec:
    """A finished run of both entities; each turn and each insight asks a model where the run has one."""
    store.add_run(run)
    for entity_id in run.entity_ids:
        for trial in range(1, run.trials + 1):
            mine = store.start_trajectory(draft(run, entity_id, trial))
            for number in range(1, (turns or {}).get(entity_id, 1) + 1):
                made = call(cost=cost) if run.model else None
                store.add_turn(mine.id, turn(number, made))
                store.add_insight(
                    Insight(
                        id=f"{mine.id}.i{number}",
                        trajectory_id=mine.id,
                        level="message",
                        turn=number,
                        text="It is so.",
                        author="m",
                        call=call("insight", cost=0.01) if run.model else None,
                    )
                )
            store.end_trajectory(mine.id, stop, ended_at=START)
    return run


def judge(
    store: Repository,
    run: RunSpec,
    *,
    message: Collection[str] = (),
    report: Collection[str] = (),
    name: str | None = None,
    without: Collection[str] = (),
    unscored: Collection[str] = (),
    items: Collection[str] = ITEMS,
    **changes: Any,
) -> Evaluation:
    """An evaluation in which these items are supported; `without` have no verdict, `unscored` no label."""
    made = evaluation(run, name or f"{run.id}.e1").model_copy(update=changes)
    store.add_evaluation(made)
    found: dict[Level, Collection[str]] = {"message": message, "trajectory": report}
    store.add_verdicts(
        verdict(
            each.id,
            one,
            evaluation_id=made.id,
            level=level,
            label=None
            if one in unscored
            else "supported"
            if one in found[level]
            else "insufficient",
            unscored_reason="the judge at /srv/secret said: hm" if one in unscored else None,
            supporting_turns=(1,) if one in found[level] else (),
        )
        for each in store.trajectories(run.id)
        for one in items
        if one.startswith(each.entity_id) and one not in without
        for level in LEVELS
    )
    return made


def model_run(number: int, name: str, **changes: Any) -> RunSpec:
    """A run of a model, a minute after the one before it."""
    return spec(
        f"20260131-small-r{number:03}",
        model=ModelSpec(provider="openai", name=name),
        agent="react",
        created_at=START + timedelta(minutes=number),
        **changes,
    )


def kept(store: Repository, run: RunSpec, **changes: Any) -> RunSpec:
    """Summed up as `ddr evaluate` does at its end."""
    keep_summary(run, store, checklist(**changes), ENTITIES)
    return run
