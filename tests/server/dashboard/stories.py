"""Runs over two carriers of flights whose turns, insights and numbers are written here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import event

from checklists.loader import load
from core.evaluation import LEVELS
from core.run import ModelSpec, RunSpec
from core.trajectory import Insight, StopReason, ToolCall, ToolResult, Trajectory, Turn
from server.store import Repository
from tests.server.support import START, draft, evaluation, spec, verdict

CARRIERS: Final = ("01", "02")
CHECKLIST: Final = load("flights")
QUOTE: Final = "The mean delay is 12.5 min"
FIRST: Final = f"{QUOTE}, which is 4.75 min more than that of carrier 02."
ROWS: Final = [["01", 12.5, 4000], ["02", 7.75, 52000]]
SQL: Final = "SELECT carrier, avg(delay) AS mean, count(*) AS n FROM flights GROUP BY 1 -- <b>"


def item_ids(carrier: str = "01") -> list[str]:
    """Of the shipped checklist, in order."""
    return [item.id for item in CHECKLIST.of(carrier)]


def turn(index: int, rows: list[list[Any]], **changes: Any) -> Turn:
    """One that ran a query, and saw these rows."""
    text = json.dumps({"columns": ["carrier", "mean", "n"], "rows": rows})
    call = ToolCall(call_id=f"c{index}", name="execute_query", arguments=json.dumps({"query": SQL}))
    answer = ToolResult(call_id=f"c{index}", name="execute_query", text=text, duration_s=0.5)
    made = Turn(
        index=index,
        text=f"Look no. {index}.",
        reasoning="Means first.",
        tool_calls=(call,),
        tool_results=(answer,),
        started_at=START + timedelta(seconds=index),
        duration_s=1.0,
    )
    return made.model_copy(update=changes)


def begun(
    store: Repository,
    number: int,
    *,
    agent: str = "profiler",
    carriers: tuple[str, ...] = CARRIERS,
    **changes: Any,
) -> RunSpec:
    """A run that nobody has worked on yet."""
    made = spec(
        f"20260131-flights-s{number:03}",
        **{
            "scenario_id": "flights",
            "scenario_fingerprint": "f00d",
            "entity_ids": carriers,
            "agent": agent,
            "created_at": START + timedelta(minutes=number),
            **changes,
        },
    )
    store.add_run(made)
    return made


def explore(
    store: Repository,
    run: RunSpec,
    carrier: str = "01",
    *,
    texts: tuple[str, ...] = (
        FIRST,
        "It flies more in summer than in winter.",
        "Nobody knows 991.7.",
    ),
    turns: int = 3,
    ends: bool = True,
) -> Trajectory:
    """The first turn shows ROWS, the others nothing of note; insight k is of turn k."""
    mine = store.start_trajectory(draft(run, carrier))
    for index in range(1, turns + 1):
        store.add_turn(mine.id, turn(index, ROWS if index == 1 else []))
        if index <= len(texts):
            store.add_insight(_said(mine, index, texts[index - 1], run.agent))
    if ends:
        store.add_insight(_said(mine, None, " ".join(texts), run.agent))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START + timedelta(seconds=60))
    return mine


def judge(store: Repository, run: RunSpec, *trajectories: Trajectory) -> str:
    """The first item of each carrier is found, by the first insight; no other."""
    own = evaluation(run, f"{run.id}.e1").model_copy(
        update={
            "checklist_id": "flights",
            "checklist_version": CHECKLIST.version,
            "checklist_hash": CHECKLIST.hash,
        }
    )
    store.add_evaluation(own)
    said = []
    for each in trajectories:
        for place, item in enumerate(CHECKLIST.of(each.entity_id)):
            for level in LEVELS:
                found = place == 0
                said.append(
                    verdict(
                        each.id,
                        item.id,
                        evaluation_id=own.id,
                        level=level,
                        label="supported" if found else "insufficient",
                        supporting_turns=(1,) if found and level == "message" else (),
                        evidence=QUOTE if found else None,
                    )
                )
    store.add_verdicts(said)
    return own.id


def finished(store: Repository, number: int = 1, **changes: Any) -> RunSpec:
    """Explored and judged."""
    texts = changes.pop("texts", None)
    run = begun(store, number, **changes)
    some = {} if texts is None else {"texts": texts}
    judge(store, run, *[explore(store, run, carrier, **some) for carrier in run.entity_ids])
    return run


def modelled(store: Repository, number: int, name: str, **changes: Any) -> RunSpec:
    """Of a model, finished and judged."""
    model = ModelSpec(provider="openai", name=name)
    return finished(store, number, agent="react", model=model, **changes)


@contextmanager
def asked(store: Repository) -> Iterator[list[str]]:
    """The statements that read the store while this lasts."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.lstrip().startswith(("SELECT", "WITH")):
            seen.append(statement)

    event.listen(store._engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(store._engine, "before_cursor_execute", note)


def _said(mine: Trajectory, turn_: int | None, text: str, author: str) -> Insight:
    return Insight(
        id=f"{mine.id}.{turn_ or 'report'}",
        trajectory_id=mine.id,
        level="message" if turn_ else "trajectory",
        turn=turn_,
        text=text,
        author=author,
    )
