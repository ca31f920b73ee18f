"""A home whose store and checklist hold known words, so that a test can see who gets to read which."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from checklists.canonical import items_hash, to_json
from core.access import Role
from core.checklist import Checklist, Decision, Expected
from core.evaluation import LEVELS
from core.outside import Outside
from core.run import RunSpec
from core.trajectory import Insight, Sandbox, StopReason, ToolCall, Turn
from databases.catalog import InstalledScenario
from server.enrolment import enrol
from server.runner import utc_now
from server.settings import Settings
from server.standings import standings
from server.store import Repository
from server.tokens import issue
from tests.server.dashboard import boards
from tests.server.support import START, draft, evaluation, spec, turn, verdict

ENTITY = "01"

OF_CHECKLIST = (
    "CanaryItem-2",
    "CanaryQuestion",
    "CanaryAnswer",
    "CanarySql",
    "CanaryWhy",
    "CanaryReason",
    "CanaryQuote",
)
OF_FINISHED = ("CanaryFinishedTurn", "CanaryFinishedResult", "CanaryFinishedInsight")
OF_RUNNING = (
    "CanaryRunningTurn",
    "CanaryRunningResult",
    "CanaryRunningInsight",
    "CanaryRunningAgent",
)
OF_RESTRICTED = ("CanaryRestrictedResult",)


@dataclass(frozen=True)
class Secrets:
    """What was put there, by what it is called in the tests."""

    home: Path
    tokens: dict[str, str]
    """By whose: reader, harness, other (a second harness), admin, agent (of a seat)."""
    runs: dict[str, RunSpec]
    """finished, running, restricted, outside (it goes on, and is the harness's), twin (finished)."""
    seat: str
    """The path of the one seat of `outside`."""
    items: tuple[str, ...]
    evaluation: str


def planted(store: Repository, settings: Settings, flights: InstalledScenario) -> Secrets:
    """Everything, and a token for everybody."""
    checklist = _checklist(settings)
    runs = {
        "finished": _explored(store, flights, "fini", "Finished"),
        "twin": _explored(store, flights, "twin", "Finished"),
        "running": _running(store, flights),
        "restricted": _restricted(store),
    }
    for name in ("finished", "twin"):
        _judged(store, runs[name], checklist)
    whose = Outside(enrolled_by="harness")
    enrolled = enrol(
        flights, store, agent="mine", now=utc_now(), entities=[ENTITY], trials=1, outside=whose
    )
    roles: dict[str, Role] = {
        "reader": "reader",
        "harness": "harness",
        "other": "harness",
        "admin": "admin",
    }
    tokens = {who: issue(store, role, utc_now(), name=who)[1] for who, role in roles.items()}
    (issued,) = enrolled.seats
    runs["outside"] = enrolled.spec
    standings(store, settings)  # as `ddr evaluate` leaves it
    return Secrets(
        settings.home,
        {**tokens, "agent": issued.token},
        runs,
        issued.seat.path,
        tuple(item.id for item in checklist.items if item.entity_id == ENTITY),
        f"{runs['finished'].id}.e1",
    )


def _checklist(settings: Settings) -> Checklist:
    items = [
        item.model_copy(
            update={
                "id": f"CanaryItem-{number}",
                "question": f"CanaryQuestion {number}?",
                "answer": f"CanaryAnswer {number}.",
                "evidence_sql": "SELECT 'CanarySql'",
                "expected": Expected(value="CanarySql"),
                "decisions": (Decision(who="ann", when=START, status="accepted", why="CanaryWhy"),),
            }
        )
        for number, item in enumerate(boards.items())
    ]
    made = boards.CHECKLIST.model_copy(
        update={"items": tuple(items), "hash": items_hash(items), "summaries": {}}
    )
    settings.checklists.mkdir()
    (settings.checklists / "flights.json").write_text(to_json(made), "utf-8")
    return made


def _spec(flights: InstalledScenario, name: str) -> RunSpec:
    return spec(
        f"20260131-flights-{name}",
        scenario_id="flights",
        scenario_fingerprint=flights.scenario.fingerprint,
        entity_ids=(ENTITY, "02"),
        agent="scripted",
    )


def _told(run: RunSpec, index: int, which: str) -> Turn:
    made = turn(index, f"Canary{which}Turn", result=f"Canary{which}Result")
    call = ToolCall(call_id=f"c{index}", name="execute_query", arguments='{"query": "SELECT 1"}')
    return made.model_copy(update={"tool_calls": (call,)})


def _insight(trajectory: str, which: str) -> Insight:
    return Insight(
        id=f"{trajectory}.i1",
        trajectory_id=trajectory,
        level="message",
        turn=1,
        text=f"Canary{which}Insight: it flies.",
        author="scripted",
    )


def _explored(store: Repository, flights: InstalledScenario, name: str, which: str) -> RunSpec:
    run = _spec(flights, name)
    store.add_run(run)
    for entity in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity))
        store.add_turn(mine.id, _told(run, 1, which))
        store.add_insight(_insight(mine.id, which))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return run


def _running(store: Repository, flights: InstalledScenario) -> RunSpec:
    run = _spec(flights, "runs").model_copy(update={"agent": "CanaryRunningAgent"})
    store.add_run(run)
    sandbox = Sandbox(name="off", detail=f"{flights.folder} is not to be had")
    mine = store.start_trajectory(draft(run, ENTITY, sandbox=sandbox))
    store.add_turn(mine.id, _told(run, 1, "Running"))
    store.add_insight(_insight(mine.id, "Running"))
    return run


def _restricted(store: Repository) -> RunSpec:
    """Of a scenario whose data may not leave the machine; that it is not built here changes nothing."""
    run = spec(
        "20260131-patients-rest",
        scenario_id="patients",
        entity_ids=(ENTITY,),
        agent="scripted",
        endpoint_allowed="it stays here",
    )
    store.add_run(run)
    mine = store.start_trajectory(draft(run, ENTITY))
    store.add_turn(mine.id, _told(run, 1, "Restricted"))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return run


def _judged(store: Repository, run: RunSpec, checklist: Checklist) -> None:
    made = evaluation(run, f"{run.id}.e1").model_copy(
        update={
            "checklist_id": checklist.id,
            "checklist_version": checklist.version,
            "checklist_hash": checklist.hash,
        }
    )
    store.add_evaluation(made)
    store.add_verdicts(
        verdict(
            trajectory.id,
            item.id,
            evaluation_id=made.id,
            level=level,
            label="supported",
            supporting_turns=(1,) if level == "message" else (),
            evidence="CanaryQuote",
            reason="CanaryReason",
        )
        for trajectory in store.heads(run.id)
        for item in checklist.of(trajectory.entity_id)
        for level in LEVELS
    )
