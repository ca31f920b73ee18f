"""A run of an agent from outside as a report is given it."""

from __future__ import annotations

from dataclasses import replace

from analysis.report_data import ReportData
from core.contact import Met
from core.evaluation import Verdict
from core.outside import UNANSWERED, Outside
from core.trajectory import (
    Client,
    Insight,
    StopReason,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
    Usage,
)
from tests.analysis.factory import (
    START,
    data,
    entity,
    insight,
    item,
    run,
    score,
    trajectory,
    turn,
    verdict,
)

QUOTE = "For carrier 01 the mean of x is 12.5"
WRITER = "openai/writer"
CLIENT = Client(name="claude-code", version="2.1", protocol="2026-07-28")


def overlapping(index: int, *calls: tuple[str, str]) -> Turn:
    """Calls that were under way together; each has its own answer, or none."""
    return Turn(
        index=index,
        tool_calls=tuple(
            ToolCall(
                call_id=f"{index}.{n}", name="execute_query", arguments=f'{{"query": "{sql}"}}'
            )
            for n, (sql, _) in enumerate(calls)
        ),
        tool_results=tuple(
            ToolResult(
                call_id=f"{index}.{n}",
                name="execute_query",
                text=answer,
                is_error=not answer,
                error_kind=None if answer else UNANSWERED,
                duration_s=0.5,
            )
            for n, (_, answer) in enumerate(calls)
        ),
        started_at=START,
        duration_s=1.0,
    )


def asked(name: str, text: str, turn: int) -> Insight:
    """What a model wrote for the agent afterwards."""
    return insight(name, text, turn).model_copy(
        update={"id": f"late-{turn}", "author": WRITER, "prompt_hash": "c0de"}
    )


def first(**changes: object) -> Trajectory:
    """One that finished: three calls at once in its second turn, two insights in it."""
    three = overlapping(2, ("SELECT 1", '{"n": 1}'), ("SELECT 2", '{"n": 2}'), ("SELECT 3", ""))
    values: dict[str, object] = {
        "turns": [turn(1), three, turn(3)],
        "insights": (
            insight("t1", "Nothing to see.", 2).model_copy(update={"id": "own-1"}),
            insight("t1", f"So it is: {QUOTE}.", 2).model_copy(
                update={"id": "own-2", "evidence": ("SELECT avg(x) FROM t",)}
            ),
            asked("t1", "It flies.", 3),
            insight("t1", f"In short: {QUOTE}."),
        ),
        "agent": "claude-code",
        "client": CLIENT,
        "reported_agent": "claude-code 2.1",
        "reported_model": "claude-x",
        "reported_usage": Usage(input_tokens=1200, output_tokens=30, cost_usd=0.25),
        **changes,
    }
    return trajectory("t1", **values)  # type: ignore[arg-type]


def report_data(**changes: object) -> ReportData:
    """Two carriers: one was explored, to the other nobody came."""
    people = [entity("01", "Amber Air"), entity("02", "Bittern Air")]
    never = trajectory(
        "t2", "02", [], agent="claude-code", sandbox=None, stop_reason=StopReason.NO_CONTACT
    )
    said: list[Verdict] = [
        verdict("a", turns=(2,), evidence=QUOTE),
        verdict("a", level="trajectory", evidence=QUOTE),
        verdict("b", turns=(3,), evidence="It flies"),
        verdict("c", None, trajectory_id="t2", unscored_reason="no_contact"),
    ]
    spec = run(["01", "02"]).model_copy(
        update={"agent": "claude-code", "outside": Outside(has_shell=True, has_web=False)}
    )
    values: dict[str, object] = {
        "entities": people,
        "run": spec,
        "scores": [
            score("claude-code", "message", "item", 2 / 3, 3),
            score("claude-code", "trajectory", "item", 1 / 3, 3),
        ],
        "others": {WRITER: 1},
        "own_words": [score("claude-code", "message", "item", 1 / 3, 3)],
        "contacts": {
            "t1": Met(
                stage="calls",
                calls=9,
                explored=5,
                tools={"execute_query": 5, "get_task": 1, "submit_insight": 2, "finish": 1},
                errors={"sql": 1},
                refused=1,
                cancelled=2,
                unanswered=1,
                messages={"initialize": 1},
                clients=(CLIENT,),
            ),
            "t2": Met(stage="no contact"),
        },
    }
    items = [item("a"), item("b"), item("c", "02")]
    made = data(items, [first(), never], said, **values)  # type: ignore[arg-type]
    return replace(made, **changes)  # type: ignore[arg-type]
