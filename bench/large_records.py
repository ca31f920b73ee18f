"""The records of a large store: what a model's run over every entity leaves behind, as rows of its tables.

Turns with SQL, results and model calls, an insight per turn, a report, verdicts at both levels with quotes
and reasons, and a judged baseline beside them.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from core.checklist import Checklist
    from core.evaluation import Evaluation
    from core.run import RunSpec
    from databases.catalog import InstalledScenario

START: Final = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
_BASELINE: Final = "shuffled_entity"


def spec(run_id: str, place: int, installed: InstalledScenario, entities: Sequence[str]) -> RunSpec:
    from core.run import ModelSpec, RunSpec

    return RunSpec(
        id=run_id,
        scenario_id=installed.scenario.id,
        scenario_fingerprint=installed.scenario.fingerprint or "",
        entity_ids=tuple(entities),
        agent="react",
        model=ModelSpec(provider="openai", name=f"house-{place % 5}/model-{place:02d}"),
        created_at=START + timedelta(days=place),
    )


def explored(store: sqlite3.Connection, spec: RunSpec, place: int, length: int) -> None:
    draw = random.Random(f"{spec.id}-turns")
    turns = [_turn(index, draw, place) for index in range(1, length + 1)]
    trajectory = _trajectory(spec)
    store.executemany(
        "INSERT INTO trajectories (id, run_id, entity_id, trial, attempt, stop_reason, body)"
        " VALUES (?, ?, ?, 1, 1, 'finished', ?)",
        (
            (_id(spec, e), spec.id, e, trajectory.replace("ENTITY", e).replace("ID", _id(spec, e)))
            for e in spec.entity_ids
        ),
    )
    store.executemany(
        "INSERT INTO turns (trajectory_id, turn, body) VALUES (?, ?, ?)",
        (
            (_id(spec, entity), index, body.replace("ENTITY", entity))
            for entity in spec.entity_ids
            for index, body in enumerate(turns, 1)
        ),
    )
    store.executemany(
        "INSERT INTO insights (trajectory_id, position, id, body) VALUES (?, ?, ?, ?)",
        _insights(spec, length),
    )


def _trajectory(spec: RunSpec) -> str:
    from core.trajectory import Preamble, StopReason, Trajectory

    made = Trajectory(
        id="ID",
        run_id=spec.id,
        scenario_id=spec.scenario_id,
        scenario_fingerprint=spec.scenario_fingerprint,
        entity_id="ENTITY",
        model=f"openai/{spec.model.name}" if spec.model else None,
        agent=spec.agent,
        preamble=Preamble(system_prompt="Look around. " * 40, start_prompt="Explore ENTITY."),
        stop_reason=StopReason.FINISHED,
        started_at=START,
        ended_at=START + timedelta(minutes=9),
    )
    return _json(made, leave_out={"turns", "nudges", "insights"})


def _turn(index: int, draw: random.Random, place: int) -> str:
    from core.trajectory import ModelCall, ToolCall, ToolResult, Turn, Usage

    began = START + timedelta(seconds=17 * index)
    sql = (
        "SELECT service_id, priority, count(*) AS incidents, avg(resolution_hours) AS hours\n"
        f"FROM incidents WHERE team_id = 'ENTITY' AND week >= {index}\n"
        "GROUP BY service_id, priority ORDER BY hours DESC"
    )
    rows = [[f"service {n}", n % 4, 37 * n + index, round(4.25 * n / 3, 4)] for n in range(12)]
    columns = ["service_id", "priority", "incidents", "hours"]
    result = json.dumps({"columns": columns, "rows": rows, "truncated": False})
    usage = Usage(
        input_tokens=1500 + 900 * index,
        output_tokens=120 + draw.randrange(200),
        cached_input_tokens=800 * index,
        reasoning_tokens=40,
        cost_usd=0.0004 * (1 + place) * (1 + index / 10),
    )
    call = ModelCall(
        role="agent",
        model_asked="openai/m",
        usage=usage,
        started_at=began,
        duration_s=4.0 + draw.random(),
    )
    return _json(
        Turn(
            index=index,
            text=f"Week {index} differs from those before; I look at which services carry it.",
            reasoning="The mean may hide a few long ones, so I ask for the spread as well. " * 3,
            tool_calls=(
                ToolCall(
                    call_id=f"c{index}", name="execute_query", arguments=json.dumps({"query": sql})
                ),
            ),
            tool_results=(
                ToolResult(
                    call_id=f"c{index}",
                    name="execute_query",
                    text=result,
                    accessed_fields=("incidents.priority", "incidents.service_id"),
                    duration_s=0.02 + draw.random() / 20,
                ),
            ),
            call=call,
            started_at=began,
            duration_s=5.0,
        )
    )


def _insights(spec: RunSpec, length: int) -> Iterator[tuple[str, int, str, str]]:
    from core.trajectory import Insight

    def body(level: Any, turn: int | None, text: str) -> str:
        made = Insight(
            id="INSIGHT", trajectory_id="ID", level=level, turn=turn, text=text, author="openai/m"
        )
        return _json(made)

    told = [
        body("message", turn, f"In week {turn} team ENTITY had {37 * turn} incidents of service 3.")
        for turn in range(1, length + 1)
    ]
    told.append(body("trajectory", None, "Team ENTITY in short. " + "It resolves slowly. " * 30))
    for entity in spec.entity_ids:
        own = _id(spec, entity)
        for position, text in enumerate(told):
            name = f"{own}.i{position}"
            filled = text.replace("INSIGHT", name).replace("ENTITY", entity).replace("ID", own)
            yield own, position, name, filled


def judged(
    store: sqlite3.Connection, spec: RunSpec, place: int, checklist: Checklist, length: int
) -> None:
    from core.evaluation import Evaluation

    own = f"{spec.id}.e1"
    for position, (name, skill) in enumerate(
        ((own, 0.75 - 0.02 * place), (f"{own}-{_BASELINE}", 0.02))
    ):
        about: dict[str, Any] = {} if name == own else {"baseline": _BASELINE, "of": own}
        evaluation = Evaluation(
            id=name,
            run_id=spec.id,
            checker="llm",
            judges_asked=("openai/judge",),
            parameters=about,
            checklist_id=checklist.id,
            checklist_version=checklist.version,
            checklist_hash=checklist.hash,
            created_at=START + timedelta(days=30 + place),
        )
        store.execute(
            "INSERT INTO evaluations VALUES (?, ?, ?, ?)",
            (name, spec.id, position + 1, _json(evaluation)),
        )
        store.executemany(
            "INSERT INTO verdicts (evaluation_id, item_id, trajectory_id, level, body)"
            " VALUES (?, ?, ?, ?, ?)",
            _verdicts(spec, evaluation, checklist, skill, length),
        )


def _verdicts(
    spec: RunSpec, evaluation: Evaluation, checklist: Checklist, skill: float, length: int
) -> Iterator[tuple[str, str, str, str, str]]:
    draw = random.Random(evaluation.id)
    for item in checklist.items:
        trajectory_id = _id(spec, item.entity_id)
        for level, ease in (("message", 1.0), ("trajectory", 0.8)):
            found = draw.random() < skill * ease
            turns = [1 + draw.randrange(length)] if found and level == "message" else []
            body = {
                "evaluation_id": evaluation.id,
                "item_id": item.id,
                "trajectory_id": trajectory_id,
                "level": level,
                "label": "supported" if found else "insufficient",
                "supporting_turns": turns,
                "evidence": f"team {item.entity_id} had" if found else None,
                "reason": "It says the same with the same figure." if found else "Not told.",
            }
            yield evaluation.id, item.id, trajectory_id, level, json.dumps(body)


def _id(spec: RunSpec, entity: str) -> str:
    return f"{spec.id}.{entity}.1.1"


def _json(record: Any, *, leave_out: set[str] | None = None) -> str:
    text: str = record.model_dump_json(exclude=leave_out)
    return text
